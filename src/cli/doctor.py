"""`evoscope doctor`: what this machine and its settings are good for."""

from pathlib import Path

import click

from .doctor_checks import ALL, Check
from .output import print_json, print_lines, table
from .runs import folder_option
from .status import json_option

BENCHMARKS = ("syn_ledger",)
"""Generated benchmarks, whose construction can be checked."""

WORDS = {True: "ok", False: "PROBLEM", None: "unknown"}


@click.command()
@click.option(
    "--benchmark",
    type=click.Choice(BENCHMARKS),
    help="Check how a generated benchmark is built instead; takes some seconds.",
)
@folder_option
@json_option
def doctor(benchmark: str | None, folder: Path, as_json: bool) -> int:
    """Check this machine and its settings; exit code 1 if something is wrong."""
    checks = [check(folder) for check in ALL] if benchmark is None else _construction()
    if as_json:
        print_json({"checks": [_json(check) for check in checks]})
    else:
        rows = [(c.name, WORDS[c.ok], c.detail, c.advice) for c in checks]
        print_lines(table(("check", "state", "detail", "advice"), rows))
    return 1 if any(check.ok is False for check in checks) else 0


def _construction() -> list[Check]:
    """Every validation of Syn-Ledger's construction."""
    from ..engine.benchmarks.syn_ledger.validate import validate

    advice = "the installed files differ from the release; install Evoscope again"
    return [Check(c.name, c.ok, c.detail, "" if c.ok else advice) for c in validate()]


def _json(check: Check) -> dict[str, object]:
    return {"name": check.name, "ok": check.ok, "detail": check.detail, "advice": check.advice}

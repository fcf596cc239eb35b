"""`evoscope ls` and `evoscope status`."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from ..engine.errors import StoreError
from ..engine.store.status import HardenEffect, RunStatus, read_status
from ..tui.format import age, count, local_time, money, percent, span
from .as_json import run_json, status_json
from .output import facts, narrate, print_json, print_lines, table
from .runs import find_runs, folder_option, run_argument

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command()
@folder_option
@json_option
def ls(folder: Path, as_json: bool) -> None:
    """List the runs of the folder, newest first."""
    runs = []
    for path in find_runs(folder):
        try:
            runs.append(read_status(path))
        except StoreError as error:
            narrate(f"left out: {error}")
    runs.sort(key=lambda run: run.started or "", reverse=True)
    if as_json:
        print_json([run_json(run) for run in runs])
    elif runs:
        print_lines(_runs_table(runs))
    else:
        narrate(f"no runs in {folder}; `evoscope demo` starts one")


@click.command()
@run_argument
@json_option
def status(run: Path, as_json: bool) -> None:
    """Show where RUN stands: progress, effect, calls, money."""
    found = read_status(run)
    if as_json:
        print_json(status_json(found))
    else:
        print_lines(status_lines(found))


def status_lines(run: RunStatus) -> list[str]:
    """A run's state for people."""
    beat = run.heartbeat
    working = f"{beat.in_flight} in flight, {beat.waiting} waiting, " if run.alive and beat else ""
    failures = f"{run.calls.failed} failed, {run.calls.ambiguous} ambiguous"
    return facts(
        [
            ("run", f"{run.name} ({run.search}{', OFFLINE' if run.offline else ''})"),
            ("state", f"{run.state}{': ' if run.reason else ''}{run.reason}"),
            ("sandbox", "NONE: programs run with your rights" if run.unsafe else ""),
            ("engine", f"process {beat.pid} on {beat.host}" if run.alive and beat else ""),
            ("heartbeat", f"{age(beat.age_s())} ago" if beat else ""),
            ("progress", progress_text(run)),
            ("time left", span(*run.eta_s) if run.eta_s else ""),
            ("parked", _parked(run.parked)),
            ("effect", found_text(run.found) or effect_text(run.effect)),
            ("calls", f"{count(run.calls.completed)} completed, {working}{failures}"),
            ("saved", _saved(run.effect)),
            ("tokens", _tokens(run)),
            ("cost", cost_text(run)),
            ("started", local_time(run.started, date=True)),
            ("updated", local_time(run.updated, date=True)),
            ("file", str(run.path)),
        ]
    )


def progress_text(run: RunStatus) -> str:
    """`12/200 cases`."""
    return f"{run.done}/{'?' if run.total is None else run.total} {run.unit}s"


def found_text(found: Mapping[str, Any]) -> str:
    """A chase or cegar run's effect; empty for other searches."""
    if "abandoned_targets" in found:
        return _cegar_text(found)
    if not found.get("chosen"):
        return ""
    shares = {"G_rel": "g_rel", "G_0": "g_0", "Delta_BS": "delta_bs", "Gamma": "gamma"}
    known = [
        f"{name} {float(found[key]):+.2%}" for name, key in shares.items() if found[key] is not None
    ]
    return f"{found['chosen']}: {', '.join(known)}; archive of {found['archive']}"


def effect_text(effect: HardenEffect) -> str:
    """What the finished cases show, on scores that no selection saw."""
    if not effect.cases:
        return ""
    before = None if effect.fresh_before is None else float(effect.fresh_before)
    after = None if effect.fresh_after is None else float(effect.fresh_after)
    failed = f", {effect.failed} failed and left out" if effect.failed else ""
    return (
        f"accuracy {percent(before)} -> {percent(after)}, "
        f"{effect.hardened} of {effect.cases} cases hardened{failed}"
    )


def _cegar_text(found: Mapping[str, Any]) -> str:
    given_up = found["abandoned_targets"]
    abandoned = f"{given_up} target{'s' * (given_up != 1)} abandoned"
    if found["delta"] is None:
        return f"pool of {found['pool']}, {abandoned}"
    share = (
        "" if found["headroom_share"] is None else f" ({percent(float(found['headroom_share']))})"
    )
    p = "" if found["p"] is None else f", p {float(found['p']):.4f}"
    return (
        f"training Delta {float(found['delta']):+.4f}{share}{p}, {found['flags']} flags, "
        f"pool of {found['pool']}, {abandoned}"
    )


def cost_text(run: RunStatus) -> str:
    """Money spent, against the budget, with whence it is known."""
    known = run.calls.cost_source != "unknown"
    if run.calls.cost is None:
        spent = "price unknown" if run.calls.completed else money(Decimal(0))
    else:
        spent = money(run.calls.cost) + ("" if known else " and more at unknown prices")
    limit = f" of {money(run.budget)}" if run.budget is not None else ""
    maybe = f", perhaps {money(run.calls.maybe_paid)} more" if run.calls.maybe_paid else ""
    return f"{spent}{limit}{maybe}{f' ({run.calls.cost_source})' if known else ''}"


def _saved(effect: HardenEffect) -> str:
    parts = (
        (effect.saved_by_vote_stopping, "votes"),
        (effect.saved_by_racing, "rollouts by racing"),
        (effect.skipped_by_futility, "by futility"),
    )
    return ", ".join(f"{count(number)} {what}" for number, what in parts if number)


def _tokens(run: RunStatus) -> str:
    calls = run.calls
    cached = f" ({count(calls.cached_input_tokens)} cached)" if calls.cached_input_tokens else ""
    return f"{count(calls.all_input_tokens)} in{cached}, {count(calls.output_tokens)} out"


def _parked(units: tuple[str, ...]) -> str:
    shown = ", ".join(units[:5])
    return f"{shown}{f' and {len(units) - 5} more' if len(units) > 5 else ''}"


def _runs_table(runs: list[RunStatus]) -> list[str]:
    rows = [
        (
            run.name,
            run.search + (" offline" if run.offline else ""),
            run.state,
            progress_text(run),
            found_text(run.found) or effect_text(run.effect),
            "?" if run.calls.cost is None else money(run.calls.cost),
            local_time(run.started, date=True),
        )
        for run in runs
    ]
    heads = ("run", "search", "state", "progress", "effect", "cost", "started")
    return table(heads, rows, right={3, 5})

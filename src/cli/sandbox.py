"""`evoscope sandbox`: one program in the sandbox, its verdict and what it cost."""

import asyncio
import json
from pathlib import Path
from typing import Any

import click

from ..engine.errors import DataError, UsageError
from ..engine.sandbox import jobs
from ..engine.sandbox.inside.codec import TooCostly
from ..engine.sandbox.levels import STRONGEST_FIRST
from ..engine.sandbox.pool import Pool
from .output import facts, narrate, print_json, print_lines
from .status import json_option

FILE = click.Path(path_type=Path)


@click.command()
@click.argument("file", type=FILE)
@click.option("--call", "entry", required=True, metavar="NAME", help="The function to call.")
@click.option("--args", "arguments", metavar="JSON", help="Its arguments, an array.")
@click.option("--expect", metavar="JSON", help="The value that it should return.")
@click.option("--checker", type=FILE, help="Test code that defines check(candidate).")
@click.option("--cpu", default=2.0, show_default=True, help="Limit of processor time, seconds.")
@click.option("--memory", default=256, show_default=True, help="Limit of memory, MB.")
@click.option("--unsafe-no-sandbox", "unsafe", is_flag=True, help="Isolate nothing.")
@json_option
def sandbox(
    file: Path,
    entry: str,
    arguments: str | None,
    expect: str | None,
    checker: Path | None,
    cpu: float,
    memory: int,
    unsafe: bool,
    as_json: bool,
) -> None:
    """Run NAME of FILE in the sandbox, as a search would; the verdict is data, not an exit code.

    Values are compared exactly, and JSON has no tuples and sets: use --checker for those. Exit
    code 1 only if no sandbox works here.
    """
    if cpu <= 0 or memory <= 0:
        raise UsageError("sandbox: --cpu and --memory must be above 0")
    limits = jobs.Limits(cpu_s=cpu, memory_mb=memory)
    program = jobs.Program(_text(file), entry)
    job = _job(program, arguments, expect, checker, limits)
    if unsafe:
        narrate("sandbox: NO ISOLATION: the program can read, write and send what you can")
    outcome = asyncio.run(_settled(job, unsafe))
    result = as_data(outcome)
    if as_json:
        print_json(result)
    else:
        print_lines(_lines(outcome, result))


async def _settled(job: jobs.Job, unsafe: bool) -> jobs.Outcome:
    accept: tuple[jobs.LevelName, ...] = ("none",) if unsafe else STRONGEST_FIRST
    async with await Pool.open(workers=1, accept=accept) as pool:
        return await pool.settle(job)


def _job(
    program: jobs.Program,
    arguments: str | None,
    expect: str | None,
    checker: Path | None,
    limits: jobs.Limits,
) -> jobs.Job:
    if checker is not None:
        if arguments is not None or expect is not None:
            raise UsageError("sandbox: --checker calls by itself; leave out --args and --expect")
        return jobs.Check(program, _text(checker), limits=limits, check_limits=limits)
    given = _json("--args", arguments) if arguments is not None else []
    if not isinstance(given, list):
        raise UsageError(f"sandbox: --args must be a JSON array, got {arguments}")
    expected = None if expect is None else jobs.encoded([_json("--expect", expect)])
    return jobs.Calls(program, jobs.encoded([tuple(given)]), expected, limits=limits)


def _json(option: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise UsageError(f"sandbox: {option} is not JSON: {error}") from None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{file}: cannot be read as text: {error}") from None


def as_data(outcome: jobs.Outcome) -> dict[str, Any]:
    """What `sandbox --json` prints (json.md)."""
    value, shown = _value(outcome)
    detail = ": ".join(part for part in (outcome.detail, outcome.message) if part)
    return {
        "verdict": outcome.verdict,
        "detail": detail or None,
        "value": value,
        "value_repr": shown,
        "level": outcome.level,
        "cpu_s": outcome.cpu_s,
        "wall_s": outcome.wall_s,
        "memory_mb": outcome.memory_mb,
        "stdout": outcome.stdout,
        "flaky": outcome.flaky,
        "near_limit": outcome.near_limit,
    }


def _value(outcome: jobs.Outcome) -> tuple[Any, str | None]:
    """The value where JSON can hold it, and its text; None where there is none."""
    if len(outcome.cases) != 1 or outcome.cases[0].value is None:
        return None, None
    try:
        value = outcome.cases[0].plain()
        return (value if _is_json(value) else None), repr(value)
    except (TooCostly, ValueError) as problem:
        return None, f"<not shown: {problem}>"


def _is_json(value: Any) -> bool:
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_json, value))
    if isinstance(value, dict):
        return all(type(key) is str and _is_json(part) for key, part in value.items())
    return value is None or isinstance(value, bool | int | float | str)


def _lines(outcome: jobs.Outcome, result: dict[str, Any]) -> list[str]:
    marks = [word for word in ("flaky", "near_limit") if result[word]]
    return facts(
        [
            ("verdict", " ".join([outcome.label, *(mark.replace("_", " ") for mark in marks)])),
            ("detail", outcome.message),
            ("value", result["value_repr"] or ""),
            ("level", "none: NOT ISOLATED" if outcome.level == "none" else outcome.level),
            ("cost", f"{outcome.cpu_s:.3f} s CPU, {outcome.wall_s:.3f} s, "
                     f"{outcome.memory_mb:.0f} MB"),
            ("stdout", outcome.stdout),
        ]
    )  # fmt: skip

"""People's commands to a run: pause, stop, veto, unveto, set, skip, retry."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ..engine.control import Kind, refuse_if_dead, send_command, wait_reply
from ..engine.errors import EvoscopeError, UsageError
from ..engine.store.lineage import descendants, find_node
from ..engine.store.reader import Reader
from ..engine.store.status import read_status
from .output import narrate
from .runs import run_argument

REPLY_S = 10.0


@click.command()
@run_argument
@click.option("--now", is_flag=True, help="Do not wait for the calls in flight: cancel them.")
@click.option("--reason", default="", help="Kept with the command.")
def pause(run: Path, now: bool, reason: str) -> None:
    """Pause RUN: no new call leaves; those in flight end. The pause outlives the engine."""
    tell(run, "pause", {"now": now}, reason)


@click.command()
@run_argument
@click.option("--reason", default="", help="Kept with the command.")
def stop(run: Path, reason: str) -> None:
    """Stop RUN's engine; `evoscope resume` starts it again where it was."""
    tell(run, "stop", {}, reason)


@click.command()
@run_argument
@click.argument("node")
@click.option("--reason", required=True, help="Why; kept with the veto.")
def veto(run: Path, node: str, reason: str) -> None:
    """Take NODE and its descendants out of every later selection and promotion."""
    with Reader(run) as reader:
        if find_node(reader, node) is None:
            raise UsageError(f"no node {node!r}; `evoscope show {run.stem} nodes` lists them")
        family = descendants(reader, node)
    narrate(f"{node} has {len(family)} descendants; they are vetoed with it")
    tell(run, "veto", {"node": node}, reason, wakes=True)


@click.command()
@run_argument
@click.argument("node")
@click.option("--reason", default="", help="Kept with the command.")
def unveto(run: Path, node: str, reason: str) -> None:
    """Undo the veto of NODE, as long as no decision has used it."""
    tell(run, "unveto", {"node": node}, reason, wakes=True)


@click.command("set")
@run_argument
@click.argument("assignments", nargs=-1, required=True, metavar="KEY=VALUE...")
def set_values(run: Path, assignments: tuple[str, ...]) -> None:
    """Change what no decision reads: concurrency[.PROVIDER], parallel_cases, budget, price.ROLE.

    A budget of `none` lifts it; a price is {input = DOLLARS, output = DOLLARS} a million tokens.
    """
    for key, value in map(_assignment, assignments):
        tell(run, "set", {"key": key, "value": value}, "")


@click.command()
@run_argument
@click.argument("case")
@click.option("--reason", default="", help="Kept with the command.")
def skip(run: Path, case: str, reason: str) -> None:
    """Finish CASE with what it has at its next decision point."""
    tell(run, "skip", {"case": case}, reason)


@click.command()
@run_argument
@click.option("--case", help="Only this one.")
def retry(run: Path, case: str | None) -> None:
    """Reopen RUN's parked cases; the engine is started if it is gone."""
    tell(run, "retry", {"case": case}, "", wakes=True)


def tell(
    run: Path, kind: Kind, args: Mapping[str, Any], reason: str, *, wakes: bool = False
) -> None:
    """Send a command and print what became of it.

    Where no engine works on the run the command waits in the inbox, unless the run has ended and
    the command `wakes` it: then an engine is started for it. Raises EvoscopeError with the
    engine's answer if it refuses, UsageError where a finished run has no use for the command.
    """
    status = read_status(run)
    refuse_if_dead(run, kind, status.alive)
    if status.state == "finished" and not wakes:
        raise UsageError(f"{status.name} is finished: a {kind} would come to nothing")
    command = send_command(run, kind, args, reason)
    if not status.alive:
        if not (wakes and status.state in ("finished", "stopped")):
            narrate(
                f"{status.name} is {status.state}: the {kind} waits in its inbox until "
                f"`evoscope resume {status.name}`"
            )
            return
        from ..engine.launch import start_engine

        start_engine(run)
    reply = wait_reply(run, command, REPLY_S)
    if reply is None:
        narrate(f"{status.name} has not answered yet; the {kind} waits in its inbox")
    elif reply.outcome == "refused":
        raise EvoscopeError(f"{kind} refused: {reply.result}")
    else:
        narrate(f"{status.name}: {reply.result}")


def _assignment(text: str) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise UsageError(f"{text!r}: write key=value, such as concurrency=32")
    try:
        return key.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), value.strip()

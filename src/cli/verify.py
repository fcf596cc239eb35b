"""`evoscope verify` and `evoscope digest`: is the file what its responses say."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..engine.config import RunConfig
from ..engine.context import Context
from ..engine.providers.build import build_provider, key_variable
from ..engine.run_files import run_name
from ..engine.store.reader import Reader
from ..engine.verify import Verification
from ..engine.verify import digest as run_digest
from ..engine.verify import verify as verify_run
from .output import narrate, print_json, print_lines
from .runs import run_argument
from .status import json_option

if TYPE_CHECKING:
    from ..engine.executor import SandboxExecutor
    from ..engine.rerun import Rerun

Search = Callable[[Context], Awaitable[None]]


@click.command()
@run_argument
@click.option("--rerun", is_flag=True, help="Run recorded code again, and list what differs.")
@json_option
def verify(run: Path, rerun: bool, as_json: bool) -> int:
    """Replay RUN from its recorded responses; every verdict and decision must come out the same.

    Needs no key and no network. Exit code 1 if something differs. With --rerun the programs whose
    outcomes RUN keeps are run again in the sandbox; those that end otherwise are flaky. They are
    listed and change nothing: the recorded outcomes are the facts.
    """
    found, again = _verification(run, rerun)
    if as_json:
        print_json(
            {
                "ok": found.ok,
                "calls": found.calls,
                "verdicts": found.verdicts,
                "decisions": found.decisions,
                "mismatches": [
                    {"what": m.what, "id": m.id, "recorded": m.recorded, "derived": m.derived}
                    for m in found.mismatches
                ],
                "rerun": None if again is None else {"outcomes": again.places, "jobs": again.jobs},
                "flaky": [
                    {"id": m.id, "recorded": m.recorded, "derived": m.derived}
                    for m in (again.flaky if again else ())
                ],
            }
        )
    else:
        counts = f"{found.calls} calls, {found.verdicts} verdicts, {found.decisions} decisions"
        narrate(f"{counts}: {'all as recorded' if found.ok else 'differences'}")
        print_lines(
            f"{m.what} {m.id}: recorded {m.recorded}, derived {m.derived}" for m in found.mismatches
        )
        if again is not None:
            narrate(f"{again.jobs} programs run again: {len(again.flaky) or 'none'} flaky")
            print_lines(
                f"flaky {m.id}: recorded {m.recorded}, now {m.derived}" for m in again.flaky
            )
    return 0 if found.ok else 1


@click.command()
@run_argument
@json_option
def digest(run: Path, as_json: bool) -> None:
    """Print the hash of RUN's facts, the same for two runs that decided the same."""
    found = run_digest(run)
    if as_json:
        print_json({"name": run_name(run), "digest": found})
    else:
        click.echo(found)


def _verification(run: Path, rerun: bool) -> tuple[Verification, "Rerun | None"]:
    from ..engine.executor import SandboxExecutor, accepted
    from ..engine.run import stored_plan

    with Reader(run) as reader:
        meta = reader.meta()
    config = RunConfig.model_validate_json(meta["config"])
    executor = SandboxExecutor(None, config.cegar.workers, accept=accepted(meta)) if rerun else None
    return asyncio.run(_replay(run, config, stored_plan(run).search, executor))


async def _replay(
    run: Path, config: RunConfig, search: Search, executor: "SandboxExecutor | None"
) -> tuple[Verification, "Rerun | None"]:
    """Replay with providers that parse stored replies and are never asked for one."""
    from ..engine.rerun import Rerun

    again = None if executor is None else Rerun(executor)
    variables = {key_variable(settings) for settings in config.providers.values()}
    environ = {**os.environ, **{name: "unused" for name in variables if name}}
    providers = {name: build_provider(name, p, environ) for name, p in config.providers.items()}
    try:
        if executor is not None:
            await executor.open()
        return await verify_run(run, config.seed, search, providers, again), again
    finally:
        if executor is not None:
            await executor.close()
        for provider in providers.values():
            await provider.aclose()

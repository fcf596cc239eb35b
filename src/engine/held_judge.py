"""The judge on held-out candidates: a small run of its own beside the scored one.

Its file is a run file like any other, so that every reply is bought once, within the limits of the
provider and of the run's budget, and an interrupted scoring goes on where it stopped.
"""

import os
from decimal import Decimal
from pathlib import Path

from .calls.prices import Prices
from .config import RunConfig
from .context import Context
from .errors import UsageError
from .gates.together import together
from .plans import profiles
from .providers.base import Provider
from .providers.build import build_provider
from .recovery import past
from .report.cegar_held import judge_file
from .run import first_meta
from .searches.cegar.judging import Balance, judges_of, units
from .searches.cegar.loop import unit_of
from .searches.cegar.training import Labelled
from .session import Session, Setup, budget_now
from .store.database import create, initialise
from .store.reader import Reader


async def judge_held(path: Path, config: RunConfig, split: Labelled, known: Balance) -> None:
    """Ask each configuration of the judge about every held-out candidate that it has not judged.

    `known` is the training split's class balance. Raises UsageError where the calls had to stop:
    a provider's outage, the budget, a refused key.
    """
    file = judge_file(path)
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        create(file)
        initialise(file, first_meta(file, config, len(judges_of(profiles(config))), "baseline"), {})
    providers = {
        name: build_provider(name, one, os.environ) for name, one in config.providers.items()
    }
    try:
        await _serve(path, config, split, known, providers)
    finally:
        for provider in providers.values():
            await provider.aclose()


async def _serve(
    path: Path,
    config: RunConfig,
    split: Labelled,
    known: Balance,
    providers: dict[str, Provider],
) -> None:
    async def search(ctx: Context) -> None:
        asked = units(ctx, judges_of(profiles(config)), split, known, 0)
        await together([unit_of(ctx, spec, body) for spec, body in asked])

    setup = Setup(
        search=search,
        seed=config.seed,
        parallel_cases=config.parallel_cases,
        providers=providers,
        provider_settings=config.providers,
        prices=Prices(config.models, config.providers),
        budget=_left(path, config),
    )
    session = Session(judge_file(path), setup)

    def told(state: str, reason: str) -> None:
        """Nobody is there to lift a pause: it ends the command, and the next one begins anew."""
        if state in ("pausing", "paused"):
            session.stop(reason)

    await session.open()
    try:
        session.pause.lift()
        session.on_state = told
        for unit in session.board.parked():
            await session.writer.commit(*session.board.reopen(unit, "scored again"))
        end = await session.run()
    finally:
        await session.close()
    if end.state != "finished":
        raise UsageError(
            f"{path}: judging held-out candidates stopped ({end.reason}); "
            "`evoscope score` goes on with it"
        )


def _left(path: Path, config: RunConfig) -> Decimal | None:
    """What the run has left of its budget; None without one."""
    with Reader(path) as reader:
        limit = budget_now(reader.meta(), config.budget)
    if limit is None:
        return None
    spent = past(path)
    return max(Decimal(0), limit - spent.settled - spent.maybe_paid)

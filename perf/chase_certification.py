"""A whole certification matrix of chase on Syn-Ledger, with the offline agent and a real run file.

    .venv/bin/python perf/chase_certification.py [--tasks 208] [--harnesses 4] [--benchmarks 6]
                                                 [--rollouts 3] [--profile FILE]

Prints wall time against ten minutes, the engine's own CPU a rollout (without the agent's) against
20 ms, and the file's size; all scaled to the sizes given.
"""

import argparse
import asyncio
import cProfile
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from evoscope.engine.benchmarks.syn_ledger.environment import Ledger, build
from evoscope.engine.benchmarks.syn_ledger.operators import OPERATORS
from evoscope.engine.calls.prices import Prices
from evoscope.engine.config import ProviderSettings
from evoscope.engine.context import Context, UnitSpec
from evoscope.engine.model.chase import Harness
from evoscope.engine.model.core import SEALED_SPLIT, Item, Node
from evoscope.engine.model.llm import Params, RawReply, Request
from evoscope.engine.providers.offline.harness_edits import GUIDANCE, STRUCTURAL
from evoscope.engine.providers.offline.provider import OfflineProvider
from evoscope.engine.searches.chase.certify import Certified, certify
from evoscope.engine.searches.chase.gains import REL
from evoscope.engine.searches.chase.settings import ChaseSettings
from evoscope.engine.searches.chase.setup import ROLES, ChaseSetup, Desk
from evoscope.engine.searches.chase.state import BASE, NEUTRAL
from evoscope.engine.searches.harden.setup import Profile
from evoscope.engine.session import Session, Setup
from evoscope.engine.store.database import create

MINUTES, CPU_MS = 10.0, 20.0
FULL = 4 * 208 * 6 * 3
"""Rollouts of the full matrix."""
EDITS = (
    (),
    ("wide results", "any on few"),
    ("conditions of a record", "one search per amount", "short names first"),
    ("conditions of a record", "one search per amount", "by period", "exact arithmetic"),
)


class Timed(OfflineProvider):
    """The offline models, with the CPU seconds that their answers took."""

    seconds = 0.0
    answers = 0

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        """The answer; nothing is awaited in it."""
        start = time.thread_time()
        reply = await super().send(request, timeout_s)
        self.seconds += time.thread_time() - start
        self.answers += 1
        return reply


def harness(names: tuple[str, ...]) -> Harness:
    """H_0 with these edits."""
    spec = Harness().plain()
    for edit in (*STRUCTURAL, *GUIDANCE):
        if edit.name in names:
            spec = edit.apply(spec)
    return Harness.model_validate_json(json.dumps(spec))


def desk(ctx: Context, ledger: Ledger, benchmarks: int, tasks: int, rollouts: int) -> Desk:
    """B_rel, B_0 and neutralised variants between them, on so many D_cert tasks."""
    ids = ledger.released.splits[SEALED_SPLIT][:tasks]
    splits = {SEALED_SPLIT: ids}
    between = list(ledger.neutralised)[: benchmarks - 2]
    envs = {REL: ledger.released, **{name: ledger.neutralised[name] for name in between}}
    variants = {name: replace(env.subset(ids), splits=splits) for name, env in envs.items()}
    neutral = replace(ledger.neutral.subset(ids), splits=splits)
    profiles = {role: Profile("off", "offline", Params()) for role in ROLES}
    settings = ChaseSettings(rollouts_cert=rollouts)
    setup = ChaseSetup(variants[REL], OPERATORS, settings, profiles, neutral)
    return Desk(ctx, setup, {**variants, NEUTRAL: neutral})


async def certification(path: Path, own: argparse.Namespace, provider: Timed) -> None:
    """One session that does nothing but certify."""
    ledger = build(0)

    async def search(ctx: Context) -> None:
        async def body(unit: UnitSpec) -> None:
            table = desk(ctx, ledger, own.benchmarks, own.tasks, own.rollouts)
            tasks = table.tasks(SEALED_SPLIT)
            await ctx.record(*(Item(t, SEALED_SPLIT, "{}", n) for n, t in enumerate(tasks)))
            names = [BASE, "h-one", "h-two", "h-three"][: own.harnesses]
            methods = {n: (n, harness(edits)) for n, edits in zip(names, EDITS, strict=False)}
            for n, (_, spec) in methods.items():
                await ctx.record(Node(n, unit.id, "harness", unit.id, 0, 0, json.dumps(n)))
                assert spec.system_prompt
            archive = tuple(name for name in table.variants if name != NEUTRAL)
            sheet = await certify(table, unit.id, Certified(methods, archive))
            assert len(sheet.scores) == own.harnesses * own.benchmarks
            await ctx.finish_unit(unit.id, {})

        await ctx.run_units([UnitSpec("certification", "certification", 0)], body)

    accounts = {"off": ProviderSettings(kind="offline")}
    session = Session(path, Setup(search, 42, 4, {"off": provider}, accounts, Prices({}, accounts)))
    await session.open()
    end = await session.run()
    await session.close()
    assert end.state == "finished", end


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    for name, most in (("tasks", 208), ("harnesses", 4), ("benchmarks", 6), ("rollouts", 3)):
        parser.add_argument(f"--{name}", type=int, default=most)
    parser.add_argument("--profile", type=Path)
    own = parser.parse_args()
    build(0)
    provider, profile = Timed("off", ProviderSettings(kind="offline")), cProfile.Profile()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.evo"
        create(path)
        wall, cpu = time.perf_counter(), time.process_time()
        if own.profile:
            profile.enable()
        asyncio.run(certification(path, own, provider))
        profile.disable()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        size = path.stat().st_size
    if own.profile:
        profile.dump_stats(own.profile)
    count = own.tasks * own.harnesses * own.benchmarks * own.rollouts
    each, minutes = 1000 * (cpu - provider.seconds) / count, wall / 60 * FULL / count
    print(f"{count:,} rollouts, {provider.answers:,} turns: {wall:.0f} s, CPU {cpu:.0f} s of which "
          f"the agent {provider.seconds:.0f} s; file {size / 1e6:.1f} MB, "
          f"{size / count / 1000:.2f} kB a rollout")  # fmt: skip
    print(f"engine CPU a rollout {each:.2f} ms, ratio to {CPU_MS:g} ms: {each / CPU_MS:.2f}")
    print(f"full matrix ({FULL:,}) {minutes:.1f} min, ratio to {MINUTES:g} min: "
          f"{minutes / MINUTES:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()

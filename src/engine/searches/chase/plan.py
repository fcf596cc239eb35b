"""What a chase run will ask of each role, as expected and at most: for the cost forecast."""

from ...model.llm import RolePlan
from .selection import KINDS
from .setup import ChaseSetup

TURNS, CONFIRMED = 9, 1
"""Turns of an expected rollout, and counterfactuals that an expected run archives (a guess)."""
AGENT_INPUT, AGENT_OUTPUT = 3_500, 250
PROPOSER_INPUT, PROPOSER_OUTPUT = 12_000, 4_000
CHALLENGER_INPUT, CHALLENGER_OUTPUT = 9_000, 4_000
PASSES, READS, ASKS = 5, 5, 2


def chase_calls(setup: ChaseSetup) -> list[RolePlan]:
    """One plan per role. The most rollouts are those of a run that archives every round."""
    settings, splits = setup.settings, setup.released.splits
    rounds, methods = settings.rounds, len(settings.methods)
    sizes = {name: len(ids) for name, ids in splits.items()}
    expected = _rollouts(setup, sizes, CONFIRMED)
    most = _rollouts(setup, sizes, rounds)
    passes = PASSES * rounds * methods
    reads = settings.history_reads + 2
    steps = setup.released.limits.steps
    return [
        RolePlan("agent", "agent", expected * TURNS, most * steps, AGENT_INPUT, AGENT_OUTPUT),
        RolePlan(
            "proposer", "proposer", passes * min(READS, reads), passes * ASKS * reads,
            PROPOSER_INPUT, PROPOSER_OUTPUT,
        ),
        RolePlan(
            "challenger", "challenger", rounds * min(READS, reads), rounds * ASKS * reads,
            CHALLENGER_INPUT, CHALLENGER_OUTPUT,
        ),
    ]  # fmt: skip


def _rollouts(setup: ChaseSetup, sizes: dict[str, int], confirmed: int) -> int:
    """Rollouts of a run whose archive grows to 1 + `confirmed`."""
    settings = setup.settings
    rounds, archive = settings.rounds, 1 + confirmed
    candidates = len(KINDS) * rounds
    others = len(settings.methods) - 1
    evo = (1 + candidates) * archive + others * candidates + 1
    disc = 2 * 3 * rounds
    released = 0 if setup.release is None else len(setup.release.tasks)
    conf = sum(sizes[f"conf{t}"] for t in range(1, rounds + 1))
    certified = (1 + len(settings.methods)) * (archive + (setup.neutral is not None))
    return (
        evo * sizes["evo"] * settings.rollouts_evo
        + disc * sizes["disc"] * settings.rollouts_disc
        + 4 * conf * settings.rollouts_conf
        + certified * sizes["cert"] * settings.rollouts_cert
        + (1 + len(settings.methods)) * released * settings.rollouts_cert
    )

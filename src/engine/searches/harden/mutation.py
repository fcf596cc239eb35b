"""One mutation call: its exhaustive context, its manifest, one re-ask (HARDEN, A.5.4)."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import CallFailed, MalformedReply
from ...gates.reply import proposal
from ...model.core import Slot
from ...model.harden import AxisCounts, RankedAxis
from ...model.llm import Completion, Finish, Json
from .manifest import Entry, read_manifest
from .requests import numbered, structured_request
from .rubric import criteria_summary
from .selection import Contender
from .state import CaseState, Desk, case_of, node_id

ASKS = 2
"""A malformed manifest is asked for once more."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The candidates of one call; none, and the `problem`, where there was no usable manifest."""

    entries: tuple[Entry, ...]
    repaired: bool = False
    problem: str = ""


async def propose(
    desk: Desk,
    state: CaseState,
    generation: int,
    members: Sequence[Contender],
    ranked: Sequence[RankedAxis],
) -> Proposal:
    """Ask for exactly lambda mutations of the parent, the first of `members`. Raises CallOpen."""
    data = mutation_context(desk, state, generation, members, ranked)
    names = [entry.axis.axis_name for entry in ranked]
    problem = ""
    first = structured_request(desk.profile("mutation"), "harden/mutation", data)
    for reask in range(ASKS):
        slot = Slot(state.unit, "mutate", members[0].node, generation, reask)
        try:
            completion = await desk.ctx.complete(slot, numbered(first, reask))
            return _read(completion, desk.settings.offspring, names)
        except CallFailed as error:
            return Proposal((), problem=f"the mutation call failed: {error.reason}")
        except MalformedReply as error:
            problem = f"the manifest is malformed: {error}"
    return Proposal((), problem=problem)


def _read(completion: Completion, offspring: int, axes: Sequence[str]) -> Proposal:
    if completion.finish in (Finish.REFUSAL, Finish.CONTENT_FILTER):
        return Proposal((), problem=f"the mutation call failed: {completion.finish.value}")
    value, repaired = proposal(completion)
    return Proposal(read_manifest(value, offspring, axes), repaired)


def mutation_context(
    desk: Desk,
    state: CaseState,
    generation: int,
    members: Sequence[Contender],
    ranked: Sequence[RankedAxis],
) -> dict[str, Json]:
    """The context of one mutation call: these top-level fields and no others. Paths are virtual.

    `members` is the population without vetoed ones, best first: the first is the parent.
    """
    parent = state.variants[members[0].node]
    settings, case = desk.settings, case_of(parent)
    writable: list[Json] = list(desk.benchmark.mutable)
    return {
        "case_id": case.id,
        "generation": generation,
        "baseline_score": float(state.baseline),
        "candidates_per_generation": settings.offspring,
        "population_size": settings.survivors,
        "max_generations": settings.generations,
        "degradable_files": writable,
        "source_case_dir": parent.node,
        "candidates": [
            {
                "individual_index": index,
                "case_dir": node_id(state.unit, generation, index),
                "writable_files": writable,
            }
            for index in range(settings.offspring)
        ],
        "manifest_path": f"{state.unit}/g{generation}/manifest.json",
        "case_state": _case_state(state, generation, members),
        "candidate_axes": [_axis(entry) for entry in ranked],
        "axis_feedback": {e.axis.axis_name: _feedback(e.counts) for e in ranked},
        "realism_criteria_summary": criteria_summary(desk.rubric.verified()[0]),
        "metadata": dict(case.metadata),
        "gold_output_summary": dict(desk.benchmark.gold_summary(case)),
        "files": {f"{parent.node}/{name}": value for name, value in case.fields.items()},
    }


def _case_state(state: CaseState, generation: int, members: Sequence[Contender]) -> dict[str, Json]:
    best = members[0]
    return {
        "current_generation": generation,
        "best_score": float(best.score.value),
        "best_individual_path": best.node,
        "population": [_member(state, member.node) for member in members],
    }


def _member(state: CaseState, node: str) -> dict[str, Json]:
    variant, chain = state.variants[node], state.chain(node)
    return {
        "score": float(state.scores[node].value),
        "path": node,
        "axes": [] if variant.axis is None else [variant.axis],
        "mutation_chain": [link.axis for link in chain if link.axis is not None],
        "description": variant.description,
    }


def _axis(entry: RankedAxis) -> dict[str, Json]:
    values = entry.axis.as_json()
    del values["target_artifact_types"]
    return values


def _feedback(counts: AxisCounts) -> dict[str, Json]:
    return {
        "applied": counts.applied,
        "survived_gates": counts.passed,
        "improved_fitness": counts.improved,
    }

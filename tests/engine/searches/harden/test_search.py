"""The whole search in memory: what it records, and that no order of completion matters."""

import asyncio
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from evoscope.engine.errors import CallFailed, CallOpen
from evoscope.engine.model.core import Node, Rollout, Slot, Verdict
from evoscope.engine.model.harden import CaseResult
from evoscope.engine.model.llm import Completion, Request
from evoscope.engine.searches.harden.search import HARDEN, run
from evoscope.engine.searches.harden.setup import HardenSetup
from tests.engine.searches.harden.memory_context import MemoryContext, Store
from tests.engine.searches.harden.models import Scripted, harder_with_notes, setup


def searched(of: HardenSetup | None = None, model: Scripted | None = None, **life: Any) -> Store:
    context = MemoryContext(model or Scripted(harder_with_notes), **life)
    asyncio.run(run(context, of or setup()))
    return context.store


def results(store: Store) -> dict[str, CaseResult]:
    return {u: CaseResult.from_json(r) for u, r in store.results.items() if u != "domain"}


def test_the_search_is_known_by_name_and_replay_version() -> None:
    assert (HARDEN.name, HARDEN.replay_version, HARDEN.run) == ("harden", 1, run)


def test_any_order_of_completion_gives_the_same_facts() -> None:
    first = searched()
    for order in range(1, 6):
        other = searched(order=order)
        assert other.facts == first.facts
        assert other.results == first.results
        assert other.tallies == first.tallies
        assert {n: s for n, s in other.states.items()} == first.states


def test_a_second_life_pays_for_nothing_and_records_nothing_new() -> None:
    store = searched()
    facts, tallies = dict(store.facts), Counter(store.tallies)
    store.results.clear()
    again = MemoryContext(Scripted(harder_with_notes), store=store, order=9)
    asyncio.run(run(again, setup()))
    assert again.bought == []
    assert (store.facts, store.tallies) == (facts, tallies)


class Cut(BaseException):
    """The power goes."""


@pytest.mark.parametrize("after", [1, 2, 17, 60, 133, 301, 444])
def test_a_life_that_is_cut_goes_on_where_it_was(after: int) -> None:
    whole, store = searched(), Store()
    scripted = Scripted(harder_with_notes)
    left = [after]

    def dying(slot: Slot, request: Request) -> Completion | CallFailed:
        left[0] -= 1
        if left[0] < 0:
            raise Cut
        return scripted(slot, request)

    async def one_life() -> list[str]:
        context = MemoryContext(dying, store=store, order=after)
        task = asyncio.ensure_future(run(context, setup()))
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()
        return context.bought

    asyncio.run(one_life())
    left[0] = 10**9
    bought = asyncio.run(one_life())
    assert len(bought) == len(whole.calls) - after
    assert (store.facts, store.results, store.tallies) == (
        whole.facts, whole.results, whole.tallies,
    )  # fmt: skip


def test_every_number_of_a_result_follows_from_the_recorded_facts() -> None:
    store = searched(setup(8))
    rollouts: dict[str, dict[int, Fraction]] = {}
    for rollout in store.all(Rollout):
        assert rollout.score is not None
        rollouts.setdefault(rollout.node, {})[rollout.sample] = rollout.score

    def mean(node: str | None, samples: range) -> Fraction:
        assert node is not None
        return sum((rollouts[node][k] for k in samples), Fraction(0)) / len(samples)

    seen = set()
    for result in results(store).values():
        assert result.score_before == mean(result.original, range(10))
        assert result.score_after == mean(result.final, range(10))
        assert result.fresh_before == mean(result.original, range(10, 20))
        assert result.fresh_after == mean(result.final, range(10, 20))
        assert -1 in rollouts[result.original]
        assert -1 in rollouts[str(result.final)]
        hardened = result.final != result.original
        assert hardened == (result.status == "hardened")
        assert not hardened or 0 < result.score_after < result.score_before  # type: ignore[operator]
        seen.add(result.status)
    assert seen == {"hardened", "kept"}
    greedy = [r.node for r in store.all(Rollout) if r.sample == -1]
    assert len(greedy) == 8 + sum(r.status == "hardened" for r in results(store).values())


def test_axis_counts_are_those_of_the_nodes() -> None:
    store = searched(setup(6))
    majority = {(v.node, v.gate): v.outcome for v in store.all(Verdict) if v.vote is None}
    applied: Counter[tuple[str, str]] = Counter()
    passed: Counter[tuple[str, str]] = Counter()
    for node in store.all(Node):
        if node.generation:
            applied[node.unit, str(node.origin["axis"])] += 1
            passed[node.unit, str(node.origin["axis"])] += (
                majority.get((node.id, "realism")) == "pass"
            )
    for unit, result in results(store).items():
        for axis, counts in result.axes.items():
            assert (counts.applied, counts.passed) == (applied[unit, axis], passed[unit, axis])
            assert store.tallies[unit, "axis", axis, "applied"] == counts.applied
            assert store.tallies[unit, "axis", axis, "improved"] == counts.improved
            assert store.tallies[unit, "realism", axis, "pass"] == counts.passed
        assert sum(c.applied for c in result.axes.values()) == 3 * 6


def test_gates_come_in_order_and_end_a_candidate() -> None:
    store = searched(setup(5), Scripted(harder_with_notes, audit_rate=0.5, realism_rate=0.6))
    order = ["validity", "evidence", "correctness", "realism", "rollouts"]
    reached: dict[str, list[Verdict]] = {}
    for verdict in store.all(Verdict):
        if verdict.vote is None and verdict.gate in order and not verdict.node.endswith("g0/i0"):
            reached.setdefault(verdict.node, []).append(verdict)
    ended = Counter[str]()
    for verdicts in reached.values():
        verdicts.sort(key=lambda v: order.index(v.gate))
        assert [v.gate for v in verdicts] == order[: len(verdicts)]
        assert all(v.outcome == "pass" for v in verdicts[:-1])
        ended[verdicts[-1].gate] += verdicts[-1].outcome == "fail"
    assert ended["correctness"] > 3 and ended["realism"] > 3


def test_a_parent_is_extracted_once_however_many_generations_it_stays() -> None:
    store = searched(setup(4), Scripted(lambda text: 0.8 if "note" not in text else 1.0))
    parents = {p for n in store.all(Node) for p, _ in n.parents}
    extractions = [slot for slot in store.calls if slot.split("|")[1] == "extract"]
    assert len(extractions) == len(set(extractions)) <= len(parents) + 4


def test_states_say_who_stands_where() -> None:
    store = searched(setup(6))
    states = {node: state.state for node, state in store.states.items()}
    for unit, result in results(store).items():
        own = {node: s for node, s in states.items() if node.startswith(f"{unit}/")}
        if result.status == "hardened":
            assert own[str(result.final)] == "promoted"
        standing = {n for n, s in own.items() if s in ("parent", "survivor", "promoted")}
        assert standing == set(result.survivors) | {str(result.final)} - {result.original}
        assert len(own) == 1 + 3 * 6
        assert "proposed" not in own.values()


def test_a_score_of_zero_is_collapsed_and_never_kept() -> None:
    store = searched(setup(4), Scripted(lambda text: 0.0 if "note" in text else 0.9))
    assert all(result.status == "kept" for result in results(store).values())
    collapsed = [n for n, s in store.states.items() if s.state == "collapsed"]
    assert len(collapsed) > 20
    assert store.tally("rollouts", "fail") == len(collapsed)
    counts = [c for result in results(store).values() for c in result.axes.values()]
    assert sum(c.passed for c in counts) == len(collapsed)
    assert sum(c.improved for c in counts) == store.tally("axis", "improved") == 0


def test_a_search_that_stands_at_one_tenth_goes_on_to_its_last_generation() -> None:
    store = searched(setup(6), Scripted(lambda text: 0.15 if "note" in text else 0.9))
    found = results(store).values()
    assert Fraction(1, 10) in {result.score_after for result in found}
    assert {result.generations for result in found} == {3}


def test_outages_park_a_case_and_a_retry_finishes_it() -> None:
    whole = searched()

    class Outage(Scripted):
        def __call__(self, slot: Slot, request: Request) -> Completion | CallFailed:
            if slot.unit == "case1" and slot.purpose == "audit" and slot.number == 1:
                raise CallOpen("deadline")
            return super().__call__(slot, request)

    store = Store()
    context = MemoryContext(Outage(harder_with_notes), store=store)
    asyncio.run(run(context, setup()))
    assert context.parked == {"case1": "deadline"}
    assert len(results(store)) == 3
    asyncio.run(run(MemoryContext(Scripted(harder_with_notes), store=store), setup()))
    assert (store.facts, store.results) == (whole.facts, whole.results)


def test_cases_are_sampled_in_source_order_into_contiguous_shards() -> None:
    small = setup(20)
    store = searched(HardenSetup(small.benchmark, small.settings, small.profiles, sample=7))
    found = sorted(results(store).values(), key=lambda r: int(r.case.removeprefix("case")))
    assert len(found) == 7
    assert [r.shard for r in found] == [0, 0, 0, 1, 1, 2, 2]

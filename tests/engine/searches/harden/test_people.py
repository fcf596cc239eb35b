"""Vetoes and skips at every decision point, and shards that share their axis counts."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from evoscope.engine.errors import CallOpen
from evoscope.engine.model.core import Node, Slot, Verdict
from evoscope.engine.model.harden import AxisCounts, CaseResult
from evoscope.engine.model.llm import Completion, Request
from evoscope.engine.searches.harden.search import run
from tests.engine.searches.harden.memory_context import MemoryContext, Store
from tests.engine.searches.harden.models import Scripted, document, harder_with_notes, setup

Commands = Mapping[tuple[str, str], Sequence[tuple[str, str]]]
STEPS = ["g1/wave1", "g1/wave2", "g1/select", "g2/mutate", "g2/wave3", "g3/select", "promote0",
         "before promote1"]  # fmt: skip


def searched(at: Commands | None = None, n: int = 2, **settings: Any) -> Store:
    context = MemoryContext(Scripted(harder_with_notes, 0.9, 0.9), at=at)
    asyncio.run(run(context, setup(n, **settings)))
    assert not context.parked
    replayed = MemoryContext(Scripted(harder_with_notes, 0.9, 0.9), store=context.store, order=5)
    results = dict(context.store.results)
    context.store.results.clear()
    asyncio.run(run(replayed, setup(n, **settings)))
    assert replayed.bought == []
    assert context.store.results == results
    return context.store


def result(store: Store, unit: str = "case0") -> CaseResult:
    return CaseResult.from_json(store.results[unit])


def descendants(store: Store, node: str) -> set[str]:
    found = {node}
    for child in sorted(store.all(Node), key=lambda n: n.generation):
        if any(parent in found for parent, _ in child.parents):
            found.add(child.id)
    return found


@pytest.mark.parametrize("step", STEPS)
def test_a_veto_takes_the_node_and_its_descendants_out_of_all_that_follows(step: str) -> None:
    plain = searched()
    victim = next(
        d.chosen[0] for d in plain.decisions("select")
        if d.unit == "case0" and not d.chosen[0].endswith("g0/i0")
    )  # fmt: skip
    if step == "before promote1":
        victim = str(result(plain).final)
    store = searched({("case0", step): [("veto", victim)]})
    gone = descendants(store, victim)
    assert result(store).final not in gone
    names = [d.step for d in store.decisions("select") if d.unit == "case0"]
    later = {s for s in names if (s >= step if step.startswith("g") else False)}
    for decision in store.decisions("select"):
        if decision.unit == "case0" and decision.step in later:
            assert not gone & set(decision.chosen)
    assert result(store, "case1") == result(plain, "case1")


def test_a_veto_after_promotion_opens_a_superseding_promotion() -> None:
    plain = searched()
    first = str(result(plain).final)
    assert not first.endswith("g0/i0")
    store = searched({("case0", "before promote1"): [("veto", first)]})
    steps = {
        d.step: d for k in ("promote", "keep") for d in store.decisions(k) if d.unit == "case0"
    }
    assert set(steps) == {"promote0", "promote1"}
    assert steps["promote0"].chosen == (first,)
    assert first in steps["promote1"].vetoes
    assert result(store).final == steps["promote1"].chosen[0] != first
    assert store.states[first].state == "survivor"


def test_a_superseding_promotion_may_fall_back_to_the_original() -> None:
    everyone = [("veto", f"case0/g{g}/i{k}") for g in (1, 2, 3) for k in range(6)]
    store = searched({("case0", "before promote1"): everyone})
    last = next(d for d in store.decisions("promote") if (d.unit, d.step) == ("case0", "promote1"))
    assert last.chosen == ("case0/g0/i0",)
    assert (result(store).status, result(store).final) == ("kept", "case0/g0/i0")
    assert result(store).fresh_after == result(store).fresh_before


def test_votes_saved_are_counted_once_however_often_a_promotion_is_superseded() -> None:
    def refuse_best(slot: Slot, request: Request) -> str | None:
        refused = slot.purpose == "final_audit" and slot.node == best
        return '{"pass": false, "missing_information": ["x"]}' if refused else None

    best = ""
    plain = searched(survivors=5)
    best = str(result(plain).final)
    assert "/g1/" not in best

    def life(at: Commands) -> Store:
        context = MemoryContext(Scripted(harder_with_notes, 0.9, 0.9, override=refuse_best), at=at)
        asyncio.run(run(context, setup(2, survivors=5)))
        return context.store

    second = str(result(life({})).final)
    assert second not in (best, "case0/g0/i0")
    store = life({("case0", "before promote1"): [("veto", second)]})
    assert len([d for d in store.decisions("promote") if d.unit == "case0"]) == 2
    cast = Counter(
        (v.node, v.gate) for v in store.all(Verdict) if v.vote is not None and v.unit == "case0"
    )
    assert result(store).saved_by_vote_stopping == sum(3 - votes for votes in cast.values())


def test_the_original_is_left_where_everything_else_is_vetoed() -> None:
    plain = searched()
    everyone = [("veto", f"case0/g1/i{k}") for k in range(6)]
    store = searched({("case0", "g2/mutate"): everyone})
    parents = {
        parent
        for node in store.all(Node)
        for parent, _ in node.parents
        if (node.unit, node.generation) == ("case0", 2)
    }
    assert parents == {"case0/g0/i0"}
    everyone += [("veto", f"case0/g{g}/i{k}") for g in (2, 3) for k in range(6)]
    store = searched({("case0", "promote0"): everyone})
    assert result(store).final == "case0/g0/i0"
    assert result(store).status == "kept"
    assert result(plain).status == "hardened"


def test_the_original_cannot_be_vetoed() -> None:
    store = searched({("case0", "g1/mutate"): [("veto", "case0/g0/i0")]})
    assert store.results == searched().results


def test_axis_counts_keep_vetoed_nodes_and_the_lineage_drops_them() -> None:
    plain = searched()
    victim = next(
        d.chosen[0] for d in plain.decisions("select")
        if (d.unit, d.step) == ("case0", "g1/select")
    )  # fmt: skip
    store = searched({("case0", "g2/mutate"): [("veto", victim)]})
    for one in (plain, store):
        data = next(
            document(r) for r, _ in one.calls.values()
            if r.role == "mutation" and document(r)["case_id"] == "case0"
            and document(r)["generation"] == 2
        )  # fmt: skip
        assert sum(f["applied"] for f in data["axis_feedback"].values()) == 6
        listed = {member["path"] for member in data["case_state"]["population"]}
        assert (victim in listed) == (one is plain)
        assert (data["source_case_dir"] == victim) == (one is plain)


def test_a_place_that_a_veto_frees_goes_to_stopped_candidates_which_are_continued() -> None:
    """With one place and one much harder rival the others are stopped; without it they go on."""

    def accuracy(text: str) -> float:
        if "note#1.0" in text:
            return 0.2
        return 0.75 if "note" in text else 1.0

    def life(at: Commands) -> Store:
        context = MemoryContext(Scripted(accuracy, 1.0, 1.0, salt="b"), at=at)
        asyncio.run(run(context, setup(1, survivors=1, generations=1)))
        return context.store

    plain = life({})
    stopped = {n for d in plain.decisions("race") for n in d.chosen}
    assert len(stopped) >= 3 and "case0/g1/i0" not in stopped
    assert plain.decisions("select")[0].chosen == ("case0/g1/i0",)
    store = life({("case0", "g1/select"): [("veto", "case0/g1/i0")]})
    continued = next(d for d in store.decisions("race") if d.step == "g1/continue1")
    assert set(continued.chosen) <= stopped and continued.chosen
    select = store.decisions("select")[0]
    full_run = MemoryContext(
        Scripted(accuracy, 1.0, 1.0, salt="b"),
        at={("case0", "g1/select"): [("veto", "case0/g1/i0")]},
    )
    asyncio.run(run(full_run, setup(1, survivors=1, generations=1, racing=False)))
    assert full_run.store.decisions("select")[0].chosen == select.chosen


def test_a_vetoed_survivor_holds_no_place_in_a_race() -> None:
    """With it as a rival some candidate would stay stopped that full rollouts retain."""

    def accuracy(text: str) -> float:
        notes = text.count("note#")
        return 1.0 if notes == 0 else 0.75 if notes == 2 else 0.25

    def life(salt: int, racing: bool, at: Commands) -> Store:
        context = MemoryContext(Scripted(accuracy, 1.0, 1.0, salt=str(salt)), at=at)
        asyncio.run(run(context, setup(1, survivors=2, generations=2, racing=racing)))
        return context.store

    continued = 0
    for salt in range(6):
        first, second = (d for d in life(salt, True, {}).decisions("select"))
        assert len(second.chosen) == 2
        at = {("case0", "g2/select"): [("veto", first.chosen[1])]}
        raced, full = life(salt, True, at), life(salt, False, at)
        assert raced.decisions("select")[1].chosen == full.decisions("select")[1].chosen
        assert first.chosen[1] in raced.decisions("select")[1].vetoes
        continued += any("continue" in d.step for d in raced.decisions("race"))
    assert continued >= 3


@pytest.mark.parametrize("step", ["g1/mutate", "g2/mutate", "g2/wave1", "g2/wave3", "g2/select"])
def test_a_skip_finalises_the_case_with_what_it_has(step: str) -> None:
    store = searched({("case0", step): [("skip", "case0")]})
    found = result(store)
    assert found.skipped
    assert [d.unit for d in store.decisions("skip")] == ["case0"]
    generations = {n.generation for n in store.all(Node) if n.unit == "case0"}
    assert max(generations) == (0 if step == "g1/mutate" else 1 if step == "g2/mutate" else 2)
    assert found.generations == {"g1/mutate": 0, "g2/select": 2}.get(step, 1)
    assert not result(store, "case1").skipped
    assert "proposed" not in {s.state for n, s in store.states.items() if n.startswith("case0/")}


def shard_setup(n: int = 6) -> Any:
    return setup(n, feedback_scope="shard", shards=2)


def test_a_shard_shares_its_counts_case_after_case() -> None:
    context = MemoryContext(Scripted(harder_with_notes))
    asyncio.run(run(context, shard_setup()))
    seen = {
        document(r)["case_id"]: document(r)["axis_feedback"]
        for r, _ in context.store.calls.values()
        if r.role == "mutation" and document(r)["generation"] == 1
    }
    applied = {case: sum(f["applied"] for f in fb.values()) for case, fb in seen.items()}
    assert applied == {"case0": 0, "case1": 18, "case2": 36, "case3": 0, "case4": 18, "case5": 36}
    total = AxisCounts()
    for unit in ("case0", "case1"):
        total += result(context.store, unit).axes["shorthand"]
    shown = seen["case2"]["shorthand"]
    found = (shown["applied"], shown["survived_gates"], shown["improved_fitness"])
    assert AxisCounts(*found) == total


def test_no_case_is_futile_where_a_shard_shares_counts() -> None:
    hopeless = Scripted(lambda text: 0.0)
    context = MemoryContext(hopeless)
    asyncio.run(run(context, shard_setup(2)))
    assert {result(context.store, f"case{k}").status for k in range(2)} == {"kept"}
    alone = MemoryContext(hopeless)
    asyncio.run(run(alone, setup(2)))
    assert {result(alone.store, f"case{k}").status for k in range(2)} == {"unimprovable"}


def test_finished_cases_of_a_shard_give_their_counts_from_their_results() -> None:
    context = MemoryContext(Scripted(harder_with_notes))
    asyncio.run(run(context, shard_setup()))
    facts = dict(context.store.facts)
    for unit in ("case2", "case5"):
        del context.store.results[unit]
    again = MemoryContext(Scripted(harder_with_notes), store=context.store, order=3)
    asyncio.run(run(again, shard_setup()))
    assert again.bought == [] and context.store.facts == facts


def test_later_cases_of_a_shard_wait_for_a_parked_one() -> None:
    class Outage(Scripted):
        def __call__(self, slot: Slot, request: Request) -> Completion | Any:
            if slot.unit == "case0" and slot.purpose == "mutate":
                raise CallOpen("deadline")
            return super().__call__(slot, request)

    store = Store()
    context = MemoryContext(Outage(harder_with_notes), store=store)
    asyncio.run(run(context, shard_setup()))
    assert set(context.parked) == {"case0", "case1", "case2"}
    assert context.parked["case1"].startswith("waits for case case0")
    asyncio.run(run(MemoryContext(Scripted(harder_with_notes), store=store), shard_setup()))
    whole = MemoryContext(Scripted(harder_with_notes))
    asyncio.run(run(whole, shard_setup()))
    assert (store.facts, store.results) == (whole.store.facts, whole.store.results)


def test_the_final_audit_asks_about_the_original_and_can_refuse_a_promotion() -> None:
    def refuse(slot: Slot, request: Request) -> str | None:
        return (
            '{"pass": false, "missing_information": ["x"]}'
            if slot.purpose == "final_audit"
            else None
        )

    plain = searched(n=6)
    context = MemoryContext(Scripted(harder_with_notes, 0.9, 0.9, override=refuse))
    asyncio.run(run(context, setup(6)))
    strict = context.store
    changed = 0
    for unit in (f"case{k}" for k in range(6)):
        before, after = result(plain, unit), result(strict, unit)
        assert before.survivors == after.survivors
        late = before.status == "hardened" and "/g1/" not in str(before.final)
        changed += late
        assert not late or "/g1/" in str(after.final) or after.status == "kept"
    assert changed >= 2
    off = searched(n=6, final_audit=False)
    assert not [k for k in off.calls if "|final_audit|" in k]
    assert [result(off, f"case{k}").final for k in range(6)] == [
        result(plain, f"case{k}").final for k in range(6)
    ]


def test_a_child_of_the_original_has_passed_the_final_audit_already() -> None:
    store = searched(generations=1)
    assert result(store).status == "hardened"
    assert not [key for key in store.calls if "|final_audit|" in key]

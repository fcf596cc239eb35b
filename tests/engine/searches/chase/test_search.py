"""The whole search on a small Syn-Ledger, in memory: rounds, archive, seal, certification."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from evoscope.engine.benchmarks.syn_ledger.operators import OPERATORS
from evoscope.engine.errors import CallFailed, DataError
from evoscope.engine.model.chase import Harness
from evoscope.engine.model.core import Decision, Node, Rollout, Slot, Verdict
from evoscope.engine.model.llm import Completion, Request
from evoscope.engine.searches.chase.history import history_files, whole_history
from evoscope.engine.searches.chase.search import run, total
from evoscope.engine.searches.chase.setup import Desk
from evoscope.engine.searches.chase.state import load_state
from tests.engine.searches.chase.arena import answer, ledger, mute, setup
from tests.engine.searches.harden.memory_context import MemoryContext, Store

CERT = frozenset(ledger().released.splits["cert"])


LIVED: dict[str, MemoryContext] = {}


async def lived(seed: int = 1, **kwargs: Any) -> MemoryContext:
    """A whole run, made once for each seed and settings; not to be changed."""
    key = f"{seed} {sorted(kwargs.items())}"
    if key not in LIVED:
        LIVED[key] = MemoryContext(answer, seed=seed, order=seed)
        await run(LIVED[key], setup(seed, **kwargs))
    return LIVED[key]


async def test_a_run_ends_with_every_unit_done_and_certifies_once() -> None:
    ctx = await lived()
    assert ctx.parked == {}
    assert len(ctx.store.results) == total(setup(1))
    assert len(ctx.store.decisions("open_seal")) == 1
    result = ctx.store.results["certification"]["methods"]
    assert isinstance(result, dict)
    assert set(result) == {"raw", "chase", "compass", "b0"}
    for entry in result.values():
        assert isinstance(entry, dict)
        values = {name: Fraction(str(entry[name])) for name in ("g_rel", "g_0", "gamma", "g_min")}
        assert values["g_min"] + values["gamma"] == values["g_rel"]
        assert Fraction(str(entry["delta_bs"])) == values["g_rel"] - values["g_0"]


async def test_certification_tasks_appear_nowhere_before_the_seal() -> None:
    ctx = await lived()
    early = [r for r in ctx.store.all(Rollout) if r.unit != "certification"]
    assert early and not any(r.item in CERT for r in early)
    asked = [r for key, (r, _) in ctx.store.calls.items() if not key.startswith("certification")]
    questions = [t.question for t in ledger().released.tasks if t.id in CERT]
    texts = "\n".join(m.text for r in asked if r.role != "agent" for m in r.messages)
    assert not any(question in texts for question in questions)


async def test_a_proposer_sees_its_own_methods_evolution_tasks_and_no_others() -> None:
    ctx = await lived()
    hidden = [t for name, ids in ledger().released.splits.items() if name != "evo" for t in ids]
    for key, (request, _) in ctx.store.calls.items():
        if request.role not in ("proposer", "challenger"):
            continue
        text = "\n".join(message.text for message in request.messages)
        assert not any(f"{task}.json" in text or f'"{task}"' in text for task in hidden), key
        own = key.split("/")[0]
        others = [n.id for n in ctx.store.all(Node) if n.unit.split("/")[0] not in (own, "start")]
        assert not any(other in text for other in others), key


async def test_a_round_that_ends_at_the_first_harness_skips_the_challenger() -> None:
    ctx = await lived(seed=3, epsilon="0", rounds=2)
    decisions = {(d.unit, d.step): d for d in ctx.store.all(Decision)}
    for number in (1, 2):
        chosen = decisions[f"chase/r{number}", "select"].chosen
        skipped = decisions[f"chase/r{number}", "confirm"].kind == "skip"
        assert skipped == (chosen == ("H0",))


async def test_refused_proposals_are_refused_before_any_rollout_and_say_why() -> None:
    ctx = await lived()
    refused = [v for v in ctx.store.all(Verdict) if v.outcome == "fail"]
    assert {v.gate for v in refused} >= {"firewall"}
    assert {v.gate for v in refused} <= {"firewall", "activity", "duplicate"}
    assert all(v.reason for v in refused)
    rolled = {r.context for r in ctx.store.all(Rollout)}
    assert rolled.isdisjoint({v.node for v in refused})


async def test_a_vetoed_counterfactual_binds_nobody_from_then_on() -> None:
    settings: dict[str, Any] = {"eta": "0", "methods": ["chase"]}
    first = await lived(3, **settings)
    archived = [d for d in first.store.decisions("archive") if d.unit == "chase/r1"]
    assert archived, "seed 3 confirms a counterfactual in round 1"
    name = archived[0].chosen[0]
    at = {("chase/r2", "propose"): [("veto", name)]}
    ctx = MemoryContext(answer, seed=3, order=3, at=at)
    await run(ctx, setup(3, **settings))
    later = [r for r in ctx.store.all(Rollout) if r.unit in ("chase/r2", "final", "certification")]
    assert later and not any(r.context == name for r in later)


async def test_a_vetoed_harness_is_never_chosen() -> None:
    first = await lived()
    chosen = next(d for d in first.store.all(Decision) if d.unit == "final").chosen[0]
    at = {("final", "final"): [("veto", chosen)]}
    ctx = MemoryContext(answer, seed=1, order=1, at=at)
    await run(ctx, setup(1))
    decision = next(d for d in ctx.store.all(Decision) if d.unit == "final")
    assert chosen == "H0" or (decision.chosen[0] != chosen and chosen in decision.vetoes)


async def test_malformed_specs_are_asked_for_once_more_and_then_missing() -> None:
    def broken(slot: Slot, request: Request) -> Completion | CallFailed:
        said = answer(slot, request)
        if request.role == "proposer" and slot.purpose == "structural":
            assert isinstance(said, Completion)
            value = json.loads(said.text)
            value["harness"]["retrieval"]["surprise"] = 1
            return replace(said, text=json.dumps(value))
        return said

    ctx = MemoryContext(broken, seed=1)
    await run(ctx, setup(1, rounds=1, methods=["chase"]))
    asks = [key for key in ctx.store.calls if "|structural|" in key]
    assert len(asks) == 2
    refused = [v for v in ctx.store.all(Verdict) if v.gate == "schema"]
    assert [v.node for v in refused] == ["chase/r1/structural"]
    assert "surprise" in refused[0].reason


async def test_a_rollout_that_cannot_be_had_is_missing_and_no_zero() -> None:
    def refusing(slot: Slot, request: Request) -> Completion | CallFailed:
        if slot.purpose.startswith("agent:rel:L000"):
            return CallFailed(slot.key, "refusal", "no")
        return answer(slot, request)

    ctx = MemoryContext(refusing, seed=1)
    await run(ctx, setup(1, rounds=1, methods=["chase"]))
    assert ctx.parked == {}
    lost = [r for r in ctx.store.all(Rollout) if r.item == "L000" and r.context == "rel"]
    assert lost and all(r.outcome == "error" and r.score is None for r in lost)
    rows = next(d for d in ctx.store.all(Decision) if d.step == "select").considered
    assert all(row["missing"] == 1 for row in rows)


async def test_the_search_runs_again_from_the_top_for_nothing() -> None:
    store = Store()
    first = MemoryContext(answer, seed=2, store=store, order=5)
    await run(first, setup(2, rounds=1))
    facts, results = dict(store.facts), dict(store.results)
    store.results.clear()
    again = MemoryContext(answer, seed=2, store=store, order=9)
    await run(again, setup(2, rounds=1))
    assert again.bought == []
    assert (store.facts, store.results) == (facts, results)


@pytest.mark.parametrize("methods", [["compass"], ["chase", "chase"]])
async def test_methods_that_make_no_run_are_refused(methods: list[str]) -> None:
    with pytest.raises(DataError, match=r"chase\.methods"):
        await run(MemoryContext(answer), setup(methods=methods))


UNDONE: dict[str, Any] = {"eta": "0", "methods": ["chase"], "rounds": 2}


async def test_a_veto_taken_back_between_two_points_of_a_round_leaves_a_whole_selection() -> None:
    first = await lived(3, **UNDONE)
    (name,) = next(d for d in first.store.decisions("archive") if d.unit == "chase/r1").chosen
    at = {("chase/r2", "propose"): [("veto", name)], ("chase/r2", "select"): [("unveto", name)]}
    ctx = MemoryContext(answer, seed=3, order=3, at=at)
    await run(ctx, setup(3, **UNDONE))
    assert ctx.parked == {}
    rows = next(d for d in ctx.store.all(Decision) if (d.unit, d.step) == ("chase/r2", "select"))
    assert len(rows.considered) > 1
    assert all(name in row["gains"] for row in rows.considered)  # type: ignore[operator]


async def test_a_selection_says_which_vetoed_counterfactual_it_left_out() -> None:
    first = await lived(3, **UNDONE)
    (name,) = next(d for d in first.store.decisions("archive") if d.unit == "chase/r1").chosen
    ctx = MemoryContext(answer, seed=3, order=3, at={("chase/r2", "propose"): [("veto", name)]})
    await run(ctx, setup(3, **UNDONE))
    selected = next(
        d for d in ctx.store.all(Decision) if d.unit == "chase/r2" and d.step == "select"
    )
    assert selected.vetoes == (name,)


@pytest.mark.parametrize("method", ["chase", "compass"])
async def test_a_vetoed_harness_takes_along_what_was_revised_from_it(method: str) -> None:
    settings: dict[str, Any] = {"eta": "2", "methods": list(dict.fromkeys(["chase", method]))}
    first = await lived(1, **settings)
    chosen = [
        d.chosen[0] for d in first.store.all(Decision)
        if d.step == "select" and d.unit.startswith(method)
    ]  # fmt: skip
    root = next(name for name in chosen if name != "H0")
    parents = {n.id: [p for p, _ in n.parents] for n in first.store.all(Node)}
    heirs = {name for name in chosen if root in parents[name]}
    assert heirs, "seed 1 revises what it adopted"
    step = f"{method}/r3", "select"
    ctx = MemoryContext(answer, seed=1, order=1, at={step: [("veto", root)]})
    await run(ctx, setup(1, **settings))
    decision = next(d for d in ctx.store.all(Decision) if (d.unit, d.step) == step)
    assert decision.chosen == ("H0",) and root in decision.vetoes
    if method == "chase":
        final = next(d for d in ctx.store.all(Decision) if d.unit == "final")
        assert heirs.isdisjoint({*final.chosen, *(row["node"] for row in final.considered)})


async def test_a_round_after_a_veto_of_the_present_harness_starts_from_the_first() -> None:
    settings: dict[str, Any] = {"eta": "2", "methods": ["chase"]}
    first = await lived(1, **settings)
    adopted = next(d for d in first.store.decisions("adopt") if d.unit == "chase/r1").chosen[0]
    ctx = MemoryContext(answer, seed=1, order=1, at={("chase/r2", "propose"): [("veto", adopted)]})
    await run(ctx, setup(1, **settings))
    made = [n for n in ctx.store.all(Node) if n.unit in ("chase/r2", "chase/r3")]
    mine = [n for n in made if n.kind == "harness" and n.parents]
    assert mine and all(parent != adopted for n in mine for parent, _ in n.parents)


async def test_a_challenger_reads_of_the_two_harnesses_that_it_compares_alone() -> None:
    state = load_state((await lived()).store.texts["state/chase/r2"], OPERATORS)
    assert set(state.harnesses) > {"H0", state.current}
    desk = Desk(await lived(), setup(1))
    files = history_files(desk, state, ("H0", state.current), ("rel",))
    assert {path.split("/")[0] for path in files.paths} == {"H0", state.current}
    shown = {"harness.json", "prompt.txt", "scores.json", "rel"}
    assert {path.split("/")[1] for path in files.paths} == shown
    assert set(json.loads(files.texts["H0/scores.json"])) == {"rel"}
    assert set(files.paths) < set(whole_history(desk, state).paths)


async def test_a_spec_that_is_known_is_refused_and_says_of_which_harness_it_is() -> None:
    def repeating(slot: Slot, request: Request) -> Completion | CallFailed:
        said = answer(slot, request)
        if request.role == "proposer" and slot.purpose == "structural":
            assert isinstance(said, Completion)
            text = json.dumps({"rationale": "as it was", "harness": Harness().plain()})
            return replace(said, text=text)
        return said

    ctx = MemoryContext(repeating, seed=1)
    await run(ctx, setup(1, rounds=1, methods=["chase"]))
    refused = [v for v in ctx.store.all(Verdict) if v.node == "chase/r1/structural"]
    assert [(v.gate, v.reason) for v in refused] == [("duplicate", "the same spec as H0")]


async def test_a_harness_of_an_earlier_round_competes_again_with_the_scores_that_it_has() -> None:
    first = await lived(3, **UNDONE)
    made = [n for n in first.store.all(Node) if n.unit == "chase/r1" and n.kind == "harness"]
    (adopted,) = next(d for d in first.store.decisions("adopt") if d.unit == "chase/r1").chosen
    lost = next(n for n in made if n.id != adopted and n.origin["kind"] != "integrated")
    kind, node = lost.origin["kind"], lost.id
    text = json.dumps({"rationale": "again", "harness": json.loads(lost.content)})

    def stubborn(slot: Slot, request: Request) -> Completion | CallFailed:
        said = answer(slot, request)
        if (slot.unit, slot.purpose) == ("chase/r2", kind) and isinstance(said, Completion):
            return replace(said, text=text)
        return said

    ctx = MemoryContext(stubborn, seed=3)
    await run(ctx, setup(3, **UNDONE))
    assert ctx.parked == {}
    verdict = next(v for v in ctx.store.all(Verdict) if v.node == f"chase/r2/{kind}")
    assert (verdict.gate, verdict.outcome) == ("duplicate", "pass") and node in verdict.reason
    decisions = {(d.unit, d.step): d for d in ctx.store.all(Decision)}
    assert node in [row["node"] for row in decisions["chase/r2", "select"].considered]
    own = [r for r in ctx.store.all(Rollout) if r.node == node and r.item in SPLITS["evo"]]
    assert {r.context for r in own if r.unit == "chase/r1"} == {"rel"}
    assert {r.context for r in own if r.unit == "chase/r2"} == {
        d.chosen[0] for d in ctx.store.decisions("archive") if d.unit == "chase/r1"
    }


async def test_the_same_spec_twice_in_a_round_is_one_candidate() -> None:
    same = json.dumps({"rationale": "-", "harness": Harness(memory=["note"]).plain()})

    def noted(slot: Slot, request: Request) -> Completion | CallFailed:
        said = answer(slot, request)
        if slot.purpose in ("structural", "guidance") and isinstance(said, Completion):
            return replace(said, text=same)
        return said

    ctx = MemoryContext(noted, seed=1)
    await run(ctx, setup(1, rounds=2, methods=["chase"], eta="2"))
    duplicates = [v for v in ctx.store.all(Verdict) if v.gate == "duplicate"]
    outcomes = {v.node: v.outcome for v in duplicates}
    assert outcomes["chase/r1/guidance"] == outcomes["chase/r2/guidance"] == "fail"


async def test_a_challenger_that_cannot_be_read_is_said_to_be() -> None:
    ctx = MemoryContext(mute(lambda slot, request: request.role == "challenger"), seed=1)
    await run(ctx, setup(1, rounds=1, methods=["chase"]))
    ranked = next(d for d in ctx.store.all(Decision) if d.step == "rank")
    assert ranked.chosen == () and "refusal" in ranked.reason


async def test_what_a_proposal_declares_beyond_its_operators_ranks_it_no_higher() -> None:
    def boasting(slot: Slot, request: Request) -> Completion | CallFailed:
        said = answer(slot, request)
        if request.role != "challenger":
            return said
        assert isinstance(said, Completion)
        value = json.loads(said.text)
        for one in value["proposals"]:
            if isinstance(one["transformation"], dict):
                one["transformation"]["declares"] = ["name", "depth", "rank", "position", "format"]
        return replace(said, text=json.dumps(value))

    shares = []
    for model in (answer, boasting):
        ctx = MemoryContext(model, seed=1)
        await run(ctx, setup(1, rounds=1, methods=["chase"]))
        ranked = next(d for d in ctx.store.all(Decision) if d.step == "rank")
        shares.append({row["node"]: row["vulnerability"] for row in ranked.considered})
    honest, boastful = shares
    assert honest and all(boastful[node] == share for node, share in honest.items())


SPLITS = setup().released.splits


@pytest.mark.parametrize(
    ("unit", "tasks", "parked", "known"),
    [
        ("start", SPLITS["evo"], {"start"}, set()),
        ("chase/r1", SPLITS["disc"], set(), {"raw", "chase"}),
        ("chase/r1", SPLITS["conf1"], set(), {"raw", "chase"}),
        ("certification", SPLITS["cert"], set(), set()),
    ],
)
async def test_a_split_without_any_rollout_decides_nothing_and_is_said_in_words(
    unit: str, tasks: tuple[str, ...], parked: set[str], known: set[str]
) -> None:
    def refusing(slot: Slot, request: Request) -> Completion | CallFailed:
        lost = slot.unit == unit and slot.purpose.rpartition(":")[2] in tasks
        return CallFailed(slot.key, "refusal", "no") if lost else answer(slot, request)

    ctx = MemoryContext(refusing, seed=1)
    await run(ctx, setup(1, rounds=1, methods=["chase"], eta="0"))
    assert not any("Error" in why for why in ctx.parked.values())
    assert {name for name, why in ctx.parked.items() if not why.startswith("waits")} == parked
    assert bool(parked) != ("certification" in ctx.store.results)
    found: Any = ctx.store.results.get("certification", {"methods": {}})
    assert set(found["methods"]) == known
    if unit == "chase/r1":
        assert ctx.store.decisions("archive") == []


async def test_no_admissible_proposal_buys_nothing_on_d_disc() -> None:
    ctx = MemoryContext(mute(lambda slot, request: request.role == "challenger"), seed=1)
    await run(ctx, setup(1, rounds=1, methods=["chase"]))
    assert not any(r.item in (*SPLITS["disc"], *SPLITS["conf1"]) for r in ctx.store.all(Rollout))

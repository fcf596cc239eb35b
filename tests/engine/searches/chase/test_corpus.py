"""The whole search over documents: our sample, and the real Treasury documents."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from evoscope.engine.benchmarks.agents import SAMPLE
from evoscope.engine.benchmarks.environment import CanonicalCall, Environment
from evoscope.engine.config import RunConfig
from evoscope.engine.errors import DataError
from evoscope.engine.model.chase import Harness, Rule
from evoscope.engine.model.core import RELEASE_SPLIT, Decision, Item, Rollout, Slot
from evoscope.engine.model.llm import Params
from evoscope.engine.plans import chase_setup, plan_run
from evoscope.engine.searches.chase.agent import Loop, opening
from evoscope.engine.searches.chase.search import run
from evoscope.engine.searches.chase.setup import ROLES
from evoscope.engine.searches.chase.toolbox import Toolbox
from evoscope.engine.searches.harden.setup import Profile
from tests.engine.benchmarks.corpus_qa import kit
from tests.engine.searches.chase.arena import answer
from tests.engine.searches.harden.memory_context import MemoryContext
from tests.shared import shared_data


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOSCOPE_CACHE", str(tmp_path / "cache"))


def config(benchmark: dict[str, Any], **chase: Any) -> RunConfig:
    quick = {"rounds": 1, "rollouts_evo": 1, "rollouts_disc": 1, "rollouts_conf": 1,
             "rollouts_cert": 1, "methods": ["chase", "compass"]}  # fmt: skip
    return RunConfig.model_validate(
        {
            "search": "chase",
            "benchmark": {"kind": "corpus_qa", **benchmark},
            "providers": {"off": {"kind": "offline"}},
            "models": {role: {"provider": "off", "model": "offline"} for role in ROLES},
            "chase": quick | chase,
        }
    )


async def lived(own: RunConfig) -> MemoryContext:
    ctx = MemoryContext(answer)
    await run(ctx, chase_setup(own))
    assert ctx.parked == {}
    return ctx


def certified(ctx: MemoryContext) -> dict[str, Any]:
    methods = ctx.store.results["certification"]["methods"]
    assert isinstance(methods, dict) and set(methods) == {"raw", "chase", "compass"}
    return dict(methods)


async def test_a_search_over_the_sample_certifies_without_a_neutral_form() -> None:
    own = config({}, eta="0", rounds=2)
    ctx = await lived(own)
    for entry in certified(ctx).values():
        assert {"r_rel", "r_avg", "r_min", "g_rel", "gamma", "g_min"} <= set(entry)
        assert not {"r_0", "g_0", "delta_bs"} & set(entry)
        assert Fraction(entry["g_min"]) + Fraction(entry["gamma"]) == Fraction(entry["g_rel"])
    bounds = ctx.store.results["certification"]["guarantees"]
    assert isinstance(bounds, dict) and "no k is stated" in str(bounds["note"])
    assert (bounds["k"], bounds["k_stated"]) == (None, False)
    env = chase_setup(own).released
    assert {r.item for r in ctx.store.all(Rollout) if r.unit == "certification"} == set(
        env.splits["cert"]
    )
    hidden = [task.question for task in env.tasks if task.id not in env.splits["evo"]]
    told = "\n".join(
        message.text
        for request, _ in ctx.store.calls.values()
        if request.role in ("proposer", "challenger")
        for message in request.messages
    )
    assert not any(question in told for question in hidden)


@pytest.mark.parametrize(("eta", "known"), [("0", True), ("2", False)])
async def test_a_stated_k_bounds_only_where_something_was_archived(eta: str, known: bool) -> None:
    ctx = await lived(config({}, eta=eta, rounds=1, methods=["chase"], k=2))
    bounds = ctx.store.results["certification"]["guarantees"]
    assert isinstance(bounds, dict)
    assert ("delta_bs_at_most" in bounds, bounds["k_stated"]) == (known, known)
    assert ("B_rel alone" in str(bounds.get("note"))) != known


def test_its_threshold_is_the_paper_s_unless_one_is_stated() -> None:
    assert config({}).chase.eta == Fraction("0.075")
    assert config({}, eta="0.1").chase.eta == Fraction("0.1")
    kept = RunConfig.model_validate_json(config({}).model_dump_json())
    assert kept.chase.eta == Fraction("0.075")
    ledger = config({}).model_dump(mode="json")
    del ledger["chase"]["eta"]
    ledger["benchmark"]["kind"] = "syn_ledger"
    assert RunConfig.model_validate(ledger).chase.eta == Fraction("0.05")


def test_a_moved_corpus_is_pinned_the_same(tmp_path: Path) -> None:
    moved = copytree(SAMPLE, tmp_path / "moved")
    paths = {"path": str(moved / "questions.jsonl"), "documents": str(moved / "documents")}
    assert plan_run(config(paths)).pins == plan_run(config({})).pins


async def rate(own: Harness, env: Environment) -> Fraction:
    right = Fraction(0)
    for task in env.tasks:
        first = opening(Profile("off", "agent", Params()), own, env, task)
        ctx: Any = MemoryContext(answer)
        slot = Slot("u", task.id, "H", 0)
        trajectory = await Loop(ctx.complete, slot, first, own, env, task).run()
        right += env.grade(task.id, trajectory.answer).score
    return right / len(env.tasks)


async def test_wider_searches_pay_and_nested_texts_cost_those_that_were_not_told() -> None:
    env = chase_setup(config({})).released
    wide = Harness.model_validate({"retrieval": {"any_below": 3}})
    told = wide.model_copy(
        update={
            "guidance": Harness.model_validate(
                {"guidance": [{"name": "nested", "applies_when": "no text",
                               "instruction": "look in nested fields"}]}
            ).guidance
        }
    )  # fmt: skip
    nested = env.with_protocol(
        type(env.protocol)(encoding=("body", "before"), tools="terse", fields="terse")
    )
    assert await rate(Harness(), env) < await rate(wide, env)
    assert await rate(told, nested) >= await rate(wide, nested)
    assert await rate(told, nested) > Fraction(1, 2)


@pytest.mark.parametrize("scheme", ["plain", "verbose", "terse"])
def test_reading_on_goes_through_a_corpus_s_document_whatever_its_names_are(
    tmp_path: Path, scheme: str
) -> None:
    env = kit.corpus(tmp_path)
    identifiers = ("source", 0) if scheme == "plain" else ("numbered", 3)
    changed = replace(env.protocol, tools=scheme, fields=scheme, identifiers=identifiers)  # type: ignore[arg-type]
    shown = env.with_protocol(changed)
    harness = Harness(control=[Rule(when="half_read", do="read_on")])
    box = Toolbox(harness, shown, "Q00")
    call = shown.presented_call("Q00", CanonicalCall("open", {"doc_id": "dill.txt"}))
    parts = json.loads(box.call(*call))["parts"]
    text = {"plain": "text", "verbose": "passage_text", "terse": "t"}[scheme]
    assert "\n".join(part[text] for part in parts) == "\n".join(env.documents[3].lines)
    assert [made.arguments.get("start") for made in box.calls] == [None, 61]
    assert box.left["open"] == 8


def other_questions(folder: Path) -> dict[str, str]:
    """A separate release: three questions on documents of their own."""
    texts = folder / "texts"
    texts.mkdir()
    rows = []
    for n, town in enumerate(("Oakham", "Pell", "Quarry")):
        text = f"In 2001 the number of mills that stood in {town} was {40 + n}.\n"
        (texts / f"{town}.txt").write_text(text)
        asked = f"What was the number of mills that stood in {town} in 2001?"
        rows.append({"uid": f"R{n}", "question": asked, "answer": str(40 + n),
                     "source_files": f"{town}.txt"})  # fmt: skip
    path = folder / "release.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return {"release": str(path), "release_documents": str(texts)}


async def test_a_separate_release_is_scored_once_by_every_method_and_enters_no_gain(
    tmp_path: Path,
) -> None:
    plain, own = config({}), config(other_questions(tmp_path))
    assert plan_run(own).pins["cases"] != plan_run(plain).pins["cases"]
    ctx = await lived(own)
    there = [r for r in ctx.store.all(Rollout) if r.context == "release"]
    assert {r.item for r in there} == {"R0", "R1", "R2"}
    assert {r.unit for r in there} == {"certification"}
    splits = {item.id: item.split for item in ctx.store.all(Item)}
    assert {splits[r.item] for r in there} == {RELEASE_SPLIT}
    found, without = certified(ctx), certified(await lived(plain))
    assert [entry.pop("r_release") for entry in found.values()] == ["1", "1", "1"]
    assert found == without


def test_a_release_may_not_repeat_the_benchmark_s_own_questions() -> None:
    with pytest.raises(DataError, match="one of the benchmark's own"):
        chase_setup(config({"release": str(SAMPLE / "questions.jsonl")}))


@pytest.mark.shared
async def test_a_search_over_the_treasury_documents_ends() -> None:
    folder = shared_data("officeqa")
    paths = {
        "path": str(folder / "officeqa_own_questions.jsonl"),
        "documents": str(folder / "officeqa_docs.jsonl.gz"),
        "splits": "question",
    }
    ctx = await lived(config(paths))
    found = certified(ctx)
    assert Fraction(found["raw"]["r_rel"]) > 0
    assert len(ctx.store.decisions("open_seal")) == 1
    assert {d.step for d in ctx.store.all(Decision) if d.unit == "chase/r1"} >= {"select"}

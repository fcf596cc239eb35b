"""The firewall: positive controls pass, each negative one fails the check that should catch it."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import Any

import pytest

from evoscope.engine.benchmarks.corpus_qa.environment import CorpusQA
from evoscope.engine.benchmarks.corpus_qa.operators import OPERATORS as CORPUS
from evoscope.engine.benchmarks.environment import Limits
from evoscope.engine.benchmarks.syn_ledger.environment import SynLedger, build
from evoscope.engine.benchmarks.syn_ledger.operators import OPERATORS as LEDGER
from evoscope.engine.benchmarks.transform.activation import activation, would_change
from evoscope.engine.benchmarks.transform.composition import IDENTITY, compose
from evoscope.engine.benchmarks.transform.firewall import examine
from evoscope.engine.model.llm import Json
from tests.engine.benchmarks.corpus_qa import kit
from tests.engine.benchmarks.transform.controls import (
    Control,
    amount_changed,
    rows_moved,
    swap_first_folder,
    with_document,
    with_first_task,
)

RELEASED = build(0).released
FEW = RELEASED.subset(RELEASED.splits["evo"][:6])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusQA:
    return kit.corpus(tmp_path_factory.mktemp("cache"))


LEDGER_SINGLE: list[tuple[str, dict[str, Json]]] = [
    ("rename", {"style": "late"}),
    ("rename", {"style": "mixed", "seed": 4}),
    ("set_depth", {"rule": "uniform", "depth": 0}),
    ("set_depth", {"rule": "swap"}),
    ("reorder_results", {"order": "reverse"}),
    ("reorder_results", {"order": "by_name"}),
    ("move_block", {"to": "continuation"}),
    ("move_block", {"to": "swap"}),
    ("reserialise", {"to": "csv"}),
    ("reserialise", {"to": "mixed"}),
]
CORPUS_SINGLE: list[tuple[str, dict[str, Json]]] = [
    ("alias_identifiers", {"style": "numbered"}),
    ("alias_identifiers", {"style": "hashed"}),
    ("reencode_results", {}),
    ("shift_boundaries", {"lines": 10}),
    ("alias_tools", {"style": "verbose", "what": "tools"}),
    ("alias_tools", {"style": "terse"}),
    ("reorder_enumeration", {"what": "documents", "order": "reverse"}),
    ("reorder_enumeration", {"what": "results", "order": "shuffled"}),
    ("relocate_context", {"to": "before"}),
]


@pytest.mark.parametrize("step", LEDGER_SINGLE, ids=str)
def test_each_ledger_operator_is_valid_and_active(step: tuple[str, dict[str, Json]]) -> None:
    ruling = examine(compose(LEDGER, step), FEW)
    assert ruling.failed == () and ruling.problem is None
    assert ruling.admissible and 0 < ruling.change <= 1


@pytest.mark.parametrize("step", CORPUS_SINGLE, ids=str)
def test_each_corpus_operator_is_valid_and_active(
    corpus: CorpusQA, step: tuple[str, dict[str, Json]]
) -> None:
    ruling = examine(compose(CORPUS, step), corpus)
    assert ruling.failed == () and ruling.problem is None
    assert ruling.admissible and 0 < ruling.change <= 1


def test_compositions_are_valid(corpus: CorpusQA) -> None:
    assert examine(compose(LEDGER, *LEDGER_SINGLE[1:9:2]), FEW).admissible
    steps = [CORPUS_SINGLE[i] for i in (0, 2, 3, 5, 7, 8)]
    ruling = examine(compose(CORPUS, *steps), corpus)
    assert (ruling.failed, ruling.problem, ruling.active) == ((), None, True)


def test_a_composition_is_valid_on_all_320_tasks() -> None:
    ruling = examine(compose(LEDGER, *LEDGER_SINGLE[1:9:2]), RELEASED)
    assert ruling.admissible


def test_the_identity_passes_all_seven_and_is_inadmissible_as_inactive(corpus: CorpusQA) -> None:
    for env in (FEW, corpus):
        ruling = examine(IDENTITY, env)
        assert ruling.valid and not ruling.active and not ruling.admissible
        assert ruling.change == Fraction(0)


def test_an_operator_that_leaves_the_fixtures_alone_is_inactive(corpus: CorpusQA) -> None:
    already = compose(LEDGER, ("reserialise", {"to": "csv"})).apply(FEW)
    ruling = examine(compose(LEDGER, ("reserialise", {"to": "csv"})), already)
    assert ruling.valid and not ruling.active


def test_a_change_outside_what_is_declared_is_rejected() -> None:
    both = compose(LEDGER, ("rename", {"style": "late"}), ("set_depth", {"rule": "swap"}))
    assert examine(both, FEW).valid
    assert examine(replace(both, stated=frozenset({"name"})), FEW).failed == ("declared",)


def relaxed(env: Any) -> Any:
    return replace(env, limits=Limits((("search", 9), ("open", 9), ("calculator", 9)), 99, 9))


def graded_leniently(env: Any) -> Any:
    class Lenient(SynLedger):
        def grade(self, task: str, response: str) -> Any:
            return super().grade(task, response.split()[-1] if response.split() else "")

    return Lenient(env.ledger, env.protocol, env.splits, env.limits, env.answers)


def evidence_deepened(env: Any) -> Any:
    return swap_first_folder(env, lambda i, j: j in env.ledger[i].evidence)


def asked_about_totals(env: Any) -> Any:
    return swap_first_folder(env, lambda i, j: "total" in env.ledger[i].question)


def used_for_evolution(env: Any) -> Any:
    evolution = set(env.splits.get("evo", ()))
    return swap_first_folder(env, lambda i, j: env.ledger[i].id in evolution and j == 0)


def answer_even(env: Any) -> Any:
    return swap_first_folder(env, lambda i, j: env.ledger[i].answer % 2 == 0)


ticks = count()


def different_each_time(env: Any) -> Any:
    now = next(ticks)
    return swap_first_folder(env, lambda i, j: j == now % 12)


DEPTH = frozenset({"depth"})


@pytest.mark.parametrize(
    ("control", "check"),
    [
        (Control(lambda e: with_first_task(e, lambda t: replace(t, question="Other?"))), "task"),
        (Control(lambda e: with_first_task(e, lambda t: replace(t, answer=t.answer + 1))), "task"),
        (
            Control(
                lambda e: with_first_task(
                    e, lambda t: with_document(t, t.evidence[0], amount_changed)
                )
            ),
            "task",
        ),
        (
            Control(lambda e: with_first_task(e, lambda t: with_document(t, 3, amount_changed))),
            "information",
        ),
        (Control(lambda e: with_first_task(e, rows_moved)), "information"),
        (Control(relaxed), "access"),
        (Control(graded_leniently), "scoring"),
        (Control(lambda e: swap_first_folder(e, lambda i, j: True)), "declared"),
        (Control(lambda e: swap_first_folder(e, lambda i, j: True), DEPTH, False), "declared"),
        (Control(evidence_deepened, DEPTH), "independence"),
        (Control(asked_about_totals, DEPTH), "independence"),
        (Control(used_for_evolution, DEPTH), "independence"),
        (Control(answer_even, DEPTH), "independence"),
        (Control(different_each_time, DEPTH), "replay"),
        (Control(lambda e: replace(e, splits={})), "replay"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_negative_control_fails_the_check_that_should_catch_it(
    control: Control, check: str
) -> None:
    ruling = examine(control, FEW)
    assert check in ruling.failed and not ruling.admissible


def test_dependence_on_the_task_is_caught_by_that_check_alone() -> None:
    for control in (evidence_deepened, asked_about_totals, used_for_evolution, answer_even):
        assert examine(Control(control, DEPTH), FEW).failed == ("independence",)


def corpus_documents(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda env: replace(env, documents=change(env.documents))


@pytest.mark.parametrize(
    ("control", "check"),
    [
        (lambda e: replace(e, questions=e.questions[1:]), "task"),
        (
            lambda e: replace(e, questions=(replace(e.questions[0], answer="1"), *e.questions[1:])),
            "task",
        ),
        (
            corpus_documents(
                lambda ds: (replace(ds[0], lines=(*ds[0].lines[:-1], "other")), *ds[1:])
            ),
            "information",
        ),
        (corpus_documents(lambda ds: ds[:-1]), "access"),
        (relaxed, "access"),
        (lambda e: replace(e, scorer="strict"), "scoring"),
        (lambda e: e.with_protocol(replace(e.protocol, boundaries=3)), "declared"),
        (
            lambda e: e.with_protocol(
                replace(e.protocol, boundaries=1 + sum(map(len, (q.answer for q in e.questions))))
            ),
            "independence",
        ),
    ],
)
def test_each_negative_corpus_control_fails_the_check_that_should_catch_it(
    corpus: CorpusQA, control: Callable[[Any], Any], check: str
) -> None:
    assert check in examine(Control(control), corpus).failed


def test_a_transformation_that_raises_passes_nothing() -> None:
    def broken(env: Any) -> Any:
        raise KeyError("gone")

    ruling = examine(Control(broken), FEW)
    assert len(ruling.failed) == 7 and ruling.problem == "KeyError: 'gone'"


def test_activation_counts_the_tasks_whose_observations_would_change() -> None:
    first, second = RELEASED.splits["evo"][:2]
    late = compose(LEDGER, ("rename", {"style": "late"})).apply(RELEASED)
    csv = compose(LEDGER, ("reserialise", {"to": "csv"})).apply(RELEASED)
    path = RELEASED.task(first)[1][0].path
    table = RELEASED.task(first)[1][0].format == "table"
    listing = [("list_files", dict[str, Json]())]
    opening: list[tuple[str, dict[str, Json]]] = [("open_file", {"path": path})]
    assert would_change(RELEASED, late, first, listing)
    assert not would_change(RELEASED, csv, first, listing)
    other = "table" if not table else "csv"
    written = compose(LEDGER, ("reserialise", {"to": other})).apply(RELEASED)
    assert would_change(RELEASED, written, first, opening)
    assert not would_change(RELEASED, late, first, [("open_file", {"path": "nowhere"})])
    rollouts = {first: [listing], second: [[("calculator", dict[str, Json](expression="1"))]]}
    assert activation(RELEASED, late, rollouts) == Fraction(1, 2)
    assert activation(RELEASED, late, {}) == 0


def test_other_tool_names_change_every_rollout(corpus: CorpusQA) -> None:
    terse = compose(CORPUS, ("alias_tools", {"style": "terse", "what": "tools"})).apply(corpus)
    assert would_change(corpus, terse, "Q00", [("calculator", {"expression": "1"})])
    assert not would_change(corpus, corpus, "Q00", [("list", {})])

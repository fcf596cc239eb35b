"""Syn-Ledger as built: every count and balance, and that each check can fail."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from evoscope.engine.benchmarks.syn_ledger import (
    validate_allocation,
    validate_answers,
    validate_balance,
    validate_tasks,
)
from evoscope.engine.benchmarks.syn_ledger.assignment import neutral_levels, released_levels
from evoscope.engine.benchmarks.syn_ledger.environment import Ledger, build
from evoscope.engine.benchmarks.syn_ledger.generate import redrawn, reveals
from evoscope.engine.benchmarks.syn_ledger.validate import validate
from evoscope.engine.benchmarks.syn_ledger.validate_allocation import allocation_checks
from evoscope.engine.benchmarks.syn_ledger.validate_balance import balance_checks
from evoscope.engine.benchmarks.syn_ledger.validate_tasks import task_checks


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    return build(0)


def test_every_validation_holds() -> None:
    checks = validate(0)
    assert [check for check in checks if not check.ok] == []
    assert len({check.name for check in checks}) == len(checks) == 24


def test_another_seed_gives_another_benchmark_with_the_same_balance() -> None:
    other = build(1)
    assert other.released.ledger != build(0).released.ledger
    checks = [*task_checks(other), *balance_checks(other), *allocation_checks(other)]
    assert [check for check in checks if not check.ok] == []


def test_a_block_has_each_configuration_twice_among_evidence_and_ten_times_among_distractors(
    ledger: Ledger,
) -> None:
    tasks = ledger.released.ledger
    grid = neutral_levels(0, tasks)
    rows = [(t, row) for t, row in zip(tasks, grid, strict=True) if t.block == 3]
    evidence = Counter(row[i] for t, row in rows for i in t.evidence)
    others = Counter(row[i] for t, row in rows for i in range(12) if i not in t.evidence)
    assert sum(evidence.values()) == 64 and set(evidence.values()) == {2} and len(evidence) == 32
    assert sum(others.values()) == 320 and set(others.values()) == {10} and len(others) == 32


def test_56_of_64_evidence_documents_are_favourable_under_the_released_benchmark(
    ledger: Ledger,
) -> None:
    tasks = ledger.released.ledger
    grid = released_levels(0, tasks)
    for block in range(10):
        rows = [(t, row) for t, row in zip(tasks, grid, strict=True) if t.block == block]
        for j in range(5):
            assert sum(row[i][j] for t, row in rows for i in t.evidence) == 56


def test_neither_shape_nor_kind_of_a_distractor_goes_with_a_configuration(ledger: Ledger) -> None:
    tasks = ledger.released.ledger
    grid = neutral_levels(0, tasks)
    with_first: Counter[tuple[str, int, bool]] = Counter()
    for task, row in zip(tasks, grid, strict=True):
        for document, levels in zip(task.documents, row, strict=True):
            same = levels == row[task.evidence[0]]
            with_first[document.kind, document.shape, same] += 1
    for kind in validate_tasks.KINDS.keys() - {"evidence"}:
        for shape in (0, 1):
            a, b = with_first[kind, shape, True], with_first[kind, shape, False]
            assert abs(a - b) < 60, (kind, shape)


def test_a_document_at_another_level_than_assigned_is_noticed(ledger: Ledger) -> None:
    grid, protocol = neutral_levels(0, ledger.neutral.ledger), ledger.neutral.protocol
    odd: list[dict[str, Any]] = [
        {"name": "odd"},
        {"folder": "odd"},
        {"format": "csv"},
        {"start": 5},
    ]
    for change in odd:
        row = tuple(replace(p, **change) for p in protocol.placements[0])
        moved = replace(protocol, placements=(row, *protocol.placements[1:]))
        assert not validate_balance._shown("B_0", grid, moved).ok
    assert validate_balance._shown("B_0", grid, protocol).ok


def test_a_second_legal_record_is_noticed(ledger: Ledger) -> None:
    tasks = ledger.released.ledger
    task = tasks[0]
    evidence = task.documents[task.evidence[0]]
    stranger = next(i for i in range(12) if i not in task.evidence)
    documents = list(task.documents)
    documents[stranger] = replace(documents[stranger], block=evidence.block)
    doubled = replace(task, documents=tuple(documents))
    released = replace(ledger.released, ledger=(doubled, *tasks[1:]))
    broken = replace(ledger, released=released, neutral=released, neutralised={}, placebos={})
    failed = {check.name for check in validate_answers.answer_checks(broken) if not check.ok}
    assert {"answers from records", "answers from text"} <= failed


def test_an_answer_that_stands_in_a_record_is_noticed(ledger: Ledger) -> None:
    task = ledger.released.ledger[0]
    row = replace(task.documents[0].context[0], amount=task.answer)
    shown = replace(task.documents[0], context=(row, *task.documents[0].context[1:]))
    assert not reveals(task)
    assert reveals(replace(task, documents=(shown, *task.documents[1:])))


def test_replacing_either_evidence_document_changes_the_answer_and_nothing_else(
    ledger: Ledger,
) -> None:
    for task in ledger.released.ledger[:40]:
        for which in (0, 1):
            old = task.documents[task.evidence[which]]
            new = redrawn(0, task, which)
            assert replace(new, block=old.block) == old
            assert [replace(r, amount=0) for r in new.block] == [
                replace(r, amount=0) for r in old.block
            ]


def test_an_uneven_allocation_is_noticed(ledger: Ledger) -> None:
    splits = dict(ledger.released.splits)
    splits["conf1"], splits["cert"] = splits["conf1"][1:], (*splits["cert"], splits["conf1"][0])
    broken = replace(ledger, released=replace(ledger.released, splits=splits))
    failed = {c.name for c in validate_allocation.allocation_checks(broken) if not c.ok}
    assert {"allocation sizes", "confirmation panels", "allocation favourable"} <= failed


def test_which_tasks_are_used_when_is_pinned(ledger: Ledger) -> None:
    """A change here changes every recorded run: raise the search's replay version with it."""
    splits = ledger.released.splits
    assert splits["evo"] == tuple(f"L{n:03}" for n in range(32))
    assert splits["conf1"][:4] == ("L067", "L075", "L078", "L080")
    assert [task.answer for task in ledger.released.ledger[:4]] == PINNED_ANSWERS


PINNED_ANSWERS = [17, 13, 63, 55]

"""What the tasks consist of: counts, families, answers, decoys."""

from collections import Counter

from ..checks import Check
from .environment import Ledger
from .families import FAMILIES
from .model import BLOCK_SIZE, BLOCKS, DOCUMENTS, RECORDS, TASKS, Document, Task

KINDS = {
    "evidence": 2, "wrong period": 2, "wrong entity": 2, "superseded": 2, "cancelled or draft": 2,
    "wrong basis": 1, "irrelevant category": 1,
}  # fmt: skip
PER_FAMILY = 64


def task_checks(ledger: Ledger) -> list[Check]:
    """Counts of tasks, families, answers, documents; decoys have the evidence's form."""
    tasks = ledger.released.ledger
    return [_count(tasks), _families(tasks), _answers(tasks), _documents(tasks), _decoys(tasks)]


def _count(tasks: tuple[Task, ...]) -> Check:
    blocks = Counter(task.block for task in tasks)
    fine = len(tasks) == TASKS and blocks == {b: BLOCK_SIZE for b in range(BLOCKS)}
    fine = fine and len({task.id for task in tasks}) == TASKS
    return Check("tasks", fine, f"{len(tasks)} in {len(blocks)} blocks")


def _families(tasks: tuple[Task, ...]) -> Check:
    counts = Counter(task.request.family for task in tasks)
    fine = counts == {family.name: PER_FAMILY for family in FAMILIES}
    return Check("families", fine, ", ".join(f"{n} {c}" for n, c in sorted(counts.items())))


def _answers(tasks: tuple[Task, ...]) -> Check:
    sets = {
        family.name: frozenset(t.answer for t in tasks if t.request.family == family.name)
        for family in FAMILIES
    }
    first = next(iter(sets.values()))
    fine = all(answers == first for answers in sets.values()) and len(first) == PER_FAMILY
    fine = fine and all(10 <= answer <= 99 for answer in first)
    return Check("answers", fine, f"{len(first)} distinct, {min(first)} to {max(first)}")


def _documents(tasks: tuple[Task, ...]) -> Check:
    documents = [document for task in tasks for document in task.documents]
    fine = all(Counter(d.kind for d in task.documents) == KINDS for task in tasks)
    fine = fine and all(len(task.documents) == DOCUMENTS for task in tasks)
    fine = fine and all(len(document.records) == RECORDS for document in documents)
    fine = fine and len({document.code for document in documents}) == TASKS * DOCUMENTS
    return Check("documents", fine, f"{len(documents)}, {DOCUMENTS} a task of {RECORDS} records")


def _decoys(tasks: tuple[Task, ...]) -> Check:
    """Each decoy block is as long, and its amounts end in as many zeros, as the evidence's."""
    wrong = [
        task.id
        for task in tasks
        for document in task.documents
        if _form(document) != _form(task.documents[task.evidence[document.shape]])
    ]
    return Check("decoys", not wrong, f"{len(wrong)} differ in form from their evidence document")


def _form(document: Document) -> list[int]:
    return [_zeros(record.amount) for record in document.block]


def _zeros(amount: int) -> int:
    digits = str(abs(amount))
    return len(digits) - len(digits.rstrip("0"))

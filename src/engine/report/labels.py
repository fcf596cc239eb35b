"""People's blind labels against the gates that answered the same questions (HARDEN, A.11, A.12)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..model.labels import GATE_OF, QUESTIONS
from ..stats.agreement import ac1, confusion, kappa, observed_agreement, ratio
from ..stats.validation import majority
from ..store.labels import Candidate, read_labels, read_pool
from ..store.reader import Reader
from .tables import Cell, Table, columns

SOURCES = ("original", "generated")
NOTES = (
    "Originals stand before no gate, and a candidate that correctness rejected before no realism"
    " gate: compared are the items with an answer of both.",
    "n/a is undefined: nothing to compare, or one answer throughout on both sides.",
)


@dataclass(frozen=True, slots=True)
class Labelled:
    """What people said of an item: `human` is None where they split, `gate` where it never met
    the gate."""

    question: str
    source: str
    human: bool | None
    gate: bool | None

    @property
    def compared(self) -> bool:
        """Whether both have answered."""
        return self.human is not None and self.gate is not None


def labelled(
    pool: Iterable[Candidate], answers: Iterable[tuple[str, str, str]]
) -> tuple[Labelled, ...]:
    """Answers as (node, question, yes or no), brought together: more than half of the people who
    answered a question decide it."""
    said: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for node, question, answer in answers:
        said[node, question].append(answer == "yes")
    return tuple(
        Labelled(question, SOURCES[not item.original], majority(votes), item.gates.get(question))
        for item in pool
        for question in QUESTIONS
        if (votes := said.get((item.node, question)))
    )


def read_labelled(reader: Reader) -> tuple[Labelled, ...]:
    """Every label in a run's file; nothing is read of a run without any."""
    rows = read_labels(reader)
    answers = [(row.node, row.question, row.answer) for row in rows]
    return labelled(read_pool(reader), answers) if rows else ()


def label_table(found: Sequence[Labelled]) -> Table | None:
    """Human labels against the gates, by question and source; None without a label."""
    if not found:
        return None
    split = sum(each.human is None for each in found)
    notes = (f"Left out because people split: {split}.",) if split else ()
    return Table(
        "Human labels against the gates",
        columns(
            "question", "gate", "source", "labelled", ("people say yes, %", 1), "compared",
            ("gate passes, %", 1), ("agreement, %", 1), ("kappa", 3), ("AC1", 3),
        ),
        tuple(_rows(found)),
        (*NOTES, *notes),
    )  # fmt: skip


def _rows(found: Sequence[Labelled]) -> Iterator[tuple[Cell, ...]]:
    for question in QUESTIONS:
        own = [each for each in found if each.question == question]
        if own:
            yield _row(question, "all", own)
        for source in SOURCES:
            if part := [each for each in own if each.source == source]:
                yield _row(question, source, part)


def _row(question: str, source: str, found: Sequence[Labelled]) -> tuple[Cell, ...]:
    human = [each.human for each in found if each.human is not None]
    both = [each for each in found if each.compared]
    counts = confusion([each.gate is True for each in both], [each.human is True for each in both])
    passes = [each.gate is True for each in both]
    return (question, GATE_OF[question], source, len(human), _percent(_share(human)), len(both),
            _percent(_share(passes)), _percent(observed_agreement(counts)), kappa(counts),
            ac1(counts))  # fmt: skip


def _share(answers: Sequence[bool]) -> float | None:
    return ratio(sum(answers), len(answers))


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share

"""One author's set of items to label: its order, and what is answered already.

An answer counts from the moment it lies in the inbox: the engine may be gone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from .control import waiting_commands
from .model.labels import QUESTIONS, SAMPLE, draw
from .store.labels import Candidate, read_labels, read_pool, require_harden
from .store.reader import Reader


class Answer(NamedTuple):
    """What an author said to one question."""

    answer: str
    reason: str


Given = Mapping[tuple[str, str], Answer]
"""Answers by node and question."""


@dataclass(frozen=True, slots=True)
class LabelSet:
    """`order` are the items of the set, `given` the author's answers."""

    author: str
    order: tuple[Candidate, ...]
    given: Given = field(default_factory=dict)

    def open_questions(self, node: str) -> list[str]:
        """What has not been answered of an item yet."""
        return [question for question in QUESTIONS if (node, question) not in self.given]

    @property
    def done(self) -> int:
        """Items with both answers."""
        return sum(not self.open_questions(item.node) for item in self.order)

    @property
    def finished(self) -> bool:
        """Whether everything is answered; a set of nothing never is."""
        return bool(self.order) and self.done == len(self.order)


def read_set(
    reader: Reader, author: str, sample: int = SAMPLE, seed: int | None = None
) -> LabelSet:
    """The set of an author as far as the run has come; the run's seed where none is given.

    Raises UsageError for a run of another search.
    """
    require_harden(reader)
    waiting = waiting_labels(reader.path, author)  # before the table: an answer moves from here
    given = {
        (row.node, row.question): Answer(row.answer, row.reason)
        for row in read_labels(reader, author)
    } | waiting
    pool = {candidate.node: candidate for candidate in read_pool(reader)}
    seed = int(reader.meta().get("seed") or 0) if seed is None else seed
    order = draw(pool, {node for node, _ in given}, author, seed, sample)
    return LabelSet(author, tuple(pool[node] for node in order), given)


def waiting_labels(run: Path, author: str | None = None) -> dict[tuple[str, str], Answer]:
    """Labels in the inbox that no engine has taken yet, of one author or of all."""
    found = {}
    for command in waiting_commands(run):
        args = command.get("args")
        ours = author is None or command.get("author") == author
        if command.get("kind") == "label" and ours and isinstance(args, dict):
            key = (str(args.get("node")), str(args.get("question")))
            found[key] = Answer(str(args.get("answer")), str(command.get("reason") or ""))
    return found

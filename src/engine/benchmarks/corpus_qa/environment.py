"""A corpus with questions as an environment: one object a benchmark variant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

from ...errors import DataError
from ...model.core import RELEASE_SPLIT
from ...model.llm import Json, Tool
from ..base import Grade
from ..environment import AgentTask, Arguments, CanonicalCall, Limits, Session, Snapshot
from . import audit
from .corpus import Document, Question, check_sources, read_documents, read_questions
from .index import Index, default_folder
from .passages import Passages
from .protocol import FEATURES, FIELD_NAMES, RELEASED, TOOL_NAMES, Protocol
from .scorers import fuzzy_match, strict_match
from .splits import split
from .tools import LIMITS, Desk

Scorer: TypeAlias = Literal["fuzzy", "strict"]
MATCHES = {"fuzzy": fuzzy_match, "strict": strict_match}


@dataclass(frozen=True)
class CorpusQA:
    """One variant: documents, questions, splits, limits, scoring, and the protocol."""

    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    splits: Mapping[str, tuple[str, ...]]
    index: Index = field(compare=False, repr=False)
    split_by: Literal["component", "question"] = "component"
    """`question` means that sources were ignored: every report has to say so."""
    scorer: Scorer = "fuzzy"
    tolerance: Fraction = Fraction(0)
    limits: Limits = LIMITS
    protocol: Protocol = RELEASED
    name: str = "corpus_qa"

    @cached_property
    def tasks(self) -> Sequence[AgentTask]:
        """All questions in file order, without answers and sources."""
        return tuple(AgentTask(q.id, q.question) for q in self.questions)

    @cached_property
    def desk(self) -> Desk:
        """The tools under this protocol."""
        return Desk(self.documents, self.passages, self.protocol)

    @cached_property
    def passages(self) -> Passages:
        """The documents as cut for search."""
        return Passages(self.documents, self.index, self.protocol.boundaries)

    @cached_property
    def _questions(self) -> Mapping[str, Question]:
        return {question.id: question for question in self.questions}

    def tools(self) -> tuple[Tool, ...]:
        """The four tools, named as the protocol says."""
        return self.desk.tools()

    def session(self, task: str) -> Session:
        """Fresh tools with full budgets for one rollout; the corpus is the same for all tasks."""
        self._question(task)
        return Session(self.desk.operations(), self.limits)

    def _question(self, task: str) -> Question:
        if task not in self._questions:
            raise DataError(f"corpus_qa: no question {task!r}; take one of the question file's ids")
        return self._questions[task]

    def grade(self, task: str, response: str) -> Grade:
        """The chosen scorer's verdict at the stated tolerance."""
        answer, match = self._question(task).answer, MATCHES[self.scorer]
        fine = bool(response.strip()) and match(answer, response, float(self.tolerance))
        parsed = response.strip() or None
        problem = None if parsed else "the answer is empty"
        return Grade(Fraction(int(fine)), parsed, parsed, problem=problem)

    def with_protocol(self, protocol: Protocol) -> "CorpusQA":
        """The same questions and documents under another protocol."""
        return replace(self, protocol=protocol)

    def changed_features(self, protocol: Protocol) -> frozenset[str]:
        """Which features of the protocol differ."""
        return frozenset(
            name for name in FEATURES if getattr(self.protocol, name) != getattr(protocol, name)
        )

    def rest(self) -> object:
        """Everything but the protocol, to compare."""
        scoring = (self.scorer, self.tolerance)
        return self.documents, self.questions, dict(self.splits), self.limits, scoring, self.name

    def without_tasks(self, seed: int | None) -> "CorpusQA":
        """Questions, answers, sources and splits blanked, or shuffled by `seed`."""
        return audit.without_tasks(self, seed)

    def snapshot(self) -> Snapshot:
        """What the firewall compares."""
        return self._snapshot

    @cached_property
    def _snapshot(self) -> Snapshot:
        return audit.snapshot(self)

    def canonical_call(self, task: str, name: str, arguments: Arguments) -> CanonicalCall | None:
        """This variant's call in the released one's words."""
        kinds = {alias: kind for kind, alias in TOOL_NAMES[self.protocol.tools].items()}
        if name not in kinds:
            return None
        plain = self.desk.arguments(arguments)
        if kinds[name] == "open":
            known = self.desk.known.get(str(plain.get("doc_id")).strip())
            if known is None:
                return None
            plain["doc_id"] = known
        return CanonicalCall(kinds[name], plain)

    def presented_call(self, task: str, call: CanonicalCall) -> tuple[str, dict[str, Json]]:
        """A canonical call with this variant's names and identifiers."""
        plain = dict(call.arguments)
        if call.kind == "open":
            plain["doc_id"] = self.desk.shown[str(plain["doc_id"])]
        names = FIELD_NAMES[self.protocol.fields]
        shown = {names.get(key, key): value for key, value in plain.items()}
        return TOOL_NAMES[self.protocol.tools][call.kind], shown


def load(
    documents: Path,
    questions: Path,
    *,
    seed: int = 0,
    rounds: int = 3,
    split_by: Literal["component", "question"] = "component",
    scorer: Scorer = "fuzzy",
    tolerance: Fraction = Fraction(0),
    cache: Path | None = None,
) -> CorpusQA:
    """The released variant over a folder (or JSON lines) of documents and a question file.

    The search index is built in `cache` (the user's cache folder where None) the first time and
    reused. Raises DataError naming the file, or saying that there are too few source components.
    """
    found, asked, index = _read(documents, questions, cache)
    splits = split(asked, seed, rounds, split_by)
    return CorpusQA(found, asked, splits.ids, index, splits.by, scorer, tolerance)


def load_release(
    documents: Path,
    questions: Path,
    released: CorpusQA,
    cache: Path | None = None,
) -> CorpusQA:
    """A separate release in one split, scored as the released variant is.

    Raises DataError naming the file, or a question that both have.
    """
    found, asked, index = _read(documents, questions, cache)
    known = {question.id for question in released.questions}
    for question in asked:
        if question.id in known:
            raise DataError(
                f"{questions}: the question {question.id!r} is one of the benchmark's own; "
                "give the release other ids and other questions"
            )
    ids = {RELEASE_SPLIT: tuple(question.id for question in asked)}
    scoring = (released.scorer, released.tolerance)
    return CorpusQA(found, asked, ids, index, "question", *scoring)


def _read(
    documents: Path, questions: Path, cache: Path | None
) -> tuple[tuple[Document, ...], tuple[Question, ...], Index]:
    found, asked = read_documents(documents), read_questions(questions)
    check_sources(asked, found)
    return found, asked, Index.open(found, default_folder() if cache is None else cache)

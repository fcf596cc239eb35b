"""One door to the benchmarks that an agent works in; each is built only when it is asked for."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..canonical import canonical_json, sha256
from ..model.llm import Json
from .environment import Environment
from .transform.operators import Catalogue

if TYPE_CHECKING:
    from .corpus_qa.environment import CorpusQA

SAMPLE = Path(__file__).parent / "samples" / "corpus_qa"
"""Our own invented corpus: `questions.jsonl` and the folder `documents`."""

Gold = tuple[str, str, str, tuple[str, ...]]
"""Id, question, answer and sources of one task."""


@dataclass(frozen=True, slots=True)
class AgentBenchmark:
    """A released environment with its operators; `neutral` is B_0 where it is known.

    `observed` are D_evo's tasks with answers and sources, for the Generalization Gate alone. `pin`
    is the hash of everything that a replay depends on.
    """

    released: Environment
    operators: Catalogue
    observed: tuple[Gold, ...]
    pin: str
    neutral: Environment | None = None
    release: Environment | None = None
    """A separate release: other questions, in one split."""


def syn_ledger(seed: int) -> AgentBenchmark:
    """The generated ledgers of a seed."""
    from .syn_ledger.environment import build
    from .syn_ledger.operators import OPERATORS

    ledger = build(seed)
    observed = [ledger.released.task(task)[0] for task in ledger.released.splits["evo"]]
    gold = tuple(
        (t.id, t.question, str(t.answer), tuple(t.documents[place].code for place in t.evidence))
        for t in observed
    )
    pin = sha256(canonical_json(ledger.released.snapshot().tasks).encode())
    return AgentBenchmark(ledger.released, OPERATORS, gold, pin, ledger.neutral)


def corpus_qa(
    questions: Path | None,
    documents: Path | None,
    *,
    seed: int,
    rounds: int,
    splits: Literal["component", "question"] = "component",
    scorer: Literal["fuzzy", "strict"] = "fuzzy",
    tolerance: Fraction = Fraction(0),
    release: Path | None = None,
    release_documents: Path | None = None,
) -> AgentBenchmark:
    """Questions over a folder (or JSON lines) of documents; without both paths our sample.

    B_0 is not known here. `release` are questions of a separate release. Raises DataError naming
    file and line, or saying that there are too few source components.
    """
    from .corpus_qa.environment import load, load_release
    from .corpus_qa.operators import OPERATORS

    folder = SAMPLE / "documents" if documents is None else documents
    asked = SAMPLE / "questions.jsonl" if questions is None else questions
    released = load(
        folder, asked, seed=seed, rounds=rounds, split_by=splits, scorer=scorer,
        tolerance=tolerance,
    )  # fmt: skip
    other = None
    if release is not None:
        other = load_release(release_documents or folder, release, released)
    evo = released.splits["evo"]
    gold = tuple(one for one in _gold(released) if one[0] in evo)
    parts = [_pinned(released), *([_pinned(other)] if other else [])]
    pin = sha256(canonical_json(parts if other else parts[0]).encode())
    return AgentBenchmark(released, OPERATORS, gold, pin, release=other)


def _gold(env: "CorpusQA") -> list[Gold]:
    return [(q.id, q.question, q.answer, q.sources) for q in env.questions]


def _pinned(env: "CorpusQA") -> Json:
    """All that a replay depends on."""
    from .corpus_qa.index import corpus_hash

    placed: dict[str, Json] = {name: list(ids) for name, ids in env.splits.items()}
    tasks: list[Json] = [[name, asked, answer, list(s)] for name, asked, answer, s in _gold(env)]
    return [corpus_hash(env.documents), tasks, placed, [env.scorer, str(env.tolerance)]]

"""One door to the benchmarks that an agent works in; each is built only when it is asked for."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

from ..canonical import canonical_json, sha256
from ..model.llm import Json
from .environment import Environment
from .transform.operators import Catalogue

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
) -> AgentBenchmark:
    """Questions over a folder (or JSON lines) of documents; without both paths our sample.

    B_0 is not known here. Raises DataError naming file and line, or saying that there are too few
    source components.
    """
    from .corpus_qa.environment import load
    from .corpus_qa.index import corpus_hash
    from .corpus_qa.operators import OPERATORS

    released = load(
        SAMPLE / "documents" if documents is None else documents,
        SAMPLE / "questions.jsonl" if questions is None else questions,
        seed=seed, rounds=rounds, split_by=splits, scorer=scorer, tolerance=tolerance,
    )  # fmt: skip
    gold = tuple((q.id, q.question, q.answer, q.sources) for q in released.questions)
    placed: dict[str, Json] = {name: list(ids) for name, ids in released.splits.items()}
    tasks: list[Json] = [[name, asked, answer, list(files)] for name, asked, answer, files in gold]
    scoring: list[Json] = [scorer, str(tolerance)]
    parts: list[Json] = [corpus_hash(released.documents), tasks, placed, scoring]
    pin = sha256(canonical_json(parts).encode())
    evo = released.splits["evo"]
    return AgentBenchmark(released, OPERATORS, tuple(one for one in gold if one[0] in evo), pin)

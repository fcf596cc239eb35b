"""How big a generated run file is, and the parts that its rows are made of."""

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from hashlib import sha256
from typing import Any

from evoscope.engine.model.harden import CaseResult

AXES = (
    "table_label_compression",
    "unit_and_scale_shift",
    "cross_reference",
    "temporal_ambiguity",
    "domain_specific_realism",
    "distractor_rows",
    "footnote_dependency",
    "terminology_drift",
)
GATES = ("validity", "evidence", "correctness", "realism")
REASONS = (
    "values kept, wording natural",
    "operand 2,345.1 no longer stands in the table",
    "missing: requested_task_semantics",
    "tone score 2 below its threshold of 3",
    "identical to sibling 4",
)
HOSTILE = (
    "[red]bold[/red] [/] [link=x]",
    "\x1b[2J\x1b]52;c;AAAA\x07\x9b31m",
    "rtl \u202e\u2066 zero\u200b\ufeff\u00ad",
    "line\r\nbreaks\u2028\u2029\x85 tab\there",
    "combining " + "e" + "\u0301" * 40,
    "wide \u8868\u8868\u8868 \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea",
    "\ud800 lone \udfff",
    "x" * 30_000,
    "\x00\x01\x7f\x80\x9f",
)
START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


@dataclass
class Shape:
    """How big a file is. Verdicts and calls are spread evenly over the candidates."""

    cases: int = 200
    generations: int = 4
    offspring: int = 11
    calls: int = 150_000
    verdicts: int = 1_000_000
    state: str = "running"
    hostile: bool = False
    seed: int = 7
    pool: int = 400

    @property
    def candidates(self) -> int:
        """Mutated nodes."""
        return self.cases * self.generations * self.offspring


SMALL = Shape(cases=6, generations=3, offspring=4, calls=900, verdicts=900, pool=20)


@dataclass
class Made:
    """What the parts of the generator share."""

    shape: Shape
    rng: random.Random
    blobs: dict[str, bytes] = field(default_factory=dict)

    def text(self, usual: str) -> str:
        """The usual text, or a hostile one."""
        if not self.shape.hostile:
            return usual
        return self.rng.choice(HOSTILE)

    def safe(self, usual: str) -> str:
        """Text for a column; SQLite takes no lone surrogates, so they are replaced."""
        return self.text(usual).encode("utf-8", "replace").decode()

    def blob(self, value: object) -> str:
        """Keep a text; its hash."""
        raw = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        data = raw.encode("utf-8", "replace")
        digest = sha256(data).hexdigest()
        self.blobs[digest] = data
        return digest


def stamp(number: int) -> str:
    """The time of the n-th row."""
    moment = START + timedelta(milliseconds=37 * number)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def case_name(number: int) -> str:
    """The id of a case."""
    return f"finqa-{number:04d}"


def node_name(case: int, generation: int, index: int) -> str:
    """The id of a node, as harden gives it."""
    return f"{case_name(case)}/g{generation}/i{index}"


@dataclass
class Node:
    """What the rows about a node need of it."""

    id: str
    case: int
    unit: str
    axis: str
    state: str
    generation: int


def result_json(shape: Shape, case: int) -> str:
    """How a finished case ended."""
    hardened = case % 3 != 0
    final = node_name(case, 1, 0)
    result = CaseResult(
        case=case_name(case),
        shard=case % 10,
        status="hardened" if hardened else "kept",
        original=node_name(case, 0, 0),
        final=final if hardened else None,
        score_before=Fraction(8, 10),
        score_after=Fraction(4, 10) if hardened else None,
        fresh_before=Fraction(case % 3 + 7, 10),
        fresh_after=Fraction(case % 4 + 2, 10),
        entropy_before=0.21,
        entropy_after=0.43,
        generations=shape.generations,
        saved_by_vote_stopping=7,
        saved_by_racing=11,
    )
    return json.dumps(result.as_json())


def axis_json(made: Made, name: str, place: int) -> dict[str, Any]:
    """One axis of the catalogue."""
    return {
        "axis_name": name,
        "definition": made.text(f"Changes inputs by {name.replace('_', ' ')}."),
        "goal": "g",
        "distinctive_focus": "f",
        "target_artifact_types": ["table"],
        "subtypes": ["a", "b", "c"],
        "prompt_guidance": ["1", "2", "3", "4", "5"],
        "priority": "high" if place == 0 else "normal",
    }

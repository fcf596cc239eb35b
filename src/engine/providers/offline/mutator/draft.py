"""A candidate while it is being written: its fields, what must be spared, what it is about."""

import copy
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ....model.llm import Json
from ..evidence import ASKING, Need
from ..words import STOP, TOKEN

Move = Callable[["Draft"], str | None]
"""Changes a draft and says what was done; None where there was nothing to do."""


@dataclass
class Draft:
    """Fields that may change (a deep copy), the needs of the gold output, a generator."""

    fields: dict[str, Json]
    needs: list[Need]
    question: str
    flavour: str
    rng: random.Random
    held: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.held = frozenset(need.line for need in self.needs)

    @classmethod
    def of(
        cls,
        fields: Mapping[str, Json],
        needs: list[Need],
        question: str,
        flavour: str,
        rng: random.Random,
    ) -> "Draft":
        """A draft on a deep copy of the parent's fields."""
        return cls(copy.deepcopy(dict(fields)), needs, question, flavour, rng)

    def tables(self) -> list[tuple[str, list[list[str]]]]:
        """Fields that are tables of at least two rows."""
        found = []
        for name, value in self.fields.items():
            rows = [_row(row) for row in value] if isinstance(value, list) else []
            if len(rows) > 1 and all(rows):
                found.append((name, rows))
        return found

    def prose(self) -> list[tuple[str, list[str]]]:
        """Fields of passages, as their passages; a text's passages are its lines.

        A question is left alone, except where there is nothing beside it.
        """
        asking = {name for name in self.fields if name.lower() in ASKING}
        if asking == set(self.fields):
            asking = set()
        found = []
        for name, value in self.fields.items():
            if name in asking:
                continue
            if isinstance(value, str) and value.strip():
                found.append((name, value.split("\n")))
            elif isinstance(value, list) and value and _row(value):
                found.append((name, [str(part) for part in value]))
        return found

    def grows(self, name: str) -> bool:
        """Whether a field may get more passages: texts, and lists that stand beside a table.

        Elsewhere a passage may be tied to a heading of the record, so their number stays.
        """
        return isinstance(self.fields[name], str) or bool(self.tables())

    def put(self, name: str, passages: list[str]) -> None:
        """Write passages back in the field's own shape."""
        joined = isinstance(self.fields[name], str)
        self.fields[name] = "\n".join(passages) if joined else list(passages)

    def put_table(self, name: str, rows: list[list[str]]) -> None:
        """Write a table back."""
        self.fields[name] = [list(row) for row in rows]

    def is_held(self, text: str) -> bool:
        """Whether a passage or row holds evidence."""
        return any(line and (line in text or text in line) for line in self.held if text)

    def topic(self) -> str:
        """Two or three words that the question is about."""
        words = [w for w in TOKEN.findall(self.question.lower()) if w not in STOP and w.isalpha()]
        words = [word for word in words if len(word) > 3 and word not in ASKED]
        if not words:
            return "the matters described here"
        start = self.rng.randrange(max(1, len(words) - 2))
        return " ".join(words[start : start + 3])


def _row(value: Json) -> list[str]:
    """A row of texts as a new list; empty where it is none."""
    cells = value if isinstance(value, list) else []
    texts = [cell for cell in cells if isinstance(cell, str)]
    return texts if len(texts) == len(cells) else []


ASKED = frozenset(
    ("what", "percent", "percentage", "change", "average", "total", "ratio", "difference", "much",
     "shall", "receiving", "disclosing", "party", "portion", "between", "does")
)  # fmt: skip

"""The realism judge: scores a candidate from what its surface shows."""

import re
from dataclasses import dataclass

from ...model.llm import Json
from .chance import uniform
from .prompts import lines_of

WORD = re.compile(r"[A-Za-z]{2,}")
VOWEL = re.compile(r"[aeiouyAEIOUY]")
CLUSTER = re.compile(r"[bcdfghjklmnpqrstvwxz]{6,}|(.)\1{3,}", re.IGNORECASE)
STAGED = re.compile(
    r"(?i)\b(?:distractor|mutation|mutated|adversarial|lorem ipsum|placeholder|todo|test model|"
    r"ignore (?:the|all) (?:above|previous)|trick question)\b"
)
MIN_CHARACTERS = 60
FEWEST_ROWS = 4
NOISE = 0.45


@dataclass(frozen=True, slots=True)
class Surface:
    """Shares from 0 to 1 of what makes a text look made up."""

    gibberish: float
    repeated: float
    ragged: float
    truncated: float
    staged: float

    @property
    def worst(self) -> float:
        """The largest share."""
        return max(self.gibberish, self.repeated, self.ragged, self.truncated, self.staged)


def surface(candidate: Json) -> Surface:
    """Measure a candidate's fields."""
    fields = candidate if isinstance(candidate, dict) else {}
    lines = [line for value in fields.values() for line in lines_of(value)]
    text = "\n".join(lines)
    return Surface(
        _gibberish(text),
        _repeated(lines),
        max((_ragged(value) for value in fields.values()), default=0.0),
        1.0 if len(text.strip()) < MIN_CHARACTERS else 0.0,
        1.0 if STAGED.search(text) else 0.0,
    )


def _gibberish(text: str) -> float:
    words = WORD.findall(text)
    if not words:
        return 0.0
    odd = sum(
        (len(word) > 4 and not word.isupper() and not VOWEL.search(word))
        or CLUSTER.search(word) is not None
        for word in words
    )
    strange = sum(not char.isprintable() and char not in "\n\t\r" for char in text)
    return min(1.0, 8 * odd / len(words) + 20 * strange / max(1, len(text)))


def _repeated(lines: list[str]) -> float:
    long = [line.strip().lower() for line in lines if len(line.strip()) > 30]
    return min(1.0, 2.0 * (1 - len(set(long)) / len(long))) if long else 0.0


def _ragged(value: Json) -> float:
    """Share of a table's rows with another width than most, or whole rows without content."""
    rows = [row for row in value if isinstance(row, list)] if isinstance(value, list) else []
    if len(rows) < FEWEST_ROWS:
        return 0.0
    widths = [len(row) for row in rows]
    usual = max(sorted(set(widths)), key=widths.count)
    odd = sum(width != usual for width in widths)
    empty = sum(not any(str(cell).strip() for cell in row) for row in rows)
    return min(1.0, 1.5 * (odd + empty) / len(rows))


def judge(data: dict[str, Json], key: bytes) -> Json:
    """The realism reply for `rubric` and `candidate`; `key` sets how this member wavers."""
    seen = surface(data.get("candidate"))
    rubric = data.get("rubric")
    frozen = rubric if isinstance(rubric, dict) else {}
    level = 4.9 - 4.0 * seen.worst
    scores: dict[str, Json] = {}
    for name in _ids(frozen.get("dimensions")):
        wavering = level + NOISE * (2 * uniform(key, "realism", name) - 1)
        scores[name] = max(1, min(5, round(wavering)))
    flags: list[Json] = [name for name in _ids(frozen.get("red_flags")) if _raised(name, seen)]
    return {
        "scores": scores,
        "red_flags": flags,
        "pass": not flags and all(isinstance(s, int) and s >= 4 for s in scores.values()),
        "rationale": f"Made-up looks: {seen.worst:.2f} of 1.",
    }


def _ids(entries: Json) -> list[str]:
    listed = entries if isinstance(entries, list) else []
    names = (entry.get("id") for entry in listed if isinstance(entry, dict))
    return [name for name in names if isinstance(name, str)]


def _raised(name: str, seen: Surface) -> bool:
    """Whether a red flag's own words name a share that is high."""
    shares = {
        "garbl": seen.gibberish, "gibber": seen.gibberish, "unread": seen.gibberish,
        "repeat": seen.repeated, "duplic": seen.repeated, "table": seen.ragged,
        "trunc": seen.truncated, "cut": seen.truncated, "stag": seen.staged, "artef": seen.staged,
    }  # fmt: skip
    return any(word in name.lower() and share >= 0.5 for word, share in shares.items())

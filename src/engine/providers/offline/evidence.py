"""What an expected output rests on: numbers of its program, sentences it follows from.

Shared by the extractor, which lists it, and the mutator, which spares or (carelessly) breaks it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ...model.llm import Json
from .prompts import lines_of, texts
from .readers.contractnli import topic_of
from .words import NUMBER, overlap, stems, value_of

STEP = re.compile(r"\b(?:add|subtract|multiply|divide|exp|greater|table_\w+)\(([^()]*)\)")
TABLE_STEP = re.compile(r"\btable_(?:max|min|sum|average)\(([^()]*?), *[^(),]*\)")
CLAUSE = re.compile(r"(?<=[.;!?])\s+|\n+")
RESULT = re.compile(
    r"significan|associat|correlat|differen|increas|decreas|higher|lower|p ?[<=>]|predict|improv"
)
ASKING = ("question", "hypothesis", "query", "prompt", "problem")
PASSAGES = 2
MIN_SPAN = 25
Kind = Literal["number", "row", "passage", "absence"]


@dataclass(frozen=True, slots=True)
class Need:
    """One thing an output needs: where it stands, and its number, row label or text.

    `line` is the whole line or clause it stands in; an absence stands nowhere.
    """

    kind: Kind
    field: str
    value: str
    line: str


def asked(document: Json) -> str:
    """The question or hypothesis in a JSON value, wherever it stands; "" where there is none."""
    return next(_asked(document), "")


def _asked(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for name in ASKING:
            found = next(
                (v for k, v in value.items() if k.lower().rpartition("/")[2] == name), None
            )
            if isinstance(found, str) and found.strip():
                yield found
        for part in value.values():
            yield from _asked(part)
    elif isinstance(value, list):
        for part in value:
            yield from _asked(part)


def needs(fields: Mapping[str, Json], gold: Json, question: str) -> list[Need]:
    """What the gold output needs of the fields, each thing once."""
    body = {name: value for name, value in fields.items() if name.lower() not in ASKING}
    body = body or dict(fields)
    programs = [text for text in texts(gold) if STEP.search(text)]
    if programs:
        return _of_program(body, programs[0], question)
    spans = _spans(body, gold)
    return spans or _of_text(body, gold, question) or _of_numbers(body, gold)


def _of_program(body: Mapping[str, Json], program: str, question: str) -> list[Need]:
    found: dict[str, Need] = {}
    for row in TABLE_STEP.findall(program):
        need = _row(body, row.strip())
        if need is not None:
            found.setdefault(f"row {row}", need)
    for arguments in STEP.findall(TABLE_STEP.sub("", program)):
        for number in NUMBER.findall(re.sub(r"#\d+", "", arguments)):
            need = _number(body, number, question)
            if need is not None:
                found.setdefault(number, need)
    return list(found.values())


def _row(body: Mapping[str, Json], label: str) -> Need | None:
    for name, value in body.items():
        for row in value if isinstance(value, list) else ():
            if isinstance(row, list) and row and str(row[0]).strip() == label:
                return Need("row", name, label, " | ".join(map(str, row)))
    return None


def _number(body: Mapping[str, Json], number: str, question: str) -> Need | None:
    """The place of a number whose line shares most words with the question."""
    wanted, size = frozenset(stems(question)), abs(value_of(number))
    best: tuple[float, Need] | None = None
    for name, value in body.items():
        for line in _units(value):
            if not holds(line, size):
                continue
            score = overlap(wanted, frozenset(stems(line))) + (0.3 if " | " in line else 0.0)
            if best is None or score > best[0]:
                best = score, Need("number", name, number, line)
    return None if best is None else best[1]


def holds(line: str, size: float) -> bool:
    """Whether a line holds a number of this size, sign aside."""
    return any(abs(abs(value_of(found)) - size) < 1e-9 for found in NUMBER.findall(line))


def _units(value: Json) -> Iterator[str]:
    for line in lines_of(value):
        if " | " in line:
            yield line
        else:
            yield from clauses(line)


def clauses(text: str) -> list[str]:
    """The clauses of a text, by sentence ends, semicolons and lines."""
    return [part for part in (piece.strip() for piece in CLAUSE.split(text)) if part]


def _spans(body: Mapping[str, Json], gold: Json) -> list[Need]:
    """Evidence passages that the gold summary itself quotes from the fields."""
    quoted = [text.strip() for text in texts(gold) if len(text.strip()) >= MIN_SPAN]
    whole = {name: "\n".join(lines_of(value)) for name, value in body.items()}
    return [
        Need("passage", name, text, text)
        for text in dict.fromkeys(quoted)
        for name, full in whole.items()
        if text in full
    ]


def _of_text(body: Mapping[str, Json], gold: Json, question: str) -> list[Need]:
    """The clauses that a label follows from, or the absence of any."""
    topic = topic_of(question)
    label = " ".join(texts(gold)).lower()
    if "notmentioned" in label.replace(" ", "") and question:
        return [Need("absence", "", question, "")]
    wanted = frozenset(stems(question))
    scored: list[tuple[float, int, Need]] = []
    for name, value in body.items():
        for clause in _units(value):
            if len(clause) < MIN_SPAN or " | " in clause:
                continue
            lower = clause.lower()
            score = overlap(wanted, frozenset(stems(clause))) + min(len(clause), 200) / 4000
            if topic is not None and topic.scope.search(lower):
                score += bool(topic.supports.search(lower)) + bool(topic.denies.search(lower))
            elif topic is None and RESULT.search(lower):
                score += 0.4
            scored.append((score, -len(scored), Need("passage", name, clause, clause)))
    scored.sort(key=lambda entry: entry[:2], reverse=True)
    return [need for score, _, need in scored[:PASSAGES] if score > 0]


def _of_numbers(body: Mapping[str, Json], gold: Json) -> list[Need]:
    found: dict[str, Need] = {}
    for text in texts(gold):
        for number in NUMBER.findall(text)[:20]:
            need = _number(body, number, "")
            if need is not None:
                found.setdefault(number, need)
    return list(found.values())

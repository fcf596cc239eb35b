"""What the label page shows, as lines: the item, the two questions, the agreement at the end."""

import json
from collections.abc import Mapping

from ...engine.label_set import Answer
from ...engine.model.labels import QUESTIONS
from ...engine.model.llm import Json
from ...engine.report.render import as_json
from ...engine.report.tables import Report, Table
from ...engine.store.labels import Item
from ..glyphs import Glyphs
from ..lines import Line, Span, fit_line, one, tidy
from ..text import clean_line, cut, fit
from ..widgets.diff import compare_documents, wrap_spans
from .tabs.report import report_lines

ASKED = {
    "realistic": "could this input come from real use?",
    "correct": "does the expected output hold for it?",
}
EXPECTED = "expected output"
NAME, SAID = 11, 5
"""Cells of a question's name and of its answer."""


def item_lines(item: Item, width: int, glyphs: Glyphs) -> list[Line]:
    """The fields of an input, then its expected output."""
    lines: list[Line] = []
    document = {**item.fields, EXPECTED: _expected(item.expected)}
    for name, changes in compare_documents(document, document, glyphs):
        lines.append(one(f" {clean_line(name)}", "accent"))
        for change in changes:
            lines += [(("  ", ""), *line) for line in wrap_spans(change.new or (), width - 2)]
        lines.append(())
    return lines[:-1]


def _expected(value: Json) -> Json:
    if value is None:
        return "unknown: the run's file does not hold it"
    if isinstance(value, dict):
        return [f"{name}: {_flat(part)}" for name, part in value.items()]
    return _flat(value)


def _flat(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def question_lines(
    active: str,
    given: Mapping[str, Answer | None],
    reason: str,
    keys: tuple[str, ...],
    width: int,
) -> list[Line]:
    """The questions with their answers, an open one with its keys; then the reason."""
    lines: list[Line] = [()]
    for question in QUESTIONS:
        said = given.get(question)
        now = question == active
        answer = tidy(said.answer) if said is not None else "/".join(keys) if now else ""
        spans: tuple[Span, ...] = (
            (f" {'>' if now else ' '} {question:<{NAME}}", "accent" if now else "dim"),
            (fit(answer, SAID), "accent" if said is not None else "key"),
            (ASKED[question], "bold" if now else "dim"),
        )
        lines.append(fit_line(spans, width))
    if reason:
        lines.append(
            fit_line(((f"   {'reason':<{NAME}}", "dim"), (cut(tidy(reason), width), "")), width)
        )
    return lines


def agreement_lines(table: Table | None, author: str, width: int) -> list[Line]:
    """How far an author agrees with the gates."""
    title = f"Answers of {author}"
    tables = {} if table is None else {"labels": table}
    return report_lines(as_json(Report(title, (), tables)), width)


def words(text: str, width: int) -> list[Line]:
    """A sentence where no item stands."""
    return [(), *((("  ", ""), *line) for line in wrap_spans(one(text), width - 4))]

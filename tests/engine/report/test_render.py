"""Markdown, JSON and HTML of a report: complete, and safe whatever models wrote."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from evoscope.engine.report.harden_report import harden_report
from evoscope.engine.report.html import html
from evoscope.engine.report.render import as_json, markdown
from evoscope.engine.report.tables import Report, Table, columns
from evoscope.engine.report.text import plain
from tests.engine.report.run_kit import CANDIDATES, empty_run, small_run

HOSTILE = "<img src=x onerror=alert(1)>|`*\x1b[31m\u202e\nnext"


def report() -> Report:
    return harden_report(small_run(), {"version": "0.1.0", "seed": 42, "rubric_hash": None})


def hostile() -> Report:
    named = replace(CANDIDATES[0], axis=HOSTILE)
    run = replace(small_run(), candidates=(named, *CANDIDATES[1:]), name=HOSTILE)
    return harden_report(run, {HOSTILE: HOSTILE}, (HOSTILE,))


class Checker(HTMLParser):
    """Collects tags and attributes, and insists on proper nesting."""

    VOID = frozenset(("meta", "br", "img"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def parsed(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    return checker


def test_json_has_columns_rows_notes_figures_and_provenance() -> None:
    value = json.loads(json.dumps(as_json(report()), allow_nan=False))
    assert {"tables", "figures", "provenance"} <= set(value)
    for table in value["tables"].values():
        assert {"columns", "rows", "notes"} <= set(table)
    row = value["tables"]["accuracy"]["rows"][0]
    assert row[2] == 67.5
    assert value["tables"]["calls"]["rows"][1][7] is None
    assert value["provenance"]["rubric_hash"] is None


def test_markdown_shows_every_table_and_aligns_numbers() -> None:
    text = markdown(report())
    for table in report().tables.values():
        assert f"## {table.title}" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert any("| n/a |" in line for line in lines)
    assert any(line.count("---:") == 8 for line in lines)
    assert "- rubric\\_hash: unknown" in text


def test_markdown_tables_keep_their_cells_whatever_models_wrote() -> None:
    text = markdown(hostile())
    blocks = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    assert len(blocks) == len(hostile().tables)
    for block in blocks:
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(cells) == 1
    assert "\x1b" not in text and "\u202e" not in text
    assert "<img" not in text.replace("\\<", "")


def test_html_needs_nothing_from_outside_and_holds_no_script() -> None:
    page = html(report())
    checker = parsed(page)
    assert not {"script", "link", "img", "iframe", "a"} & set(checker.tags)
    assert not [name for name in checker.attributes if name in ("src", "href") or name[:2] == "on"]
    assert "http://" not in page and "https://" not in page
    assert checker.tags.count("table") == len(report().tables) + 1


def test_html_escapes_and_cleans_what_models_wrote() -> None:
    page = html(hostile())
    assert "img" not in parsed(page).tags
    assert "&lt;img" in page
    assert "\x1b" not in page and "\u202e" not in page


def test_html_draws_one_bar_per_tenth_and_side() -> None:
    assert parsed(html(report())).tags.count("rect") == 22
    assert "svg" not in parsed(html(empty_run_report())).tags


def empty_run_report() -> Report:
    return harden_report(empty_run(), {})


def test_all_three_forms_are_the_same_every_time() -> None:
    assert markdown(report()) == markdown(report())
    assert html(report()) == html(report())
    assert json.dumps(as_json(report())) == json.dumps(as_json(report()))


def test_a_column_of_numbers_and_gaps_stands_to_the_right() -> None:
    table = Table("t", columns("name", ("value", 1)), (("a", None), ("b", 2.0)))
    text = markdown(Report("r", (), {"t": table}))
    assert "| --- | ---: |" in text
    assert "| b | 2.0 |" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("naïve é", "naïve é"),
        ("a\tb\nc", "a b c"),
        ("\x1b[2J", "⟨001B⟩[2J"),
        ("\u202eab", "⟨202E⟩ab"),
    ],
)
def test_unsafe_characters_show_as_their_codes(text: str, expected: str) -> None:
    assert plain(text) == expected

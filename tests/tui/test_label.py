"""The label page: answers by key, nothing that unblinds, the agreement only at the end."""

import sqlite3
import time
from contextlib import closing

import pytest

from evoscope.engine import control
from evoscope.engine.control import waiting_commands
from evoscope.engine.label_set import read_set
from evoscope.engine.model.labels import handle
from evoscope.engine.store.reader import Reader
from evoscope.tui.screens import label
from evoscope.tui.screens.help import HelpPage
from evoscope.tui.screens.label import LabelPage
from evoscope.tui.screens.run import RunPage
from evoscope.tui.senders import Sender
from tests.label_kit import NODES, label_run
from tests.tui.fuzzers import SIZES, whole
from tests.tui.kit import driven
from tests.tui.test_golden import compare

HOSTILE = "[/red]\x1b[2J\u202e\x00表\U0001f469\u200d\U0001f680[bold]"
UNBLINDING = (
    "/g0/", "/g1/", "/g2/", "lookup", "near miss", "came about", "parent", "promoted", "rejected",
    "raced", "survivor", "pass", "fail", "original", "generated", "realism", "correctness", "0.6",
    "0.3", "6/10", "entropy", "kappa",
)  # fmt: skip


@pytest.fixture
def run(tmp_path, monkeypatch):
    for module in (label, control):
        monkeypatch.setattr(module, "person", lambda: "ann@here")
    return label_run(tmp_path)


def order(run):
    with Reader(run.path) as reader:
        return [item.node for item in read_set(reader, "ann@here").order]


def told(app):
    return [(args["node"], args["question"], args["answer"]) for _, args, _ in app.sent]


async def test_l_opens_the_page_from_every_tab_and_escape_leaves_it(run):
    async with driven(run.path) as app:
        for tab in "1234568":
            await app.press(tab, "L")
            assert isinstance(app.top, LabelPage), tab
            assert "0 of 5 answered" in app.text
            await app.press("escape")
            assert isinstance(app.top, RunPage)


async def test_each_item_is_asked_two_questions_in_the_seeded_order(run):
    nodes = order(run)
    assert sorted(nodes) == sorted(NODES)
    async with driven(run.path) as app:
        await app.press("L")
        for place, node in enumerate(nodes):
            assert f"what is {handle(node)}?" in app.text
            assert f"{place} of 5 answered" in app.text
            assert "> realistic" in app.text
            await app.press("y")
            assert "> correct" in app.text and handle(node) in app.text
            await app.press("n")
    answers = [(node, q, a) for node in nodes for q, a in (("realistic", "yes"), ("correct", "no"))]
    assert told(app) == answers
    assert {kind for kind, _, _ in app.sent} == {"label"}


async def test_nothing_on_the_page_tells_source_verdict_axis_state_or_score(run):
    async with driven(run.path, (120, 40)) as app:
        await app.press("L")
        for _ in NODES:
            found = [word for word in UNBLINDING if word in app.text.lower()]
            assert found == [], app.text
            shown = "".join(app.top.shown().parts())
            assert not [word for word in UNBLINDING if word in shown.lower()]
            await app.press("s")
        for _ in range(2 * len(NODES)):
            await app.press("y")
        assert "every item is answered" in app.text.lower()
        assert not [word for word in UNBLINDING if word in app.text.lower()]


async def test_an_expected_output_is_shown_or_said_to_be_unknown(run):
    async with driven(run.path) as app:
        await app.press("L")
        seen = set()
        for node in order(run):
            seen.add((node[0], "  yes" in app.text, "unknown: the run's file" in app.text))
            await app.press("s")
    assert seen == {("a", True, False), ("b", False, True)}


async def test_a_reason_goes_with_the_next_answer_only(run):
    async with driven(run.path) as app:
        await app.press("L", "r")
        await app.type("odd units")
        await app.press("enter")
        assert "reason     odd units" in app.text
        await app.press("n", "y")
        assert [reason for _, _, reason in app.sent] == ["odd units", ""]
        await app.press("u", "u")
        assert "reason     odd units" in app.text, "an answer looked at again keeps its reason"
        await app.press("y")
        assert app.sent[-1][2] == "odd units"


async def test_a_question_before_can_be_answered_again(run):
    nodes = order(run)
    async with driven(run.path) as app:
        await app.press("L", "y", "u")
        assert "> realistic  yes" in app.text
        await app.press("n", "n", "u")
        assert handle(nodes[0]) in app.text and "> correct" in app.text
        await app.press("y")
        assert handle(nodes[1]) in app.text and "> realistic" in app.text
        assert "1 of 5" in app.text
    first = nodes[0]
    assert told(app) == [
        (first, "realistic", "yes"), (first, "realistic", "no"), (first, "correct", "no"),
        (first, "correct", "yes"),
    ]  # fmt: skip


async def test_an_item_left_for_later_comes_again_after_the_others(run):
    nodes = order(run)
    async with driven(run.path) as app:
        await app.press("L", "s")
        assert handle(nodes[1]) in app.text
        for node in nodes[1:]:
            assert handle(node) in app.text
            await app.press("y", "y")
        assert handle(nodes[0]) in app.text and "4 of 5" in app.text


async def test_the_agreement_is_shown_after_the_last_answer_and_then_all_stand(run):
    async with driven(run.path, (120, 40)) as app:
        await app.press("L", "enter")
        assert "once every item is answered" in app.text and "kappa" not in app.text
        for _ in NODES:
            await app.press("y", "y")
        assert "Every item is answered" in app.text and "kappa" not in app.text
        await app.press("u", "n", "enter")
        text = app.text
        assert "Answers of ann@here" in text and "kappa" in text and "generated" in text
        assert "n/a" in text, "an undefined statistic is no number"
        sent = len(app.sent)
        await app.press("u", "y", "n", "s")
        assert len(app.sent) == sent and "kappa" in app.text


async def test_who_comes_back_goes_on_where_they_were_and_all_is_stored(run):
    nodes = order(run)
    async with driven(run.path) as app:
        app.app.sender = Sender(app.app, app.app._failed)
        await app.press("L", "y", "y", "n")
        until(lambda: len(waiting_commands(run.path)) == 3)
        await app.press("escape", "L")
        assert "1 of 5" in app.text and handle(nodes[1]) in app.text
        assert "> correct" in app.text, "half of the second item is answered"
        until(lambda: len(kept(run)) == 3)
        await app.press("escape")
    assert kept(run) == sorted(
        [
            (nodes[0], "correct", "yes"),
            (nodes[0], "realistic", "yes"),
            (nodes[1], "realistic", "no"),
        ]
    )
    assert waiting_commands(run.path) == []
    async with driven(run.path) as app:
        await app.press("L")
        assert "1 of 5" in app.text and handle(nodes[1]) in app.text


def until(said, seconds=30.0):
    end = time.monotonic() + seconds
    while not said():
        assert time.monotonic() < end
        time.sleep(0.05)


def kept(run):
    with closing(sqlite3.connect(run.path)) as db:
        return db.execute("SELECT node, question, answer FROM label ORDER BY 1, 2").fetchall()


async def test_an_app_that_only_reads_cannot_label(run):
    async with driven(run.path, read_only=True) as app:
        await app.press("L")
        assert isinstance(app.top, RunPage) and "cannot label" in app.text


async def test_other_searches_are_told_in_one_line(run):
    run.meta(search="cegar")
    async with driven(run.path) as app:
        await app.press("L")
        assert isinstance(app.top, RunPage)
        assert "labelling is for harden runs; this is a cegar run" in app.text


async def test_a_run_without_cases_says_that_there_is_nothing(run):
    for table in ("node", "verdict"):
        run.sql(f"DELETE FROM {table}")
    async with driven(run.path) as app:
        await app.press("L", "y", "n", "u", "s", "enter", "r")
        assert "nothing to label yet" in app.text and app.sent == []


async def test_help_names_the_keys_of_this_page_only(run):
    async with driven(run.path, (120, 60)) as app:
        await app.press("L", "?")
        assert isinstance(app.top, HelpPage)
        for words in ("answer yes", "answer no", "reason for the next answer", "for later"):
            assert words in app.text
        assert "veto" not in app.text.split("Signs")[0] and "tabs" not in app.text


async def test_a_pasted_text_answers_nothing(run):
    async with driven(run.path) as app:
        await app.press("L")
        app.app.take_paste("yyynnn\r\n")
        await app.settle()
        assert app.sent == [] and "0 of 5" in app.text


@pytest.mark.parametrize("extra", ["", HOSTILE])
async def test_the_page_stands_every_size_and_every_text(tmp_path, monkeypatch, extra):
    monkeypatch.setattr(label, "person", lambda: f"ann{extra}")
    run = label_run(tmp_path, extra)
    ways = ("L", "r x enter", "y", "u", "r escape", "y y y y y y y y y y", "enter")
    async with driven(run.path) as app:
        for keys in ways:
            await app.press(*keys.split())
            for size in SIZES:
                await app.resize(*size)
                whole(app, size)
            assert not extra or keys != "L" or "[/red]␛" in app.text
            text = "".join(app.top.shown().parts()) if app.top.shown() else ""
            assert all(char.isprintable() or char == "\n" for char in text)
        assert app.top.compared


@pytest.mark.parametrize("size", [(80, 24), (60, 15)])
async def test_the_page_looks_as_it_did(run, size):
    async with driven(run.path, size) as app:
        await app.press("L", "y")
        text = "\n".join(line.rstrip() for line in app.screen) + "\n"
        compare(f"label-{size[0]}x{size[1]}.txt", text)

"""Labels of people: each author has an order of their own; no decision reads an answer."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.benchmarks.load import load
from evoscope.engine.calls.prices import Prices
from evoscope.engine.config import RunConfig
from evoscope.engine.control import send_command, waiting_commands
from evoscope.engine.errors import Locked, StoreError, UsageError
from evoscope.engine.label_set import Answer, read_set, waiting_labels
from evoscope.engine.labels import take_labels
from evoscope.engine.model.labels import draw, handle
from evoscope.engine.model.llm import Params
from evoscope.engine.providers.offline.provider import OfflineProvider
from evoscope.engine.searches.harden.search import run as harden
from evoscope.engine.searches.harden.setup import ROLES, HardenSetup, Profile
from evoscope.engine.session import Session, Setup
from evoscope.engine.store import writer
from evoscope.engine.store.database import create, initialise
from evoscope.engine.store.labels import read_item, read_pool
from evoscope.engine.store.lock import RunLock
from evoscope.engine.store.reader import Reader
from evoscope.engine.verify import digest
from tests.store_builder import new_run, small_run

CONFIG = RunConfig.model_validate(
    {
        "search": "harden",
        "benchmark": {"kind": "pubmedqa", "sample": 2},
        "providers": {
            "offline": {"kind": "offline", "careless": 0.4, "faults": {"latency_s": 0.25}},
        },
        "models": {role: {"provider": "offline", "model": "offline"} for role in ROLES},
        "harden": {"generations": 1, "offspring": 3, "survivors": 2},
    }
)
NODES = st.lists(st.text("abc/0123456789", min_size=1, max_size=8), max_size=30, unique=True)
Row = tuple[str, str, str, str, str]


def query(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(sql).fetchall()


def labels(path: Path) -> list[tuple[object, ...]]:
    return query(path, "SELECT node, author, question, answer, reason FROM label ORDER BY 1, 2, 3")


def say(path: Path, node: str, answer: str = "yes", reason: str = "", **more: str) -> str:
    args = {"node": node, "question": "realistic", "answer": answer} | more
    return send_command(path, "label", args, reason, author="ann@here")


async def search(path: Path, *, labelling: bool) -> None:
    """A whole offline search; with `labelling` a person labels its nodes while it runs."""
    create(path)
    meta = {
        "search": "harden", "name": path.stem, "seed": "42", "offline": "1", "state": "starting",
        "config": CONFIG.model_dump_json(), "progress_total": "2", "progress_unit": "case",
    }  # fmt: skip
    initialise(path, meta, {})
    profiles = {role: Profile("offline", role, Params()) for role in ROLES}
    setup = HardenSetup(load("pubmedqa"), CONFIG.harden, profiles, sample=2)
    providers = {"offline": OfflineProvider("offline", CONFIG.providers["offline"])}
    prices = Prices(CONFIG.models, CONFIG.providers)
    session = Session(
        path, Setup(lambda ctx: harden(ctx, setup), 42, 1, providers, CONFIG.providers, prices)
    )
    await session.open()
    person = asyncio.create_task(label_all(path) if labelling else asyncio.sleep(0))
    try:
        end = await session.run()
    finally:
        person.cancel()
        await session.close()
    assert end.state == "finished"


async def label_all(path: Path) -> None:
    """Label every node as soon as it is in the file."""
    seen: set[str] = set()
    while True:
        for (node,) in query(path, "SELECT id FROM node ORDER BY seq"):
            if node not in seen:
                seen.add(str(node))
                say(path, str(node), "no", "odd")
        await asyncio.sleep(0.01)


async def test_labels_given_while_a_run_works_are_kept_and_change_no_digest(tmp_path: Path) -> None:
    plain, labelled = tmp_path / "plain.evo", tmp_path / "labelled.evo"
    await search(plain, labelling=False)
    await search(labelled, labelling=True)
    during = query(
        labelled,
        "SELECT count(*) FROM command c WHERE c.acked < (SELECT max(time) FROM decision)",
    )
    assert during[0][0], "at least one label came before the last decision"
    kept = labels(labelled)
    assert {row[1:] for row in kept} == {("ann@here", "realistic", "no", "odd")}
    assert query(labelled, "SELECT DISTINCT outcome FROM command") == [("done",)]
    assert digest(labelled) == digest(plain)


async def test_labels_for_a_finished_run_are_stored_without_its_search(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    before = digest(run.path), query(run.path, "SELECT * FROM unit")
    say(run.path, "a/g1/i0", "yes", "fine")
    assert await take_labels(run.path) == 1
    assert labels(run.path) == [("a/g1/i0", "ann@here", "realistic", "yes", "fine")]
    assert (digest(run.path), query(run.path, "SELECT * FROM unit")) == before
    assert query(run.path, "SELECT value FROM meta WHERE key = 'state'") == [("finished",)]
    assert waiting_commands(run.path) == []
    assert not run.path.with_name("demo.evo-wal").exists()


async def test_a_later_answer_of_the_same_author_replaces_the_earlier(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    say(run.path, "a/g1/i0", "yes", "fine")
    await take_labels(run.path)
    say(run.path, "a/g1/i0", "no", "not so fine")
    await take_labels(run.path)
    send_command(
        run.path, "label", {"node": "a/g1/i0", "question": "realistic", "answer": "yes"},
        author="bob@here",
    )  # fmt: skip
    await take_labels(run.path)
    assert labels(run.path) == [
        ("a/g1/i0", "ann@here", "realistic", "no", "not so fine"),
        ("a/g1/i0", "bob@here", "realistic", "yes", ""),
    ]
    assert query(run.path, "SELECT command FROM label") == [(2,), (3,)]
    kept = query(run.path, "SELECT json_extract(args, '$.answer') FROM command ORDER BY seq")
    assert kept == [("yes",), ("no",), ("yes",)]


async def test_other_commands_wait_on_for_an_engine(tmp_path: Path) -> None:
    run = small_run(tmp_path, state="stopped")
    send_command(run.path, "veto", {"node": "a/g1/i0"}, "wrong")
    say(run.path, "a/g1/i0")
    assert await take_labels(run.path) == 1
    assert [command["kind"] for command in waiting_commands(run.path)] == ["veto"]
    assert query(run.path, "SELECT kind FROM command") == [("label",)]


@pytest.mark.parametrize(
    ("change", "search", "words"),
    [
        ({"node": "a/g9/i9"}, "harden", "no node 'a/g9/i9'"),
        ({"question": "funny"}, "harden", "no question 'funny'"),
        ({"answer": "perhaps"}, "harden", "no answer 'perhaps'"),
        ({}, "cegar", "labelling is for harden runs"),
    ],
)
async def test_a_label_that_means_nothing_is_refused(
    tmp_path: Path, change: dict[str, str], search: str, words: str
) -> None:
    run = small_run(tmp_path, search=search)
    say(run.path, **{"node": "a/g1/i0"} | change)
    await take_labels(run.path)
    ((outcome, result),) = query(run.path, "SELECT outcome, result FROM command")
    assert outcome == "refused" and words in str(result)
    assert labels(run.path) == []


async def test_beside_a_living_engine_nothing_is_taken(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    say(run.path, "a/g1/i0")
    lock = RunLock.take(run.path)
    with pytest.raises(Locked):
        await take_labels(run.path)
    lock.release()
    assert len(waiting_labels(run.path)) == 1


def test_an_answer_counts_while_it_waits_in_the_inbox(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    run.insert("label", {
        "node": "a/g0/i0", "author": "ann@here", "question": "correct", "answer": "no",
        "reason": "", "command": 1,
    })  # fmt: skip
    say(run.path, "a/g0/i0", "yes", "plain")
    send_command(run.path, "label", {"node": "b/g0/i0", "question": "correct"}, author="bob@here")
    with Reader(run.path) as reader:
        found = read_set(reader, "ann@here")
    assert found.given == {
        ("a/g0/i0", "correct"): Answer("no", ""), ("a/g0/i0", "realistic"): Answer("yes", "plain"),
    }  # fmt: skip
    assert (found.done, found.finished, found.open_questions("a/g0/i0")) == (1, False, [])


def test_the_pool_holds_originals_and_whoever_has_a_final_verdict(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    run.verdict("a/g1/i0", "correctness", -1, "pass")
    run.verdict("a/g1/i0", "realism", -1, "fail")
    run.verdict("a/g2/i0", "correctness", -1, "abstain")
    run.verdict("a/g2/i1", "correctness", -1, "fail")
    with Reader(run.path) as reader:
        pool = read_pool(reader)
    assert {each.node: (each.original, dict(each.gates)) for each in pool} == {
        "a/g0/i0": (True, {}),
        "b/g0/i0": (True, {}),
        "a/g1/i0": (False, {"realistic": False, "correct": True}),
        "a/g2/i1": (False, {"correct": False}),
    }


def test_an_item_shows_the_fields_and_the_expected_output_of_its_case(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    run.node("a/g0/i0")
    run.insert("item", {
        "id": "a", "split": "shard 0", "ord": 0, "content_hash": run.blob('{"expected":["yes"]}'),
    })  # fmt: skip
    run.node("b/g0/i0")
    with Reader(run.path) as reader:
        first, second = (read_item(reader, each) for each in read_pool(reader))
    assert (first.fields, first.expected) == ({"question": "question of a/g0/i0"}, ["yes"])
    assert second.expected is None


def test_labelling_is_for_harden_runs(tmp_path: Path) -> None:
    with (
        Reader(new_run(tmp_path, search="chase").path) as reader,
        pytest.raises(UsageError, match="labelling is for harden runs; demo is a chase run"),
    ):
        read_set(reader, "ann@here")


@given(NODES, st.integers(0, 40), st.integers(0, 3))
def test_a_set_keeps_its_order_while_nodes_arrive(nodes: list[str], sample: int, cut: int) -> None:
    now, later = nodes[cut:], nodes
    first, second = (draw(each, set(), "ann", 1, 99) for each in (now, later))
    assert [node for node in second if node in set(now)] == first
    assert sorted(second) == sorted(later)
    assert draw(later, set(), "ann", 1, sample) == second[:sample]


@given(NODES, st.integers(0, 40), st.data())
def test_what_was_begun_stays_in_the_set(
    nodes: list[str], sample: int, data: st.DataObject
) -> None:
    begun = set(data.draw(st.lists(st.sampled_from(nodes), unique=True))) if nodes else set()
    chosen = draw(nodes, begun, "ann", 1, sample)
    assert begun <= set(chosen)
    assert len(chosen) == max(len(begun), min(sample, len(nodes)))
    assert chosen == [node for node in draw(nodes, set(), "ann", 1, 99) if node in set(chosen)]


def test_every_author_and_seed_has_an_order_of_its_own() -> None:
    nodes = [f"case/g1/i{number}" for number in range(20)]
    orders = {tuple(draw(nodes, (), who, seed, 20)) for who in ("ann", "bob") for seed in (1, 2)}
    assert len(orders) == 4
    assert draw(nodes, (), "ann", 1, 3) == draw(reversed(nodes), (), "ann", 1, 3)
    assert draw(nodes, (), "ann", 1, 2) == ["case/g1/i19", "case/g1/i12"]


def test_a_handle_says_nothing_of_its_node() -> None:
    found = handle("90000164/g1/i0")
    assert len(found) == 12 and set(found) <= set("0123456789abcdef")
    assert handle("90000164/g1/i1") != found


async def test_labels_wait_on_where_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = small_run(tmp_path)
    say(run.path, "a/g1/i0")

    def full(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr(writer._Connection, "_transaction", full)
    with pytest.raises(StoreError, match="the labels wait in the inbox"):
        await take_labels(run.path)
    monkeypatch.undo()
    assert await take_labels(run.path) == 1

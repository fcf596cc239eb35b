"""Listings: every row once, in order, page by page, filtered by name; and chains of nodes."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.errors import UsageError
from evoscope.engine.store import listings
from evoscope.engine.store.lineage import descendants, find_node, lineage
from evoscope.engine.store.listings import CALLS, NODES, ROLLOUTS, VERDICTS, Listing
from evoscope.engine.store.paging import count_up_to, page, pages, with_attempts
from evoscope.engine.store.reader import Reader
from tests.store_builder import new_run, small_run

ALL = [value for value in vars(listings).values() if isinstance(value, Listing)]


@pytest.mark.parametrize("listing", ALL, ids=lambda listing: listing.table)
@pytest.mark.parametrize("newest_first", [False, True])
def test_pages_of_one_give_every_row_once_in_order(
    tmp_path: Path, listing: Listing[Any], newest_first: bool
) -> None:
    run = small_run(tmp_path)
    run.insert("command", *(
        {"id": c, "author": "me@host", "time": "", "kind": "pause", "args": '{"now":true}',
         "reason": "", "outcome": "done", "result": "", "acked": ""} for c in "xy"
    ))  # fmt: skip
    run.insert("label", *(
        {"node": node, "author": "me@host", "question": "correct", "answer": "yes", "reason": "",
         "command": 1} for node in "ab"
    ))  # fmt: skip
    with Reader(run.path) as reader:
        whole = page(reader, listing, newest_first=newest_first)
        seen: list[Any] = []
        while rows := page(
            reader,
            listing,
            after=listing.key_of(seen[-1]) if seen else None,
            limit=1,
            newest_first=newest_first,
        ):
            seen += rows
        assert seen == whole
        keys = [listing.key_of(row) for row in whole]
        assert len(keys) > 0
        assert keys == sorted(set(keys), reverse=newest_first)


@pytest.mark.parametrize("listing", ALL, ids=lambda listing: listing.table)
def test_every_filter_is_valid_sql(tmp_path: Path, listing: Listing[Any]) -> None:
    with Reader(small_run(tmp_path).path) as reader:
        for name in listing.filters:
            assert page(reader, listing, where={name: "no such value"}) == []
            page(reader, listing, where={name: "null"})


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ({"state": "rejected"}, ["a/g1/i1"]),
        ({"axis": "lookup", "generation": "2"}, ["a/g2/i0", "a/g2/i1"]),
        ({"axis": "null"}, ["a/g0/i0", "b/g0/i0"]),
        ({"state": "vetoed"}, ["b/g0/i0"]),
    ],
)
def test_nodes_are_filtered_by_name(tmp_path: Path, where: dict[str, str], ids: list[str]) -> None:
    run = small_run(tmp_path)
    run.sql("UPDATE node SET vetoed = 1 WHERE id = 'b/g0/i0'")
    with Reader(run.path) as reader:
        assert [node.id for node in page(reader, NODES, where=where)] == ids


def test_numbers_are_found_in_columns_and_long_digits_in_texts(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    with Reader(run.path) as reader:
        assert [v.vote for v in page(reader, VERDICTS, where={"vote": "1"})] == [1]
        assert [v.vote for v in page(reader, VERDICTS, where={"vote": "null"})] == [None]
        assert page(reader, NODES, where={"id": "9" * 40, "generation": "9" * 40}) == []


def test_an_unknown_filter_names_the_known_ones(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    with Reader(run.path) as reader, pytest.raises(UsageError, match="axis, generation, group"):
        page(reader, NODES, where={"axes": "x"})


def test_scores_are_exact_and_marks_are_typed(tmp_path: Path) -> None:
    with Reader(small_run(tmp_path).path) as reader:
        node = find_node(reader, "a/g2/i1")
        assert node is not None
        assert (node.score, node.bound, node.vetoed) == (Fraction(1, 2), True, False)
        assert node.origin == {"axis": "lookup", "subtypes": ["near miss"]}
        assert node.parents == ("a/g1/i0",)
        votes = [v.vote for v in page(reader, VERDICTS)]
        assert votes == [0, 1, None]
        assert [(r.greedy, str(r.score)) for r in page(reader, ROLLOUTS)] == [
            (True, "1"), (False, "1"), (False, "0"),
        ]  # fmt: skip


def test_calls_come_with_their_attempts(tmp_path: Path) -> None:
    with Reader(small_run(tmp_path).path) as reader:
        calls = with_attempts(reader, page(reader, CALLS))
        assert [[a.status for a in call.attempts] for call in calls] == [[], [529]]


def test_counting_stops_at_its_ceiling(tmp_path: Path) -> None:
    with Reader(small_run(tmp_path).path) as reader:
        assert count_up_to(reader, NODES, {}, 3) == 3
        assert count_up_to(reader, NODES, {"group": "b"}, 3) == 1


def test_pages_walk_a_table_larger_than_one_page(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    run.insert("event", *(
        {"time": "", "kind": "k", "tbl": "node", "ref": str(n)} for n in range(1201)
    ))  # fmt: skip
    with Reader(run.path) as reader:
        found = [row.ref for rows in pages(reader, listings.EVENTS) for row in rows]
    assert found == [str(n) for n in range(1201)]


def test_lineage_runs_from_the_original_to_the_node(tmp_path: Path) -> None:
    with Reader(small_run(tmp_path).path) as reader:
        assert [n.id for n in lineage(reader, "a/g2/i0")] == ["a/g0/i0", "a/g1/i0", "a/g2/i0"]
        assert descendants(reader, "a/g1/i0") == ["a/g2/i0", "a/g2/i1"]
        assert lineage(reader, "none") == []

"""A cegar run as rows: targets, attempts, behaviours, pool, classes, effect."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction

import pytest

from evoscope.engine.report.cegar_live import Facts, Held, facts_of, trouble
from evoscope.engine.store.reader import Reader
from evoscope.engine.store.status import read_status
from evoscope.tui.filters import Filter, parse
from evoscope.tui.glyphs import UNICODE
from evoscope.tui.lines import plain
from evoscope.tui.searches import cegar, cegar_effect, cegar_pool, cegar_tree
from tests.tui.cegarfile import ABSTAINING, HAND, VETOED

BEST = "target-2/2"


@pytest.fixture
def reader(cegar_run):
    with Reader(cegar_run) as opened:
        yield opened


def test_targets_hold_their_attempts_and_say_how_they_ended(reader):
    search = cegar.read_search(reader)
    assert [target.word for target in search.targets] == [
        "admitted", "admitted", "abandoned", "incomplete"
    ]  # fmt: skip
    assert [len(target.attempts) for target in search.targets] == [2, 3, 4, 0]
    assert search.standing == ["target-1/1", BEST]
    assert search.admitted_before("target-2") == ["target-1/1"]
    assert search.targets[1].best == Fraction(1, 32)


def test_a_class_that_no_decision_names_yet_is_found_in_the_labels(reader):
    facts = facts_of(reader)
    search = cegar.read_search(reader)
    decided = [(target.right, target.wrong, target.fault) for target in search.targets[:3]]
    blank = [replace(t, right=None, wrong=None, fault="") for t in search.targets[:3]]
    found = cegar.with_classes(replace(search, targets=tuple(blank)), facts)
    assert [(t.right, t.wrong, t.fault) for t in found.targets] == decided


def test_a_target_is_found_whichever_vetoes_were_known_then(reader):
    facts, search = facts_of(reader), cegar.read_search(reader)
    key, before = search.targets[2].key, search.admitted_before("target-3")
    gone = frozenset([BEST])
    assert facts.target(key, before, gone).key == key
    first = search.targets[1].key
    assert facts.target(first, before, gone).key == first, "its pool had no second operator"
    assert facts.target(first, before, frozenset()) is None


def test_tree_lines_fold_filter_and_sort(reader):
    search, none = cegar.read_search(reader), Filter({}, "")
    whole = cegar_tree.tree_lines(search, frozenset(), none, 0)
    assert [line.key for line in whole if not line.depth] == [
        "start", "target-1", "target-2", "target-3", "ending"
    ]  # fmt: skip
    folded = cegar_tree.tree_lines(search, frozenset({"target-3"}), none, 0)
    assert len(whole) - len(folded) == 5
    largest = cegar_tree.tree_lines(search, frozenset(), parse("state=abandoned"), 1)
    assert [line.unit for line in largest] == ["target-3"] * 2
    vetoed = cegar_tree.tree_lines(search, frozenset(), parse("vetoed=1"), 0)
    assert [line.key for line in vetoed] == ["target-2", VETOED]
    by_delta = cegar_tree.tree_lines(search, frozenset(), none, 2)
    assert [line.key for line in by_delta if not line.depth][1] == "target-2"


def test_operators_stop_at_a_gate_or_are_admitted(reader):
    levels = [row for row in cegar_pool.read_tried(reader) if row.key.startswith("level ")]
    assert [len(row.nodes) for row in levels] == [3, 6]
    for row in levels:
        assert sum(row.stops.values()) + row.admitted == len(row.nodes)


def test_a_behaviour_is_what_flags_the_same_programs(reader):
    facts = facts_of(reader)
    for row in cegar_pool.read_tried(reader)[2:]:
        assert len({facts.behaviour(node) for node in row.nodes}) == 1


def test_the_archive_has_pool_spots_and_certificate(reader):
    archive = cegar_pool.read_archive(reader)
    kinds = ["spot" if row.spot else row.word for row in archive.rows]
    assert kinds == ["admitted", "admitted", "spot", "spot", "spot", "starting"]
    assert archive.sealed is not None and archive.ended == "incomplete"
    for row in archive.rows:
        columns = cegar_pool.columns_of(row, 120)
        assert len(cegar_pool.kept_cells(row, UNICODE)) == len(columns)
    facts = facts_of(reader)
    admitted = archive.rows[0]
    assert facts.score(admitted.node).delta == admitted.delta
    assert facts.score(admitted.node).helped == admitted.helped


def test_a_certificate_over_an_operator_that_was_vetoed_since_is_contested(reader):
    archive = cegar_pool.read_archive(reader)
    assert archive.sealed is not None and archive.contested == ()
    gone = replace(archive, contested=("target-1/1",))
    head, known = (list(map(plain, cegar_pool.archive_head(one))) for one in (gone, archive))
    assert head == [known[0], " contested   since a veto of target-1/1", *known[1:]]


def test_an_incomplete_search_does_not_say_that_a_limit_ended_it(reader):
    archive = replace(cegar_pool.read_archive(reader), sealed=None, ended="incomplete")
    head = plain(cegar_pool.archive_head(archive)[0])
    assert "blind spots are left that were not fully tried" in head and len(head) < 80


def test_a_running_target_says_what_it_is_doing(cegar_run, tmp_path):
    path = tmp_path / "live.evo"
    path.write_bytes(cegar_run.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM node WHERE id = 'target-3/3'")
        db.execute("UPDATE unit SET state = 'open', result = NULL WHERE id = 'target-3'")
        db.execute("DELETE FROM decision WHERE unit IN ('target-3', 'ending')")
    with Reader(path) as opened:
        target = cegar.read_search(opened).targets[2]
    assert (target.word, target.under_way) == ("open", "is being tried")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE call SET status = 'sent' WHERE slot = 'target-3|author||3|0|0'")
    with Reader(path) as opened:
        assert cegar.read_search(opened).targets[2].under_way == "is being authored"


def effect_text(path):
    with Reader(path) as opened:
        effect = cegar_effect.read_effect(opened)
    return "\n".join(map(plain, cegar_effect.effect_lines(read_status(path), effect, UNICODE)))


def test_the_effect_says_what_it_rests_on(cegar_run):
    text = effect_text(cegar_run)
    assert "+0.0285  20.4% of the headroom, helped 3, hurt 0, p 0.034, training" in text
    assert "2 operators, by two votes" in text and "9 of 60 calls" in text
    assert "2 split, 1 abandoned" in text and "evoscope score RUN" in text


def test_held_out_figures_are_said_where_they_are_known(cegar_run, reader, tmp_path):
    status, effect = read_status(cegar_run), cegar_effect.read_effect(reader)

    def text(held):
        lines = cegar_effect.effect_lines(status, replace(effect, held=held), UNICODE)
        return "\n".join(map(plain, lines))

    score = facts_of(reader).score("target-1/1")
    assert "held out   +0.0285  20.4% of the headroom, helped 3, hurt 0" in text(Held(score))
    assert "not all of the pool is scored" in text(Held(None))
    assert "no such file" in text(Held(None, "tasks.jsonl: no such file"))
    path = tmp_path / "scored.evo"
    path.write_bytes(cegar_run.read_bytes())
    side = path.with_name(f"{path.name}.d")
    side.mkdir()
    row = {"node": "labels", "electorate": "e", "shard": 0, "planes": "", "reasons": {}}
    (side / "heldout.jsonl").write_text(json.dumps(row) + "\n")
    assert "not read yet" in effect_text(path)
    with Reader(path) as opened:
        assert cegar_effect.read_ahead(opened) and not cegar_effect.read_ahead(opened)
        effect = cegar_effect.read_effect(opened)
    assert effect.held == Held(None)


def test_a_last_unit_that_finds_nothing_to_try_is_no_progress_beyond_the_whole(cegar_run):
    status = read_status(cegar_run)
    assert (status.done, status.total) == (3, 3)


def test_after_a_veto_the_effect_is_unknown_until_what_is_left_is_scored(cegar_run, tmp_path):
    path = tmp_path / "vetoed.evo"
    path.write_bytes(cegar_run.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE node SET vetoed = 1 WHERE id = 'target-1/1'")
    assert "not known since a veto" in effect_text(path)
    with Reader(path) as opened:
        archive = cegar_pool.read_archive(opened)
    assert [row.word for row in archive.rows[:2]] == ["vetoed", "admitted"]
    assert archive.contested == ("target-1/1",)
    pool = {
        "members": [archive.rows[1].node], "delta": "1/50", "headroom": "1/10", "flags": 9,
        "caught": 5, "helped": 2, "hurt": 0,
    }  # fmt: skip
    considered = json.dumps([{"node": "target-1/1", "pool": pool}])
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO unit (id, kind, ord, state) VALUES ('r', 'revision', 9, 'done')")
        db.execute(
            "INSERT INTO decision SELECT max(seq) + 1, 'r', 'revise', 'fallback', 'r', ?, '[]', "
            "'', '[]', time FROM decision",
            (considered,),
        )
    assert "+0.0200  20.0% of the headroom, helped 2, hurt 0, training" in effect_text(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE node SET vetoed = 1 WHERE state = 'promoted'")
    assert "no operator is left in the pool" in effect_text(path)
    with Reader(path) as opened:
        spots = [row for row in cegar_pool.read_archive(opened).rows if row.spot]
    assert [row.word for row in spots] == ["reopened"], "the first target's class is whole again"


def test_before_the_baseline_is_done_there_are_no_classes(cegar_run, tmp_path):
    path = tmp_path / "early.evo"
    path.write_bytes(cegar_run.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE unit SET state = 'open' WHERE id = 'baseline'")
        db.execute("DELETE FROM unit WHERE kind = 'target'")
        db.execute("DELETE FROM decision")
    with Reader(path) as opened:
        assert facts_of(opened) is None and trouble(opened) == ""
    assert "24 of 24 tasks are labelled" in effect_text(path)


def test_a_file_without_its_labels_says_so(cegar_run, tmp_path):
    path = tmp_path / "broken.evo"
    path.write_bytes(cegar_run.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM matrix WHERE node = 'labels' AND shard = 3")
    with Reader(path) as opened:
        archive = cegar_pool.read_archive(opened)
        assert facts_of(opened) is None
        head = "\n".join(map(plain, cegar_pool.archive_head(archive)))
    assert "are missing" in head


def test_an_operators_figures_are_those_of_its_recorded_verdicts(reader):
    facts = Facts(reader)
    said = facts.said(ABSTAINING)
    assert set(said.verdicts.values()) == {"A"} and len(said.reasons) == 3
    assert facts.column(ABSTAINING) is None and facts.score(ABSTAINING) is None
    assert set(facts.said(HAND).verdicts.values()) == {"P"}

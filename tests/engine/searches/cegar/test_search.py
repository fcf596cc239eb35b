"""The cegar search on the engine: rounds, ledger, vetoes, and the replay kit's stops and orders."""

import json
import random
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.searches.cegar.search import run
from evoscope.engine.store.memory import read_only
from tests.engine.searches.cegar.small import providers, setup
from tests.replay_kit import Kit, Life
from tests.sandbox_outcomes import OutcomeServer, ServedOutcomes


@pytest.fixture
def kit(tmp_path: Path, server: OutcomeServer) -> Kit:
    seeds = iter(range(1000))
    return Kit(
        lambda: partial(run, setup=setup()),
        tmp_path,
        providers,
        executor=lambda: ServedOutcomes(server, next(seeds)),
    )


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(read_only(path)) as db:
        return db.execute(sql).fetchall()


def admitted(path: Path) -> list[str]:
    return [
        node
        for (chosen,) in rows(path, "SELECT chosen FROM decision WHERE kind = 'admit'")
        for node in json.loads(chosen)
    ]


def test_a_run_ends_with_ledger_and_decisions_and_verifies(kit: Kit) -> None:
    path = kit.file("whole")
    assert kit.finish(path, 1).state == "finished"
    found = admitted(path)
    assert found
    gates = dict(rows(path, f"SELECT gate, outcome FROM verdict WHERE node = '{found[0]}'"))
    assert gates["admission"] == "pass" and set(gates.values()) == {"pass"}
    (stop,) = rows(path, "SELECT chosen, reason FROM decision WHERE kind = 'stop'")
    assert json.loads(stop[0]) == found
    states = dict(rows(path, "SELECT id, state FROM node WHERE kind = 'operator'"))
    assert all(states[node] == "promoted" for node in found)
    verified = kit.verify(path)
    assert verified.ok, verified.mismatches


def test_nothing_of_a_hidden_suite_is_shown_to_the_author(kit: Kit) -> None:
    path = kit.file("whole")
    kit.finish(path, 1)
    tasks = setup().training.tasks
    hidden = {repr(arguments) for task in tasks for arguments in task.base}
    shown = {repr(tuple(args)) for task in tasks for args in _visible(task)}
    from evoscope.engine.store.reader import Reader

    with Reader(path) as reader:
        asked = [reader.text(blob) for (blob,) in reader.rows("SELECT request_blob FROM call")]
    assert asked
    long = [text for text in hidden - shown if len(text) > 12]
    assert len(long) > 10
    assert not any(text in request for request in asked for text in long)
    assert not any(task.reference in request for request in asked for task in tasks)


def _visible(task: Any) -> list[Any]:
    from evoscope.engine.benchmarks.code_tasks.visible import known_arguments

    return list(known_arguments(task.visible, task.entry))


def test_any_order_and_any_stop_give_the_same_digest(kit: Kit) -> None:
    whole = kit.file("whole")
    kit.finish(whole, 1)
    wanted = kit.digest(whole)
    for seed in (2, 3):
        other = kit.file(f"order{seed}")
        kit.finish(other, seed)
        assert kit.digest(other) == wanted
    commits = len(rows(whole, "SELECT * FROM matrix")) + len(rows(whole, "SELECT * FROM verdict"))
    for stop in sorted(random.Random(5).sample(range(2, commits), 10)):
        path = kit.file(f"stop{stop}")
        kit.live(path, stop, Life(stop_after=stop))
        assert kit.finish(path, stop + 1).state == "finished"
        assert kit.digest(path) == wanted


def test_a_veto_takes_an_operator_out_of_the_pool_from_the_next_decision_on(kit: Kit) -> None:
    whole = kit.file("whole")
    kit.finish(whole, 1)
    first = admitted(whole)[0]
    path = kit.file("vetoed")
    kit.finish(path, 1)
    kit.command(path, {"id": "v", "kind": "veto", "args": {"node": first}, "reason": "a leak"})
    assert kit.finish(path, 2).state == "finished"
    fallback = rows(path, "SELECT vetoes, chosen FROM decision WHERE kind = 'fallback'")
    left = [node for node in admitted(whole) if node != first]
    assert fallback == [(json.dumps([first]), "[]"), (json.dumps([first]), json.dumps(left))]
    assert kit.verify(path).ok
    again = kit.file("early")
    nodes = rows(whole, f"SELECT seq FROM node WHERE id = '{first}'")
    assert nodes
    life = Life(
        commands=[
            (n, {"id": f"v{n}", "kind": "veto", "args": {"node": first}, "reason": "a leak"})
            for n in range(20, 120, 4)
        ]
    )
    kit.live(again, 1, life)
    (stop,) = rows(again, "SELECT chosen FROM decision WHERE kind = 'stop'")
    assert first not in json.loads(stop[0])
    assert kit.verify(again).ok

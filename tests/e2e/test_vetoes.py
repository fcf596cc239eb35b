"""People's vetoes on a real run: each takes effect at the next decision, and replays with it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evoscope.engine.control import send_command, wait_reply
from evoscope.engine.store.views import CommandRow
from tests.e2e.kit import Run, ServerThread, wait_until, wire_config
from tests.servers.llm_faults import Rule

pytestmark = pytest.mark.slow
LATENCY = Rule("latency", args={"low": 0.05, "high": 0.1})
SMALL = {
    "benchmark.kind": "contractnli",
    "benchmark.sample": 3,
    "harden.survivors": 3,
    "harden.offspring": 6,
    "harden.realism_rule": "majority",
}


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """A run whose server is slow enough to be interrupted at a chosen moment."""
    with ServerThread([LATENCY]) as server:
        run = Run(tmp_path / "run.evo", wire_config(server, **SMALL)).make()
        yield run
        run.end()


def tell(run: Run, kind: str, **args: object) -> CommandRow:
    """A command and the living engine's answer."""
    reply = wait_reply(run.path, send_command(run.path, kind, args, "by a test"), 30)  # type: ignore[arg-type]
    assert reply is not None
    return reply


def pause_at(run: Run, sql: str) -> None:
    """Pause once the file holds what the query asks for, and wait until nothing is in flight."""
    wait_until(lambda: run.query(sql), sql)
    assert tell(run, "pause").outcome == "done"
    run.wait_state("paused")


def decisions(run: Run, kinds: str = "'select', 'race', 'promote', 'keep'") -> list[list[str]]:
    """The vetoes of each decision, in order."""
    rows = run.query(f"SELECT vetoes FROM decision WHERE kind IN ({kinds}) ORDER BY seq")
    return [json.loads(row[0]) for row in rows]


def used(run: Run, node: str) -> bool:
    return any(node in vetoes for vetoes in decisions(run))


def survivors(run: Run) -> list[str]:
    """Whom the first selection that has a child among its chosen kept, the originals left out."""
    found = "SELECT chosen FROM decision WHERE step = 'g1/select' AND chosen LIKE '%/g1/%'"
    chosen = [json.loads(row[0]) for row in run.query(f"{found} ORDER BY seq")]
    best = max(chosen, key=lambda nodes: sum("/g1/" in node for node in nodes))
    return [node for node in best if "/g1/" in node]


def test_vetoes_of_survivors_and_parents_hold_through_a_kill(run: Run) -> None:
    run.begin()
    pause_at(run, "SELECT 1 FROM decision WHERE step = 'g1/select' AND chosen LIKE '%/g1/%/g1/%'")
    parent, survivor, *_ = survivors(run)
    assert tell(run, "veto", node=survivor).outcome == "done"
    assert tell(run, "unveto", node=survivor).outcome == "done"
    assert tell(run, "veto", node=survivor).outcome == "done"
    assert tell(run, "veto", node=parent).outcome == "done"
    assert tell(run, "veto", node=parent).outcome == "refused"
    original = run.query("SELECT id FROM node WHERE generation = 0")[0][0]
    assert tell(run, "veto", node=original).outcome == "refused"
    assert run.count("node WHERE vetoed = 1") >= 2
    assert not used(run, parent)
    assert tell(run, "resume").outcome == "done"
    wait_until(lambda: used(run, parent) and used(run, survivor), "a decision that uses the veto")
    late = tell(run, "unveto", node=parent)
    assert late.outcome == "refused" and "has used this veto" in late.result
    run.kill()
    assert run.finish() == 0
    chosen = run.query(
        "SELECT chosen FROM decision WHERE kind = 'promote' OR step LIKE 'g2/select'"
    )
    kept = {node for (nodes,) in chosen for node in json.loads(nodes)}
    assert kept.isdisjoint({parent, survivor})
    assert run.cli("verify", run.path).code == 0


def test_a_veto_while_racing_takes_the_racer_out(run: Run) -> None:
    run.begin()
    racing = (
        "SELECT unit FROM mark m WHERE step = 'g1/wave1' AND NOT EXISTS "
        "(SELECT 1 FROM mark s WHERE s.unit = m.unit AND s.step = 'g1/select')"
    )
    pause_at(run, racing)
    racer = run.query(
        f"SELECT node FROM verdict WHERE unit IN ({racing}) AND gate = 'realism' AND vote = -1 "
        "AND outcome = 'pass' ORDER BY node LIMIT 1"
    )[0][0]
    assert tell(run, "veto", node=racer).outcome == "done"
    assert tell(run, "resume").outcome == "done"
    wait_until(lambda: used(run, racer), "a decision that uses the veto")
    run.kill()
    assert run.finish() == 0
    states = dict(run.query("SELECT id, vetoed FROM node"))
    assert states[racer] == 1
    selection = run.query(
        "SELECT chosen, vetoes FROM decision WHERE unit = ? AND step = 'g1/select'",
        racer.partition("/")[0],
    )
    assert racer not in selection[0][0] and racer in selection[0][1]
    assert run.cli("verify", run.path).code == 0


def test_a_veto_of_a_promoted_node_starts_the_engine_of_a_finished_run(run: Run) -> None:
    assert run.finish() == 0
    before = run.digest()
    ((promoted, unit),) = run.query(
        "SELECT n.id, n.unit FROM node n WHERE n.state = 'promoted' ORDER BY n.id LIMIT 1"
    )
    answer = run.cli("veto", run.path, promoted, "--reason", "reads oddly")
    assert answer.code == 0 and "vetoed" in answer.err, answer
    run.adopted()
    assert run.meta("state") == "finished"
    steps = run.query(
        "SELECT step, chosen FROM decision WHERE unit = ? AND step LIKE 'promote%' ORDER BY seq",
        unit,
    )
    assert [step for step, _ in steps] == ["promote0", "promote1"]
    assert promoted in steps[0][1] and promoted not in steps[1][1]
    assert run.digest() != before
    assert run.cli("verify", run.path).code == 0
    late = run.cli("unveto", run.path, promoted)
    assert late.code == 1 and "has used this veto" in late.err
    run.adopted()
    assert run.cli("verify", run.path).code == 0

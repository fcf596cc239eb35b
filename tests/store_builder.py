"""Small run files without an engine: the real schema, rows put in by hand."""

import json
import sqlite3
import zlib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from evoscope.engine.canonical import sha256
from evoscope.engine.model.harden import AxisCounts, CaseResult
from evoscope.engine.run_files import heartbeat_file
from evoscope.engine.store.database import create
from evoscope.engine.store.lock import own_identity, side_folder

T0 = "2026-11-01T10:00:00.000Z"
META = {
    "state": "finished", "reason": "", "search": "harden", "seed": "42", "offline": "1",
    "started": T0, "updated": "2026-11-01T11:00:00.000Z", "progress_total": "2",
    "progress_unit": "case", "config": '{"budget":"5.00","search":"harden"}',
}  # fmt: skip


AXES = [
    {
        "axis_name": name, "definition": "d", "goal": "g", "distinctive_focus": "f",
        "target_artifact_types": ["table"], "subtypes": ["a", "b", "c"],
        "prompt_guidance": ["1", "2", "3", "4", "5"], "priority": priority,
    }
    for name, priority in (("domain_specific_realism", "normal"), ("lookup", "high"))
]  # fmt: skip
RESULTS = {
    "a": CaseResult(
        "a", 0, "hardened", "a/g0/i0", "a/g2/i0", score_before=Fraction(9, 10),
        score_after=Fraction(3, 10), fresh_before=Fraction(8, 10), fresh_after=Fraction(5, 10),
        entropy_before=0.3, entropy_after=0.9, generations=2, survivors=("a/g2/i0", "a/g1/i0"),
        axes={"lookup": AxisCounts(4, 3, 2)},
    ),
    "b": CaseResult(
        "b", 0, "kept", "b/g0/i0", "b/g0/i0", score_before=Fraction(1), fresh_before=Fraction(1),
        score_after=Fraction(1), fresh_after=Fraction(1), entropy_before=0.0, entropy_after=0.0,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunFile:
    """A run's file that tests may fill; every insert is one committed transaction."""

    path: Path

    def sql(self, statement: str, *values: Any) -> None:
        """Run one statement."""
        with closing(sqlite3.connect(self.path)) as db, db:
            db.execute(statement, values)

    def insert(self, table: str, *rows: Mapping[str, Any]) -> None:
        """Insert rows given by column."""
        with closing(sqlite3.connect(self.path)) as db, db:
            for row in rows:
                columns, marks = ", ".join(row), ", ".join("?" * len(row))
                sql = f"INSERT INTO {table}({columns}) VALUES ({marks})"
                db.execute(sql, list(row.values()))

    def meta(self, **values: str) -> None:
        """Set keys of the meta table."""
        with closing(sqlite3.connect(self.path)) as db, db:
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))

    def blob(self, text: str) -> str:
        """Store a text; gives its hash."""
        data = text.encode()
        digest = sha256(data)
        with closing(sqlite3.connect(self.path)) as db, db:
            db.execute(
                "INSERT OR IGNORE INTO blob VALUES (?, 'zlib', ?, ?)",
                (digest, len(data), zlib.compress(data)),
            )
        return digest

    def node(self, node: str, *parents: str, **columns: Any) -> None:
        """Insert a case variant called `case/gG/iI` with sensible columns."""
        case, generation, index = node.split("/")
        content = self.blob(json.dumps({"question": f"question of {node}"}))
        row = {
            "id": node, "unit": case, "kind": "case", "grp": case,
            "generation": int(generation[1:]), "idx": int(index[1:]), "origin": "{}",
            "content_hash": content, "description": f"how {node} came about", "created": T0,
        }  # fmt: skip
        self.insert("node", row | columns)
        for parent in parents:
            self.insert("parent", {"node": node, "parent": parent, "role": "parent"})

    def verdict(self, node: str, gate: str, vote: int, outcome: str, **columns: Any) -> None:
        """Insert a verdict of a model."""
        row = {
            "node": node, "gate": gate, "vote": vote, "outcome": outcome, "by": "model",
            "unit": node.split('/')[0], "reason": f"{gate} says {outcome}", "time": T0,
        }  # fmt: skip
        self.insert("verdict", row | columns)

    def call(self, slot: str, status: str = "completed", **columns: Any) -> None:
        """Insert a call with its request; `slot` is unit|purpose|node|number|reask|step."""
        unit, purpose, node, number, _, _ = slot.split("|")
        request = self.blob(f"request of {slot}")
        row = {
            "slot": slot, "unit": unit, "purpose": purpose, "node": node, "number": int(number),
            "role": purpose, "provider": "offline", "model": "reader", "request_hash": slot,
            "request_blob": request, "status": status, "created": T0,
        }  # fmt: skip
        self.insert("call", row | columns)

    def heartbeat(self, **values: Any) -> None:
        """Write a heartbeat; of this process unless the values say otherwise."""
        beat = own_identity() | {"time": T0, "in_flight": 0, "waiting": 0} | values
        side_folder(self.path).mkdir(exist_ok=True)
        heartbeat_file(self.path).write_text(json.dumps(beat))


def new_run(folder: Path, name: str = "demo", **meta: str) -> RunFile:
    """An empty run file of a finished run, with `meta` changed as given."""
    run = RunFile(folder / f"{name}.evo")
    create(run.path)
    run.meta(**META | {"name": name} | meta)
    return run


def small_run(folder: Path, name: str = "demo", **meta: str) -> RunFile:
    """A finished run with two cases: `a` hardened by a child of a child, `b` kept."""
    run = new_run(folder, name, **meta)
    axis = '{"axis":"lookup","subtypes":["near miss"]}'
    run.node("a/g0/i0", num=9, den=10, entropy=0.3, state="parent")
    run.node("a/g1/i0", "a/g0/i0", num=6, den=10, entropy=0.6, state="parent", origin=axis)
    run.node("a/g1/i1", "a/g0/i0", state="rejected", origin=axis)
    run.node("a/g2/i0", "a/g1/i0", num=3, den=10, entropy=0.9, state="promoted", origin=axis)
    run.node("a/g2/i1", "a/g1/i0", num=5, den=10, bound=1, state="raced_out", origin=axis)
    run.node("b/g0/i0", num=1, den=1, entropy=0.0, state="parent")
    run.verdict("a/g1/i1", "correctness", 0, "pass")
    run.verdict("a/g1/i1", "correctness", 1, "fail", reason="the year\x1b[31m is gone")
    run.verdict("a/g1/i1", "validity", -1, "pass", by="rule")
    run.insert("decision", {
        "unit": "a", "step": "g1/select", "kind": "select", "grp": "a",
        "considered": '[{"node":"a/g1/i0","score":"3/5"}]', "chosen": '["a/g1/i0"]',
        "reason": "lowest score", "vetoes": "[]", "time": T0,
    })  # fmt: skip
    run.call(
        "a|rollout|a/g1/i0|0|0|0", input_tokens=100, output_tokens=20, cost="0.25",
        cost_source="provider", latency_s=1.5, finish="stop", reply_blob=run.blob("reply"),
        params='{"dropped":[],"not_supported":[],"sent":["temperature"]}',
    )  # fmt: skip
    run.call("b|rollout|b/g0/i0|0|0|0", "ambiguous")
    run.insert("attempt", {
        "slot": "b|rollout|b/g0/i0|0|0|0", "at": T0, "outcome": "transient", "status": 529,
        "wait_s": 2.0, "maybe_paid": 1, "estimate": "0.10", "message": "overloaded",
    })  # fmt: skip
    for sample, score in ((-1, 1), (0, 1), (1, 0)):
        run.insert("rollout", {
            "node": "a/g1/i0", "context": "task", "item": "a", "sample": sample, "unit": "a",
            "outcome": "graded", "num": score, "den": 1, "class": f"{score}.0",
            "parsed": "add(1, 2)", "slot": "a|rollout|a/g1/i0|0|0|0",
        })  # fmt: skip
    for place, case in enumerate("ab"):
        run.insert("unit", {
            "id": case, "kind": "case", "ord": place, "state": "done",
            "result": json.dumps(RESULTS[case].as_json()), "started": T0, "ended": T0,
        })  # fmt: skip
    tallies = (
        ("axis", "lookup", "applied", 3), ("axis", "lookup", "improved", 2),
        ("realism", "lookup", "pass", 2), ("saved", "vote_stopping", "calls", 3),
        ("saved", "racing", "calls", 5), ("correctness", "lookup", "fail", 1),
    )  # fmt: skip
    for gate, axis, outcome, n in tallies:
        row = {"unit": "a", "gate": gate, "axis": axis, "outcome": outcome, "n": n}
        run.insert("tally", row)
    run.insert("text", {"name": "axes", "content_hash": run.blob(json.dumps({"axes": AXES}))})
    run.insert("event", {"time": T0, "kind": "unit done", "tbl": "unit", "ref": "a"})
    run.insert("event", {"time": T0, "kind": "select", "tbl": "decision", "ref": "a|g1/select"})
    return run

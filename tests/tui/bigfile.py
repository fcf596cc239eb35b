"""Generated run files of any size, straight from the schema: for tests and budgets.

`python -m tests.tui.bigfile PATH` writes the big one: 200 cases, 8,800 mutated nodes, 150,000
calls, 1,000,000 ledger rows. Same arguments, same rows. `hostile` puts hostile strings into every
text.
"""

import json
import random
import sqlite3
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from evoscope.engine.config import RunConfig
from evoscope.engine.store.database import create
from tests.tui.shape import (
    AXES,
    GATES,
    REASONS,
    SMALL,
    Made,
    Node,
    Shape,
    axis_json,
    case_name,
    node_name,
    result_json,
    stamp,
)

__all__ = ["SMALL", "Shape", "build"]


def build(path: Path, shape: Shape = SMALL) -> Path:
    """Write a run file of this shape; returns its path."""
    create(path)
    made = Made(shape, random.Random(shape.seed))
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA cache_size = -200000")
        with db:
            _meta(db, made)
            nodes = _nodes(db, made)
            _calls(db, made, nodes)
            _verdicts(db, made, nodes)
            _rollouts(db, made, nodes)
            _rest(db, made, nodes)
            _blobs(db, made)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    side = path.with_name(f"{path.name}.d")
    (side / "inbox").mkdir(parents=True, exist_ok=True)
    (side / "engine.log").write_text("engine started\nall well\n")
    return path


def _meta(db: sqlite3.Connection, made: Made) -> None:
    shape = made.shape
    config = RunConfig.model_validate(
        {
            "search": "harden",
            "budget": "100.00",
            "benchmark": {"kind": "finqa"},
            "providers": {"offline": {"kind": "offline"}},
            "models": {
                role: {"provider": "offline", "model": f"offline/{role}"}
                for role in ("task", "analysis", "mutation", "gates")
            },
            "harden": {"generations": shape.generations, "offspring": shape.offspring},
        }
    )
    rows = {
        "search": "harden",
        "name": "big",
        "state": shape.state,
        "reason": "",
        "seed": "42",
        "offline": "1",
        "started": stamp(0),
        "updated": stamp(90_000),
        "config": config.model_dump_json(),
        "progress_total": str(shape.cases),
        "progress_unit": "case",
    }
    db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows.items())


def _content(made: Made, case: int, note: str) -> dict[str, Any]:
    rng = made.rng
    rows = [[f"item {row}", f"${rng.randint(100, 999)},{row}", f"{row}.5%"] for row in range(6)]
    return {
        "question": made.text(f"what was the change of item {case % 6} from 2007 to 2008? {note}"),
        "table": [["", "2007", "2008"], *rows],
        "pre_text": [made.text(f"Sentence {n} before the table of case {case}.") for n in range(8)],
        "post_text": [made.text(f"Sentence {n} after the table {note}.") for n in range(6)],
    }


def _nodes(db: sqlite3.Connection, made: Made) -> list[Node]:
    nodes: list[Node] = []
    rows: list[tuple[Any, ...]] = []
    parents: list[tuple[str, str, str]] = []
    for case in range(made.shape.cases):
        own = list(_case_nodes(made, case))
        nodes += [node for node, _, _ in own]
        rows += [row for _, row, _ in own]
        parents += [(node.id, parent, "parent") for node, _, parent in own if parent]
    db.executemany(
        "INSERT INTO node(id, unit, kind, grp, generation, idx, origin, content_hash, description,"
        " created, state, num, den, bound, entropy, vetoed)"
        " VALUES (?, ?, 'case', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )
    db.executemany("INSERT INTO parent VALUES (?, ?, ?)", parents)
    return nodes


def _case_nodes(made: Made, case: int) -> Iterator[tuple[Node, tuple[Any, ...], str]]:
    shape, rng = made.shape, made.rng
    unit, parent, score = f"case:{case_name(case)}", node_name(case, 0, 0), 8
    root = Node(parent, case, unit, "", "parent", 0)
    yield root, _node_row(made, root, 0, (score, 10, 0, 0.3)), ""
    for generation in range(1, shape.generations + 1):
        best, best_score = parent, score
        for index in range(shape.offspring):
            state = rng.choice(
                ("rejected", "rejected", "rejected", "survivor", "discarded", "raced_out",
                 "collapsed", "scored")
            )  # fmt: skip
            got = max(score - rng.randint(-1, 2), 0) if state != "rejected" else None
            if state == "collapsed":
                got = 0
            node = Node(
                node_name(case, generation, index), case, unit, rng.choice(AXES), state, generation
            )
            figures = (got, None if got is None else 10, int(state == "raced_out"), rng.random())
            yield node, _node_row(made, node, index, figures), parent
            if state == "survivor" and got and got < best_score:
                best, best_score = node.id, got
        parent, score = best, best_score


def _node_row(
    made: Made, node: Node, index: int, figures: tuple[int | None, int | None, int, float]
) -> tuple[Any, ...]:
    note = f"axis {node.axis} index {index}" if node.axis else ""
    origin = {"axis": made.safe(node.axis), "subtypes": [made.safe("a")]} if node.axis else {}
    return (
        node.id, node.unit, case_name(node.case), node.generation, index, json.dumps(origin),
        made.blob(_content(made, node.case, note)), made.safe(f"Reworded for {node.axis}"),
        stamp(node.case * 100 + index), node.state, *figures,
        int(made.rng.random() < 0.01 and bool(node.axis)),
    )  # fmt: skip


def _calls(db: sqlite3.Connection, made: Made, nodes: list[Node]) -> None:
    rng, shape = made.rng, made.shape
    asks = [
        made.blob(
            {
                "system": None,
                "messages": [{"role": "user", "text": made.text(f"Question {n}. " * 40)}],
            }
        )
        for n in range(shape.pool)
    ]
    replies = [
        made.blob({"text": made.text(f"Thinking {n}. " * 30 + f"\nProgram: add({n}, 2)")})
        for n in range(shape.pool)
    ]
    purposes = ("rollout", "audit", "realism", "mutate", "extract")
    models = ("offline/reader", "offline/judge")

    def row(number: int) -> tuple[Any, ...]:
        node, purpose = nodes[number % len(nodes)], purposes[number % len(purposes)]
        open_ = number >= shape.calls - 12 and shape.state == "running"
        done = None if open_ else stamp(number * 4 + 90)
        return (
            f"{node.unit}|{purpose}|{node.id}|{number}|0|0", node.unit, purpose, node.id,
            number % 10, "task" if purpose == "rollout" else "gates", "offline",
            made.safe(models[number % 2]), asks[number % shape.pool], asks[number % shape.pool],
            "sent" if open_ else "completed", None if open_ else replies[number % shape.pool],
            None if open_ else "fact", None if open_ else "stop", models[number % 2],
            rng.randint(400, 2000), 100, rng.randint(20, 400), "0.0002", "price table",
            0.4, stamp(number * 4), done,
        )  # fmt: skip

    db.executemany(
        "INSERT INTO call(slot, unit, purpose, node, number, role, provider, model, request_hash,"
        " request_blob, status, reply_blob, fact, finish, served_model, input_tokens,"
        " cached_input_tokens, output_tokens, cost, cost_source, latency_s, created, done)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        map(row, range(shape.calls)),
    )


def _verdicts(db: sqlite3.Connection, made: Made, nodes: list[Node]) -> None:
    shape, rng = made.shape, made.rng
    children = [node for node in nodes if node.generation]
    details = [
        made.blob(
            {"rationale": made.text(f"Rationale {n}."), "missing_information": [made.text("m")],
             "scores": {"tone": n % 5 + 1, "format": 4}}
        )
        for n in range(shape.pool)
    ]  # fmt: skip
    tally: dict[tuple[str, str, str, str], int] = {}

    def rows() -> Iterator[tuple[Any, ...]]:
        for number in range(shape.verdicts):
            node = children[number % len(children)]
            turn = number // len(children)
            gate, vote = GATES[turn % 4], turn // 4 - 1
            outcome = "pass" if rng.random() < 0.7 else rng.choice(("fail", "abstain", "error"))
            key = (node.unit, gate, node.axis, outcome)
            tally[key] = tally.get(key, 0) + 1
            yield (
                node.id, gate, vote, node.unit, outcome, "rule" if turn % 4 < 2 else "model",
                made.safe(rng.choice(REASONS)), details[number % shape.pool], None, stamp(number),
            )  # fmt: skip

    db.executemany(
        "INSERT INTO verdict(node, gate, vote, unit, outcome, by, reason, detail_hash, slot, time)"
        " VALUES (?,?,?,?,?,?,?,?,?,?)",
        rows(),
    )
    for node in children:
        for outcome in ("applied", "improved") if node.state == "survivor" else ("applied",):
            key = (node.unit, "axis", node.axis, outcome)
            tally[key] = tally.get(key, 0) + 1
    db.executemany("INSERT INTO tally VALUES (?,?,?,?,?)", [(*key, n) for key, n in tally.items()])


def _rollouts(db: sqlite3.Connection, made: Made, nodes: list[Node]) -> None:
    def rows() -> Iterator[tuple[Any, ...]]:
        for node in nodes:
            if node.state in ("rejected", "proposed"):
                continue
            for sample in range(-1, 10):
                right = int(made.rng.random() < 0.5)
                answer = made.safe("94.5" if right else f"{sample * 3}.1")
                slot = f"{node.unit}|rollout|{node.id}|{sample}|0|0"
                yield (
                    node.id, "task", case_name(node.case), sample, node.unit, "graded", right, 1,
                    answer, f"add({sample}, 2)", -12.5, 140, slot,
                )  # fmt: skip

    db.executemany("INSERT INTO rollout VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", rows())


def _rest(db: sqlite3.Connection, made: Made, nodes: list[Node]) -> None:
    shape = made.shape
    units = []
    for case in range(shape.cases):
        done = shape.state == "finished" or case < shape.cases * 2 // 3
        state = "done" if done else "parked" if case == shape.cases - 1 else "open"
        reason = made.safe("retry in 45 s after 429") if state == "parked" else ""
        units.append(
            (
                f"case:{case_name(case)}",
                "case",
                case,
                state,
                reason,
                result_json(shape, case) if done else None,
                None,
                stamp(case),
                stamp(case) if done else None,
            )
        )
    db.executemany("INSERT INTO unit VALUES (?,?,?,?,?,?,?,?,?)", units)
    decisions = [
        (f"case:{case_name(case)}", f"g{generation}/select", "select", case_name(case),
         "[]", json.dumps([node_name(case, generation, 0)]), made.safe("lowest five"), "[]",
         stamp(case * 5 + generation))
        for case in range(shape.cases)
        for generation in range(1, shape.generations + 1)
    ]  # fmt: skip
    db.executemany(
        "INSERT INTO decision(unit, step, kind, grp, considered, chosen, reason, vetoes, time)"
        " VALUES (?,?,?,?,?,?,?,?,?)",
        decisions,
    )
    events = [(stamp(n * 50), "unit done", "unit", units[n % len(units)][0]) for n in range(400)]
    db.executemany("INSERT INTO event(time, kind, tbl, ref) VALUES (?,?,?,?)", events)
    db.execute(
        "INSERT INTO command(id, author, time, kind, args, reason, outcome, result, acked)"
        " VALUES ('c1', ?, ?, 'pause', '{}', ?, 'done', ?, ?)",
        (made.safe("ann@host"), stamp(3), made.safe("lunch"), made.safe("paused"), stamp(4)),
    )
    axes = [axis_json(made, axis, place) for place, axis in enumerate(AXES)]
    db.execute("INSERT INTO text VALUES ('axes', ?)", (made.blob({"axes": axes}),))


def _blobs(db: sqlite3.Connection, made: Made) -> None:
    db.executemany(
        "INSERT OR IGNORE INTO blob VALUES (?, 'zlib', ?, ?)",
        ((digest, len(data), zlib.compress(data, 1)) for digest, data in made.blobs.items()),
    )


if __name__ == "__main__":
    build(Path(sys.argv[1]), Shape())

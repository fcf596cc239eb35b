"""A cegar run for the screens: a small finished one, with what it happens not to hold.

`cegar.evo.xz` is the run of `tests/test_recorded_cegar.py` as it was once (two admissions, one
abandoned target), its prompts cut out. It stays as it is when the search changes: what the screens
say of a file must not. Should labels be read in another way some day, freeze a newer run.

Added: a hand-written operator, one that a person vetoed, abstentions with reasons, a certificate,
times that never change. `hostile` puts hostile strings into every text that a model or a task
file may give.
"""

import json
import lzma
import random
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

from evoscope.engine.report.cegar_live import Facts
from evoscope.engine.report.cegar_read import training_split
from evoscope.engine.searches.cegar.cells import pack_some
from evoscope.engine.searches.cegar.partition import BlindSpot
from evoscope.engine.searches.cegar.training import electorate_of
from evoscope.engine.searches.cegar.verdicts import Member, Verdict
from evoscope.engine.store.memory import unpack
from evoscope.engine.store.reader import Reader
from tests.tui.shape import HOSTILE, stamp

FROZEN = Path(__file__).with_name("cegar.evo.xz")
VETOED = "target-2/1"
ABSTAINING = "target-3/0"
HAND = "hand/first"
REASONS = {"0": "timeout", "1": "timeout", "2": "crash: ValueError"}


def build_cegar(path: Path, *, hostile: bool = False) -> Path:
    """Write the run to this path."""
    path.write_bytes(lzma.decompress(FROZEN.read_bytes()))
    (path.with_name(f"{path.name}.d") / "inbox").mkdir(parents=True)
    with closing(sqlite3.connect(path)) as db:
        _times(db)
        _hand_written(db)
        _certificate(db)
        db.execute("UPDATE node SET vetoed = 1 WHERE id = ?", (VETOED,))
        if hostile:
            _poison(db, random.Random(5))
        db.commit()
    return path


def _times(db: sqlite3.Connection) -> None:
    for table, column in (("node", "created"), ("verdict", "time"), ("decision", "time"),
                          ("call", "created"), ("call", "done")):  # fmt: skip
        rows = db.execute(f"SELECT seq FROM {table} ORDER BY seq").fetchall()
        db.executemany(
            f"UPDATE {table} SET {column} = ? WHERE seq = ?",
            [(stamp(1000 * place), seq) for place, (seq,) in enumerate(rows)],
        )
    db.execute("UPDATE meta SET value = ? WHERE key = 'started'", (stamp(0),))
    db.execute("UPDATE meta SET value = ? WHERE key = 'updated'", (stamp(9000),))


def _kept(db: sqlite3.Connection, value: Any) -> str:
    data = json.dumps(value).encode()
    digest = sha256(data).hexdigest()
    db.execute("INSERT OR IGNORE INTO blob VALUES (?, 'raw', ?, ?)", (digest, len(data), data))
    return digest


def _hand_written(db: sqlite3.Connection) -> None:
    """One that passes everything, so that the classes stay what they were."""
    content = {"name": "first", "level": 1, "rationale": "", "source": "def op(task, code): ..."}
    db.execute(
        "INSERT INTO node(seq, id, unit, kind, grp, generation, idx, origin, content_hash, "
        "description, created, state, num, den) VALUES (0, ?, 'baseline', 'operator', 'start', 0, "
        "1, '{\"kind\": \"hand-written\", \"level\": 1}', ?, 'first', ?, 'scored', 0, 1)",
        (HAND, _kept(db, content), stamp(0)),
    )
    with _reader(db) as reader:
        count = len(Facts(reader).split.programs)
    passes = pack_some(dict.fromkeys(range(count), Verdict.PASS), count)
    abstains = pack_some(dict.fromkeys(range(5), Verdict.ABSTAIN), count)
    db.execute("INSERT INTO matrix VALUES (?, ?, 0, ?, '{}')", (HAND, _electorate(db), passes))
    db.execute(
        "UPDATE matrix SET planes = ?, reasons = ? WHERE node = ? AND electorate = ?",
        (abstains, json.dumps({"abstained": REASONS}), ABSTAINING, _electorate(db)),
    )


def _electorate(db: sqlite3.Connection) -> str:
    (result,) = db.execute("SELECT result FROM unit WHERE id = 'baseline'").fetchone()
    return str(json.loads(result)["electorate"])


def _reader(db: sqlite3.Connection) -> Reader:
    """A reader of what is written so far."""
    db.commit()
    return Reader(Path(db.execute("PRAGMA database_list").fetchone()[2]))


def _certificate(db: sqlite3.Connection) -> None:
    digest = _kept(db, {"sha256": "c0ffee" * 10, "distinctions": [{}], "pool": ["target-1/1"]})
    db.execute("INSERT INTO text VALUES ('cegar/certificate', ?)", (digest,))


def _poison(db: sqlite3.Connection, rng: random.Random) -> None:
    def text() -> str:
        return rng.choice(HOSTILE).encode("utf-8", "replace").decode()

    for table, column in (("node", "description"), ("verdict", "reason"), ("decision", "reason"),
                          ("verdict", "gate"), ("verdict", "by")):  # fmt: skip
        for (seq,) in db.execute(f"SELECT seq FROM {table}").fetchall():
            # A node has one verdict of a gate.
            value = f"{text()[:2_000]}{seq}"
            db.execute(f"UPDATE {table} SET {column} = ? WHERE seq = ?", (value, seq))
    db.execute("UPDATE unit SET reason = ? WHERE kind = 'target'", (text(),))
    _poison_reasons(db, text)
    classes = _classes(db)
    names = _poison_blobs(db, text)
    _renamed(db, classes, names)
    with _reader(db) as reader:
        electorate = electorate_of(training_split(reader))
    replaced = "UPDATE matrix SET electorate = replace(electorate, ?, ?)"
    db.execute(replaced, (_electorate(db), electorate))


def _classes(db: sqlite3.Connection) -> dict[str, BlindSpot]:
    """The targets' classes by their keys."""
    with _reader(db) as reader:
        facts, found = Facts(reader), dict[str, BlindSpot]()
        for unit, key in reader.rows("SELECT unit, json_extract(origin, '$.target') FROM node"):
            spot = facts.target(key, _before(unit), frozenset()) if key else None
            found |= {key: spot} if spot is not None else {}
    return found


def _poison_reasons(db: sqlite3.Connection, text: Callable[[], str]) -> None:
    for node, shard, electorate, reasons in db.execute(
        "SELECT node, shard, electorate, reasons FROM matrix"
    ).fetchall():
        told = json.loads(reasons)
        for part in ("details", "abstained"):
            told |= {part: dict.fromkeys(told[part], text())} if part in told else {}
        db.execute(
            "UPDATE matrix SET reasons = ? WHERE node = ? AND shard = ? AND electorate = ?",
            (json.dumps(told), node, shard, electorate),
        )


def _poison_blobs(db: sqlite3.Connection, text: Callable[[], str]) -> dict[str, str]:
    """Sources, rationales, prompts, candidates, tasks' names; gives the new names by the old."""
    names: dict[str, str] = {}
    for table in ("node", "item"):
        for key, digest in db.execute(f"SELECT id, content_hash FROM {table}").fetchall():
            codec, data = db.execute(
                "SELECT codec, data FROM blob WHERE hash = ?", (digest,)
            ).fetchone()
            value = json.loads(unpack(codec, data))
            for name in ("name", "rationale", "source", "prompt"):
                value |= {name: f"{text()}\n{value[name]}"} if name in value else {}
            if "samples" in value:
                value["samples"] = [f"# {text()}\n{code}" for code in value["samples"]]
                names[key] = f"{text()[:300]} {key}"
            db.execute(
                f"UPDATE {table} SET id = ?, content_hash = ? WHERE id = ?",
                (names.get(key, key), _kept(db, value), key),
            )
    return names


def _renamed(
    db: sqlite3.Connection, classes: Mapping[str, BlindSpot], names: Mapping[str, str]
) -> None:
    """Pairs and classes name the tasks by their new names."""

    def member(old: Member) -> Member:
        return Member(names[old.task], old.sample)

    keys = {
        key: BlindSpot(
            spot.signature, *(tuple(map(member, m)) for m in (spot.correct, spot.incorrect))
        )
        for key, spot in classes.items()
    }
    for node, text in db.execute("SELECT id, origin FROM node WHERE kind = 'operator'").fetchall():
        origin = json.loads(text)
        if "pair" in origin:
            places = [name.rpartition("#") for name in origin["pair"]]
            origin["pair"] = [f"{names[task]}#{place}" for task, _, place in places]
            origin["target"] = keys[origin["target"]].key
            db.execute("UPDATE node SET origin = ? WHERE id = ?", (json.dumps(origin), node))
    for seq, text in db.execute("SELECT seq, considered FROM decision").fetchall():
        for old, new in keys.items():
            text = text.replace(old, new.key)
        db.execute("UPDATE decision SET considered = ? WHERE seq = ?", (text, seq))


def _before(unit: str) -> list[str]:
    return {"target-1": [], "target-2": ["target-1/1"]}.get(unit, ["target-1/1", "target-2/2"])

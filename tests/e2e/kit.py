"""Real runs for the tests: a model server in a thread, engines as processes, their files read."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evoscope.engine.config import RunConfig
from evoscope.engine.heartbeat import read_heartbeat
from evoscope.engine.run import new_run
from evoscope.engine.verify import digest
from tests.servers.llm_faults import Rule
from tests.servers.llm_responders import OfflineResponder, Responder
from tests.servers.llm_server import LlmServer, Seen

ROUTER_KEY, CLAUDE_KEY = "sk-or-v1-planted-5d41402abc4b", "sk-ant-api03-planted-7d793037a076"
KEYS = {"OPENROUTER_API_KEY": ROUTER_KEY, "ANTHROPIC_API_KEY": CLAUDE_KEY}
PROFILE_SEED = 1000
WAIT_S = 60.0


class ServerThread:
    """An `LlmServer` on a loop of its own; its counters may be read from the test's thread."""

    def __init__(
        self, rules: Sequence[Rule] = (), responder: Responder | None = None, seed: int = 0
    ) -> None:
        responder = responder or OfflineResponder(0.3, PROFILE_SEED)
        self.server = LlmServer(rules, responder, seed=seed)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> LlmServer:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.server.start(), self._loop).result(30)
        return self.server

    def __exit__(self, *exc: object) -> None:
        asyncio.run_coroutine_threadsafe(self.server.stop(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()


def wire_config(server: LlmServer, **changes: Any) -> RunConfig:
    """A small run whose every model is asked over the chat wire; seeds make its answers the same
    in any order. Keys of `changes` with dots reach into it."""
    model = {"provider": "wire", "seed": PROFILE_SEED}
    value: dict[str, Any] = {
        "search": "harden",
        "benchmark": {"kind": "pubmedqa", "sample": 2},
        "providers": {
            "wire": {
                "kind": "chat_completions",
                "dialect": "openrouter",
                "base_url": f"{server.url}/v1",
                "limits": {"concurrency": 16},
            }
        },
        "models": {
            "task": {**model, "model": "qwen/reader", "temperature": 1.0},
            "analysis": {**model, "model": "qwen/analyst"},
            "mutation": {**model, "model": "qwen/mutator"},
            "gates": {**model, "model": "qwen/auditor"},
        },
        "harden": {"generations": 2, "offspring": 4, "survivors": 2, "rollouts": 5, "shards": 1},
    }
    for key, change in changes.items():
        *path, last = key.split(".")
        place = value
        for name in path:
            place = place.setdefault(name, {})
        place[last] = change
    return RunConfig.model_validate(value)


def offline_config(**changes: Any) -> RunConfig:
    """The same small run with the embedded models: no server, no key."""
    models = {"task": "reader", "analysis": "analyst", "mutation": "mutator", "gates": "auditor"}
    value: dict[str, Any] = {
        "search": "harden",
        "benchmark": {"kind": "pubmedqa", "sample": 2},
        "providers": {"offline": {"kind": "offline", "careless": 0.3}},
        "models": {role: {"provider": "offline", "model": name} for role, name in models.items()},
        "harden": {"generations": 2, "offspring": 4, "survivors": 2, "rollouts": 5, "shards": 1},
    }
    for key, change in changes.items():
        *path, last = key.split(".")
        place = value
        for name in path:
            place = place.setdefault(name, {})
        place[last] = change
    return RunConfig.model_validate(value)


@dataclass
class Run:
    """One run's file and the engines that work on it."""

    path: Path
    config: RunConfig
    engines: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    before: Sequence[str] = ()

    def make(self) -> "Run":
        """Write the run's file."""
        new_run(self.path, self.config)
        return self

    def begin(self) -> "subprocess.Popen[bytes]":
        """Start an engine in the foreground of its own process."""
        command = [*self.before, sys.executable, "-m", "evoscope.cli.main", "_engine"]
        log = self.path.with_name(f"{self.path.name}.d") / "out.txt"
        log.parent.mkdir(exist_ok=True)
        with log.open("ab") as out:
            engine = subprocess.Popen(
                [*command, str(self.path)],
                env={**os.environ, **KEYS},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.engines.append(engine)
        return engine

    def finish(self) -> int:
        """Run an engine to its end; its exit code."""
        return self.begin().wait(WAIT_S)

    def kill(self) -> None:
        """`kill -9` of the newest engine."""
        self.engines[-1].send_signal(signal.SIGKILL)
        self.engines[-1].wait()

    def end(self) -> None:
        """End what a failed test left running, an engine that a command started included."""
        beat = read_heartbeat(self.path)
        if beat is not None and beat.alive():
            os.kill(beat.pid, signal.SIGKILL)
        for engine in self.engines:
            if engine.poll() is None:
                engine.kill()
                engine.wait()

    def digest(self) -> str:
        """The digest of the run's facts."""
        return digest(self.path)

    def query(self, sql: str, *values: object) -> list[Any]:
        """Rows of the file, read as any reader would."""
        with closing(sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True, timeout=10)) as db:
            return db.execute(sql, values).fetchall()

    def meta(self, key: str) -> str:
        """One value of the run's meta table."""
        rows = self.query("SELECT value FROM meta WHERE key = ?", key)
        return str(rows[0][0]) if rows else ""

    def count(self, table: str) -> int:
        """How many rows a table has (with what follows its name in SQL)."""
        return int(self.query(f"SELECT count(*) FROM {table}")[0][0])

    def wait_state(self, *states: str) -> str:
        """Until the file says one of these states; the reason that stands beside it."""
        wait_until(lambda: self.meta("state") in states, f"state {states}")
        return self.meta("reason")

    def cli(self, *words: object, before: Sequence[str] = ()) -> "Answer":
        """Run a command of the command line in its own process."""
        done = subprocess.run(
            [*before, sys.executable, "-m", "evoscope.cli.main", *map(str, words)],
            env={**os.environ, **KEYS, "EVOSCOPE_RUNS": str(self.path.parent)},
            capture_output=True,
            text=True,
            timeout=WAIT_S,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def adopted(self) -> None:
        """Wait until an engine that a command started is gone."""
        beat = read_heartbeat(self.path)
        assert beat is not None
        wait_until(lambda: not (b := read_heartbeat(self.path)) or not b.alive(), "engine's end")


@dataclass(frozen=True)
class Answer:
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


def wait_until(holds: Callable[[], object], what: str, timeout_s: float = WAIT_S) -> None:
    """Poll until it holds; fails with `what` after the time."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, f"waited {timeout_s:g} s for {what}"
        time.sleep(0.005)


def export_files(run: Run, folder: Path) -> dict[str, bytes]:
    """What `evoscope export` writes, by name."""
    answer = run.cli("export", run.path, "-o", folder)
    assert answer.code == 0, answer.err
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def question(seen: Seen) -> tuple[str, int]:
    """What a request over the chat wire asked: the last message's text, and its seed."""
    return str(seen.body["messages"][-1]["content"]), int(seen.body.get("seed", 0))


def asked(run: Run, slots: Iterable[str]) -> list[tuple[str, int]]:
    """What the recorded calls of these slots asked, in the form of `question`."""
    from evoscope.engine.store.reader import Reader

    found = []
    with Reader(run.path) as reader:
        for slot in slots:
            row = reader.row("SELECT request_blob FROM call WHERE slot = ?", (slot,))
            assert row is not None
            body = json.loads(reader.blob(row[0]))
            found.append((body["messages"][-1][1], int(body["params"].get("seed", 0))))
    return found


def unlisted(run: Run, server: LlmServer) -> Counter[tuple[str, int]]:
    """Requests that came more often than their call was completed, less what the file lists."""
    slots = run.query("SELECT slot FROM call WHERE status IN ('completed', 'failed')")
    ambiguous = run.query("SELECT slot FROM attempt WHERE outcome = 'ambiguous'")
    extra = Counter(question(seen) for seen in server.requests)
    extra -= Counter(asked(run, [slot for (slot,) in slots]))
    return extra - Counter(asked(run, [slot for (slot,) in ambiguous]))

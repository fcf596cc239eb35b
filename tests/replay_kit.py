"""Runs any search on virtual time, in any order, with stops and vetoes anywhere; compares digests.

The engine's own parts do the work: session, store, calls. Only the provider is the kit's: it
answers from a hash of the request after a seeded delay, so that every seed is another order of
completion.
"""

import asyncio
import hashlib
import json
import random
import shutil
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiosqlite

from evoscope.engine.calls.prices import Prices
from evoscope.engine.config import ProviderSettings
from evoscope.engine.context import Context
from evoscope.engine.errors import ErrorClass, ProviderError
from evoscope.engine.executor import Executor
from evoscope.engine.model.llm import Completion, Finish, RawReply, Request
from evoscope.engine.providers.base import Provider
from evoscope.engine.session import End, Session, Setup
from evoscope.engine.store.database import create
from evoscope.engine.store.lock import side_folder
from evoscope.engine.store.memory import read_only
from evoscope.engine.store.writer import Writer
from evoscope.engine.verify import Verification, digest, verify
from tests.virtual_time import VirtualTimeLoop

Search = Callable[[Context], Awaitable[None]]


class HashProvider:
    """Answers with a hash of the request; each request takes a seeded time."""

    def __init__(self, name: str, seed: int, faults: float = 0.0, free: bool = False) -> None:
        self.name, self.free = name, free
        self._random, self._faults = random.Random(seed), faults
        self.sent: list[str] = []

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        self.sent.append(f"{request.role}|{request.messages[0].text}|{request.sample}")
        await asyncio.sleep(self._random.random())
        if self._random.random() < self._faults:
            raise ProviderError(ErrorClass.TRANSIENT, "dialled fault", status=500, maybe_paid=True)
        name = f"{request.role}|{request.messages[0].text}|{request.sample}"
        return RawReply(hashlib.sha256(name.encode()).hexdigest().encode())

    def parse(self, reply: RawReply, request: Request) -> Completion:
        return Completion(reply.body.decode(), Finish.STOP)

    def estimate_input_tokens(self, request: Request) -> int:
        return 10

    async def aclose(self) -> None:
        return None


@dataclass
class Life:
    """One life of an engine: what to do to it."""

    stop_after: int | None = None
    """Lose the power right after this many commits."""
    commands: Sequence[tuple[int, dict[str, Any]]] = ()
    """(after how many commits, command) pairs, dropped into the inbox."""


@dataclass
class Kit:
    """A search, and how to build what it calls from a seed."""

    search: Callable[[], Search]
    folder: Path
    providers: Callable[[int], dict[str, Provider]]
    parallel: int = 3
    concurrency: int = 8
    executor: Callable[[], Executor] | None = None
    commits: int = field(default=0, init=False)
    """Commits of the last life."""

    def file(self, name: str) -> Path:
        """A new run file."""
        path = self.folder / f"{name}.evo"
        shutil.rmtree(side_folder(path), ignore_errors=True)
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        create(path)
        return path

    def live(self, path: Path, seed: int, life: Life | None = None) -> End | None:
        """One life; None if it lost its power."""
        loop = VirtualTimeLoop()
        asyncio.set_event_loop(None)
        power = Power(loop, life or Life(), path)
        try:
            return loop.run_until_complete(self._live(path, seed, power))
        finally:
            self.commits = power.commits
            power.off(loop)

    async def _live(self, path: Path, seed: int, power: "Power") -> End | None:
        providers = self.providers(seed)
        settings = ProviderSettings.model_validate(
            {
                "kind": "offline",
                "limits": {"concurrency": self.concurrency},
                "call_deadline_s": 60,
                "pause_after_failures": 1_000_000,
            }
        )
        accounts = dict.fromkeys(providers, settings)
        prices = Prices({}, accounts)
        setup = Setup(
            self.search(), 42, self.parallel, providers, accounts, prices, executor=self.executor
        )
        session = Session(path, setup)
        power.session = session
        alive = asyncio.ensure_future(self._whole_life(session, power))
        lost = asyncio.ensure_future(power.lost.wait())
        await asyncio.wait([alive, lost], return_when=asyncio.FIRST_COMPLETED)
        if power.lost.is_set():
            return None
        lost.cancel()
        return alive.result()

    async def _whole_life(self, session: Session, power: "Power") -> End:
        await session.open()
        power.attach(session.writer)
        end = await session.run()
        await session.close()
        return end

    def finish(self, path: Path, seed: int) -> End:
        """Live until the end."""
        end = self.live(path, seed)
        assert end is not None
        return end

    def digest(self, path: Path) -> str:
        """The digest of the file."""
        return digest(path)

    def verify(self, path: Path) -> Verification:
        """Verify the file, with no provider that could be asked."""
        return asyncio.run(verify(path, 42, self.search(), self.providers(0)))

    def ambiguous(self, path: Path) -> int:
        """Attempts that a crash left open."""
        with closing(read_only(path)) as db:
            sql = "SELECT count(*) FROM attempt WHERE outcome = 'ambiguous'"
            (count,) = db.execute(sql).fetchone()
        return int(count)

    def promoted(self, path: Path) -> list[str]:
        """What the last promotion of each unit chose."""
        with closing(read_only(path)) as db:
            rows = db.execute(
                "SELECT unit, chosen FROM decision WHERE kind = 'promote' ORDER BY seq"
            ).fetchall()
        return [node for chosen in dict(rows).values() for node in json.loads(chosen)]

    def copy(self, path: Path, name: str) -> Path:
        """A copy of the file under another name."""
        target = path.with_name(f"{name}.evo")
        shutil.copy(path, target)
        return target

    def command(self, path: Path, command: dict[str, Any]) -> None:
        """Drop a command for the next life."""
        drop(path, command)


class Power:
    """Counts commits, drops commands between them, and cuts the power."""

    def __init__(self, loop: VirtualTimeLoop, life: Life, path: Path) -> None:
        self.loop, self.life, self.path = loop, life, path
        self.lost = asyncio.Event()
        self.session: Session | None = None
        self.commits = 0
        self._connections: list[Any] = []
        self._unpatch = watch_threads(loop, self._connections)

    def attach(self, writer: Writer) -> None:
        """Watch this writer's commits."""
        inner, db = writer._apply, writer._db

        async def at_once(epoch: int, writes: list[Any]) -> None:
            # Virtual time cannot tell a thread's commit from one made here, and this one is faster.
            db._transaction(epoch, writes)

        db.apply = at_once  # type: ignore[method-assign]

        async def apply(writes: list[Any]) -> None:
            if self.lost.is_set():
                await asyncio.get_running_loop().create_future()
            await inner(writes)
            self.commits += 1
            for after, command in self.life.commands:
                if after == self.commits:
                    drop(self.path, command)
            if self.commits == self.life.stop_after:
                self.lost.set()
                await asyncio.get_running_loop().create_future()

        writer._apply = apply  # type: ignore[method-assign]

    def off(self, loop: VirtualTimeLoop) -> None:
        """End the loop's leftovers as a power cut would: nothing more is written."""
        self.lost.set()
        loop.run_until_complete(_wind_down())
        for connection in self._connections:
            connection.stop()
            connection._thread.join()
        if self.session is not None and hasattr(self.session, "lock"):
            self.session.lock.release()
        self._unpatch()
        loop.close()


async def _wind_down() -> None:
    """Cancel until nothing is left: what a task does in its last breath reaches no disk."""
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        for task in others:
            task.cancel()
        await asyncio.sleep(0)


def drop(path: Path, command: dict[str, Any]) -> None:
    """Put a command into the inbox."""
    full = {"author": "kit@test", "time": "2026-01-01T00:00:00Z", "reason": "kit", "args": {}}
    full |= command
    inbox = side_folder(path) / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / f"{full['id']}.json").write_text(json.dumps(full))


def watch_threads(loop: VirtualTimeLoop, connections: list[Any]) -> Callable[[], None]:
    """Let the clock stand still while a database thread works."""
    names = ("_execute", "_connect", "close")
    originals = {name: getattr(aiosqlite.Connection, name) for name in names}

    def held(inner: Any) -> Any:
        async def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            if self not in connections:
                connections.append(self)
            with loop.outside():
                return await inner(self, *args, **kwargs)

        return call

    for name, inner in originals.items():
        setattr(aiosqlite.Connection, name, held(inner))

    def undo() -> None:
        for name, inner in originals.items():
            setattr(aiosqlite.Connection, name, inner)

    return undo

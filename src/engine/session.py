"""One life of an engine on one run file: open, recover, search, end.

Knows no process, signal or terminal (`run.py` does), so that tests can run hundreds of lives on
an event loop with virtual time.
"""

import asyncio
import json
import logging
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from .actions import Actions
from .calls.budget import Budget
from .calls.buyer import Buyer
from .calls.prices import Prices
from .calls.state import Trouble
from .clock import utc_now
from .commands import Book, Inbox
from .config import Price, ProviderSettings
from .context import Context
from .errors import EvoscopeError
from .executor import Executor, SandboxExecutor, accepted
from .ledger import StoreLedger
from .pause import Pause
from .providers.base import Provider
from .recovery import NOTHING_IN_FLIGHT, ambiguous_writes, past, past_outputs
from .run_files import run_name
from .runtime import Runtime
from .served import ServedModels
from .store.database import claim
from .store.lock import RunLock, side_folder
from .store.memory import UnitMemory, load_unit, read_only
from .store.rows import clean, event_write, meta_write
from .store.writer import Write, Writer
from .units import UnitBoard

log = logging.getLogger(__name__)
TICK_S = 0.25
DRAIN_S = 20.0


@dataclass(frozen=True, slots=True)
class Setup:
    """What a session needs besides the file: the search and what it calls."""

    search: Callable[[Context], Awaitable[None]]
    seed: int
    parallel_cases: int
    providers: Mapping[str, Provider]
    provider_settings: Mapping[str, ProviderSettings]
    prices: Prices
    budget: Decimal | None = None
    workers: int = 2
    executor: Callable[[], Executor] | None = None
    """Runs code; the sandbox where it is None."""


@dataclass(frozen=True, slots=True)
class End:
    """How a session ended: state and exit code, with the reason."""

    state: Literal["finished", "stopped", "failed"]
    reason: str

    @property
    def exit_code(self) -> int:
        """0 finished, 1 failed, 3 stopped before the end."""
        return {"finished": 0, "failed": 1, "stopped": 3}[self.state]


class Session:
    """Owns the run's file from `open` to `close`."""

    def __init__(self, path: Path, setup: Setup) -> None:
        self.path, self.setup = path, setup
        self.pause = Pause(self._paused)
        self.state = "starting"
        self.on_state: Callable[[str, str], None] = lambda state, reason: None
        self._stop: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._memories: dict[str, UnitMemory] = {}
        self._unwritten = ""

    async def open(self) -> None:
        """Take the file over; raises StoreError where that cannot be."""
        self.lock = RunLock.take(self.path)
        try:
            self.writer = await Writer.open(self.path, claim(self.path), self.storage_trouble)
        except BaseException:
            self.lock.release()
            raise
        meta = self._meta()
        await self.writer.commit(*ambiguous_writes(self.path))
        self.book = Book.load(self.path)
        self.board = UnitBoard(
            self.writer,
            int(meta.get("set:parallel_cases", self.setup.parallel_cases)),
            UnitBoard.load(self.path),
        )
        self._memories[""] = load_unit(self.path, "")
        self._build_calls(meta)
        self._build_runtime(meta)
        self._restore_pause(meta)
        await self.inbox.take()  # a resume that waits there lifts the pause before anybody sees it
        await self._set_state("paused" if self.pause.held else "running", self.pause.reason)

    def _build_calls(self, meta: Mapping[str, str]) -> None:
        spent = past(self.path)
        self.budget = Budget(budget_now(meta, self.setup.budget))
        self.budget.restore(spent.settled, spent.maybe_paid, spent.unknown)
        self.ledger = StoreLedger(self.writer, self._memories)
        self.buyer = Buyer(
            self.setup.providers,
            self.setup.provider_settings,
            self.setup.prices,
            self.budget,
            self.ledger,
            self.setup.seed,
            self._trouble,
        )
        for (role, model), outputs in past_outputs(self.path).items():
            self.buyer.estimator.observe(role, model, reversed(outputs))

    def _build_executor(self, meta: Mapping[str, str]) -> Executor:
        """The sandbox's level, kernel and Python stand in the file once it has been opened."""
        if self.setup.executor is not None:
            return self.setup.executor()
        cache = self.path.with_name(f"{run_name(self.path)}.cache")
        return SandboxExecutor(
            cache,
            self.setup.workers,
            lambda found: self.writer.later(*meta_write({"sandbox": json.dumps(found)})),
            accepted(meta),
        )

    def _build_runtime(self, meta: Mapping[str, str]) -> None:
        self.executor = self._build_executor(meta)
        self.runtime = Runtime(
            path=self.path,
            seed=self.setup.seed,
            writer=self.writer,
            board=self.board,
            book=self.book,
            pause=self.pause,
            providers=self.setup.providers,
            buy=self.buyer.buy,
            memories=self._memories,
            served=ServedModels(self.writer, meta, self.pause.hold),
            executor=self.executor,
        )
        actions = Actions(
            self.path, self.book, self.board, self.pause, self, self._hold_now, self.stop
        )
        self.inbox = Inbox(side_folder(self.path) / "inbox", self.writer, self.book, actions)

    async def run(self) -> End:
        """Search until the end, a stop, or a failure; the file tells the outcome too."""
        control = asyncio.create_task(self._control(), name="control")
        search = asyncio.create_task(self._search(), name="search")
        try:
            waiting: list[asyncio.Future[Any]] = [control, search, self._stop]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            end = await self._outcome(control, search)
        finally:
            for task in (control, search):
                task.cancel()
            await asyncio.gather(control, search, return_exceptions=True)
        await self._say_end(end)
        return end

    async def _say_end(self, end: End) -> None:
        """Put the end into the file, unless the file cannot be written.

        Nothing is in flight any more, so that no call is left for the next engine to doubt.
        """
        if not (self.writer.alive and self.writer.healthy):
            return
        self.writer.later(Write(NOTHING_IN_FLIGHT, ()))
        try:
            async with asyncio.timeout(DRAIN_S):
                await self._set_state(end.state, end.reason)
        except TimeoutError:
            log.error("the end (%s) could not be written", end.state)

    async def _outcome(self, control: asyncio.Task[None], search: asyncio.Task[None]) -> End:
        for task in (search, control):
            if task.done() and (error := task.exception()) is not None:
                return self._failed(error)
        if search.done():
            return self._finished()
        reason = self._stop.result()
        self._note_state("stopping", reason)
        await self._drain()
        return End("stopped", reason)

    def _finished(self) -> End:
        parked = self.board.parked()
        if parked:
            names = ", ".join(parked[:5]) + (" ..." if len(parked) > 5 else "")
            return End("stopped", f"{len(parked)} parked: {names}; `evoscope retry` reopens them")
        return End("finished", "")

    def _failed(self, error: BaseException) -> End:
        if not isinstance(error, EvoscopeError):
            log.error("the engine failed", exc_info=error)
            frames = "".join(traceback.format_tb(error.__traceback__))
            if self.writer.alive:
                self.writer.later(*meta_write({"traceback": clean(frames)}))
            return End("failed", f"{type(error).__name__}: {error}")
        return End("failed", str(error))

    async def _search(self) -> None:
        """Run the search, again for units that a command reopened while it was ending."""
        while True:
            await self.setup.search(self.runtime)
            await self.inbox.take()
            if not self.board.counts().get("open"):
                return

    async def _control(self) -> None:
        while True:
            await self.inbox.take()
            if self.state == "pausing" and self.buyer.snapshot().in_flight == 0:
                await self._set_state("paused", self.pause.reason)
                await self.writer.checkpoint()
            await asyncio.sleep(TICK_S)

    async def _drain(self) -> None:
        self.buyer.hold()
        left = await self.buyer.drain(DRAIN_S if self.writer.healthy else 0)
        if left:
            log.warning("%d calls were still in flight; they are listed as ambiguous", left)

    def stop(self, reason: str) -> None:
        """Ask the session to end; the first reason counts."""
        if not self._stop.done():
            self._stop.set_result(reason)

    async def close(self) -> None:
        """Commit what waits, give the file up."""
        try:
            if hasattr(self, "executor"):
                await self.executor.close()
            await self.writer.close(finished=self.state == "finished")
        finally:
            self.lock.release()

    def _hold_now(self) -> None:
        self.buyer.hold(now=True)

    def _paused(self, reason: str) -> None:
        if not hasattr(self, "buyer"):
            return
        if self.pause.held:
            self.buyer.hold()
            self._note_state("pausing", reason)
        else:
            self.buyer.release()
            self._note_state("running", "")

    def storage_trouble(self, message: str) -> None:
        """Pause because something cannot be written; what waits is kept and tried again."""
        self._unwritten = f"{message}; free space or restore its rights, then `evoscope resume`"
        if not self.pause.held:
            log.error(self._unwritten)
        self.pause.hold(self._unwritten)

    @property
    def trouble(self) -> str:
        """Why the run's file cannot be written now, "" if it can."""
        return "" if self.writer.healthy else self._unwritten

    def _trouble(self, trouble: Trouble) -> None:
        log.error("%s", trouble.message)
        if trouble.pause:
            self.pause.hold(trouble.message)
        else:
            self.on_state(trouble.kind, trouble.message)

    def _note_state(self, state: str, reason: str) -> None:
        self.state = state
        self.writer.later(*self._state_writes(state, reason))

    async def _set_state(self, state: str, reason: str) -> None:
        self.state = state
        await self.writer.commit(*self._state_writes(state, reason))

    def _state_writes(self, state: str, reason: str) -> tuple[Write, ...]:
        self.on_state(state, reason)
        values = {"state": state, "reason": clean(reason), "updated": utc_now()}
        values["paused"] = clean(self.pause.reason) if self.pause.held else ""
        return (*meta_write(values), event_write(state, "meta", "state"))

    def _meta(self) -> dict[str, str]:
        with closing(read_only(self.path)) as db:
            return dict(db.execute("SELECT key, value FROM meta").fetchall())

    def _restore_pause(self, meta: Mapping[str, str]) -> None:
        if meta.get("paused"):
            self.pause.hold(meta["paused"])

    def set_concurrency(self, provider: str | None, value: int) -> None:
        """Retune one provider, or all."""
        for name in [provider] if provider else list(self.setup.providers):
            self.buyer.retune(name, value)

    def set_budget(self, value: Decimal | None) -> None:
        """Another budget in US dollars, None for none."""
        self.budget.set_limit(value)

    def set_price(self, role: str, value: Mapping[str, Any]) -> None:
        """Another price for a role's model, for calls from now on."""
        self.setup.prices.override(role, Price.model_validate(value))


def budget_now(meta: Mapping[str, str], began_with: Decimal | None) -> Decimal | None:
    """A run's budget in US dollars: what a person has set since, else what it began with; None
    where there is no limit."""
    changed = meta.get("set:budget")
    if changed is None:
        return began_with
    return None if changed == "None" else Decimal(changed)

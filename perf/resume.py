"""How long a resumed engine takes to its first new call, with 150,000 recorded calls in the file.

Two files of 200 units x 750 calls: one with 195 units done, one with every unit unfinished (its
last call missing). Measured from opening the file to the first request at the provider; process
start is left out. The ideal beside it only reads the same rows and texts.

Usage: python perf/resume.py [UNITS] [CALLS]
"""

import asyncio
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from fractions import Fraction
from pathlib import Path

from evoscope.engine.calls.prices import Prices
from evoscope.engine.canonical import completion_hash, request_body, request_hash, sha256
from evoscope.engine.config import ProviderSettings
from evoscope.engine.context import Context, UnitSpec
from evoscope.engine.model.core import Rollout, Slot
from evoscope.engine.model.llm import Completion, Finish, Message, Params, RawReply, Request
from evoscope.engine.session import Session, Setup
from evoscope.engine.store.database import create
from evoscope.engine.store.memory import unpack
from evoscope.engine.store.rows import INSERTS, fact_row, hash_only
from evoscope.engine.store.writer import INSERT_BLOB, pack

PROMPTS = 75
"""Different prompts in a unit: ten samples each."""
TEXT = (
    "The table shows, for each year and segment, the amounts that the company has reported. " * 52
)


class Null:
    """Answers at once and notes when it was asked first."""

    name, free = "null", True
    first: float | None = None

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        """A fixed answer."""
        if self.first is None:
            self.first = time.perf_counter()
        return RawReply(reply_of(request.sample))

    def parse(self, reply: RawReply, request: Request) -> Completion:
        """The whole body is the text."""
        return Completion(reply.body.decode(), Finish.STOP)

    def estimate_input_tokens(self, request: Request) -> int:
        """Nothing is estimated."""
        return 0

    async def aclose(self) -> None:
        """Nothing to close."""


def reply_of(sample: int) -> bytes:
    return f"{'The two amounts are linked by the row of the table. ' * 16}Answer: {sample}".encode()


def call(unit: int, number: int) -> tuple[Slot, Request]:
    """The call of a unit and its request."""
    text = f"{TEXT} case {unit}, variant {number % PROMPTS}"
    slot = Slot(f"u{unit}", "rollout", f"u{unit}/i{number % PROMPTS}", number // PROMPTS)
    params = Params(temperature=1.0, max_tokens=16384, logprobs=True)
    return slot, Request("task", "null", "null", (Message("user", text),), params=params,
                         sample=number // PROMPTS)  # fmt: skip


def rollout(slot: Slot) -> Rollout:
    return Rollout(slot.node, slot.unit, "task", slot.unit, slot.number, "graded", Fraction(1),
                   "yes", "yes", slot=slot.key)  # fmt: skip


def build(path: Path, units: int, calls: int, done: int) -> None:
    """A file as the engine would have left it: `done` whole units, the others one call short."""
    create(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("BEGIN")
        for unit in range(units):
            state = "done" if unit < done else "open"
            values = (f"u{unit}", "case", unit, state, "{}" if state == "done" else None)
            sql = "INSERT INTO unit(id, kind, ord, state, result) VALUES (?, ?, ?, ?, ?)"
            db.execute(sql, values)
            for number in range(calls - (state == "open")):
                record(db, *call(unit, number))
        db.execute("COMMIT")


def record(db: sqlite3.Connection, slot: Slot, request: Request) -> None:
    body, reply = request_body(request), reply_of(request.sample)
    body_hash, reply_hash = sha256(body), sha256(reply)
    for digest, data in ((body_hash, body), (reply_hash, reply)):
        db.execute(INSERT_BLOB, pack((digest, data)))
    fact = completion_hash(Completion(reply.decode(), Finish.STOP))
    db.execute(
        "INSERT INTO call(slot, unit, purpose, node, number, role, provider, model, request_hash, "
        "request_blob, status, reply_blob, fact, created) "
        "VALUES (?, ?, ?, ?, ?, 'task', 'null', 'null', ?, ?, 'completed', ?, ?, '')",
        (slot.key, slot.unit, slot.purpose, slot.node, slot.number,
         request_hash(body_hash, request.sample), body_hash, reply_hash, fact),
    )  # fmt: skip
    row = fact_row(rollout(slot), hash_only)
    db.execute(INSERTS["rollout"], row.row)


async def resume(path: Path, units: int, calls: int) -> tuple[float, float]:
    """Seconds to the first new call, and to the end."""
    null = Null()

    async def search(ctx: Context) -> None:
        async def body(spec: UnitSpec) -> None:
            async def one(number: int) -> None:
                slot, request = call(spec.ord, number)
                await ctx.complete(slot, request)
                await ctx.record(rollout(slot))

            await asyncio.gather(*(one(number) for number in range(calls)))
            await ctx.finish_unit(spec.id, {})

        await ctx.run_units([UnitSpec(f"u{k}", "case", k) for k in range(units)], body)

    accounts = {"null": ProviderSettings(kind="offline")}
    setup = Setup(search, 42, 8, {"null": null}, accounts, Prices({}, accounts))
    began = time.perf_counter()
    session = Session(path, setup)
    await session.open()
    end = await session.run()
    assert end.state == "finished", end
    await session.close()
    assert null.first is not None
    return null.first - began, time.perf_counter() - began


def ideal(path: Path, first: int) -> float:
    """Only read and inflate what the unfinished units need."""
    began = time.perf_counter()
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute(
            "SELECT b.codec, b.data FROM call c JOIN unit u ON u.id = c.unit "
            "JOIN blob b ON b.hash = c.reply_blob WHERE u.ord >= ?",
            (first,),
        )
        for codec, data in rows:
            unpack(codec, data)
    return time.perf_counter() - began


def main() -> None:
    units = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    calls = int(sys.argv[2]) if len(sys.argv) > 2 else 750
    for done, wanted in ((units - 5, "first new call within 2 s"), (0, "all within 30 s")):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.evo"
            build(path, units, calls, done)
            size = path.stat().st_size / 1e6
            reading = ideal(path, done)
            first, whole = asyncio.run(resume(path, units, calls))
        print(f"{units * calls:,} calls, {size:.0f} MB, {done} of {units} units done ({wanted}):")
        print(f"  first new call {first:.2f} s, all {whole:.2f} s; only reading {reading:.2f} s, "
              f"ratio {whole / reading:.1f}")  # fmt: skip


if __name__ == "__main__":
    main()

"""How close buying comes to the ideal, and what it costs in processor time.

Calls go through the real buyer, ledger and store (a file in a temporary folder) to a provider
that only sleeps. Prints a line for each setting: elapsed against calls / concurrency x latency
(ratio 1 is ideal), and the processor time of the whole process per call.

Run: python perf/throughput.py
"""

import asyncio
import tempfile
import time
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from evoscope.engine.calls.budget import Budget
from evoscope.engine.calls.buyer import Buyer
from evoscope.engine.calls.prices import Prices
from evoscope.engine.config import Limits, ModelSettings, Price, ProviderSettings
from evoscope.engine.ledger import StoreLedger
from evoscope.engine.model.core import Slot
from evoscope.engine.model.llm import (
    Completion,
    Finish,
    Message,
    Params,
    RawReply,
    Request,
    Usage,
)
from evoscope.engine.store.database import claim, create, initialise
from evoscope.engine.store.memory import UnitMemory
from evoscope.engine.store.writer import Writer

PROMPT = "A prompt of some eight thousand characters, as a contract or a report would be. " * 100
PRICE = Price(input=Decimal(1), output=Decimal(2))


@dataclass
class Sleeper:
    """Answers after `latency_s`; costs money unless it is free."""

    latency_s: float
    free: bool
    name: str = "p"

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        """A small body after the latency."""
        await asyncio.sleep(self.latency_s)
        return RawReply(b"Answer: " + request.messages[0].text[-8:].encode())

    def parse(self, reply: RawReply, request: Request) -> Completion:
        """Some fixed usage."""
        return Completion(reply.body.decode(), Finish.STOP, usage=Usage(input=2000, output=400))

    def estimate_input_tokens(self, request: Request) -> int:
        """A fixed estimate."""
        return 2000

    async def aclose(self) -> None:
        """Nothing to close."""


@dataclass(frozen=True)
class Setting:
    """One line of the table."""

    name: str
    concurrency: int
    latency_s: float
    calls: int
    free: bool = False


SETTINGS = (
    Setting("null provider, free", 64, 0.0, 5000, free=True),
    Setting("null provider, paid", 64, 0.0, 5000),
    Setting("32 x 200 ms", 32, 0.2, 32 * 40),
    Setting("64 x 500 ms", 64, 0.5, 64 * 20),
    Setting("400 x 2 s", 400, 2.0, 400 * 10),
)


async def measure(setting: Setting, folder: Path) -> tuple[float, float, int]:
    """Elapsed and processor seconds, and the number of commits."""
    path = folder / "run.evo"
    create(path)
    initialise(path, {"state": "running"}, {})
    writer = await Writer.open(path, claim(path), print)
    settings = ProviderSettings(
        kind="chat_completions", limits=Limits(concurrency=setting.concurrency)
    )
    units = {slot.unit for slot, _ in map(_call, range(setting.calls))}
    price = Price(input=Decimal(0), output=Decimal(0)) if setting.free else PRICE
    models = {"task": ModelSettings(provider="p", model="m", price=price)}
    buyer = Buyer(
        {"p": Sleeper(setting.latency_s, setting.free)},
        {"p": settings},
        Prices(models, {"p": settings}),
        Budget(Decimal(10_000)),
        StoreLedger(writer, {unit: UnitMemory(unit) for unit in units}),
        1,
        lambda trouble: print(trouble.message),
    )
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        await asyncio.gather(*(buyer.buy(*_call(n)) for n in range(setting.calls)))
        spent = time.perf_counter() - wall, time.process_time() - cpu
    finally:
        await writer.close(finished=True)
    return *spent, writer.commits


def _call(n: int) -> tuple[Slot, Request]:
    prompt = f"{PROMPT}{n // 10:08}"  # ten samples share a prompt, as ten rollouts do
    request = Request(
        "task", "p", "m", (Message("user", prompt),), params=Params(max_tokens=1000), sample=n % 10
    )
    return Slot(f"case{n // 500}", "rollout", f"n{n // 10}", n % 10), request


def main() -> None:
    """Print the table."""
    print(f"{'setting':<22}{'calls':>7}{'s':>8}{'ratio':>7}{'ms CPU/call':>13}{'commits':>9}")
    for setting in SETTINGS:
        with tempfile.TemporaryDirectory() as folder:
            wall, cpu, commits = asyncio.run(measure(setting, Path(folder)))
        ideal = setting.calls / setting.concurrency * setting.latency_s
        ratio = f"{ideal / wall:.3f}" if ideal else "-"
        per_call = 1000 * cpu / setting.calls
        print(
            f"{setting.name:<22}{setting.calls:>7}{wall:>8.2f}{ratio:>7}{per_call:>13.3f}{commits:>9}"
        )


if __name__ == "__main__":
    main()

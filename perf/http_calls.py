"""CPU time per call over HTTP, as ratios to a bare HTTP client that does the same exchange.

    .venv/bin/python perf/http_calls.py [CALLS] [CONCURRENCY]

Prompts and answers are of 8 kB, chat answers with log-probs; the server runs in its own process.
Layers: the provider alone (classified, parsed, log-probs packed), bought through `calls` with
nothing kept, and bought into a run file. Then 400 requests at once, 1 s of latency each.
"""

import asyncio
import json
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import httpx2

from evoscope.engine.calls.budget import Budget
from evoscope.engine.calls.buyer import Buyer
from evoscope.engine.calls.ledger import AttemptRow
from evoscope.engine.calls.prices import Prices
from evoscope.engine.config import ProviderSettings
from evoscope.engine.ledger import StoreLedger
from evoscope.engine.model.core import Slot
from evoscope.engine.model.llm import Message, Params, Request
from evoscope.engine.providers import params as table
from evoscope.engine.providers.anthropic_request import messages_body
from evoscope.engine.providers.build import build_provider
from evoscope.engine.providers.chat_request import chat_body
from evoscope.engine.providers.http import CONNECTIONS, ClientSet
from evoscope.engine.store.database import claim, create, initialise
from evoscope.engine.store.memory import UnitMemory
from evoscope.engine.store.writer import Writer

SERVER = Path(__file__).resolve().parent.parent / "tests/servers/llm_server.py"
PROMPT = "Read this sentence and judge what it says about the year. " * 140
ANSWER = {"fault": "big", "args": {"bytes": 8192}}
MODELS = {"chat": "qwen/qwen3.5-35b-a3b", "anthropic": "claude-opus-4-8"}
WARM_UP = 100

Call = Callable[[int], Awaitable[object]]


@dataclass(frozen=True)
class Cost:
    """What one layer took: CPU milliseconds per call, and calls per second of wall time."""

    name: str
    cpu_ms: float
    rate: float


class NoLedger:
    """Keeps nothing, so that buying is measured alone."""

    async def intend(self, *row: object) -> None:
        """Nothing."""

    def sent(self, slot: Slot) -> None:
        """Nothing."""

    def attempt(self, slot: Slot, row: AttemptRow) -> None:
        """Fail loudly: a measurement with retries is none."""
        if row.outcome != "completed":
            raise RuntimeError(row.message)

    async def settle(self, *row: object) -> None:
        """Nothing."""

    async def fail(self, *row: object) -> None:
        """Fail loudly."""
        raise RuntimeError(row)

    def leave_open(self, slot: Slot, message: str) -> None:
        """Fail loudly."""
        raise RuntimeError(message)


@asynccontextmanager
async def server(rules: list[dict[str, Any]]) -> AsyncIterator[str]:
    """The base URL of a server process that caches its answers."""
    script = json.dumps({"rules": rules, "cache": True, "record": False})
    command = [sys.executable, str(SERVER), "--port", "0", "--script", script]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(await process.stdout.readline())}"
    finally:
        process.send_signal(signal.SIGKILL)
        await process.communicate()


async def measure(name: str, call: Call, calls: int, concurrency: int) -> Cost:
    """Run `calls` calls, at most `concurrency` at once, after a warm-up."""
    await spread(call, min(WARM_UP, calls), concurrency)
    cpu, wall = time.process_time(), time.perf_counter()
    await spread(call, calls, concurrency)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Cost(name, 1000 * cpu / calls, calls / wall)


async def spread(call: Call, calls: int, concurrency: int) -> None:
    """Workers that take the next number until none is left."""
    numbers = iter(range(calls))

    async def work() -> None:
        for number in numbers:
            await call(number)

    await asyncio.gather(*(work() for _ in range(concurrency)))


def request_for(wire: str) -> Request:
    """The paper's task profile on the chat wire, a plain gate call on Anthropic's."""
    chat = Params(temperature=1.0, top_p=0.95, max_tokens=16384, logprobs=True)
    params = chat if wire == "chat" else Params(reasoning="adaptive", max_tokens=16384)
    return Request("task", wire, MODELS[wire], (Message("user", PROMPT),), params=params)


def settings_for(wire: str, base: str, concurrency: int) -> ProviderSettings:
    """Where the measured server is."""
    limits = {"concurrency": concurrency, "adaptive": False}
    if wire == "anthropic":
        return ProviderSettings.model_validate(
            {"kind": "anthropic", "base_url": base, "limits": limits}
        )
    return ProviderSettings.model_validate(
        {"kind": "chat_completions", "base_url": f"{base}/v1", "dialect": "vllm", "limits": limits}
    )


def bare(wire: str, base: str) -> tuple[ClientSet[Any], Call]:
    """Clients of at most 16 connections that post the same body and read the JSON."""
    request, library = request_for(wire), httpx if wire == "chat" else httpx2
    limits = library.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)

    def make() -> Any:
        return library.AsyncClient(limits=limits, timeout=60, trust_env=False)

    clients: ClientSet[Any] = ClientSet(make, library.AsyncClient.aclose)
    if wire == "chat":
        report = table.report("vllm", request.model, request.params)
        body, url = chat_body(request, "vllm", report), f"{base}/v1/chat/completions"
    else:
        report = table.report("anthropic", request.model, request.params)
        body, url = messages_body(request, report), f"{base}/v1/messages"

    async def call(number: int) -> None:
        with clients.lease() as client:
            response = await client.post(url, json=body)
        response.json()

    return clients, call


def buyer(wire: str, settings: ProviderSettings, provider: Any, ledger: Any) -> Buyer:
    """A buyer without a budget."""
    prices = Prices({}, {wire: settings})
    return Buyer({wire: provider}, {wire: settings}, prices, Budget(), ledger, 0, print)


async def layers(wire: str, base: str, calls: int, concurrency: int) -> list[Cost]:
    """The bare client first, then each layer on top of it."""
    request, settings = request_for(wire), settings_for(wire, base, concurrency)
    environ = {"ANTHROPIC_API_KEY": "sk-perf-0000"}

    async def run(name: str, call: Call) -> Cost:
        return await measure(name, call, calls, concurrency)

    clients, plain = bare(wire, base)
    costs = [await run("bare client", plain)]
    await clients.aclose()
    provider = build_provider(wire, settings, environ)

    async def send(number: int) -> None:
        provider.parse(await provider.send(request, 60), request)

    costs.append(await run("provider", send))
    bought = buyer(wire, settings, provider, NoLedger())
    turns = iter(range(10**9))

    def slot() -> Slot:
        return Slot("unit", "rollout", "node", next(turns))

    async def buy(number: int) -> None:
        await bought.buy(slot(), request)

    costs.append(await run("bought, nothing kept", buy))
    async with kept() as ledger:
        keeping = buyer(wire, settings, provider, ledger)

        async def keep(number: int) -> None:
            await keeping.buy(slot(), request)

        costs.append(await run("bought into a file", keep))
    await provider.aclose()
    return costs


@asynccontextmanager
async def kept() -> AsyncIterator[StoreLedger]:
    """The ledger of a run file in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "perf.evo"
        create(path)
        initialise(path, {}, {})
        writer = await Writer.open(path, claim(path), print)
        try:
            yield StoreLedger(writer, {"unit": UnitMemory("unit")})
        finally:
            await writer.close()


def show(title: str, costs: list[Cost]) -> None:
    """A table with each layer's ratio to the first."""
    print(f"\n{title}")
    for cost in costs:
        ratio = cost.cpu_ms / costs[0].cpu_ms
        print(
            f"  {cost.name:<22} {cost.cpu_ms:6.2f} ms CPU   x{ratio:4.2f} {cost.rate:8.0f} calls/s"
        )


async def main(calls: int, concurrency: int) -> None:
    """Measure both wires, then 400 at once."""
    async with server([ANSWER]) as base:
        for wire in ("chat", "anthropic"):
            costs = await layers(wire, base, calls, concurrency)
            show(f"{wire}: {calls} calls, {concurrency} at once, no latency", costs)
    async with server([ANSWER, {"fault": "delay", "args": {"seconds": 1.0}}]) as base:
        for wire in ("chat", "anthropic"):
            costs = await layers(wire, base, 800, 400)
            show(f"{wire}: 800 calls, 400 at once, 1 s latency (ideal 400 calls/s)", costs)


if __name__ == "__main__":
    numbers = [int(each) for each in sys.argv[1:]]
    asyncio.run(main(*(numbers + [400, 32][len(numbers) :])))

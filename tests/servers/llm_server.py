"""A model server that speaks both wire formats and fails on demand.

In a test: `async with LlmServer(rules=[Rule("overloaded", nth=(1,))]) as server: server.url`.
As its own process, which prints its port and runs until it is killed:

    python tests/servers/llm_server.py --port 0 --script '{"rules": [{"fault": "drop", "nth": 1}]}'

A script (JSON, or the path of a file) may hold rules, seed (of the faults), responder (digest, or
offline with careless and profile_seed), cache (one body per prompt, for benchmarks) and record.
What is answered depends on the body and how often it has come, so that runs can be repeated.
"""

import argparse
import asyncio
import json
import random
import ssl
import sys
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    sys.path.remove(str(Path(__file__).resolve().parent))

from aiohttp import web

from tests.servers.llm_draft import Draft, Wire, canonical, prompt_text, reply_body
from tests.servers.llm_faults import CHANGES, ENDINGS, TRANSPORT, Rule, rule
from tests.servers.llm_responders import Responder, digest_responder, respond, responder_named

KEPT_REQUESTS = 20_000
LARGEST_REQUEST = 64 * 1024 * 1024


@dataclass(frozen=True)
class Seen:
    """One request as it came."""

    wire: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    number: int
    occurrence: int


@dataclass
class Stats:
    """Counters since the start."""

    seen: int = 0
    completed: int = 0
    in_flight: int = 0
    peak: int = 0
    faults: int = 0


class LlmServer:
    """The server. `requests` and `stats` may be read at any time, `rules` replaced."""

    def __init__(
        self,
        rules: Sequence[Rule] = (),
        responder: Responder = digest_responder,
        *,
        seed: int = 0,
        cache: bool = False,
        record: bool = True,
    ) -> None:
        self.rules = list(rules)
        self.requests: deque[Seen] = deque(maxlen=KEPT_REQUESTS)
        self.stats = Stats()
        self.port = 0
        self._responder, self._seed, self._record = responder, seed, record
        self._cache: dict[bytes, bytes] | None = {} if cache else None
        self._occurrences: Counter[bytes] = Counter()
        self._fired: Counter[int] = Counter()
        self._closing = asyncio.Event()
        self._held: dict[int, asyncio.Event] = {}
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """Base URL for the Anthropic wire; the chat wire's is `url` + "/v1"."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def last(self) -> Seen:
        """The newest request."""
        return self.requests[-1]

    async def start(self, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        """Listen on 127.0.0.1; port 0 takes a free one; over TLS with a context."""
        app = web.Application(client_max_size=LARGEST_REQUEST)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_post("/v1/messages/count_tokens", self._count_tokens)
        app.router.add_get("/_stats", self._stats)
        app.router.add_get("/_requests", self._requests)
        app.router.add_post("/_rules", self._set_rules)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port, backlog=1024, ssl_context=tls)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """End every hanging answer and close."""
        self._closing.set()
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> "LlmServer":
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()

    async def _stats(self, request: web.Request) -> web.Response:
        return web.json_response(asdict(self.stats))

    async def _requests(self, request: web.Request) -> web.Response:
        return web.json_response([asdict(seen) for seen in self.requests])

    async def _set_rules(self, request: web.Request) -> web.Response:
        self.rules = [rule(value) for value in await request.json()]
        self._fired.clear()
        return web.json_response({"rules": len(self.rules)})

    async def _count_tokens(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self._note(request, "anthropic", body, 0)
        return web.json_response({"input_tokens": len(prompt_text(body)) // 4 + 1})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, "chat")

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, "anthropic")

    async def _answer(self, request: web.Request, wire: Wire) -> web.StreamResponse:
        stats = self.stats
        stats.seen += 1
        stats.in_flight += 1
        stats.peak = max(stats.peak, stats.in_flight)
        for size, full in self._held.items():
            if stats.in_flight >= size:
                full.set()
        number = stats.seen
        try:
            raw = await request.read()
            if self._cache is not None and raw in self._cache:
                response = await self._cached(request, wire, raw, number)
            else:
                response = await self._answered(request, wire, raw, number)
            stats.completed += 1
            return response
        finally:
            stats.in_flight -= 1

    async def _cached(
        self, request: web.Request, wire: Wire, raw: bytes, number: int
    ) -> web.StreamResponse:
        assert self._cache is not None
        for each in self.rules:
            await self._wait(each, random.Random(f"{self._seed}|{number}"))
        return web.Response(body=self._cache[raw], content_type="application/json")

    async def _answered(
        self, request: web.Request, wire: Wire, raw: bytes, number: int
    ) -> web.StreamResponse:
        body = json.loads(raw)
        key = canonical([wire, body])
        self._occurrences[key] += 1
        occurrence = self._occurrences[key]
        self._note(request, wire, body, occurrence)
        rng = random.Random(f"{self._seed}|{key!r}|{occurrence}")
        headers = {name.lower(): value for name, value in request.headers.items()}
        draft = Draft(wire, body, number, occurrence, rng, headers, model=body["model"])
        if pinned := (body.get("provider") or {}).get("only"):
            draft.provider = pinned[0]
        hits = self._hits(draft, raw.decode(), key)
        said = await respond(self._responder, wire, body)
        draft.text, draft.calls = said, getattr(said, "calls", [])
        draft.finish = "tool_calls" if draft.calls else None
        for hit in hits:
            await self._wait(hit, rng)
            if hit.fault in CHANGES:
                CHANGES[hit.fault](draft, hit.args)
        return await self._finished(request, draft, hits, raw)

    def _note(self, request: web.Request, wire: str, body: dict[str, Any], occurrence: int) -> None:
        if self._record:
            headers = {name.lower(): value for name, value in request.headers.items()}
            seen = Seen(wire, request.path, headers, body, self.stats.seen, occurrence)
            self.requests.append(seen)

    def _hits(self, draft: Draft, text: str, key: bytes) -> list[Rule]:
        hits = []
        for index, each in enumerate(self.rules):
            draw = random.Random(f"{self._seed}|{index}|{key!r}|{draft.occurrence}")
            spent = each.times and self._fired[index] >= each.times
            if not spent and each.hits(draft, text, draw):
                self._fired[index] += 1
                self.stats.faults += each.fault not in ("delay", "latency")
                hits.append(each)
        return hits

    async def _wait(self, hit: Rule, rng: random.Random) -> None:
        if hit.fault == "delay":
            await asyncio.sleep(float(hit.args.get("seconds", 0.1)))
        elif hit.fault == "latency":
            low, high = float(hit.args.get("low", 0.0)), float(hit.args.get("high", 0.1))
            await asyncio.sleep(rng.uniform(low, high))
        elif hit.fault == "hold":
            await self._hold(int(hit.args["until"]))
        elif hit.fault == "hang":
            await self._closing.wait()

    async def _hold(self, size: int) -> None:
        """Until so many requests are in flight at once."""
        full = self._held.setdefault(size, asyncio.Event())
        if self.stats.in_flight >= size:
            full.set()
        await full.wait()

    async def _finished(
        self, request: web.Request, draft: Draft, hits: list[Rule], raw: bytes
    ) -> web.StreamResponse:
        for hit in hits:
            if hit.fault == "drop":
                return _drop(request)
            if hit.fault == "truncate":
                return await _truncate(request, reply_body(draft))
            if hit.fault in ENDINGS:
                end = ENDINGS[hit.fault](draft, hit.args)
                return web.Response(
                    status=end.status,
                    body=end.body,
                    headers=_headers(draft, end.headers),
                    content_type=end.content_type,
                )
        body = reply_body(draft)
        if self._cache is not None and all(hit.fault in TRANSPORT for hit in hits):
            self._cache[raw] = body
        return web.Response(body=body, headers=_headers(draft, {}), content_type="application/json")


def _headers(draft: Draft, more: Mapping[str, str]) -> dict[str, str]:
    name = "request-id" if draft.wire == "anthropic" else "x-request-id"
    return {name: f"req_{draft.id}", **more}


def _drop(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def _truncate(request: web.Request, body: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-length": str(len(body))})
    response.content_type = "application/json"
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    if request.transport is not None:
        request.transport.close()
    return response


def from_script(script: Mapping[str, Any]) -> LlmServer:
    """A server as a JSON script describes it."""
    responder = responder_named(
        script.get("responder", "digest"),
        float(script.get("careless", 0.15)),
        int(script.get("profile_seed", 0)),
    )
    return LlmServer(
        [rule(value) for value in script.get("rules", [])],
        responder,
        seed=int(script.get("seed", 0)),
        cache=bool(script.get("cache", False)),
        record=bool(script.get("record", True)),
    )


async def _serve(port: int, script: Mapping[str, Any]) -> None:
    server = from_script(script)
    await server.start(port)
    print(server.port, flush=True)
    await asyncio.Event().wait()


def main() -> None:
    """Run the server as its own process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", default="{}", help="JSON, or the path of a JSON file")
    options = parser.parse_args()
    text = options.script
    script = json.loads(text if text.lstrip().startswith("{") else Path(text).read_text("utf-8"))
    try:
        asyncio.run(_serve(options.port, script))
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()

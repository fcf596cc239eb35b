"""The agent loop over both wire formats, against a local server with native tool calls."""

from dataclasses import replace
from typing import Any

import pytest

from evoscope.engine.model.chase import Harness
from evoscope.engine.model.core import Slot
from evoscope.engine.model.llm import Completion, Params, Request
from evoscope.engine.searches.chase.agent import Loop, Trajectory, opening
from evoscope.engine.searches.harden.setup import Profile
from tests.engine.providers.wires import CLAUDE, QWEN, WIRES, provider_at
from tests.engine.searches.chase.arena import small
from tests.servers.llm_faults import Rule
from tests.servers.llm_server import LlmServer


class Live:
    """Just enough of a context: every call goes over the wire."""

    def __init__(self, provider: Any) -> None:
        self.provider = provider

    async def complete(self, slot: Slot, request: Request) -> Completion:
        reply = await self.provider.send(request, 5)
        completion: Completion = self.provider.parse(reply, request)
        return replace(completion, latency_s=reply.latency_s)


async def play(server: LlmServer, wire: str) -> Trajectory:
    env, own = small()[0], Harness()
    task, model = env.tasks[0], CLAUDE if wire == "anthropic" else QWEN
    provider = provider_at(server.url, wire)
    try:
        first = opening(Profile(wire, model, Params()), own, env, task)
        loop = Loop(Live(provider).complete, Slot("u", "agent", "H"), first, own, env, task)  # type: ignore[arg-type]
        return await loop.run()
    finally:
        await provider.aclose()


@pytest.mark.parametrize("wire", WIRES)
async def test_tool_calls_travel_there_and_back_until_an_answer_comes(wire: str) -> None:
    search = {"name": "search", "arguments": '{"query": "approved"}'}
    rules = [
        Rule("tool_call", nth=(1,), args={"name": "list_files", "arguments": "{}"}),
        Rule("tool_call", nth=(2,), args=search),
    ]
    async with LlmServer(rules) as server:
        trajectory = await play(server, wire)
        bodies = [seen.body for seen in server.requests]
    assert (trajectory.end, trajectory.turns) == ("answered", 3)
    assert [call.kind for call in trajectory.calls] == ["list_files", "search"]
    assert [len(body["tools"]) for body in bodies] == [4, 4, 4]
    last = str(bodies[-1]["messages"])
    assert "ledgers/" in last and "results" in last


@pytest.mark.parametrize("wire", WIRES)
async def test_a_tool_that_does_not_exist_is_told_so_and_the_rollout_goes_on(wire: str) -> None:
    rules = [Rule("tool_call", nth=(1,), args={"name": "shell", "arguments": "{}"})]
    async with LlmServer(rules) as server:
        trajectory = await play(server, wire)
        last = str(server.last.body["messages"])
    assert (trajectory.end, trajectory.calls) == ("answered", ())
    assert "no tool" in last and "list_files" in last

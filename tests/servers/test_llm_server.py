"""The test server itself: repeatable, killable, and able to answer as the offline models do."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from evoscope.engine.config import ProviderSettings
from evoscope.engine.model.llm import Params
from evoscope.engine.providers.offline.provider import OfflineProvider
from evoscope.engine.searches.harden.requests import gate_request, numbered, task_request
from evoscope.engine.searches.harden.setup import Profile
from tests.engine.providers.wires import CLAUDE, QWEN, WIRES, provider_at
from tests.servers.llm_faults import Rule, rule
from tests.servers.llm_responders import OfflineResponder, role_of
from tests.servers.llm_server import LlmServer

SERVER = Path(__file__).with_name("llm_server.py")
QUESTION = """Judge.
<question>
Does aspirin help against fever?
</question>
<contexts>
Aspirin lowered the fever in all of the patients. The effect was significant.
</contexts>
"""


def body(text: str = "hi", **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}], **more}


async def statuses(server: LlmServer, bodies: list[dict[str, Any]]) -> list[int]:
    async with httpx.AsyncClient(trust_env=False) as client:
        url = f"{server.url}/v1/chat/completions"
        return [(await client.post(url, json=each)).status_code for each in bodies]


@pytest.mark.parametrize(
    ("condition", "hits"),
    [
        ({"nth": 2}, [2]),
        ({"nth": [1, 3]}, [1, 3]),
        ({"first": 2}, [1, 2]),
        ({"every": 2}, [2, 4]),
        ({"match": "b"}, [2, 4]),
        ({"occurrence": 2}, [3, 4]),
        ({"match": "b", "times": 1}, [2]),
        ({"wire": "anthropic"}, []),
    ],
)
async def test_a_rule_hits_the_requests_that_it_names(
    condition: dict[str, Any], hits: list[int]
) -> None:
    async with LlmServer([rule({"fault": "server_error", **condition})]) as server:
        got = await statuses(server, [body("a"), body("b"), body("a"), body("b")])
    assert [k + 1 for k, status in enumerate(got) if status == 500] == hits


async def test_shares_are_drawn_from_the_seed_and_the_body() -> None:
    bodies = [body(f"q{k}") for k in range(200)]
    runs = []
    for seed in (1, 1, 2):
        async with LlmServer([Rule("overloaded", rate=0.2)], seed=seed) as server:
            runs.append(await statuses(server, bodies))
    assert runs[0] == runs[1] != runs[2]
    assert 20 <= runs[0].count(529) <= 60


def test_an_unknown_fault_is_refused() -> None:
    with pytest.raises(ValueError, match="no fault 'dorp'"):
        Rule("dorp")


@asynccontextmanager
async def process(port: int, script: dict[str, Any]) -> AsyncIterator[tuple[Any, int]]:
    command = [sys.executable, str(SERVER), "--port", str(port), "--script", json.dumps(script)]
    running = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        assert running.stdout is not None
        yield running, int(await running.stdout.readline())
    finally:
        if running.returncode is None:
            running.send_signal(signal.SIGKILL)
        await running.communicate()


async def test_the_process_can_be_killed_and_started_again_on_its_port() -> None:
    script = {"rules": [{"fault": "overloaded", "nth": 2}]}
    async with httpx.AsyncClient(trust_env=False) as client:
        answers = []
        port = 0
        for _ in range(2):
            async with process(port, script) as (running, port):
                url = f"http://127.0.0.1:{port}"
                answers.append((await client.post(f"{url}/v1/messages", json=body())).json())
                assert (await client.post(f"{url}/v1/messages", json=body())).status_code == 529
                stats = (await client.get(f"{url}/_stats")).json()
                assert (stats["seen"], stats["completed"], stats["faults"]) == (2, 2, 1)
                seen = (await client.get(f"{url}/_requests")).json()
                assert [each["number"] for each in seen] == [1, 2]
                assert seen[0]["body"] == body()
                await client.post(f"{url}/_rules", json=[{"fault": "auth"}])
                assert (await client.post(f"{url}/v1/messages", json=body())).status_code == 401
                running.send_signal(signal.SIGKILL)
                await running.wait()
        assert answers[0] == answers[1]


EXTRACTION: dict[str, Any] = {
    "baseline_prompt": "Judge.",
    "input": {"question": "q"},
    "expected_output": {"label": "yes"},
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("role", ["task", "extraction"])
async def test_the_offline_models_answer_the_same_over_the_wire(wire: str, role: str) -> None:
    """Seeds number the samples on the chat wire; on the other, order of arrival does."""
    offline = OfflineProvider("offline", ProviderSettings(kind="offline"))
    seed = 5 if wire == "chat" else None
    profile = Profile("p", QWEN if wire == "chat" else CLAUDE, Params(seed=seed))
    first = (
        task_request(profile, QUESTION, top_logprobs=False)
        if role == "task"
        else gate_request(profile, "harden/extraction", EXTRACTION)
    )
    responder = OfflineResponder(profile_seed=5)
    async with LlmServer(responder=responder) as server:
        provider = provider_at(server.url, wire)
        texts = set()
        for sample in range(6):
            request = numbered(first, sample)
            wanted = offline.parse(await offline.send(request, 5), request).text
            got = provider.parse(await provider.send(request, 5), request).text
            assert got == wanted
            texts.add(got)
        await provider.aclose()
    assert len(texts) > 1 or (wire, role) != ("chat", "task")


@pytest.mark.parametrize(
    ("keys", "role"),
    [
        (["task", "grader", "cases"], "analysis"),
        (["task", "sources"], "rubric"),
        (["case_id", "axis_feedback", "files"], "mutation"),
        (["baseline_prompt", "input", "expected_output"], "extraction"),
        (["necessary_information", "relationships", "candidate_lines"], "audit"),
        (["rubric", "reference_profile", "candidate"], "realism"),
        (["other"], "task"),
    ],
)
def test_the_role_follows_from_the_document(keys: list[str], role: str) -> None:
    document = json.dumps({key: None for key in keys})
    assert role_of(f"Do it.\n<input>\n{document}\n</input>\n") == role

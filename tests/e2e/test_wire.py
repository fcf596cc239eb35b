"""A whole run over the wire, as the paper ran it: what was sent, field by field, and no key in it.

The local server stands for Anthropic (analysis, mutation, gates) and for OpenRouter (task model
on a pinned route, with log-probabilities).
"""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.kit import (
    CLAUDE_KEY,
    PROFILE_SEED,
    ROUTER_KEY,
    Run,
    ServerThread,
    wait_until,
    wire_config,
)
from tests.servers.llm_draft import prompt_text
from tests.servers.llm_faults import Rule
from tests.servers.llm_responders import role_of
from tests.servers.llm_server import LlmServer, Seen

CLAUDE = "claude-opus-4-8"
THINKING = {"provider": "claude", "model": CLAUDE, "reasoning": "adaptive", "effort": "high"}
TASK = {
    "provider": "wire",
    "model": "qwen/qwen3.5-35b-a3b",
    "route": {"providers": ["Parasail"]},
    "temperature": 1.0,
    "top_p": 0.95,
    "top_k": 20,
    "presence_penalty": 1.5,
    "repetition_penalty": 1.0,
    "max_tokens": 16384,
    "reasoning": "off",
    "seed": PROFILE_SEED,
}
FAULTS = [
    Rule("echo_key", rate=0.0),
    Rule("server_error", rate=0.05, args={"message": f"upstream saw Bearer {ROUTER_KEY}"}),
]


def paper_config(server: LlmServer) -> Any:
    """The paper's profile on the local server."""
    return wire_config(
        server,
        **{
            "providers.claude": {"kind": "anthropic", "base_url": server.url},
            "models.task": TASK,
            "models.analysis": THINKING,
            "models.mutation": THINKING,
            "models.gates": {**THINKING, "temperature": 0, "max_tokens": 16384},
            "harden.top_logprobs": "always",
            "parallel_cases": 1,
        },
    )


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Run, list[Seen]]]:
    """A finished run and every request of it."""
    with ServerThread(FAULTS) as server:
        run = Run(tmp_path_factory.mktemp("wire") / "run.evo", paper_config(server)).make()
        assert run.finish() == 0
        yield run, list(server.requests)


def test_every_call_went_where_its_role_belongs(sent: tuple[Run, list[Seen]]) -> None:
    run, seen = sent
    roles: dict[str, set[str]] = {"chat": set(), "anthropic": set()}
    for each in seen:
        roles[each.wire].add(role_of(prompt_text(each.body)))
    assert roles["chat"] == {"task"}
    gates = {"extraction", "audit", "realism"}
    assert roles["anthropic"] == {"analysis", "rubric", "mutation", *gates}
    counts = dict(run.query("SELECT provider, count(*) FROM call GROUP BY provider"))
    assert set(counts) == {"wire", "claude"}
    assert run.count("call WHERE status <> 'completed'") == 0


def test_what_anthropic_got(sent: tuple[Run, list[Seen]]) -> None:
    asked = [each for each in sent[1] if each.wire == "anthropic"]
    for each in asked:
        body = each.body
        assert each.path == "/v1/messages"
        assert set(body) == {
            "model", "max_tokens", "system", "messages", "thinking", "output_config",
        }  # fmt: skip
        assert body["model"] == CLAUDE and body["max_tokens"] == 16384
        assert body["thinking"] == {"type": "adaptive"}
        assert body["output_config"]["effort"] == "high"
        assert [turn["role"] for turn in body["messages"]] == ["user"]
        assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
        assert each.headers["authorization"] == f"Bearer {CLAUDE_KEY}"
        assert each.headers["anthropic-version"]
    params = sent[0].query(
        "SELECT DISTINCT role, params FROM call WHERE provider = 'claude' ORDER BY role"
    )
    for role, text in params:
        if role in ("audit", "realism", "extraction"):
            assert "temperature" in json.loads(text)["not_supported"], role


def test_what_openrouter_got(sent: tuple[Run, list[Seen]]) -> None:
    run, seen = sent
    asked = [each for each in seen if each.wire == "chat"]
    temperatures = set()
    for each in asked:
        body = dict(each.body)
        (message,) = body.pop("messages")
        assert message["role"] == "user"
        temperatures.add(body.pop("temperature"))
        assert body.pop("seed") >= PROFILE_SEED
        assert body == {
            "model": "qwen/qwen3.5-35b-a3b",
            "top_p": 0.95,
            "top_k": 20,
            "presence_penalty": 1.5,
            "repetition_penalty": 1.0,
            "max_tokens": 16384,
            "logprobs": True,
            "top_logprobs": 5,
            "reasoning": {"enabled": False},
            "provider": {
                "only": ["Parasail"],
                "allow_fallbacks": False,
                "require_parameters": True,
            },
        }
        assert each.path == "/v1/chat/completions"
        assert each.headers["authorization"] == f"Bearer {ROUTER_KEY}"
        assert "x-api-key" not in each.headers
    assert temperatures == {0.0, 1.0}
    assert run.count("rollout WHERE logprob_sum IS NULL OR tokens IS NULL") == 0
    assert run.query("SELECT DISTINCT served_provider FROM call WHERE provider = 'wire'") == [
        ("Parasail",)
    ]


def test_no_key_stands_in_any_request_body(sent: tuple[Run, list[Seen]]) -> None:
    for each in sent[1]:
        text = json.dumps(each.body)
        assert ROUTER_KEY not in text and CLAUDE_KEY not in text


def test_the_run_replays_without_its_server(sent: tuple[Run, list[Seen]]) -> None:
    run, _ = sent
    assert run.cli("verify", run.path).code == 0


def everything_kept(run: Run) -> dict[str, bytes]:
    """All bytes on disk of a run, blobs decompressed too."""
    folder = run.path.parent
    kept = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for digest, codec, data in run.query("SELECT hash, codec, data FROM blob"):
        kept[digest] = zlib.decompress(data) if codec == "zlib" else data
    return kept


def holding_a_key(kept: dict[str, bytes]) -> list[str]:
    keys = [key.encode() for key in (ROUTER_KEY, CLAUDE_KEY)]
    return [name for name, data in kept.items() if any(key in data for key in keys)]


@pytest.fixture
def ended() -> Iterator[list[Run]]:
    """Runs put in here have no engine left after the test."""
    runs: list[Run] = []
    yield runs
    for run in runs:
        run.end()


@pytest.mark.slow
def test_planted_keys_are_kept_nowhere(tmp_path: Path, ended: list[Run]) -> None:
    with ServerThread([Rule("latency", args={"low": 0.02, "high": 0.05}), FAULTS[1]]) as server:
        run = Run(tmp_path / "run.evo", paper_config(server)).make()
        ended.append(run)
        run.begin()
        wait_until(lambda: server.stats.seen > 25, "a first part of the run")
        server.rules = [Rule("echo_key")]
        reason = run.wait_state("paused")
        assert "refuses its key" in reason and "[redacted]" in reason
        assert (tmp_path / "run.evo-wal").exists()
        assert holding_a_key(everything_kept(run)) == []
        run.kill()
        assert holding_a_key(everything_kept(run)) == []
        server.rules = [FAULTS[1]]
        said = [run.cli("resume", run.path, "--headless")]
        assert said[0].code == 0
    said += [run.cli(word, run.path) for word in ("status", "report", "verify")]
    said += [run.cli("show", run.path, what) for what in ("calls", "events")]
    for name, words in EXPORTS.items():
        said.append(run.cli(*words, run.path, "-o", tmp_path / name))
    assert all(answer.code == 0 for answer in said), said
    assert holding_a_key(everything_kept(run)) == []
    assert not any(key in a.out + a.err for a in said for key in (ROUTER_KEY, CLAUDE_KEY))
    assert run.count("attempt WHERE message LIKE '%upstream saw%'") > 0


EXPORTS = {"exported": ("export",), "copy.evo": ("backup",)}

"""A chase run over the wire as real processes, killed again and again; and what it leaves."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.config import RunConfig
from evoscope.engine.searches.chase.setup import ROLES
from evoscope.engine.store.reader import Reader
from tests.e2e import kit
from tests.e2e.kit import PROFILE_SEED, Run, ServerThread, export_files, unlisted, wait_until
from tests.servers.llm_faults import Rule
from tests.servers.llm_server import LlmServer

KILLS = 10
LATENCY = Rule("latency", args={"low": 0.0, "high": 0.03})


@pytest.fixture(scope="module", autouse=True)
def patience(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A whole search takes longer than other runs; the index is built in the test's folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kit, "WAIT_S", 400.0)
        patch.setenv("EVOSCOPE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def config(provider: dict[str, Any], **changes: Any) -> RunConfig:
    """One round over our small corpus, with rollouts of several tool turns each."""
    model = {"provider": "p", "seed": PROFILE_SEED}
    once = dict.fromkeys(("rounds", "rollouts_evo", "rollouts_disc", "rollouts_cert"), 1)
    return RunConfig(
        search="chase",
        benchmark={"kind": "corpus_qa"},
        providers={"p": provider},
        models={role: {**model, "model": f"qwen/{role}"} for role in ROLES},
        chase={**once, "rollouts_conf": 2, "methods": ["chase", "compass"], **changes},
    )  # type: ignore[arg-type]


def over_the_wire(server: LlmServer) -> RunConfig:
    """Every model is asked over the chat wire; whatever takes no gain away is archived."""
    wire = {"kind": "chat_completions", "dialect": "openrouter", "base_url": f"{server.url}/v1"}
    return config({**wire, "limits": {"concurrency": 16}}, eta="0")


@pytest.mark.slow
def test_an_exported_harness_is_the_first_one_of_a_run_of_its_own(tmp_path: Path) -> None:
    run = Run(tmp_path / "first.evo", config({"kind": "offline"}, eta="2", rounds=2)).make()
    assert run.finish() == 0
    chosen = json.loads(run.query("SELECT chosen FROM decision WHERE kind = 'promote'")[0][0])[0]
    assert chosen != "H0"
    files = export_files(run, tmp_path / "out")
    done = run.cli("run", tmp_path / "out" / "run.toml", "--name", "second", "--headless")
    assert done.code == 0, done.err
    second = Run(tmp_path / "second.evo", run.config)
    assert second.meta("state") == "finished"
    with Reader(second.path) as reader:
        row = reader.row("SELECT content_hash FROM node WHERE id = 'H0'")
        assert row is not None
        assert json.loads(reader.text(row[0])) == json.loads(files["harness.json"])
    rates = "SELECT context, item, sample, num FROM rollout WHERE node = ? AND context = 'rel' " \
            "AND unit = 'certification' ORDER BY 1, 2, 3"  # fmt: skip
    assert second.query(rates, "H0") == run.query(rates, chosen)


@pytest.mark.slow
def test_killed_at_ten_moments_it_loses_nothing_and_buys_no_rollout_twice(tmp_path: Path) -> None:
    draw = random.Random(10)
    with ServerThread([LATENCY]) as server:
        whole = Run(tmp_path / "whole" / "run.evo", over_the_wire(server)).make()
        assert whole.finish() == 0, (whole.path.parent / "run.evo.d" / "out.txt").read_text()
        needed = server.stats.seen
        assert needed == whole.count("call") == whole.count("call WHERE status = 'completed'")
        server.requests.clear()

        run = Run(tmp_path / "cut" / "run.evo", over_the_wire(server)).make()
        for moment in sorted(draw.sample(range(needed), KILLS)):
            engine = run.begin()
            wait_until(
                lambda m=moment: server.stats.seen >= needed + m, "requests", kit.WAIT_S  # type: ignore[misc]
            )  # fmt: skip
            assert engine.poll() is None, "the run ended before its last kill"
            run.kill()
        assert run.finish() == 0

        assert run.digest() == whole.digest()
        assert export_files(run, tmp_path / "a") == export_files(whole, tmp_path / "b")
        sent, ambiguous = len(server.requests), run.count("attempt WHERE outcome = 'ambiguous'")
        assert not unlisted(run, server)
        assert sent - needed <= ambiguous
        rollouts = "SELECT node, context, item, sample, num, den FROM rollout ORDER BY 1, 2, 3, 4"
        assert run.query(rollouts) == whole.query(rollouts)
        assert run.count("decision WHERE kind = 'open_seal'") == 1
        assert run.cli("verify", run.path).code == 0

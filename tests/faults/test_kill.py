"""`kill -9` of a real engine at any moment loses nothing and pays nothing twice unlisted."""

import random
import time
from pathlib import Path

import pytest

from evoscope.engine.config import RunConfig
from tests.e2e.kit import Run, ServerThread, export_files, unlisted, wait_until, wire_config
from tests.servers.llm_faults import Rule
from tests.servers.llm_server import LlmServer

KILLS = 20
LATENCY = Rule("latency", args={"low": 0.0, "high": 0.06})


def six_cases(server: LlmServer) -> RunConfig:
    return wire_config(
        server,
        **{
            "benchmark.sample": 6,
            "parallel_cases": 3,
            "harden.rollouts": 10,
            "harden.offspring": 5,
        },
    )


@pytest.mark.slow
def test_twenty_kills_lose_nothing_and_pay_nothing_twice_unlisted(tmp_path: Path) -> None:
    draw = random.Random(20)
    with ServerThread([LATENCY]) as server:
        whole = Run(tmp_path / "whole" / "run.evo", six_cases(server)).make()
        assert whole.finish() == 0
        needed = server.stats.seen
        assert needed == whole.count("call") == whole.count("call WHERE status = 'completed'")
        server.requests.clear()

        run = Run(tmp_path / "cut" / "run.evo", six_cases(server)).make()
        for moment in sorted(draw.sample(range(needed), KILLS)):
            engine = run.begin()
            wait_until(lambda: server.stats.seen >= needed + moment, "requests")  # noqa: B023
            time.sleep(draw.uniform(0, 0.1 if draw.random() < 0.8 else 1.5))
            assert engine.poll() is None, "the run ended before its last kill"
            run.kill()
        assert run.finish() == 0

        assert run.digest() == whole.digest()
        assert export_files(run, tmp_path / "a") == export_files(whole, tmp_path / "b")
        sent, ambiguous = len(server.requests), run.count("attempt WHERE outcome = 'ambiguous'")
        print(f"{sent} requests, {sent - needed} extra, {ambiguous} listed as ambiguous")
        assert not unlisted(run, server)
        assert 0 < sent - needed <= ambiguous
        assert run.cli("verify", run.path).code == 0

"""Slow, failing and half-dead servers: the same run comes out, or the rest of it does."""

from pathlib import Path

import pytest

from evoscope.engine.benchmarks.load import load
from tests.e2e.kit import Run, ServerThread, wire_config
from tests.servers.llm_faults import Rule

TRANSIENT = (
    Rule("overloaded", rate=0.02),
    Rule("server_error", rate=0.02),
    Rule("rate_limit", rate=0.02, args={"retry_after": 0}),
    Rule("drop", rate=0.01),
    Rule("truncate", rate=0.01),
    Rule("error_in_200", rate=0.01),
    Rule("choices_null", rate=0.01),
)
"""Together a tenth of all requests."""
LATENCY = Rule("latency", args={"low": 0.0, "high": 0.03})


@pytest.mark.slow
def test_any_concurrency_latency_and_faults_give_the_same_run(tmp_path: Path) -> None:
    digests, faults = set(), []
    for concurrency in (1, 8, 64):
        with ServerThread([LATENCY, *TRANSIENT], seed=concurrency) as server:
            changes = {"providers.wire.limits.concurrency": concurrency, "benchmark.sample": 3}
            config = wire_config(server, **changes, **{"harden.generations": 1})
            run = Run(tmp_path / f"{concurrency}.evo", config).make()
            assert run.finish() == 0
            assert server.stats.peak <= concurrency
            digests.add(run.digest())
            faults.append((server.stats.faults, server.stats.seen, server.stats.peak))
    print("faults, requests and peak at 1, 8, 64:", faults)
    assert all(injected > 0 for injected, _, _ in faults)
    assert len(digests) == 1


@pytest.mark.slow
def test_cases_that_always_fail_are_parked_and_a_retry_finishes_them(tmp_path: Path) -> None:
    changes = {
        "benchmark.sample": 4,
        "harden.generations": 1,
        "providers.wire.call_deadline_s": 1.5,
        "providers.wire.pause_after_failures": 1000,
    }
    with ServerThread() as server:
        whole = Run(tmp_path / "whole.evo", wire_config(server, **changes)).make()
        assert whole.finish() == 0
        poisoned = [i for (i,) in whole.query("SELECT id FROM item ORDER BY ord")][1:3]
        cases = {case.id: case for case in load("pubmedqa", None).cases}
        server.rules = [
            Rule("server_error", match=f"<question>\\n{cases[case].fields['question']}")
            for case in poisoned
        ]
        run = Run(tmp_path / "run.evo", wire_config(server, **changes)).make()
        assert run.finish() == 3
        assert run.meta("state") == "stopped"
        assert all(case in run.meta("reason") for case in ("2 parked", *poisoned))
        states = dict(run.query("SELECT id, state FROM unit WHERE kind = 'case'"))
        assert [case for case in states if states[case] == "parked"] == sorted(poisoned)
        assert sorted(states.values()) == ["done", "done", "parked", "parked"]
        status = run.cli("status", run.path, "--json").json
        assert sorted(status["progress"]["parked"]) == sorted(poisoned)

        server.rules = []
        answer = run.cli("retry", run.path)
        assert answer.code == 0 and "2 reopened" in answer.out + answer.err
        assert run.cli("wait", run.path).code == 0
        assert run.meta("state") == "finished"
        assert run.digest() == whole.digest()

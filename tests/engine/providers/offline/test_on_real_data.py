"""On the real data: the reader beats the majority, mutations lower its score, gates tell
careless from careful mutations. The rates are printed (pytest -s)."""

import json
import statistics

import pytest

from evoscope.engine.benchmarks.load import load
from perf import offline_accuracy as accuracy
from perf import offline_gates as gates
from tests.shared import shared_data

pytestmark = pytest.mark.shared


def held_out(kind):
    benchmark = load(kind, shared_data(*accuracy.FILES[kind].split("/")))
    cases = list(benchmark.cases)
    if kind == "pubmedqa":
        test = set(json.loads(shared_data("pubmedqa", "test_ground_truth.json").read_text()))
        cases = [case for case in cases if case.id in test]
    return benchmark, cases


@pytest.mark.parametrize(
    ("kind", "step", "factor"), [("finqa", 1, 5.0), ("pubmedqa", 1, 1.2), ("contractnli", 5, 1.8)]
)
async def test_the_reader_beats_the_majority_answer(kind, step, factor):
    benchmark, cases = held_out(kind)
    cases = cases[::step]
    found = accuracy.rates(kind, cases, await accuracy.read(benchmark, cases, samples=3))
    print(kind, len(cases), {name: round(value, 3) for name, value in found.items()})
    assert found["greedy"] > factor * found["majority"]
    assert found["sampled"] > found["majority"]


@pytest.mark.parametrize("kind", list(accuracy.FILES))
async def test_gates_catch_most_careless_mutations_and_reject_few_careful_ones(kind):
    benchmark, cases = held_out(kind)
    cases = cases[:: len(cases) // 12][:12]
    outcomes = await gates.candidates(benchmark, cases, 11, 0.5)
    caught = gates.caught(outcomes, careless=True)
    rejected = gates.caught(outcomes, careless=False)
    print(f"{kind}: careless caught {caught:.3f}, careful rejected {rejected:.3f}")
    assert caught > 0.85
    assert rejected < 0.15


async def test_distracting_rows_lower_the_readers_score():
    benchmark, cases = held_out("finqa")
    cases = cases[::8]
    before = {case.id: accuracy.expected(benchmark, case) for case in cases}
    outcomes = await gates.candidates(benchmark, cases, 11, 0.0)
    chosen = [
        o.case
        for o in outcomes
        if o.axis == "table_lookup_distractor_rows" and o.case and not o.stopped_by
    ]
    old = statistics.fmean(before[case.id] for case in chosen)
    new = statistics.fmean(accuracy.expected(benchmark, case) for case in chosen)
    print(f"finqa, distractor rows: {old:.3f} -> {new:.3f} over {len(chosen)} cases")
    assert new < old - 0.02

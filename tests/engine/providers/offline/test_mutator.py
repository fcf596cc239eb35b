"""The mutator's manifests on our bundled sample cases."""

import json

import pytest

from evoscope.engine.benchmarks.load import load
from evoscope.engine.gates.validity import build_candidate, fingerprint
from evoscope.engine.providers.offline.analyst_axes import CATALOGUE
from evoscope.engine.providers.offline.mutator import manifest

OFFSPRING = 11


def context(benchmark, case, axes=None, feedback=None, generation=1):
    names = list(benchmark.mutable)
    catalogue = [draft.name for draft in CATALOGUE] if axes is None else axes
    return {
        "case_id": case.id,
        "generation": generation,
        "candidates_per_generation": OFFSPRING,
        "degradable_files": names,
        "candidates": [
            {"individual_index": i, "writable_files": names} for i in range(OFFSPRING)
        ],
        "candidate_axes": [{"axis_name": name, "subtypes": ["a", "b"]} for name in catalogue],
        "axis_feedback": feedback or {},
        "gold_output_summary": dict(benchmark.gold_summary(case)),
        "files": {f"case/g0/{name}": value for name, value in case.fields.items()},
    }  # fmt: skip


def mutations(benchmark, case, careless=0.0, key=b"key", **options):
    return manifest(context(benchmark, case, **options), key, careless)["mutations"]


@pytest.fixture(params=["finqa", "pubmedqa", "contractnli", "bundle"])
def benchmark(request):
    return load(request.param)


@pytest.mark.parametrize("careless", [0.0, 1.0])
def test_every_index_comes_once_with_one_axis_and_a_valid_changed_case(benchmark, careless):
    for case in benchmark.cases[:6]:
        entries = mutations(benchmark, case, careless)
        assert [entry["individual_index"] for entry in entries] == list(range(OFFSPRING))
        seen = set()
        for entry in entries:
            assert len(entry["axes"]) == 1 and entry["subtypes"] and entry["description"]
            built, ruling = build_candidate(benchmark, case, entry["fields"], seen)
            assert built is not None, (case.id, entry["axes"], ruling.reason)
            seen.add(fingerprint(built))


def test_the_careless_share_is_the_set_one_and_each_careless_entry_is_tagged(benchmark):
    cases = [(case, key) for case in benchmark.cases for key in (b"a", b"b", b"c")]
    for share in (0.0, 0.3, 1.0):
        tags = [
            entry.get("careless", False)
            for case, key in cases
            for entry in mutations(benchmark, case, share, key)
        ]
        assert sum(tags) / len(tags) == pytest.approx(share, abs=0.12)


def test_careful_mutations_of_a_program_keep_every_operand():
    benchmark = load("finqa")
    for case in benchmark.cases:
        for entry in mutations(benchmark, case):
            changed = benchmark.with_fields(case, entry["fields"])
            assert benchmark.missing_evidence(case, changed) == []


def test_careless_mutations_of_a_program_lose_an_operand():
    benchmark = load("finqa")
    lost = [
        bool(benchmark.missing_evidence(case, benchmark.with_fields(case, entry["fields"])))
        for case in benchmark.cases
        for entry in mutations(benchmark, case, 1.0)
        if entry.get("careless")
    ]
    assert lost and sum(lost) / len(lost) > 0.9


def test_axes_are_used_in_their_order_each_once_before_any_twice():
    benchmark = load("finqa")
    case = benchmark.cases[0]
    names = ["ocr_noise", "unit_notes", "terminology_substitution"]
    used = [entry["axes"][0] for entry in mutations(benchmark, case, axes=names)]
    assert used == [names[i % 3] for i in range(OFFSPRING)]


def test_an_axis_tried_twice_in_vain_goes_behind_the_others():
    benchmark = load("finqa")
    feedback = {"ocr_noise": {"applied": 2, "survived_gates": 2, "improved_fitness": 0}}
    entries = mutations(
        benchmark, benchmark.cases[0], axes=["ocr_noise", "unit_notes"], feedback=feedback
    )
    assert entries[0]["axes"] == ["unit_notes"]


def test_an_unheard_of_axis_still_gets_a_changed_case(benchmark):
    case = benchmark.cases[0]
    for entry in mutations(benchmark, case, axes=["zyxw"]):
        assert benchmark.with_fields(case, entry["fields"]) != case


def test_the_parent_is_never_changed_in_place(benchmark):
    case = benchmark.cases[0]
    before = json.dumps(dict(case.fields))
    mutations(benchmark, case, 0.5)
    assert json.dumps(dict(case.fields)) == before

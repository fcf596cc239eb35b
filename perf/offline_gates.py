"""How the offline mutator's candidates fare: the gates' catch rate of careless ones, their
false-rejection rate of careful ones, and the reader's score before and after, by axis.

    .venv/bin/python perf/offline_gates.py [CASES]

The careless moves and the extractor look for evidence with the same rules, so the rates say that
the gates work as wired; they say nothing about how well model-based gates judge real mutations.
"""

import asyncio
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from offline_accuracy import FILES, expected, held_out, shared

from evoscope.engine.benchmarks.base import Benchmark, Case
from evoscope.engine.benchmarks.load import load
from evoscope.engine.config import ProviderSettings
from evoscope.engine.gates.correctness import candidate_lines, judge_audit, read_extraction
from evoscope.engine.gates.evidence import check_evidence
from evoscope.engine.gates.realism import judge_realism
from evoscope.engine.gates.reply import json_object
from evoscope.engine.gates.validity import build_candidate, fingerprint
from evoscope.engine.model.llm import Json, Message, Request
from evoscope.engine.providers.offline import OfflineProvider
from evoscope.engine.searches.harden.axes import read_catalogue
from evoscope.engine.searches.harden.manifest import Entry, read_manifest
from evoscope.engine.searches.harden.requests import document
from evoscope.engine.searches.harden.rubric import freeze, read_profile, read_rubric

VOTES = 3
SHARE = 0.5
PURPOSES = {"analysis": "axes", "rubric": "rubric"}


@dataclass(frozen=True)
class Outcome:
    """One candidate: whether it was careless, which gate stopped it ("" for none), its case."""

    axis: str
    careless: bool
    stopped_by: str
    case: Case | None


class Models:
    """The offline models behind the prompts' conventions, one JSON document each."""

    def __init__(self, careless: float) -> None:
        settings = ProviderSettings(kind="offline", careless=careless)
        self._provider = OfflineProvider("offline", settings)

    async def ask(self, role: str, data: dict[str, Json], sample: int = 0) -> str:
        """The answer's text of one role to one document."""
        text = f"Do it.\n<input>\n{document(data)}\n</input>"
        request = Request(role, "offline", "offline", (Message("user", text),), sample=sample)
        return self._provider.parse(await self._provider.send(request, 60.0), request).text


async def candidates(
    benchmark: Benchmark, cases: Sequence[Case], offspring: int, careless: float
) -> list[Outcome]:
    """Mutate each case once and put every candidate through the gates."""
    models = Models(careless)
    corpus: list[Json] = [
        {"id": c.id, "input": dict(c.fields), "expected": c.expected} for c in cases[:3]
    ]
    task: Json = dict(benchmark.describe())
    catalogue, wrong = read_catalogue(
        json_object(await models.ask("analysis", {"task": task, "cases": corpus}))
    )
    if wrong:
        raise SystemExit(f"axes: {wrong}")
    answer = json_object(await models.ask("rubric", {"task": task, "sources": []}))
    rubric, wrong = read_rubric(answer, [])
    profile, more = read_profile(answer["reference_profile"], [])
    if rubric is None or wrong or more:
        raise SystemExit(f"rubric: {wrong} {more}")
    frozen = freeze(rubric, profile, calibrated=False)
    judged: list[Outcome] = []
    for case in cases:
        context = _context(benchmark, case, [axis_json(axis) for axis in catalogue], offspring)
        manifest = json_object(await models.ask("mutation", context))
        entries = read_manifest(manifest, offspring, {axis.axis_name for axis in catalogue})
        judged += await _judge(models, benchmark, case, entries, frozen)
    return judged


def axis_json(axis: object) -> dict[str, Json]:
    """The parts of an axis that a mutation context carries."""
    names = ("axis_name", "priority", "definition", "goal", "distinctive_focus")
    lists = ("subtypes", "prompt_guidance")
    return {
        **{name: str(getattr(axis, name)) for name in names},
        **{name: list(getattr(axis, name)) for name in lists},
    }


def _context(
    benchmark: Benchmark, case: Case, axes: list[dict[str, Json]], offspring: int
) -> dict[str, Json]:
    names: list[Json] = list(benchmark.mutable)
    return {
        "case_id": case.id,
        "generation": 1,
        "candidates_per_generation": offspring,
        "degradable_files": names,
        "candidates": [
            {"individual_index": i, "case_dir": f"case/g1/i{i}", "writable_files": names}
            for i in range(offspring)
        ],
        "candidate_axes": list(axes),
        "axis_feedback": {},
        "gold_output_summary": dict(benchmark.gold_summary(case)),
        "files": {f"case/g0/{name}": value for name, value in case.fields.items()},
    }


async def _judge(
    models: Models, benchmark: Benchmark, parent: Case, entries: Sequence[Entry], frozen: object
) -> list[Outcome]:
    prompt = benchmark.instructions()
    extraction = read_extraction(
        await models.ask(
            "extraction",
            {
                "baseline_prompt": prompt,
                "input": dict(parent.fields),
                "expected_output": dict(benchmark.gold_summary(parent)),
            },
        )
    )
    siblings: set[str] = set()
    found = []
    for entry in entries:
        case, stopped = None, f"validity: {entry.problem}"
        if entry.problem is None:
            case, ruling = build_candidate(benchmark, parent, entry.fields, siblings)
            stopped = f"validity: {ruling.reason}"
        if case is not None:
            siblings.add(fingerprint(case))
            stopped = await _stopped(models, benchmark, parent, case, extraction, prompt, frozen)
        found.append(Outcome(str(entry.axis), bool(entry.careless), stopped, case))
    return found


async def _stopped(
    models: Models,
    benchmark: Benchmark,
    parent: Case,
    case: Case,
    extraction: object,
    prompt: str,
    frozen: object,
) -> str:
    """The gate that stops a valid candidate, "" for none."""
    evidence = check_evidence(benchmark, parent, case, "reject")
    if evidence is not None and evidence.outcome != "pass":
        return "evidence"
    audit = {
        **extraction.for_audit(),  # type: ignore[attr-defined]
        "baseline_prompt": prompt,
        "candidate_lines": list(candidate_lines(case.fields)),
    }
    audits = [judge_audit(await models.ask("audit", audit, vote)) for vote in range(VOTES)]
    if 2 * sum(ruling.outcome == "pass" for ruling in audits) <= VOTES:
        return "correctness"
    rules, rubric, profile = frozen.verified()  # type: ignore[attr-defined]
    realism = {"rubric": rubric, "reference_profile": profile, "candidate": dict(case.fields)}
    judged = [
        judge_realism(await models.ask("realism", realism, vote), rules) for vote in range(VOTES)
    ]
    return "" if 2 * sum(r.outcome == "pass" for r in judged) > VOTES else "realism"


def caught(outcomes: Sequence[Outcome], *, careless: bool) -> float:
    """Share of the careless (or careful) candidates that some gate stopped."""
    chosen = [bool(o.stopped_by) for o in outcomes if o.careless == careless]
    return statistics.fmean(chosen) if chosen else float("nan")


async def gates(count: int) -> None:
    """Print the rates of all benchmarks, and the reader's reaction to passed candidates by axis."""
    for kind, file in FILES.items():
        benchmark = load(kind, shared(file))
        all_cases = held_out(benchmark)
        cases = all_cases[:: max(1, len(all_cases) // count)][:count]
        outcomes = await candidates(benchmark, cases, 11, SHARE)
        careful = sum(not o.careless for o in outcomes)
        print(
            f"{kind:12} {len(outcomes)} candidates, careless {1 - careful / len(outcomes):.3f} "
            f"(set {SHARE:.2f}), caught {caught(outcomes, careless=True):.3f}, careful ones "
            f"rejected {caught(outcomes, careless=False):.3f}"
        )
        by_gate = Counter(o.stopped_by.partition(":")[0] for o in outcomes if o.stopped_by)
        print("    stopped by " + ", ".join(f"{gate} {n}" for gate, n in by_gate.most_common()))
        await _reaction(benchmark, cases)


async def _reaction(benchmark: Benchmark, cases: Sequence[Case]) -> None:
    """One careful mutation of each axis that passed the gates: the exact mean score, before and
    after."""
    outcomes = await candidates(benchmark, cases, 11, 0.0)
    before = {case.id: expected(benchmark, case) for case in cases}
    for axis in sorted({o.axis for o in outcomes}):
        passed = [o.case for o in outcomes if o.axis == axis and o.case and not o.stopped_by]
        if not passed:
            continue
        after = [expected(benchmark, case) for case in passed]
        old = statistics.fmean(before[case.id] for case in passed)
        lower = sum(s < before[c.id] for c, s in zip(passed, after, strict=True))
        print(
            f"    {axis:30} {len(passed):4} passed  {old:.3f} -> {statistics.fmean(after):.3f}  "
            f"lower in {lower / len(passed):.2f}"
        )


if __name__ == "__main__":
    asyncio.run(gates(int(sys.argv[1]) if len(sys.argv) > 1 else 40))

"""What the offline models reach on the real data: the reader's accuracy, the mutations' effect on
its score, and how many careless and careful mutations the gates stop.

    .venv/bin/python perf/offline_accuracy.py [--gates N]

Reads `shared/data` beside the project (or EVOSCOPE_SHARED). Ratios against the majority answer
are printed behind each accuracy.
"""

import argparse
import asyncio
import json
import os
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evoscope.engine.benchmarks.base import Benchmark, Case
from evoscope.engine.benchmarks.load import load
from evoscope.engine.config import ProviderSettings
from evoscope.engine.model.llm import Message, Params, Request
from evoscope.engine.providers.offline import OfflineProvider
from evoscope.engine.providers.offline.readers import read as reader
from evoscope.engine.providers.offline.sampling import probabilities

SAMPLES = 10
FILES = {
    "finqa": "finqa/finqa_dev_200.json.gz",
    "pubmedqa": "pubmedqa/ori_pqal.json.gz",
    "contractnli": "contractnli/test.json.gz",
}


def shared(name: str) -> Path:
    """A file of the shared data."""
    default = Path(__file__).resolve().parents[1] / "../shared/data"
    return Path(os.environ.get("EVOSCOPE_SHARED") or default) / name


def held_out(benchmark: Benchmark) -> list[Case]:
    """The cases on which no weight of the reader was fitted."""
    if benchmark.name != "pubmedqa":
        return list(benchmark.cases)
    test = set(json.loads(shared("pubmedqa/test_ground_truth.json").read_text()))
    return [case for case in benchmark.cases if case.id in test]


@dataclass(frozen=True)
class Reached:
    """Greedy and sampled scores per case, in the cases' order, and the median milliseconds of
    processor time that a first answer takes."""

    greedy: Sequence[float]
    sampled: Sequence[float]
    milliseconds: float


async def read(benchmark: Benchmark, cases: Sequence[Case], samples: int = SAMPLES) -> Reached:
    """Ask the reader for one greedy and some sampled answers to each case."""
    provider = OfflineProvider("offline", ProviderSettings(kind="offline"))
    greedy, sampled, times = [], [], []
    for case in cases:
        prompt = benchmark.prompt(case)
        started = time.process_time()
        greedy.append(await _score(provider, benchmark, case, prompt, -1))
        times.append(time.process_time() - started)
        scores = [await _score(provider, benchmark, case, prompt, i) for i in range(samples)]
        sampled.append(statistics.fmean(scores))
    return Reached(greedy, sampled, 1000 * statistics.median(times))


async def _score(
    provider: OfflineProvider, benchmark: Benchmark, case: Case, prompt: str, sample: int
) -> float:
    params = Params(temperature=0.0 if sample < 0 else 1.0)
    request = Request("task", "offline", "reader", (Message("user", prompt),), params=params,
                      sample=max(sample, 0))  # fmt: skip
    reply = await provider.send(request, 60.0)
    return float(benchmark.grade(case, provider.parse(reply, request).text).score)


def expected(benchmark: Benchmark, case: Case) -> float:
    """The exact mean score of answers drawn at temperature 1."""
    answers = reader(benchmark.prompt(case)).answers
    weights = probabilities(answers, Params(temperature=1.0))
    return sum(
        weight * float(benchmark.grade(case, answer.line).score)
        for weight, answer in zip(weights, answers, strict=True)
    )


def balanced(cases: Sequence[Case], scores: Sequence[float]) -> float:
    """Mean over the classes of the mean score within the class."""
    by_class: dict[str, list[float]] = {}
    for case, score in zip(cases, scores, strict=True):
        by_class.setdefault(str(case.expected), []).append(score)
    return statistics.fmean(statistics.fmean(scores) for scores in by_class.values())


def majority(cases: Iterable[Case]) -> float:
    """Accuracy of the most frequent expected output."""
    counts = Counter(str(case.expected) for case in cases)
    return max(counts.values()) / sum(counts.values())


def rates(kind: str, cases: Sequence[Case], reached: Reached) -> Mapping[str, float]:
    """The benchmark's measure for greedy and sampled answers, and for the majority answer."""
    if kind == "finqa":
        return {
            "greedy": statistics.fmean(reached.greedy),
            "sampled": statistics.fmean(reached.sampled),
            "majority": majority(cases),
        }
    return {
        "greedy": balanced(cases, reached.greedy),
        "sampled": balanced(cases, reached.sampled),
        "majority": 1 / len({str(case.expected) for case in cases}),
    }


async def accuracy() -> None:
    """Print what the reader reaches."""
    for kind, file in FILES.items():
        benchmark = load(kind, shared(file))
        cases = held_out(benchmark)
        reached = await read(benchmark, cases)
        found = rates(kind, cases, reached)
        measure = "execution accuracy" if kind == "finqa" else "balanced accuracy"
        print(
            f"{kind:12} {len(cases):5} cases  {measure:18}  greedy {found['greedy']:.3f}  "
            f"sampled {found['sampled']:.3f}  majority {found['majority']:.3f}  "
            f"ratio {found['greedy'] / found['majority']:.2f}  "
            f"(plain {statistics.fmean(reached.greedy):.3f}, majority {majority(cases):.3f})  "
            f"median first answer {reached.milliseconds:.2f} ms"
        )


def main() -> None:
    """Parse the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gates", type=int, default=40, help="cases per benchmark for the gates")
    arguments = parser.parse_args()
    asyncio.run(accuracy())
    from offline_gates import gates

    asyncio.run(gates(arguments.gates))


if __name__ == "__main__":
    main()

"""Gold answers as responses, and the benchmarks on our samples, for the tests beside."""

from evoscope.engine.benchmarks.base import Benchmark, Case
from evoscope.engine.benchmarks.load import SAMPLES, load

KEYWORDS = {"finqa": "Program", "pubmedqa": "Answer", "contractnli": "Label", "bundle": "Answer"}
KINDS = tuple(SAMPLES)


def gold_response(benchmark: Benchmark, case: Case) -> str:
    """A response that ends with the gold answer."""
    answer = case.metadata["program"] if benchmark.name == "finqa" else case.expected
    return f"Because of this and that.\n{KEYWORDS[benchmark.name]}: {answer}"


def sampled(kind: str) -> Benchmark:
    """The benchmark on our sample cases."""
    return load(kind)

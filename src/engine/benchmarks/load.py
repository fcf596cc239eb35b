"""One door to all benchmarks; each is imported only when it is asked for."""

from pathlib import Path

from ..errors import DataError
from .base import Benchmark

SAMPLES = {
    "finqa": "finqa.json",
    "pubmedqa": "ori_pqal.json",
    "contractnli": "contractnli.json",
    "bundle": "bundle",
}
"""The kinds of benchmarks, with the file or folder of our own cases in `samples/`."""


def load(kind: str, path: Path | None = None) -> Benchmark:
    """The benchmark `kind` (finqa, pubmedqa, contractnli, bundle) on the file at `path`.

    Files may be gzipped. Without a path, our bundled sample cases: invented, for demos and tests.
    Raises DataError that names the file, the line or record, and what to do.
    """
    if kind not in SAMPLES:
        raise DataError(f"benchmark {kind!r}: unknown; give one of {', '.join(SAMPLES)}")
    path = samples(kind) if path is None else path
    if kind == "finqa":
        from .finqa import FinQA

        return FinQA.load(path)
    if kind == "pubmedqa":
        from .pubmedqa import PubMedQA

        return PubMedQA.load(path)
    if kind == "contractnli":
        from .contractnli import ContractNLI

        return ContractNLI.load(path)
    from .bundle import Bundle

    return Bundle.load(path)


def samples(kind: str) -> Path:
    """Where our sample cases of a benchmark lie."""
    return Path(__file__).parent / "samples" / SAMPLES[kind]

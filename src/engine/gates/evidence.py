"""Evidence (ours): values that the gold output needs, and a program can find, still stand there."""

from typing import Literal

from ..benchmarks.base import Benchmark, Case
from .ruling import Ruling

EvidencePolicy = Literal["reject", "warn", "off"]


def check_evidence(
    benchmark: Benchmark, original: Case, candidate: Case, policy: EvidencePolicy
) -> Ruling | None:
    """The gate's verdict; None where it is off or the benchmark cannot tell.

    Under `warn` missing values pass with a reason that begins with "warning".
    """
    missing = None if policy == "off" else benchmark.missing_evidence(original, candidate)
    if missing is None:
        return None
    if not missing:
        return Ruling("pass")
    listed = "no longer in the input: " + ", ".join(missing)
    if policy == "warn":
        return Ruling("pass", f"warning: {listed}", {"missing": list(missing)})
    return Ruling("fail", listed, {"missing": list(missing)})

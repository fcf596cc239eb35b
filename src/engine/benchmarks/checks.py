"""What a validation found: one named check of a benchmark's construction."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: what was looked at, whether it holds, and the counts that say so."""

    name: str
    ok: bool
    detail: str

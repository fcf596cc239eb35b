"""Sums a run's calls unit by unit: a run may hold hundreds of thousands of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ..store.reader import Reader
from .harden import Spend

UNITS = "SELECT DISTINCT unit FROM call ORDER BY unit"
CALLS = (
    "SELECT c.role, coalesce(c.served_model, c.model), c.purpose, "
    "coalesce(n.generation, -1) = 0, c.status, c.input_tokens + coalesce(c.cached_input_tokens, 0) "
    "+ coalesce(c.cache_write_tokens, 0), c.cached_input_tokens, "
    "c.output_tokens, c.cost FROM call c LEFT JOIN node n ON n.id = c.node WHERE c.unit = ?"
)
SUMS = ("input", "cached_input", "output")
"""Tokens by kind; `input` is all of it here, of which `cached_input` was read from a cache."""


@dataclass(slots=True)
class CallSum:
    """Calls of one role, model and purpose in one unit, apart by whether they are of originals."""

    role: str
    model: str
    purpose: str
    of_original: bool
    completed: int = 0
    failed: int = 0
    input: int | None = None
    cached_input: int | None = None
    output: int | None = None
    cost: Decimal | None = None
    unknown_cost: int = 0

    def add(self, status: str, tokens: tuple[int | None, ...], cost: str | None) -> None:
        """Count one call; open, ambiguous and waiting ones are not counted yet."""
        self.completed += status == "completed"
        self.failed += status == "failed"
        for name, value in zip(SUMS, tokens, strict=True):
            if value is not None:
                setattr(self, name, (getattr(self, name) or 0) + value)
        if cost is not None:
            self.cost = (self.cost or Decimal(0)) + Decimal(cost)
        elif status == "completed":
            self.unknown_cost += 1


def read_calls(reader: Reader) -> Iterator[tuple[str, list[CallSum]]]:
    """(unit, its sums) for every unit that bought a call. Raises StoreError."""
    for (unit,) in reader.rows(UNITS):
        sums: dict[tuple[Any, ...], CallSum] = {}
        for *key, status, given, cached, output, cost in reader.rows(CALLS, (unit,)):
            role, model, purpose, of_original = key
            found = sums.setdefault(tuple(key), CallSum(role, model, purpose, bool(of_original)))
            found.add(status, (given, cached, output), cost)
        yield unit, list(sums.values())


def spend_of(calls: Iterable[CallSum]) -> list[Spend]:
    """Sums by role and model, the largest number of calls first."""
    groups: defaultdict[tuple[str, str], list[CallSum]] = defaultdict(list)
    for call in calls:
        groups[call.role, call.model].append(call)
    spend = [_spend(role, model, group) for (role, model), group in groups.items()]
    return sorted(spend, key=lambda s: (-s.calls, s.role, s.model))


def _spend(role: str, model: str, group: list[CallSum]) -> Spend:
    tokens = {name: _known(getattr(call, name) for call in group) for name in SUMS}
    costs = [call.cost for call in group if call.cost is not None]
    return Spend(
        role=role,
        model=model,
        calls=sum(call.completed for call in group),
        failed=sum(call.failed for call in group),
        input=tokens["input"],
        cached_input=tokens["cached_input"],
        output=tokens["output"],
        cost=sum(costs, start=Decimal(0)) if costs else None,
        unknown_cost=sum(call.unknown_cost for call in group),
    )


def _known(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None

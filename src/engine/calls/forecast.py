"""What a run will ask, use and cost, before it asks anything."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from ..config import ModelSettings
from ..model.llm import RolePlan, Usage
from .prices import Prices

BYTES_PER_CALL = 1000
"""Of the run's file, without log-probabilities (design: engine-decisions, "besides" 5)."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many calls: as expected, and at most."""

    expected: int
    max: int


@dataclass(frozen=True, slots=True)
class PerMillion:
    """US dollars for a million tokens each way."""

    input: float
    output: float


@dataclass(frozen=True, slots=True)
class RoleForecast:
    """One role: tokens and cost of its expected calls together; None is an unknown price."""

    role: str
    model: str
    calls: Count
    input_tokens: int
    output_tokens: int
    price: PerMillion | None
    cost: Decimal | None
    cost_max: Decimal | None


@dataclass(frozen=True, slots=True)
class Total:
    """All roles together, as expected; the cost is None as soon as one role's is."""

    calls: int
    calls_max: int
    input_tokens: int
    output_tokens: int
    cost: Decimal | None
    cost_max: Decimal | None
    file_bytes: int


@dataclass(frozen=True, slots=True)
class CostForecast:
    """The answer of `evoscope cost`."""

    roles: tuple[RoleForecast, ...]
    total: Total

    def as_json(self) -> dict[str, Any]:
        """Plain data for --json: money as numbers, null where it is unknown."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def forecast(
    plans: Sequence[RolePlan], models: Mapping[str, ModelSettings], prices: Prices
) -> CostForecast:
    """The forecast for a search's plan. Cached input is not foreseen, so it errs upwards."""
    roles = tuple(_role(plan, models[plan.model_role], prices) for plan in plans)
    total = Total(
        calls=sum(r.calls.expected for r in roles),
        calls_max=sum(r.calls.max for r in roles),
        input_tokens=sum(r.input_tokens for r in roles),
        output_tokens=sum(r.output_tokens for r in roles),
        cost=_sum([r.cost for r in roles]),
        cost_max=_sum([r.cost_max for r in roles]),
        file_bytes=BYTES_PER_CALL * sum(r.calls.expected for r in roles),
    )
    return CostForecast(roles, total)


def _role(plan: RolePlan, model: ModelSettings, prices: Prices) -> RoleForecast:
    rates = prices.per_million(model.provider, model.model)
    one = prices.cost(
        model.provider, model.model, Usage(input=plan.input_tokens, output=plan.output_tokens)
    )
    return RoleForecast(
        role=plan.role,
        model=model.model,
        calls=Count(plan.expected, plan.max),
        input_tokens=plan.expected * plan.input_tokens,
        output_tokens=plan.expected * plan.output_tokens,
        price=None if rates is None else PerMillion(*map(float, rates)),
        cost=None if one is None else one * plan.expected,
        cost_max=None if one is None else one * plan.max,
    )


def _sum(costs: Sequence[Decimal | None]) -> Decimal | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if len(known) == len(costs) else None


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return float(value) if isinstance(value, Decimal) else value

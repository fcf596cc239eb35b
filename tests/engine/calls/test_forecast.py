"""The cost forecast is the plan's counts times the models' prices."""

import json
from decimal import Decimal

from evoscope.engine.calls.forecast import forecast
from evoscope.engine.calls.prices import Prices
from evoscope.engine.config import ModelSettings, Price, ProviderSettings
from evoscope.engine.model.llm import RolePlan

PLANS = (
    RolePlan("task", "task", expected=100, max=200, input_tokens=2000, output_tokens=500),
    RolePlan("audit", "gates", expected=30, max=60, input_tokens=4000, output_tokens=1000),
    RolePlan("realism", "gates", expected=10, max=60, input_tokens=4000, output_tokens=1000),
)


def parts(gate_price: Price | None) -> tuple[dict[str, ModelSettings], Prices]:
    models = {
        "task": ModelSettings(
            provider="p", model="t", price=Price(input=Decimal(1), output=Decimal(2))
        ),
        "gates": ModelSettings(provider="p", model="g", price=gate_price),
    }
    settings = ProviderSettings(kind="chat_completions", dialect="vllm")
    return models, Prices(models, {"p": settings})


def test_roles_and_total_are_counts_times_prices() -> None:
    models, prices = parts(Price(input=Decimal(5), output=Decimal(25)))
    result = forecast(PLANS, models, prices)
    assert [role.cost for role in result.roles] == [
        Decimal("0.3"), Decimal("1.35"), Decimal("0.45"),
    ]  # fmt: skip
    assert result.total.cost == Decimal("2.1")
    assert result.total.cost_max == Decimal("0.6") + 120 * Decimal("0.045")
    assert (result.total.input_tokens, result.total.output_tokens) == (360_000, 90_000)


def test_the_json_has_the_stable_shape() -> None:
    models, prices = parts(Price(input=Decimal(5), output=Decimal(25)))
    shown = json.loads(json.dumps(forecast(PLANS, models, prices).as_json()))
    assert shown["roles"][0] == {
        "role": "task",
        "model": "t",
        "calls": {"expected": 100, "max": 200},
        "input_tokens": 200_000,
        "output_tokens": 50_000,
        "price": {"input": 1.0, "output": 2.0},
        "cost": 0.3,
        "cost_max": 0.6,
    }
    assert (shown["total"]["calls"], shown["total"]["calls_max"]) == (140, 320)
    assert shown["total"]["cost"] == 2.1


def test_one_unknown_price_makes_the_total_unknown_and_not_smaller() -> None:
    result = forecast(PLANS, *parts(None))
    assert result.roles[0].cost == Decimal("0.3")
    assert (result.roles[1].price, result.roles[1].cost) == (None, None)
    assert (result.total.cost, result.total.cost_max) == (None, None)

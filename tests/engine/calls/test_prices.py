"""Prices: the provider's word, the configuration, the table, and what is unknown."""

import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest

from evoscope.engine.calls.prices import Prices, Rates
from evoscope.engine.config import ModelSettings, Price, ProviderSettings
from evoscope.engine.errors import ConfigError
from evoscope.engine.model.llm import Completion, Finish, Usage

USAGE = Usage(
    input=100_000,
    cached_input=40_000,
    cache_write_5m=20_000,
    cache_write_1h=10_000,
    output=5_000,
    reasoning=3_000,
)
OPUS = "claude-opus-4-8"


def prices(model: str, price: Price | None = None, **provider: Any) -> Prices:
    settings = ProviderSettings.model_validate({"kind": "anthropic", **provider})
    return Prices({"task": ModelSettings(provider="p", model=model, price=price)}, {"p": settings})


def test_the_five_kinds_of_tokens_have_their_own_prices() -> None:
    # $5 in, $0.50 cached, $6.25 and $10 written for 5 minutes and an hour, $25 out
    expected = (
        Decimal("0.5") + Decimal("0.02") + Decimal("0.125") + Decimal("0.1") + Decimal("0.125")
    )
    assert prices(OPUS).cost("p", OPUS, USAGE) == expected


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        (OPUS, {}),
        ("claude-haiku-4-5", {}),
        ("qwen/qwen3.5-35b-a3b", {"kind": "chat_completions"}),
        ("gpt-4.1-mini", {"kind": "chat_completions", "dialect": "openai"}),
    ],
)
def test_our_arithmetic_agrees_with_the_price_table(model: str, provider: dict[str, Any]) -> None:
    from genai_prices import Usage as TableUsage
    from genai_prices import calc_price

    names = {"anthropic": "anthropic", "chat_completions": provider.get("dialect", "openrouter")}
    theirs = calc_price(
        TableUsage(
            input_tokens=170_000,
            cache_read_tokens=40_000,
            cache_write_tokens=30_000,
            cache_write_1h_tokens=10_000,
            output_tokens=5_000,
        ),
        model,
        provider_id=names[provider.get("kind", "anthropic")],
    )
    assert prices(model, **provider).cost("p", model, USAGE) == theirs.total_price


def test_openrouter_knows_a_version_by_dash_or_dot() -> None:
    dashed = prices(f"anthropic/{OPUS}", kind="chat_completions")
    assert dashed.per_million("p", f"anthropic/{OPUS}") == (Decimal(5), Decimal(25))


def test_the_configurations_price_wins_and_fills_in_what_it_leaves_out() -> None:
    stated = Price(input=Decimal(10), output=Decimal(20))
    cost = prices(OPUS, stated).cost("p", OPUS, USAGE)
    assert cost == Decimal("1.0") + Decimal("0.4") + Decimal("0.25") + Decimal("0.2") + Decimal(
        "0.1"
    )
    plain = prices("x", stated, kind="chat_completions", dialect="vllm")
    assert plain.cost("p", "x", USAGE) == Decimal("1.7") + Decimal("0.1")


def test_the_providers_reported_cost_wins_over_every_table() -> None:
    told = Completion("", Finish.STOP, usage=USAGE, cost=Decimal("1.5"), cost_source="provider")
    assert prices(OPUS).priced("p", OPUS, told) is told


@pytest.mark.parametrize(
    "provider",
    [
        {"kind": "anthropic"},
        {"kind": "chat_completions", "dialect": "vllm", "base_url": "http://127.0.0.1:8000/v1"},
        {"kind": "chat_completions", "dialect": "openai", "base_url": "http://127.0.0.1:8000/v1"},
        {"kind": "chat_completions", "dialect": "llama.cpp"},
    ],
)
def test_what_nobody_prices_is_unknown(provider: dict[str, Any]) -> None:
    table = prices("our-own-model", **provider)
    assert table.cost("p", "our-own-model", USAGE) is None
    completion = table.priced("p", "our-own-model", Completion("", Finish.STOP, usage=USAGE))
    assert (completion.cost, completion.cost_source) == (None, "unknown")
    with pytest.raises(ConfigError, match=r"models\.task \(our-own-model\)"):
        table.require_known()


def test_a_self_hosted_server_does_not_get_the_price_of_a_models_namesake() -> None:
    local = prices(
        "gpt-4.1-mini", kind="chat_completions", dialect="openai", base_url="http://127.0.0.1:1/v1"
    )
    assert not local.known("p", "gpt-4.1-mini")


def test_unknown_usage_has_no_cost() -> None:
    assert prices(OPUS).cost("p", OPUS, Usage(input=5)) is None
    assert Rates(*(Decimal(1),) * 5).cost(Usage(output=5)) is None


def test_offline_models_cost_nothing_by_the_price_table() -> None:
    offline = prices("reader", kind="offline")
    offline.require_known()
    completion = offline.priced("p", "reader", Completion("", Finish.STOP, usage=USAGE))
    assert (completion.cost, completion.cost_source) == (Decimal(0), "price table")


def test_a_price_set_later_replaces_the_first() -> None:
    table = prices(OPUS)
    before = table.cost("p", OPUS, USAGE)
    table.override("task", Price(input=Decimal(0), output=Decimal(0)))
    assert before and table.cost("p", OPUS, USAGE) == 0
    with pytest.raises(ConfigError, match="no such role"):
        table.override("nobody", Price(input=Decimal(0), output=Decimal(0)))


def test_the_price_table_is_imported_only_when_it_is_asked_and_never_updates_itself() -> None:
    program = """
import sys, threading
import evoscope.engine.calls.buyer, evoscope.engine.calls.forecast
from evoscope.engine.calls.prices import Prices
from evoscope.engine.config import ModelSettings, ProviderSettings
from evoscope.engine.model.llm import Usage
assert "genai_prices" not in sys.modules and "httpx2" not in sys.modules
settings = {"p": ProviderSettings(kind="anthropic")}
table = Prices({"task": ModelSettings(provider="p", model="claude-opus-4-8")}, settings)
assert table.cost("p", "claude-opus-4-8", Usage(input=1, output=1))
assert "genai_prices" in sys.modules and threading.active_count() == 1
from genai_prices import data_snapshot
assert not data_snapshot.get_snapshot().from_auto_update
"""
    subprocess.run([sys.executable, "-c", program], check=True)

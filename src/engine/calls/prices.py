"""What a completion costs: the provider's word, the configuration's price, or the price table.

The table is the one that genai-prices was released with; nothing here asks the network.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, partial
from typing import Any

from ..config import ModelSettings, Price, ProviderSettings
from ..errors import ConfigError
from ..model.llm import Completion, Usage

MILLION = Decimal(1_000_000)
WRITE_5M, WRITE_1H = Decimal("1.25"), Decimal(2)
"""Anthropic's surcharges on input for cache writes, where a price names none."""

Pricer = Callable[[Usage], Decimal | None]


@dataclass(frozen=True, slots=True)
class Rates:
    """US dollars per million tokens, of the five disjoint kinds."""

    input: Decimal
    cached_input: Decimal
    cache_write_5m: Decimal
    cache_write_1h: Decimal
    output: Decimal

    def cost(self, usage: Usage) -> Decimal | None:
        """The cost of a completion; None where input or output tokens are unknown."""
        if usage.input is None or usage.output is None:
            return None
        total = (
            usage.input * self.input
            + (usage.cached_input or 0) * self.cached_input
            + (usage.cache_write_5m or 0) * self.cache_write_5m
            + (usage.cache_write_1h or 0) * self.cache_write_1h
            + usage.output * self.output
        )
        return total / MILLION


FREE = Rates(*(Decimal(0),) * 5)


class Prices:
    """Prices of one configuration's models, looked up once each.

    Offline models cost 0, and the source given for it is the price table. A model that neither
    the configuration nor the table prices is unknown, never 0; so are self-hosted models.
    """

    def __init__(
        self, models: Mapping[str, ModelSettings], providers: Mapping[str, ProviderSettings]
    ) -> None:
        self._models, self._providers = models, providers
        self._pricers: dict[tuple[str, str], Pricer | None] = {}

    @cached_property
    def _overrides(self) -> dict[tuple[str, str], Price]:
        return {
            (model.provider, model.model): model.price
            for model in self._models.values()
            if model.price is not None
        }

    def cost(self, provider: str, model: str, usage: Usage) -> Decimal | None:
        """US dollars for that usage; None where the price or the usage is unknown."""
        pricer = self._pricer(provider, model)
        return None if pricer is None else pricer(usage)

    def known(self, provider: str, model: str) -> bool:
        """Whether the model has a price."""
        return self._pricer(provider, model) is not None

    def per_million(self, provider: str, model: str) -> tuple[Decimal, Decimal] | None:
        """Input and output price of a million tokens each, for display; None where unknown."""
        ingoing = self.cost(provider, model, Usage(input=1_000_000, output=0))
        outgoing = self.cost(provider, model, Usage(input=0, output=1_000_000))
        return None if ingoing is None or outgoing is None else (ingoing, outgoing)

    def priced(self, provider: str, model: str, completion: Completion) -> Completion:
        """The completion with its cost; a cost that the provider reported is left alone."""
        if completion.cost is not None and completion.cost_source == "provider":
            return completion
        cost = self.cost(provider, model, completion.usage)
        if cost is None:
            return replace(completion, cost=None, cost_source="unknown")
        return replace(completion, cost=cost, cost_source="price table")

    def override(self, role: str, price: Price) -> None:
        """Price a role's model anew, for calls from now on. ConfigError on an unknown role."""
        if role not in self._models:
            raise ConfigError(f"price.{role}: no such role; there are {', '.join(self._models)}")
        model = self._models[role]
        self._overrides[model.provider, model.model] = price
        self._pricers.pop((model.provider, model.model), None)

    def require_known(self) -> None:
        """Raise ConfigError where a model has no price: a budget in money needs them all."""
        unknown = [
            role
            for role, settings in sorted(self._models.items())
            if not self.known(settings.provider, settings.model)
        ]
        if unknown:
            names = ", ".join(f"models.{role} ({self._models[role].model})" for role in unknown)
            raise ConfigError(
                f"budget: no price is known for {names}; give each a price, such as "
                f"models.{unknown[0]}.price = {{ input = 0.5, output = 2.0 }} in dollars per "
                "million tokens, or leave the budget out"
            )

    def _pricer(self, provider: str, model: str) -> Pricer | None:
        key = (provider, model)
        if key not in self._pricers:
            self._pricers[key] = self._find(provider, model)
        return self._pricers[key]

    def _find(self, provider: str, model: str) -> Pricer | None:
        settings = self._providers[provider]
        override = self._overrides.get((provider, model))
        if override is not None:
            return _stated(override, settings.kind).cost
        if settings.kind == "offline":
            return FREE.cost
        return _table_pricer(settings, model)


_NEEDED = {"input_mtok", "output_mtok"}
_RATES = _NEEDED | {"cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok"}
_IGNORED = {"web_searches_kcount"}


def _stated(price: Price, kind: str) -> Rates:
    surcharged = kind == "anthropic"
    write_5m = price.input * WRITE_5M if surcharged else price.input
    write_1h = price.input * WRITE_1H if surcharged else price.input
    return Rates(
        input=price.input,
        cached_input=price.input if price.cached_input is None else price.cached_input,
        cache_write_5m=write_5m if price.cache_write is None else price.cache_write,
        cache_write_1h=max(write_1h, price.cache_write or write_1h),
        output=price.output,
    )


def _table_pricer(settings: ProviderSettings, model: str) -> Pricer | None:
    """Look the model up where it is bought: by the address, else by the provider's own name."""
    if settings.base_url is not None:
        found = _lookup(model, provider_api_url=settings.base_url)
        if found is not None:
            return found
    name = "anthropic" if settings.kind == "anthropic" else settings.dialect
    if name == "openai" and settings.base_url is not None:
        return None
    return _lookup(model, provider_id=name)


def _lookup(model: str, **where: Any) -> Pricer | None:
    """OpenRouter's slugs write a version with a dot where others write a dash: try both."""
    for name in dict.fromkeys((model, re.sub(r"-(\d+)-(\d+)$", r"-\1.\2", model))):
        table = partial(_table_price, name, where)
        try:
            found = table(Usage(input=0, output=0))
        except LookupError:
            continue
        flat = None if found is None else _flat(found.model_price, found.model)
        return flat.cost if flat else partial(_table_cost, table)
    return None


def _table_price(name: str, where: Mapping[str, Any], usage: Usage) -> Any:
    """genai-prices' own calculation; None where the usage is unknown. Raises LookupError."""
    from genai_prices import Usage as TableUsage  # imports an HTTP client: only when needed
    from genai_prices import calc_price

    if usage.input is None or usage.output is None:
        return None
    cached, write_5m = usage.cached_input or 0, usage.cache_write_5m or 0
    write_1h = usage.cache_write_1h or 0
    counts = TableUsage(
        input_tokens=usage.input + cached + write_5m + write_1h,
        cache_read_tokens=cached,
        cache_write_tokens=write_5m + write_1h,
        cache_write_1h_tokens=write_1h,
        output_tokens=usage.output,
    )
    return calc_price(counts, name, **where)


def _table_cost(table: Callable[[Usage], Any], usage: Usage) -> Decimal | None:
    price = table(usage)
    return None if price is None else price.total_price


def _flat(price: Any, model: Any) -> Rates | None:
    """The plain rates of a price that has neither tiers nor times; ten times faster to apply."""
    values = {name: value for name, value in vars(price).items() if value is not None}
    rates = {name: value for name, value in values.items() if name in _RATES}
    rest = set(values) - _RATES - _IGNORED
    flat = all(isinstance(value, Decimal) for value in rates.values())
    if isinstance(model.prices, list) or rest or not flat or not set(rates) >= _NEEDED:
        return None
    write = rates.get("cache_write_mtok", rates["input_mtok"])
    return Rates(
        input=rates["input_mtok"],
        cached_input=rates.get("cache_read_mtok", rates["input_mtok"]),
        cache_write_5m=write,
        cache_write_1h=rates.get("cache_write_1h_mtok", write),
        output=rates["output_mtok"],
    )

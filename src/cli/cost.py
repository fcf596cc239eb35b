"""`evoscope cost`: what a configuration will ask, use and cost, before it asks anything."""

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .output import facts, print_json, print_lines, table

if TYPE_CHECKING:
    from ..engine.calls.forecast import CostForecast, RoleForecast
    from ..engine.config import RunConfig

UNKNOWN = "unknown"


@click.command("cost")
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override one key.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def cost(config: Path, overrides: tuple[str, ...], as_json: bool) -> None:
    """Forecast the calls, tokens and money of CONFIG. Sends nothing.

    Expected calls assume that gates, vote stopping and racing save what they usually do; the
    maximum assumes that they save nothing. A model without a known price has an unknown cost.
    What `evoscope score` asks a judge has rows of its own.
    """
    from ..engine.config_file import load_config

    loaded = load_config(config, overrides)
    result = forecast_of(loaded)
    if as_json:
        print_json(result.as_json())
    else:
        print_lines(text_lines(result, loaded.budget))


def forecast_of(config: "RunConfig") -> "CostForecast":
    """The forecast of a configuration; reads its cases. Raises ConfigError or DataError."""
    from ..engine.calls.forecast import forecast
    from ..engine.calls.prices import Prices
    from ..engine.plans import calls_of

    return forecast(calls_of(config), config.models, Prices(config.models, config.providers))


def text_lines(result: "CostForecast", budget: Decimal | None) -> list[str]:
    """The forecast for people: a row for each role, then the sums."""
    heads = ["role", "model", "calls", "at most", "tokens in", "tokens out", "cost"]
    rows = [_row(role) for role in result.roles]
    total = result.total
    rows.append(
        [
            "total",
            "",
            f"{total.calls:,}",
            f"{total.calls_max:,}",
            f"{total.input_tokens:,}",
            f"{total.output_tokens:,}",
            _money(total.cost),
        ]
    )
    notes = [
        ("at most", _money(total.cost_max)),
        ("budget", "" if budget is None else _money(budget)),
        ("run file", f"about {max(1, total.file_bytes // 1_000_000):,} MB"),
    ]
    return [*table(heads, rows, right=range(2, 7)), "", *facts(notes)]


def _row(role: "RoleForecast") -> list[str]:
    return [
        role.role,
        role.model,
        f"{role.calls.expected:,}",
        f"{role.calls.max:,}",
        f"{role.input_tokens:,}",
        f"{role.output_tokens:,}",
        _money(role.cost),
    ]


def _money(amount: Decimal | None) -> str:
    return UNKNOWN if amount is None else f"${amount:,.2f}"

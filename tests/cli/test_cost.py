"""`evoscope cost`: a forecast that sends nothing and hides no unknown price."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evoscope.cli.cost import cost

CONFIG = """
search = "harden"
[benchmark]
kind = "pubmedqa"
sample = {sample}
[providers.lab]
kind = "chat_completions"
dialect = "vllm"
base_url = "http://127.0.0.1:9/v1"
[models]
task = {{ provider = "lab", model = "t", price = {{ input = 1, output = 2 }} }}
analysis = {{ provider = "lab", model = "a", price = {{ input = 5, output = 25 }} }}
mutation = {{ provider = "lab", model = "a" }}
gates = {{ provider = "lab", model = "g"{gate_price} }}
"""


GATE_PRICE = ", price = { input = 3, output = 15 }"


def run(folder: Path, *options: str, sample: int = 4, gate_price: str = GATE_PRICE) -> str:
    file = folder / "run.toml"
    file.write_text(CONFIG.format(sample=sample, gate_price=gate_price), encoding="utf-8")
    result = CliRunner().invoke(cost, [str(file), *options], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def as_json(folder: Path, *options: str, **parts: Any) -> Any:
    return json.loads(run(folder, "--json", *options, **parts))


def test_the_sums_are_those_of_the_roles(tmp_path: Path) -> None:
    shown = as_json(tmp_path)
    assert shown["total"]["calls"] == sum(r["calls"]["expected"] for r in shown["roles"]) > 0
    assert all(r["calls"]["expected"] <= r["calls"]["max"] for r in shown["roles"])
    assert shown["total"]["cost"] == pytest.approx(sum(r["cost"] for r in shown["roles"]))
    names = {r["role"] for r in shown["roles"]}
    assert {"task", "mutation", "extraction", "audit", "realism"} <= names


def test_more_cases_and_generations_cost_more(tmp_path: Path) -> None:
    few, many = as_json(tmp_path), as_json(tmp_path, sample=6)
    longer = as_json(tmp_path, "--set", "harden.generations=8")
    assert few["total"]["cost"] < many["total"]["cost"]
    assert few["total"]["calls_max"] < longer["total"]["calls_max"]


def test_an_unknown_price_is_null_and_makes_the_total_null(tmp_path: Path) -> None:
    shown = as_json(tmp_path, gate_price="")
    costs = {r["role"]: r["cost"] for r in shown["roles"]}
    assert costs["audit"] is None and costs["task"] > 0
    assert shown["total"]["cost"] is None
    assert "unknown" in run(tmp_path, gate_price="")


def test_text_shows_a_row_for_each_role_and_the_total(tmp_path: Path) -> None:
    text = run(tmp_path)
    assert text.startswith("role")
    assert "total" in text and "$" in text

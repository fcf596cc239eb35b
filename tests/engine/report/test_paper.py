"""Every printed figure of the HARDEN paper that its other numbers give, recomputed by our code."""

import json
from collections.abc import Callable
from statistics import fmean
from typing import Any

import pytest

from evoscope.engine.report.paper import (
    ACCURACY,
    BENCHMARKS,
    CELLS,
    ENTROPY,
    HARDENED,
    MODELS,
    SEQUENCE_NLL,
    TOKEN_NLL,
    WEIGHTED_ENTROPY,
    Row,
)
from evoscope.engine.report.paper_headlines import (
    benchmark_drop,
    drop,
    entropy_rise_percent,
    hardened_share,
    headlines,
    mean_over,
    model_drop,
)
from evoscope.engine.stats import agreement as a
from evoscope.engine.stats.counts import fisher_two_sided, holm, mcnemar_exact, wilson
from evoscope.engine.stats.validation import agreement_by_construction, provenance_accuracy
from tests.shared import shared_data

COEFFICIENTS: dict[str, tuple[Callable[[a.Confusion], float | None], int]] = {
    "agreement %": (a.observed_agreement, 100),
    "accuracy %": (a.observed_agreement, 100),
    "Cohen kappa": (a.kappa, 1),
    "kappa": (a.kappa, 1),
    "Gwet AC1": (a.ac1, 1),
    "positive agreement %": (a.positive_agreement, 100),
    "negative agreement %": (a.negative_agreement, 100),
    "phi/MCC": (a.mcc, 1),
    "specificity %": (a.specificity, 100),
    "correct recall %": (a.recall, 100),
    "incorrect specificity %": (a.specificity, 100),
    "balanced accuracy %": (a.balanced_accuracy, 100),
}


def rows(*places: str) -> list[dict[str, Any]]:
    lines = shared_data("stats", "paper_figures.jsonl").read_text(encoding="utf-8").splitlines()
    harden = [row for line in lines if (row := json.loads(line))["paper"] == "HARDEN"]
    assert len(harden) == 86
    return [row for row in harden if not places or row["where"] in places]


def check(row: dict[str, Any], value: float | None) -> None:
    """`value` is the file's, and prints as the paper has it just where the file says so."""
    assert value == pytest.approx(row["value"], rel=1e-9, abs=1e-12), row["figure"]
    if row["reproduced"] != "within rounding":
        prints = round(value or 0.0, row["decimals"]) == row["printed"]
        assert prints == row["reproduced"], row["figure"]


def table_of(inputs: dict[str, Any]) -> a.Confusion:
    if "tp" in inputs:
        return a.Confusion(**inputs)
    cells = inputs["implied_table"]
    return a.Confusion(
        cells["both_yes"], cells["human_only"], cells["check_only"], cells["both_no"]
    )


@pytest.mark.shared
def test_tables_11_12_and_14_come_out_of_their_counts() -> None:
    checked = 0
    for row in rows("Table 11", "Table 12", "Table 14", "A.12"):
        name = row["figure"].removeprefix("FinQA ").removeprefix("PubMedQA ")
        if name not in COEFFICIENTS:
            continue
        checked += 1
        statistic, scale = COEFFICIENTS[name]
        value = statistic(table_of(row["inputs"]))
        if row["printed"] == "n/a":
            assert value is None
        else:
            check(row, value and value * scale)
    assert checked == 12 + 8 + 3 + 3


@pytest.mark.shared
def test_the_implied_tables_have_the_margins_of_table_10() -> None:
    for row in rows("Table 11"):
        inputs, table = row["inputs"], table_of(row["inputs"])
        assert table.tp + table.fp == sum(inputs["check_accepts_by_source_of_20"])
        assert table.tp + table.fn == sum(inputs["human_accepts_by_source_of_20"])
        assert table.tp + table.tn == inputs["agreements_of_60"]


@pytest.mark.shared
def test_p_values_and_intervals_come_out_of_their_counts() -> None:
    by_figure = {row["figure"]: row for row in rows("A.11", "Table 12", "Table 14")}
    for name in ("FinQA", "PubMedQA"):
        row = by_figure[f"{name} official vs GPT-3.5 human p"]
        check(row, fisher_two_sided(row["inputs"]["table"]))
        row = by_figure[f"{name} provenance accuracy %"]
        official, rejected = row["inputs"]["official_accepted"], row["inputs"]["gpt35_rejected"]
        verdicts = [True] * official + [False] * (20 - official)
        weak = [False] * rejected + [True] * (20 - rejected)
        check(row, 100 * (provenance_accuracy(verdicts, weak) or 0))
    adjusted = holm([mcnemar_exact(0, 9), mcnemar_exact(0, 10)])
    for name, p in zip(("FinQA", "PubMedQA"), adjusted, strict=True):
        check(by_figure[f"{name} McNemar Holm p"], p)
    low, high = wilson(18, 21) or (0.0, 0.0)
    check(by_figure["Wilson low %"], 100 * low)
    check(by_figure["Wilson high %"], 100 * high)


@pytest.mark.shared
def test_table_13_sums_to_the_matches_of_table_14() -> None:
    (row,) = rows("Table 13")
    counts = [tuple(map(int, share.split("/"))) for share in row["printed"].split()]
    pairs = [
        (str(way), True, i < matches) for way, (matches, n) in enumerate(counts) for i in range(n)
    ]
    found = agreement_by_construction(pairs).values()
    assert " ".join(f"{m.matches}/{m.agreed}" for m in found) == row["value"]
    table = row["inputs"]["table_14"]
    assert sum(m.matches for m in found) == table["tp"] + table["tn"]
    assert sum(m.agreed for m in found) == sum(table.values())


@pytest.mark.shared
def test_accepted_counts_come_out_of_table_12() -> None:
    accepted, wrongly = rows("4.2 RQ3")
    tables = [a.Confusion(*cells) for cells in accepted["inputs"]["table_12"]]
    check(accepted, sum(table.tp + table.fp for table in tables))
    check(wrongly, sum(table.fp for table in tables))
    assert [table.fp for table in tables] == wrongly["inputs"]["fp"]


def change(column: str, benchmark: str) -> float:
    cells = [(benchmark, model) for model in MODELS]
    return mean_over(lambda row: getattr(row, column) - row.original, cells)


def entropy_mean(column: str, *, model: str = "", benchmark: str = "") -> float:
    cells = [cell for cell in CELLS if cell[1] == model or cell[0] == benchmark]
    return mean_over(lambda row: float(getattr(row, column)), cells, entropy=True)


def filtered_pair(row: Row) -> float:
    return (row.few_shot_filtered + row.web_filtered) / 2


def headline_values() -> dict[str, float]:
    largest = ACCURACY["PubMedQA", "122B"]
    values = {
        "average accuracy reduction": mean_over(drop),
        "average accuracy reduction, as mean of rounded benchmark means": fmean(
            round(benchmark_drop(name), 1) for name in BENCHMARKS
        ),
        "average accuracy reduction relative to single-pass baselines with the same checks": (
            mean_over(lambda row: filtered_pair(row) - row.harden)
        ),
        "largest accuracy reduction": largest.web - largest.harden,
        "entropy increase %": entropy_rise_percent(),
        "baselines within 0.02 of original in each domain": max(
            abs(entropy_mean(column, benchmark=name) - entropy_mean("original", benchmark=name))
            for column in ("few_shot_filtered", "web_filtered")
            for name in BENCHMARKS
        ),
        "share of cases with reduced accuracy %": hardened_share(),
        "hardened cases per benchmark at 397B": fmean(
            HARDENED[name, "397B"].cases for name in BENCHMARKS
        ),
        "81.7 against 33.0": 81.7 / 33.0,
    }
    for name in BENCHMARKS:
        values[f"{name} accuracy reduction"] = benchmark_drop(name)
        values[f"Few-Shot change {name}"] = change("few_shot_filtered", name)
        values[f"web change {name}"] = change("web_filtered", name)
        before = entropy_mean("original", benchmark=name)
        values[f"{name} entropy increase"] = entropy_mean("harden", benchmark=name) - before
    for name in MODELS:
        values[f"{name} accuracy reduction"] = model_drop(name)
        values[f"{name} entropy from"] = entropy_mean("original", model=name)
        values[f"{name} entropy to"] = entropy_mean("harden", model=name)
    return values


@pytest.mark.shared
def test_headlines_come_out_of_tables_4_5_and_9() -> None:
    values = headline_values()
    found = rows("4.2 RQ1", "4.2 RQ2", "abstract")
    for row in found:
        if row["value"] is not None:
            check(row, values[row["figure"]])
    assert len(found) == len(values) + 1  # one is drawn in a figure only


@pytest.mark.shared
def test_the_subset_figures_come_out_of_table_9() -> None:
    by_figure = {row["figure"]: row for row in rows("A.10")}
    falls = [row.accuracy_before - row.accuracy_after for row in HARDENED.values()]
    rises = [row.entropy_after - row.entropy_before for row in HARDENED.values()]
    for name, values in (("subset accuracy fall", falls), ("subset entropy rise", rises)):
        check(by_figure[f"{name}, from"], min(values))
        check(by_figure[f"{name}, to"], max(values))


@pytest.mark.shared
def test_table_9_and_table_4_tell_the_same_drops() -> None:
    found = rows("Table 9 against Table 4")
    for cell, row in zip(CELLS, found, strict=True):
        subset = HARDENED[cell]
        assert row["figure"] == f"{cell[0]} {cell[1]} dataset drop"
        check(row, subset.cases / 200 * (subset.accuracy_before - subset.accuracy_after))
        assert drop(ACCURACY[cell]) == pytest.approx(row["printed"], abs=0.051)


@pytest.mark.shared
def test_the_remaining_ratios_come_out() -> None:
    for row in rows("A.4", "A.6"):
        inputs = row["inputs"]
        if row["figure"].startswith("token ratio"):
            check(row, inputs[1] / inputs[0])
        elif row["figure"] == "ContractNLI pairs":
            check(row, inputs["contracts"] * inputs["hypotheses"])
        else:
            shares = [100 * k / inputs["of"] for k in range(inputs["of"] + 1)]
            printed = row["printed"].split(" -> ")
            assert set(printed) <= {f"{share:.1f}" for share in shares}


@pytest.mark.parametrize("table", [ACCURACY, ENTROPY, WEIGHTED_ENTROPY, SEQUENCE_NLL, TOKEN_NLL])
def test_every_cell_of_the_paper_moves_towards_harder(table: dict[tuple[str, str], Row]) -> None:
    sign = 1 if table is ACCURACY else -1
    assert all(sign * drop(row) > 0 for row in table.values())


def test_headlines_say_what_they_are_against_and_in_which_unit() -> None:
    shown = headlines()
    assert len(shown) == 10
    assert all(line.against and line.unit in ("points", "per cent") for line in shown)
    off = {line.figure for line in shown if f"{line.value:.1f}".removesuffix(".0") != line.printed}
    assert off == {"average accuracy drop", "hardened cases", "entropy rise"}
    assert {line.unit for line in shown if line.figure == "entropy rise"} == {"per cent"}

"""`evoscope stats`: what it prints, in both forms, and how it refuses files."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evoscope.cli.main import main
from evoscope.cli.stats import stats
from evoscope.engine.errors import DataError

TABLE_14 = "gate,human\n" + "1,1\n" * 3 + "0,1\n" + "1,0\n" * 2 + "0,0\n" * 15
AGREEMENT_FIELDS = [
    "n", "agreement", "kappa", "ac1", "positive_agreement", "negative_agreement", "mcc",
    "confusion", "specificity", "recall", "balanced_accuracy", "mcnemar_p", "wilson95",
    "by_source",
]  # fmt: skip


def run(command: str, file: Path, *options: str) -> str:
    result = CliRunner().invoke(stats, [command, str(file), *options], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def as_json(command: str, folder: Path, text: str) -> Any:
    file = folder / "input"
    file.write_text(text, encoding="utf-8")
    return json.loads(run(command, file, "--json"))


def test_agreement_prints_the_papers_table_14(tmp_path: Path) -> None:
    result = as_json("agreement", tmp_path, TABLE_14)
    assert set(AGREEMENT_FIELDS) <= set(result)
    assert result["n"] == 21
    assert result["confusion"] == {"tp": 3, "fn": 1, "fp": 2, "tn": 15}
    assert result["agreement"] == pytest.approx(18 / 21)
    assert result["wilson95"] == pytest.approx([0.654, 0.950], abs=5e-4)
    assert result["kappa"] == pytest.approx(0.577, abs=5e-4)
    assert result["mcc"] == pytest.approx(0.583, abs=5e-4)
    assert result["balanced_accuracy"] == pytest.approx(0.816, abs=5e-4)
    assert result["mcnemar_p"] == 1.0
    assert result["by_source"] is None


@pytest.mark.parametrize(
    "text",
    [
        TABLE_14,
        TABLE_14.removeprefix("gate,human\n"),
        TABLE_14.replace("\n", "\r\n"),
        "\ufeff" + TABLE_14,
        TABLE_14.replace("1", "Pass").replace("0", "fail"),
        "human,gate\n" + "1,1\n" * 3 + "1,0\n" + "0,1\n" * 2 + "0,0\n" * 15,
    ],
)
def test_every_way_of_writing_the_labels_gives_the_same_figures(tmp_path: Path, text: str) -> None:
    plain = as_json("agreement", tmp_path, TABLE_14)
    assert as_json("agreement", tmp_path, text) == plain
    rows = [line.split(",") for line in TABLE_14.split()[1:]]
    lines = [json.dumps({"gate": int(gate), "human": human == "1"}) for gate, human in rows]
    assert as_json("agreement", tmp_path, "\n".join(lines)) == plain


def test_undefined_statistics_are_null(tmp_path: Path) -> None:
    result = as_json("agreement", tmp_path, "1,1\n1,1\n")
    undefined = {name for name in AGREEMENT_FIELDS if result[name] is None}
    assert undefined == {
        "kappa", "mcc", "negative_agreement", "specificity", "balanced_accuracy", "by_source",
    }  # fmt: skip


def test_split_human_labels_are_left_out_and_counted(tmp_path: Path) -> None:
    result = as_json("agreement", tmp_path, "1,1\n1,\n0,split\n0,1\n")
    assert (result["n"], result["left_out"], result["agreement"]) == (2, 2, 0.5)


def test_only_split_labels_leave_everything_undefined(tmp_path: Path) -> None:
    result = as_json("agreement", tmp_path, "1,split\n")
    assert result["n"] == 0
    assert result["agreement"] is result["wilson95"] is result["mcnemar_p"] is None


def test_sources_keep_their_order_and_their_rates(tmp_path: Path) -> None:
    result = as_json("agreement", tmp_path, "1,1,official\n0,1,weak\n1,0,official\n")
    assert list(result["by_source"]) == ["official", "weak"]
    assert result["by_source"]["official"] == {
        "n": 2,
        "gate_accepts": 1.0,
        "human_accepts": 0.5,
        "agreement": 0.5,
    }


def test_labels_without_a_positive_class_keep_what_needs_none(tmp_path: Path) -> None:
    result = as_json("agreement", tmp_path, "maybe,maybe\nyes,no\nno,no\n")
    assert result["agreement"] == pytest.approx(2 / 3)
    assert result["kappa"] == pytest.approx(0.5)
    assert result["mcc"] == pytest.approx(3 / 24**0.5)
    assert result["confusion"] is result["recall"] is result["mcnemar_p"] is None
    assert "positive class" in result["confusion_note"]


def test_two_labels_of_any_name_have_a_mcnemar_test(tmp_path: Path) -> None:
    named = as_json("agreement", tmp_path, "good,bad\n" * 9 + "good,good\n")
    assert named["mcnemar_p"] == pytest.approx(2 / 2**9)


def test_entropy_prints_the_worked_values(tmp_path: Path) -> None:
    lines = [
        {"samples": ["a", "a", "b", "c"], "base": 3, "logprobs": [[-0.1], [-0.2], [-0.5], [-0.1]]},
        {"samples": ["yes"] * 9 + ["no"], "base": 3},
        {"samples": [1, 1.0, 0.0, -0.0]},
        {"samples": ["a"] * 4 + ["b"] * 3 + ["c"] * 2 + [None], "base": 3},
        {"samples": ["only"]},
    ]
    rows = as_json("entropy", tmp_path, "\n".join(map(json.dumps, lines)))
    assert rows[0]["likelihood_weighted"] == pytest.approx(0.915403, abs=5e-7)
    assert rows[1]["normalised"] == pytest.approx(0.295903, abs=5e-7)
    assert rows[2]["normalised"] == pytest.approx(0.5)
    assert (rows[3]["normalised"], rows[3]["likelihood_weighted"]) == (1.0, None)
    assert rows[4] == {"entropy": 0.0, "normalised": None, "likelihood_weighted": None}


def test_a_sample_without_log_probs_leaves_the_weighted_entropy_unknown(tmp_path: Path) -> None:
    line = {"samples": ["a", "b"], "logprobs": [[-0.1], None]}
    assert as_json("entropy", tmp_path, json.dumps(line))[0]["likelihood_weighted"] is None


def test_bootstrap_prints_the_golden_interval(tmp_path: Path) -> None:
    result = as_json("bootstrap", tmp_path, "1\n" * 31 + "\n" + "0.0\n" * 29)
    assert list(result) == ["mean", "low", "high", "n", "resamples", "seed"]
    assert (result["n"], result["resamples"], result["seed"]) == (60, 50_000, 42)
    assert [result["low"], result["high"]] == pytest.approx([0.38333333333333336, 0.65])


def test_plain_output_is_aligned_and_shows_what_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text("1,1,official\n1,1,\x1b[31mred\n", encoding="utf-8")
    lines = run("agreement", file).splitlines()
    assert len({line.index(line.split()[1]) for line in lines[:6]}) == 1
    assert any(line.split() == ["kappa", "n/a"] for line in lines)
    assert "\x1b" not in "".join(lines)


REFUSED: Sequence[tuple[str, str, str]] = [
    ("agreement", "gate,human\n1,1\n0\n", "input:3: no human label"),
    ("agreement", '{"gate": 1, "human": 1}\n{"gate": 1', "input:2: not JSON"),
    ("agreement", '{"gate": 1, "human": [1]}', "input:1: [1] is no label"),
    ("agreement", "1,1\n,1\n", "input:2: the gate's label is empty"),
    ("agreement", "\n", "input: holds no pair"),
    ("entropy", '{"samples": ["a"]}\n[1]\n', "input:2: not a JSON object"),
    ("entropy", '{"samples": []}', "input:1: samples must be"),
    ("entropy", '{"samples": ["a"], "base": 0}', "input:1: base 0"),
    ("entropy", '{"samples": ["a"], "base": true}', "input:1: base True"),
    ("entropy", '{"samples": ["a"], "logprobs": []}', "input:1: logprobs must hold"),
    ("entropy", '{"samples": ["a"], "logprobs": [1]}', "input:1: logprobs holds 1"),
    ("entropy", '{"samples": ["a"], "logprobs": [[NaN]]}', "input:1: nan is no finite number"),
    ("bootstrap", "0.5\nhalf\n", "input:2: 'half' is no finite number"),
    ("bootstrap", "0.5\n\ninf\n", "input:3: 'inf' is no finite number"),
    ("bootstrap", "", "input: holds no number"),
]


@pytest.mark.parametrize(("command", "text", "message"), REFUSED)
def test_a_bad_file_is_refused_with_its_line(
    tmp_path: Path, command: str, text: str, message: str
) -> None:
    with pytest.raises(DataError) as caught:
        as_json(command, tmp_path, text)
    assert message in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert caught.value.exit_code == 2


def test_an_unreadable_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        run("bootstrap", tmp_path / "missing.txt")
    (tmp_path / "bytes").write_bytes(b"0.5\n\xff\n")
    with pytest.raises(DataError, match="not UTF-8"):
        run("bootstrap", tmp_path / "bytes")


def test_the_command_ends_with_code_2_and_one_line_for_a_bad_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "means").write_text("x\n", encoding="utf-8")
    assert main(["stats", "bootstrap", str(tmp_path / "means")]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1

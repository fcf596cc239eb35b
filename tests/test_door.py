"""The Python door: typed rows, arrays, frames, and nothing imported before it is opened."""

import importlib.util
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evoscope
from evoscope.door import KINDS
from evoscope.engine.errors import UsageError
from tests.store_builder import small_run


def test_rows_are_typed_and_filtered(tmp_path: Path) -> None:
    with evoscope.open(small_run(tmp_path).path) as run:
        assert run.status().effect.hardened == 1
        assert [node.id for node in run.nodes(state="promoted")] == ["a/g2/i0"]
        assert [verdict.vote for verdict in run.ledger(vote=None)] == [None]
        assert [len(call.attempts) for call in run.calls()] == [0, 1]
        assert [r.fresh_after for r in run.case_results()] == [Fraction(1, 2), 1]
        assert run.descendants("a/g1/i0") == ["a/g2/i0", "a/g2/i1"]
        node = run.node("a/g1/i0")
        assert node is not None
        assert "question of a/g1/i0" in run.text(node.content_hash)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_row_comes_as_arrays_of_one_length(tmp_path: Path, kind: str) -> None:
    with evoscope.open(str(small_run(tmp_path).path)) as run:
        columns = run.arrays(kind)
    assert (columns == {}) == (kind == "commands"), "the small run holds no command"
    assert len({len(column) for column in columns.values()}) <= 1


def test_scores_become_floats(tmp_path: Path) -> None:
    with evoscope.open(small_run(tmp_path).path) as run:
        scores = run.arrays("rollouts")["score"]
    assert scores.dtype == np.float64
    assert scores.tolist() == [1.0, 1.0, 0.0]


def test_unknown_numbers_become_nan_and_lists_stay_lists(tmp_path: Path) -> None:
    with evoscope.open(small_run(tmp_path).path) as run:
        nodes, votes = run.arrays("nodes"), run.arrays("ledger")["vote"]
    assert np.isnan(nodes["entropy"]).tolist() == [False, False, True, False, True, False]
    assert nodes["parents"][1] == ("a/g0/i0",)
    assert votes[:2].tolist() == [0.0, 1.0] and np.isnan(votes[2])


def test_an_unknown_kind_names_the_known_ones(tmp_path: Path) -> None:
    with evoscope.open(small_run(tmp_path).path) as run, pytest.raises(UsageError, match="nodes"):
        run.arrays("verdicts")


@dataclass
class FakeFrame:
    """Stands in for pandas where it is not installed."""

    columns: Mapping[str, list[Any]]


def test_frames_are_built_by_pandas_if_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = type(sys)("pandas")
    monkeypatch.setattr(fake, "DataFrame", FakeFrame, raising=False)
    monkeypatch.setitem(sys.modules, "pandas", fake)
    with evoscope.open(small_run(tmp_path).path) as run:
        frame = run.frame("nodes", group="b")
    assert frame.columns["id"] == ["b/g0/i0"]


@pytest.mark.skipif(importlib.util.find_spec("pandas") is not None, reason="pandas is installed")
def test_without_pandas_a_frame_says_what_to_install(tmp_path: Path) -> None:
    with evoscope.open(small_run(tmp_path).path) as run, pytest.raises(UsageError, match="pandas"):
        run.frame("nodes")


def test_importing_evoscope_imports_nothing_heavy() -> None:
    code = (
        "import sys, evoscope\n"
        "heavy = {'evoscope.door', 'numpy', 'sqlite3', 'pydantic'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""`verify --rerun` and `run --unsafe-no-sandbox`, on the example bundle."""

import subprocess
import sys
from pathlib import Path

import pytest

from evoscope.engine.sandbox import levels
from tests.cli.conftest import Cli

CONFIG = Path(__file__).resolve().parents[2] / "examples" / "cegar-bundle.toml"


def begun(folder: Path, *words: str) -> None:
    """A run that an engine has finished, in processes of their own."""
    command = [sys.executable, "-m", "evoscope.cli.main", "run", str(CONFIG), "--name", "trains"]
    done = subprocess.run(
        [*command, "--dir", str(folder), "--headless", *words], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


def test_without_a_sandbox_nothing_is_run_again_and_one_line_says_why(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(tmp_path)
    assert cli("verify", "trains").code == 0
    monkeypatch.setattr(levels, "missing", lambda level: "not on this machine")
    refused = cli("verify", "trains", "--rerun")
    assert refused.code == 1 and refused.out == ""
    assert refused.err.count("\n") == 1
    assert "nothing was run" in refused.err and "not on this machine" in refused.err
    monkeypatch.undo()


def test_an_unsafe_run_says_so_in_status_list_report_and_scores(cli: Cli, tmp_path: Path) -> None:
    begun(tmp_path, "--unsafe-no-sandbox")
    assert "NONE: programs run with your rights" in cli("status", "trains").out
    assert cli("status", "trains", "--json").json["unsafe_no_sandbox"] is True
    assert cli("ls", "--json").json[0]["unsafe_no_sandbox"] is True
    report = cli("report", "trains", "--json").json
    assert any("--unsafe-no-sandbox" in line for line in report["banner"])
    assert report["provenance"]["sandbox"].startswith('{"level": "none"')
    again = cli("verify", "trains", "--rerun", "--json").json
    assert again["ok"] and again["flaky"] == [] and again["rerun"]["jobs"] > 0
    assert "No sandbox" in cli("score", "trains").out


def test_a_plain_run_is_isolated_and_says_nothing_of_it(cli: Cli, tmp_path: Path) -> None:
    begun(tmp_path, "--set", "cegar.rounds=1")
    assert cli("status", "trains", "--json").json["unsafe_no_sandbox"] is False
    assert "rights" not in cli("status", "trains").out
    printed = cli("verify", "trains", "--json").json
    assert printed["rerun"] is None and printed["flaky"] == []

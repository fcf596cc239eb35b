"""`doctor`: findings with advice, never a key's value."""

from pathlib import Path

import pytest

from evoscope.cli import doctor_checks
from tests.cli.conftest import Cli


def test_every_check_says_what_it_found(cli: Cli) -> None:
    checks = cli("doctor", "--json").json["checks"]
    assert [set(check) for check in checks] == [{"name", "ok", "detail", "advice"}] * len(checks)
    assert len(checks) == len(doctor_checks.ALL)
    assert all(check["advice"] for check in checks if check["ok"] is False)


def test_a_folder_that_cannot_be_written_is_a_problem(cli: Cli, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    printed = cli("doctor", "--dir", blocked / "runs")
    assert printed.code in (1, 2)


def test_a_full_disk_is_a_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor_checks, "LITTLE_SPACE", 10**18)
    check = doctor_checks.disk(tmp_path / "not" / "there" / "yet")
    assert check.ok is False and check.advice


def test_keys_are_named_and_never_shown(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "planted-key")
    printed = cli("doctor")
    assert "ANTHROPIC_API_KEY" in printed.out and "planted-key" not in printed.out


def test_the_construction_of_a_generated_benchmark_can_be_checked(cli: Cli) -> None:
    printed = cli("doctor", "--benchmark", "syn_ledger", "--json")
    checks = {check["name"]: check for check in printed.json["checks"]}
    assert printed.code == 0 and all(check["ok"] for check in checks.values())
    assert checks["allocation favourable"]["detail"] == "cert [364] of 416, 7/8"
    assert "python" not in checks

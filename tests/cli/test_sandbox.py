"""`sandbox`: a verdict whatever the program does, in JSON as the stable interface says."""

from pathlib import Path

import pytest

from evoscope.engine.sandbox import levels
from tests.cli.conftest import Cli

FIELDS = {
    "verdict", "detail", "value", "level", "cpu_s", "wall_s", "memory_mb", "stdout", "flaky",
}  # fmt: skip


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A small program."""
    file = tmp_path / "program.py"
    file.write_text("def add(a, b=1):\n    print('adding')\n    return {'sum': a + b}\n")
    return file


def test_a_program_passes_with_its_value(cli: Cli, program: Path) -> None:
    printed = cli("sandbox", program, "--call", "add", "--args", "[1, 2]", "--json")
    assert printed.code == 0 and set(printed.json) >= FIELDS
    assert printed.json["verdict"] == "pass" and printed.json["value"] == {"sum": 3}
    assert printed.json["stdout"] == "adding\n" and printed.json["flaky"] is False
    assert printed.json["level"] in levels.STRONGEST_FIRST and printed.json["detail"] is None


@pytest.mark.parametrize(
    ("words", "verdict", "detail"),
    [
        (["--args", "[1]", "--expect", '{"sum": 2}'], "pass", None),
        (["--args", "[1]", "--expect", "3"], "fail", "case 0: another value"),
        (["--args", '["x"]'], "error", "TypeError: case 0: can only concatenate str"),
        ([], "error", "TypeError: case 0: add() missing"),
    ],
)
def test_a_verdict_is_data_and_the_exit_code_stays_0(
    cli: Cli, program: Path, words: list[str], verdict: str, detail: str | None
) -> None:
    printed = cli("sandbox", program, "--call", "add", *words, "--json")
    assert (printed.code, printed.json["verdict"]) == (0, verdict)
    found = printed.json["detail"]
    assert found is None if detail is None else found.startswith(detail)


@pytest.mark.parametrize(("wanted", "verdict"), [("4", "pass"), ("5", "fail")])
def test_a_checker_decides(
    cli: Cli, program: Path, tmp_path: Path, wanted: str, verdict: str
) -> None:
    checker = tmp_path / "checker.py"
    checker.write_text(f"def check(candidate):\n    assert candidate(3)['sum'] == {wanted}\n")
    printed = cli("sandbox", program, "--call", "add", "--checker", checker, "--json")
    assert (printed.code, printed.json["verdict"]) == (0, verdict)


def test_a_value_that_json_cannot_hold_is_null_beside_its_text(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "p.py"
    file.write_text("def f(): return [1j, {2: b'x'}]")
    printed = cli("sandbox", file, "--call", "f", "--json").json
    assert (printed["value"], printed["value_repr"]) == (None, "[1j, {2: b'x'}]")


def test_running_without_isolation_must_be_typed_and_is_said(cli: Cli, program: Path) -> None:
    words = ("sandbox", program, "--call", "add", "--args", "[1]", "--unsafe-no-sandbox")
    printed = cli(*words)
    assert "NO ISOLATION" in printed.err and "none: NOT ISOLATED" in printed.out
    assert cli(*words, "--json").json["level"] == "none"


def test_without_any_level_nothing_runs_and_the_exit_code_is_1(
    cli: Cli, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels, "missing", lambda level: "no lock here")
    printed = cli("sandbox", program, "--call", "add")
    assert printed.code == 1 and "no lock here" in printed.err and not printed.out
    (check,) = [c for c in cli("doctor", "--json").json["checks"] if c["name"] == "sandbox"]
    assert check["ok"] is None and "no lock here" in check["detail"] and check["advice"]


@pytest.mark.parametrize(
    "words",
    [
        ["--args", "{"], ["--args", "{}"], ["--expect", "x"], ["--checker", "x", "--args", "[]"],
        ["--checker", "missing.py"], ["--cpu", "0"],
    ],
)  # fmt: skip
def test_wrong_words_are_usage_errors(cli: Cli, program: Path, words: list[str]) -> None:
    printed = cli("sandbox", program, "--call", "add", *words)
    assert printed.code == 2 and printed.err.startswith("evoscope: ")


def test_doctor_names_the_layers(cli: Cli) -> None:
    checks = {check["name"]: check for check in cli("doctor", "--json").json["checks"]}
    assert "seccomp" in checks["sandbox layers"]["detail"]
    assert checks["sandbox"]["detail"].endswith("self-test passed")

"""`evoscope report`: three forms of the same report, to standard output or to a file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from evoscope.cli.main import main
from tests.engine.report.file_kit import build


def printed(capsysbinary: pytest.CaptureFixture[bytes], *arguments: str) -> str:
    assert main(["report", *arguments]) == 0
    return capsysbinary.readouterr().out.decode()


def test_markdown_is_the_default_and_names_the_run(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    build(tmp_path)
    text = printed(capsysbinary, "demo", "--dir", str(tmp_path))
    assert text.startswith("# demo: harden on pubmedqa\n")
    assert "## Accuracy, all finished cases" in text


def test_json_has_tables_figures_and_provenance(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = str(build(tmp_path).path)
    text = printed(capsysbinary, path, "--format", "json")
    assert text == printed(capsysbinary, path, "--json")
    value = json.loads(text)
    assert {"tables", "figures", "provenance"} <= set(value)
    assert value["tables"]["cases"]["rows"][0][:2] == ["hardened", 1]


@pytest.mark.parametrize(
    ("name", "start"), [("r.html", "<!doctype html>"), ("r.json", "{"), ("r.md", "# demo")]
)
def test_the_ending_of_a_file_chooses_the_form(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], name: str, start: str
) -> None:
    path, output = build(tmp_path).path, tmp_path / name
    assert printed(capsysbinary, str(path), "-o", str(output)) == ""
    assert output.read_text(encoding="utf-8").startswith(start)


def test_a_file_that_cannot_be_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "missing" / "r.md"
    assert main(["report", str(build(tmp_path).path), "-o", str(output)]) == 2
    assert str(output) in capsys.readouterr().err


def test_the_report_of_an_unknown_run_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "nothing", "--dir", str(tmp_path)]) == 2
    assert "nothing" in capsys.readouterr().err


def test_the_command_imports_no_provider_and_no_screen(tmp_path: Path) -> None:
    output = tmp_path / "r.md"
    code = (
        "import sys; from evoscope.cli.main import main; "
        f"assert main(['report', {str(build(tmp_path).path)!r}, '-o', {str(output)!r}]) == 0; "
        "sys.exit(sorted({'anthropic', 'httpx', 'textual', 'scipy'} & set(sys.modules)) or 0)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (0, "")

"""What the README tells people to type works."""

import re
import shlex
from pathlib import Path

import pytest

from evoscope.cli.main import COMMANDS
from tests.cli.conftest import Cli

README = (Path(__file__).resolve().parents[2] / "README.md").read_text()
TYPED = [
    part.split("#")[0].strip()
    for line in README.splitlines()
    if line.startswith("    evoscope ")
    for part in re.split(r"\s{3,}(?=evoscope )", line.strip())
]


def test_every_command_of_the_readme_is_a_command() -> None:
    assert len(TYPED) >= 20
    for line in TYPED:
        assert line.split()[1] in COMMANDS, line


@pytest.mark.parametrize("search", ["harden", "cegar", "chase"])
def test_a_first_configuration_is_made_checked_and_forecast(
    cli: Cli, search: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in TYPED[:3]:
        printed = cli(*shlex.split(line.replace("harden", search))[1:])
        assert printed.code == 0, (line, printed.err)
    assert (tmp_path / "my-run.toml").exists()

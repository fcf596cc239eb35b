"""Running the command line inside the test's process, and reading what it printed."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evoscope.cli.main import main


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON value on standard output."""
        return json.loads(self.out)


Cli = Callable[..., Printed]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs a command; runs live in the test's folder, and no API key is set."""
    monkeypatch.setenv("EVOSCOPE_RUNS", str(tmp_path))
    for name in ("ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: object) -> Printed:
        capsys.readouterr()
        code = main([str(word) for word in words])
        printed = capsys.readouterr()
        return Printed(code, printed.out, printed.err)

    return run

"""What is said of a file that this program can no longer replay, and what it advises."""

import shutil
from pathlib import Path

import pytest

from evoscope import __version__
from evoscope.engine.plans import CEGAR, HARDEN
from evoscope.engine.searches.spec import SearchSpec
from tests.cli.conftest import Cli
from tests.recorded_kit import recorded
from tests.store_builder import RunFile


def begun_with(folder: Path, search: str, **pins: str) -> RunFile:
    """The recorded run with other pins."""
    run = RunFile(Path(shutil.copy(recorded(search), folder / "old.evo")))
    for name, text in pins.items():
        where = "UPDATE text SET content_hash = ? WHERE name = ?"
        run.sql(where, run.blob(text), f"start/{name}")
    return run


@pytest.mark.parametrize("spec", [HARDEN, CEGAR], ids=lambda spec: spec.name)
def test_another_replay_version_is_named_with_this_program_s(
    cli: Cli, tmp_path: Path, spec: SearchSpec
) -> None:
    other = spec.replay_version - 1
    run = begun_with(tmp_path, spec.name, replay=f"{spec.name} {other}", prompts="others")
    printed = cli("verify", run.path)
    assert printed.code != 0
    (line,) = printed.err.strip().splitlines()[-1:]
    assert f"replay version {other} of {spec.name}" in line
    assert f"this program, evoscope {__version__}, has {spec.replay_version}" in line
    assert f"use a build whose replay version of {spec.name} is {other}" in line
    assert "or use evoscope" not in line, "the number of the program may be the same one"


def test_what_was_changed_is_to_be_put_back_not_read_by_the_same_version(
    cli: Cli, tmp_path: Path
) -> None:
    run = begun_with(tmp_path, "harden", prompts="others")
    run.meta(made_by=f"evoscope {__version__}, Python 3.11.7")
    printed = cli("verify", run.path)
    assert "prompts is not what this run began with" in printed.err
    assert printed.err.rstrip().endswith("put it back")
    run.meta(made_by="evoscope 0.0.1, Python 3.11.7")
    assert cli("verify", run.path).err.rstrip().endswith("or use evoscope 0.0.1, Python 3.11.7")

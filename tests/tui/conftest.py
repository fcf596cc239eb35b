"""Run files for the screens, made once."""

import time
from pathlib import Path

import pytest

from tests.tui import chasefile
from tests.tui.bigfile import SMALL, Shape, build
from tests.tui.cegarfile import build_cegar


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run whose engine is gone."""
    return build(tmp_path_factory.mktemp("small") / "small.evo", SMALL)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with hostile strings in every text."""
    shape = Shape(3, 2, 4, calls=200, verdicts=300, pool=20, hostile=True)
    return build(tmp_path_factory.mktemp("hostile") / "hostile.evo", shape)


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Local time is UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@pytest.fixture(scope="session")
def golden_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that screens are compared on: always the same, in a folder of its own."""
    return build(tmp_path_factory.mktemp("golden") / "golden.evo", SMALL)


@pytest.fixture(scope="session")
def cegar_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished cegar run."""
    return build_cegar(tmp_path_factory.mktemp("cegar") / "cegar.evo")


@pytest.fixture(scope="session")
def cegar_hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with hostile strings in every text."""
    return build_cegar(tmp_path_factory.mktemp("cegar") / "hostile.evo", hostile=True)


@pytest.fixture(scope="session")
def chase_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished chase run."""
    return chasefile.finished(tmp_path_factory.mktemp("chase") / "chase.evo")


@pytest.fixture(scope="session")
def chase_live(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chase run in the middle of its last round."""
    return chasefile.under_way(tmp_path_factory.mktemp("chase") / "live.evo")


@pytest.fixture(scope="session")
def chase_hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chase run with hostile strings in every text."""
    return chasefile.hostile(tmp_path_factory.mktemp("chase") / "hostile.evo")

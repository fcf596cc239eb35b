"""The list of runs: what it says of each search's effect."""

import re
import shutil
from pathlib import Path

import pytest

from evoscope.engine.store.status import read_status
from evoscope.tui.glyphs import ASCII
from evoscope.tui.screens.runs import effect_of
from tests.recorded_kit import recorded


@pytest.mark.parametrize(
    ("search", "shown"),
    [("harden", r"\d+\.\d>\d+\.\d%"), ("chase", r"Delta_BS [+-]"), ("cegar", r"Delta [+-]0\.")],
)
def test_every_search_shows_its_effect_within_its_column(
    search: str, shown: str, tmp_path: Path
) -> None:
    status = read_status(Path(shutil.copy(recorded(search), tmp_path / "run.evo")))
    text = effect_of(status, ASCII)
    assert len(text) <= 15
    assert re.match(shown, text), text

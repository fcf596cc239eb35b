"""What `status` and `show archive` say of a cegar run in words."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from evoscope.cli.status import found_text
from tests.cli.conftest import Cli
from tests.recorded_kit import recorded

NOTHING = {
    "delta": None, "headroom_share": None, "flags": None, "pool": 0, "p": None,
}  # fmt: skip


def test_one_abandoned_target_is_no_plural() -> None:
    said = [found_text({**NOTHING, "abandoned_targets": count}) for count in (0, 1, 2)]
    assert said == [
        "pool of 0, 0 targets abandoned", "pool of 0, 1 target abandoned",
        "pool of 0, 2 targets abandoned",
    ]  # fmt: skip


def test_a_blind_spot_that_no_operator_has_signed_is_no_blank(cli: Cli, tmp_path: Path) -> None:
    path = Path(shutil.copy(recorded("cegar"), tmp_path / "run.evo"))
    assert "no signature yet" not in cli("show", path, "archive").out
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE node SET vetoed = 1 WHERE state = 'promoted'")
    printed = cli("show", path, "archive")
    assert printed.code == 0, printed.err
    spots = printed.out.partition("blind spot")[2]
    assert "no signature yet" in spots
    assert cli("show", path, "archive", "--json").json["blind_spots"][0]["signature"] == ""

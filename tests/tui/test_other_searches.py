"""A run of another search opens; the tabs that only know harden say so."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.tui.bigfile import SMALL, build
from tests.tui.kit import driven


async def test_tabs_that_know_harden_only_say_so_on_another_search(tmp_path: Path) -> None:
    path = build(tmp_path / "other.evo", SMALL)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE meta SET value = 'cegar' WHERE key = 'search'")
        db.commit()
    async with driven(path, (80, 24)) as app:
        for key in "234":
            await app.press(key)
            assert "this tab shows harden runs" in "\n".join(app.screen)
        await app.press("5")
        assert "this tab shows harden runs" not in "\n".join(app.screen)

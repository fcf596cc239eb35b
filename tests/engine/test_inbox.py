"""The inbox inside the engine: every command once, whoever asks for it."""

import asyncio
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from evoscope.engine.commands import Book, Command, Inbox
from evoscope.engine.control import send_command
from evoscope.engine.run_files import inbox
from evoscope.engine.store.database import claim
from evoscope.engine.store.writer import Write, Writer
from tests.store_builder import new_run


async def test_two_takers_carry_a_command_out_once(tmp_path: Path) -> None:
    run = new_run(tmp_path, state="running")
    for number in range(3):
        send_command(run.path, "set", {"key": "budget", "value": number})
    done: list[object] = []
    writer = await Writer.open(run.path, claim(run.path), print)

    def act(command: Command) -> tuple[str, Mapping[str, Any], tuple[Write, ...]]:
        done.append(command.args["value"])
        return "ok", command.args, ()

    box = Inbox(inbox(run.path), writer, Book(), act)
    taken = await asyncio.gather(box.take(), box.take())
    await writer.close()
    assert (sorted(map(str, done)), sum(taken)) == (["0", "1", "2"], 3)
    with closing(sqlite3.connect(run.path)) as db:
        rows = db.execute("SELECT seq, args FROM command ORDER BY seq").fetchall()
    assert [seq for seq, _ in rows] == [1, 2, 3]
    assert {json.loads(args)["value"] for _, args in rows} == {0, 1, 2}
    assert list(inbox(run.path).glob("*.json")) == []

"""Commands of people: dropped as files, answered by the engine, refused where nobody is there."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.control import send_command, wait_reply, waiting_commands
from evoscope.engine.errors import StoreError
from evoscope.engine.run_files import inbox
from tests.cli.conftest import Cli
from tests.store_builder import RunFile, small_run


@contextmanager
def answering(run: RunFile, outcome: str, result: str) -> Iterator[list[dict[str, Any]]]:
    """An engine that answers every command in the inbox with the same words."""
    taken: list[dict[str, Any]] = []
    end = threading.Event()

    def work() -> None:
        while not end.is_set():
            for path in inbox(run.path).glob("*.json"):
                command = json.loads(path.read_text())
                taken.append(command)
                row = {key: command[key] for key in ("id", "author", "time", "kind", "reason")}
                row |= {"args": json.dumps(command["args"]), "outcome": outcome}
                run.insert("command", row | {"result": result, "acked": ""})
                path.unlink()
            time.sleep(0.02)

    thread = threading.Thread(target=work)
    run.heartbeat()
    thread.start()
    try:
        yield taken
    finally:
        end.set()
        thread.join()


@pytest.mark.parametrize(
    ("words", "kind", "args", "reason"),
    [
        (("pause",), "pause", {"now": False}, ""),
        (("pause", "--now", "--reason", "lunch"), "pause", {"now": True}, "lunch"),
        (("stop",), "stop", {}, ""),
        (("veto", "a/g1/i0", "--reason", "wrong year"), "veto", {"node": "a/g1/i0"}, "wrong year"),
        (("unveto", "a/g1/i0"), "unveto", {"node": "a/g1/i0"}, ""),
        (("set", "concurrency=32"), "set", {"key": "concurrency", "value": 32}, ""),
        (("set", "budget=none"), "set", {"key": "budget", "value": "none"}, ""),
        (
            ("set", "price.task={input=1, output=2.5}"),
            "set", {"key": "price.task", "value": {"input": 1, "output": 2.5}}, "",
        ),
        (("skip", "a"), "skip", {"case": "a"}, ""),
        (("retry",), "retry", {"case": None}, ""),
        (("retry", "--case", "a"), "retry", {"case": "a"}, ""),
    ],
)  # fmt: skip
def test_a_command_reaches_the_engine_and_its_answer_comes_back(
    cli: Cli, tmp_path: Path, words: tuple[str, ...], kind: str, args: dict[str, Any], reason: str
) -> None:
    run = small_run(tmp_path, state="running")
    with answering(run, "done", "as you say") as taken:
        printed = cli(words[0], "demo", *words[1:])
    assert printed.code == 0
    assert "demo: as you say" in printed.err
    (command,) = taken
    assert (command["kind"], command["args"], command["reason"]) == (kind, args, reason)
    assert "@" in command["author"] and len(command["id"]) == 32


def test_several_settings_are_several_commands(cli: Cli, tmp_path: Path) -> None:
    run = small_run(tmp_path, state="running")
    with answering(run, "done", "ok") as taken:
        assert cli("set", "demo", "budget=5", "parallel_cases=2").code == 0
    assert [command["args"]["key"] for command in taken] == ["budget", "parallel_cases"]


def test_a_refusal_is_an_error_with_the_engine_s_words(cli: Cli, tmp_path: Path) -> None:
    run = small_run(tmp_path, state="running")
    with answering(run, "refused", "a/g1/i0 is vetoed already"):
        printed = cli("veto", "demo", "a/g1/i0", "--reason", "x")
    assert printed.code == 1
    assert "veto refused: a/g1/i0 is vetoed already" in printed.err


def test_a_veto_says_how_many_descendants_go_with_it(cli: Cli, tmp_path: Path) -> None:
    run = small_run(tmp_path, state="running")
    with answering(run, "done", "ok"):
        assert "has 2 descendants" in cli("veto", "demo", "a/g1/i0", "--reason", "x").err


def test_a_veto_needs_a_reason(cli: Cli, tmp_path: Path) -> None:
    small_run(tmp_path, state="running")
    printed = cli("veto", "demo", "a/g1/i0")
    assert (printed.code, list(waiting_commands(tmp_path / "demo.evo"))) == (2, [])


@pytest.mark.parametrize("kind", ["pause", "stop"])
@pytest.mark.parametrize("state", ["running", "finished", "stopped"])
def test_a_dead_engine_cannot_be_paused_or_stopped(
    cli: Cli, tmp_path: Path, kind: str, state: str
) -> None:
    run = small_run(tmp_path, state=state)
    printed = cli(kind, "demo")
    assert printed.code == 2
    assert f"demo has no engine to {kind}" in printed.err
    assert waiting_commands(run.path) == []


@pytest.mark.parametrize(
    "words",
    [("veto", "a/g1/i0", "--reason", "x"), ("unveto", "a/g1/i0"), ("set", "budget=9"),
     ("skip", "b"), ("retry",)],
)  # fmt: skip
def test_other_commands_wait_for_a_lost_engine_and_say_so(
    cli: Cli, tmp_path: Path, words: tuple[str, ...]
) -> None:
    run = small_run(tmp_path, state="running")
    printed = cli(words[0], "demo", *words[1:])
    assert printed.code == 0
    assert "waits in its inbox until `evoscope resume demo`" in printed.err
    assert [command["kind"] for command in waiting_commands(run.path)] == [words[0]]


@pytest.mark.parametrize("words", [("set", "budget=9"), ("skip", "b")])
def test_a_finished_run_refuses_what_could_never_be_done(
    cli: Cli, tmp_path: Path, words: tuple[str, ...]
) -> None:
    run = small_run(tmp_path, state="finished")
    printed = cli(words[0], "demo", *words[1:])
    assert printed.code == 2
    assert f"demo is finished: a {words[0]} would come to nothing" in printed.err
    assert waiting_commands(run.path) == []


def test_a_command_is_one_whole_file_or_none(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    first = send_command(run.path, "set", {"key": "budget", "value": 1})
    second = send_command(run.path, "pause", author="me@here")
    assert {path.name for path in inbox(run.path).iterdir()} == {f"{first}.json", f"{second}.json"}
    assert "me@here" in {command["author"] for command in waiting_commands(run.path)}


def test_no_answer_within_the_time_is_none(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    assert wait_reply(run.path, "0" * 32, 0.1) is None


def test_an_inbox_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    (tmp_path / "demo.evo.d").write_text("a file where the folder should be")
    with pytest.raises(StoreError, match="only the run's owner may command it"):
        send_command(run.path, "pause")

"""The command line as a whole: help, lazy imports, one-line errors, exit codes."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from evoscope.cli.main import COMMANDS, LazyGroup
from evoscope.cli.main import cli as group
from tests.cli.conftest import Cli
from tests.store_builder import small_run

HEAVY = ("anthropic", "httpx", "scipy", "numpy", "textual", "pydantic", "asyncio")


def _commands(command: click.Command, name: str) -> list[tuple[str, click.Command]]:
    if isinstance(command, click.Group) and not isinstance(command, LazyGroup):
        context = click.Context(command)
        names = command.list_commands(context)
        subs = [(f"{name} {sub}", command.get_command(context, sub)) for sub in names]
        return [(name, command), *((path, sub) for path, sub in subs if sub is not None)]
    return [(name, command)]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_has_its_help(name: str) -> None:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    for path, found in _commands(command, name):
        assert found.help, path
        for param in found.params:
            assert not isinstance(param, click.Option) or param.help, f"{path} {param.name}"


def test_the_list_of_commands_imports_none_of_them() -> None:
    code = (
        "import sys; from evoscope.cli.main import main; main(['--help'])\n"
        "sys.exit(any(m.startswith('evoscope.cli.') and m != 'evoscope.cli.main'"
        " for m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0
    for name in COMMANDS:
        assert name.startswith("_") or re.search(rf"^  {name} ", done.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    "words", [("status", "demo", "--json"), ("ls",), ("show", "demo", "nodes")]
)
def test_reading_starts_without_heavy_modules(tmp_path: Path, words: tuple[str, ...]) -> None:
    small_run(tmp_path)
    code = (
        f"import sys; from evoscope.cli.main import main; code = main({list(words)!r})\n"
        f"heavy = set({HEAVY!r}) & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else code)"
    )
    environ = os.environ | {"EVOSCOPE_RUNS": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_status_takes_at_most_four_tenths_of_a_second(tmp_path: Path) -> None:
    small_run(tmp_path)
    command = [sys.executable, "-m", "evoscope.cli.main", "status", "demo", "--json", "--dir"]

    def seconds() -> float:
        start = time.process_time(), os.times()
        subprocess.run([*command, str(tmp_path)], check=True, capture_output=True)
        end = os.times()
        return (
            end.children_user
            + end.children_system
            - (start[1].children_user + start[1].children_system)
        )

    assert min(seconds() for _ in range(3)) <= 0.4, "CPU seconds, so that other tests don't count"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bogus",), "No such command 'bogus' (see evoscope --help)"),
        (("status",), "Missing argument 'RUN' (see evoscope status --help)"),
        (("status", "none"), "no run 'none' in "),
        (("show", "demo", "nodes", "--where", "x"), "--where 'x': write name=value"),
        (("show", "demo", "nodes", "--where", "x=1"), "no filter 'x' for node; there are axis"),
        (("inspect", "demo", "none"), "no node 'none'; `evoscope show demo nodes` lists them"),
        (("run", "none.toml"), "none.toml: no such file; `evoscope init harden` writes"),
    ],
)
def test_wrong_words_give_one_line_and_code_2(
    cli: Cli, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    small_run(tmp_path)
    printed = cli(*words)
    assert (printed.code, printed.out) == (2, "")
    assert printed.err.startswith("evoscope: ") and message in printed.err
    assert printed.err.count("\n") == 1


def test_debug_adds_the_traceback(cli: Cli) -> None:
    assert "Traceback" in cli("status", "none", "--debug").err
    assert "Traceback" not in cli("status", "none").err


def test_the_version_is_printed(cli: Cli) -> None:
    assert re.fullmatch(r"evoscope \d+\.\d+\.\d+\n", cli("--version").out)


def test_a_run_is_named_by_name_prefix_or_path(cli: Cli, tmp_path: Path) -> None:
    run = small_run(tmp_path, "alpha-1")
    small_run(tmp_path, "alpha-2")
    small_run(tmp_path, "beta")
    assert cli("status", "b", "--json").json["name"] == "beta"
    assert cli("status", run.path, "--json").json["name"] == "alpha-1"
    assert cli("status", "beta.evo", "--json").json["name"] == "beta"
    ambiguous = cli("status", "alpha")
    assert ambiguous.code == 2
    assert "'alpha' could be alpha-1, alpha-2" in ambiguous.err


def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path) -> None:
    small_run(tmp_path)
    program = f"{sys.executable} -m evoscope.cli.main show demo nodes --jsonl --dir {tmp_path}"
    done = subprocess.run(
        f"{program} | head -c 1; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_locale_without_unicode_gets_escapes_instead_of_an_error(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    run.sql("UPDATE node SET description = 'naïve ☃'")
    environ = os.environ | {"PYTHONIOENCODING": "latin-1", "EVOSCOPE_RUNS": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "evoscope.cli.main", "show", "demo", "nodes"],
        env=environ, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert b"na\xefve \\u2603" in done.stdout


def test_the_shell_completes_commands_and_runs(tmp_path: Path) -> None:
    small_run(tmp_path, "night-7")
    environ = os.environ | {
        "_EVOSCOPE_COMPLETE": "bash_complete", "COMP_WORDS": "evoscope status ni",
        "COMP_CWORD": "2", "EVOSCOPE_RUNS": str(tmp_path),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "evoscope.cli.main"],
        env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "plain,night-7\n"

"""`evoscope run`, `demo` and `resume`: start an engine, then watch it, or be it."""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.resources import as_file
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import click

from ..engine.config_checks import is_run_name
from ..engine.config_file import load_config
from ..engine.control import send_command, wait_reply
from ..engine.errors import ConfigError, EvoscopeError, Locked, UsageError
from ..engine.launch import missing_keys, require_keys, start_engine
from ..engine.run_files import SUFFIX, remove_run, run_name
from ..engine.store.status import RunStatus, read_status
from ..resources import resource_dir
from .output import narrate
from .runs import RunArgument, find_runs, folder_option
from .watch import watch

F = TypeVar("F", bound=Callable[..., Any])
REPLY_S = 10.0
SEARCHES = ("harden", "chase", "cegar")


def mode_options(command: F) -> F:
    """Adds --headless, --detach and --foreground, given to the command as `mode` (or None)."""
    helps = {
        "foreground": "Run the engine in this very process.",
        "detach": "Return once it has started.",
        "headless": "Plain progress until the run ends; Ctrl-C leaves it running.",
    }
    for name, text in helps.items():
        command = click.option(f"--{name}", "mode", flag_value=name, help=text)(command)
    return command


def setting_options(command: F) -> F:
    """Adds --set, --name, --dir, --allow-network-fs and --unsafe-no-sandbox."""
    for option in (
        click.option(
            "--unsafe-no-sandbox",
            "unsafe",
            is_flag=True,
            help="Run programs with your rights, isolated from nothing.",
        ),
        click.option("--allow-network-fs", is_flag=True, help="Accept a network file system."),
        folder_option,
        click.option("--name", help="The run's name [default: the file's]."),
        click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override."),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@setting_options
@mode_options
def run(
    config: Path,
    overrides: tuple[str, ...],
    name: str | None,
    folder: Path,
    allow_network_fs: bool,
    unsafe: bool,
    mode: str | None,
) -> int:
    """Start a run of the configuration file CONFIG as its own process, and watch it."""
    path = _make(config, overrides, name, folder, allow_network_fs, unsafe)
    return _begin(path, mode)


@click.command()
@click.argument("search", type=click.Choice(SEARCHES), default="harden")
@click.option(
    "--benchmark", type=click.Choice(("finqa", "pubmedqa", "contractnli")),
    help="Whose cases [default: pubmedqa].",
)  # fmt: skip
@setting_options
@mode_options
def demo(
    search: str,
    benchmark: str | None,
    overrides: tuple[str, ...],
    name: str | None,
    folder: Path,
    allow_network_fs: bool,
    unsafe: bool,
    mode: str | None,
) -> int:
    """Start a demonstration of SEARCH: offline, on bundled data, with no key and no cost."""
    if benchmark and search != "harden":
        raise UsageError("--benchmark: only the harden demonstration has several; leave it out")
    shown = benchmark or {"harden": "pubmedqa"}.get(search, search)
    source = resource_dir("examples") / f"demo-{shown}.toml"
    with as_file(source) as config:
        plain = benchmark is None and search == "harden"
        free = name or _free_name(folder, "demo" if plain else f"demo-{shown}")
        path = _make(config, overrides, free, folder, allow_network_fs, unsafe)
    return _begin(path, mode)


@click.command()
@click.argument("run", type=RunArgument(), required=False)
@folder_option
@click.option("--all", "every", is_flag=True, help="Every run whose engine is gone (for @reboot).")
@mode_options
def resume(run: Path | None, folder: Path, every: bool, mode: str | None) -> int:
    """Lift RUN's pause; start its engine again if it is gone. Nothing is paid twice."""
    if every == (run is not None):
        raise UsageError("name one run, or give --all")
    return _restart_all(folder) if run is None else _resume(run, mode)


@click.command(hidden=True)
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option("--labels", is_flag=True, help="Store the labels in the inbox, then end.")
def engine(path: Path, labels: bool) -> int:
    """Be the engine of a made run (what `run`, `demo` and `resume` start)."""
    return _store_labels(path) if labels else _serve(path, foreground=False)


def _make(
    config: Path,
    overrides: Sequence[str],
    name: str | None,
    folder: Path,
    network: bool,
    unsafe: bool,
) -> Path:
    """A new run's file. Refuses a name that is taken, and names the command that goes on."""
    settings = load_config(config, overrides)
    if missing := missing_keys(settings, os.environ):
        raise ConfigError(f"{config}: not set: {', '.join(missing)}; export them and run again")
    chosen = name or settings.name or config.stem
    if not is_run_name(chosen):
        raise UsageError(f"--name {chosen!r}: use letters, digits, '.', '_' and '-', at most 100")
    path = folder / f"{chosen}{SUFFIX}"
    if path.exists():
        raise UsageError(
            f"{chosen} exists in {folder}; `evoscope resume {chosen}` goes on with it, "
            "--name begins another"
        )
    from ..engine.run import new_run

    if unsafe:
        narrate("no sandbox: programs run with your rights; status and reports will say so")
    new_run(path, settings, allow_network_fs=network, unsafe_no_sandbox=unsafe)
    return path


def _begin(path: Path, mode: str | None) -> int:
    """Start the engine of a run that was just made; a run that cannot start leaves no file."""
    if mode == "foreground":
        return _serve(path, foreground=True)
    try:
        start_engine(path)
    except EvoscopeError:
        remove_run(path)
        raise
    return _attend(path, mode)


def _resume(path: Path, mode: str | None) -> int:
    status = read_status(path)
    if status.state == "finished":
        raise UsageError(f"{status.name} is finished; `evoscope report {status.name}` shows it")
    if status.alive:
        if mode == "foreground":
            raise UsageError(f"{status.name} has an engine already; stop it first")
        _lift(path, status)
        return _attend(path, mode)
    _send_ahead(path, status)
    if mode == "foreground":
        require_keys(path, os.environ)
        return _serve(path, foreground=True)
    start_engine(path)
    return _attend(path, mode)


def _lift(path: Path, status: RunStatus) -> None:
    """Lift a living run's pause, and say what became of it."""
    reply = wait_reply(path, send_command(path, "resume"), REPLY_S)
    answer = reply.result if reply else "no answer yet; the command waits in its inbox"
    narrate(f"{status.name}: {answer}")
    if status.parked:
        send_command(path, "retry", {"case": None})


def _send_ahead(path: Path, status: RunStatus) -> None:
    """Commands that the engine finds when it starts: a pause outlives engines, so does parking."""
    if status.meta.get("paused"):
        send_command(path, "resume")
    if status.parked:
        send_command(path, "retry", {"case": None})


def _restart_all(folder: Path) -> int:
    """Start the engine of every lost run; pauses stay. Returns 1 if one could not be started."""
    code = 0
    for path in find_runs(folder):
        try:
            if read_status(path).state == "lost":
                start_engine(path)
                narrate(f"{run_name(path)}: started")
        except EvoscopeError as error:
            narrate(f"{path}: {error}")
            code = 1
    return code


def _serve(path: Path, *, foreground: bool) -> int:
    from ..engine.run import serve

    return asyncio.run(serve(path, foreground=foreground))


def _store_labels(path: Path) -> int:
    from ..engine.labels import take_labels

    with suppress(Locked):  # the engine that works on the run takes them itself
        asyncio.run(take_labels(path))
    return 0


def _attend(path: Path, mode: str | None) -> int:
    """Show a run whose engine works in the app, or as plain lines without a terminal."""
    if mode == "detach":
        narrate(f"{run_name(path)} runs; `evoscope status {run_name(path)}` shows where it stands")
        click.echo(str(path))
        return 0
    if mode is None and sys.stdin.isatty() and sys.stdout.isatty():
        from ..tui.app import open_app

        return open_app(path)
    return watch(path)


def _free_name(folder: Path, base: str) -> str:
    """`base`, or the first of `base-2`, `base-3`, ... that no run has."""
    names = (base if n == 1 else f"{base}-{n}" for n in count(1))
    return next(name for name in names if not (folder / f"{name}{SUFFIX}").exists())

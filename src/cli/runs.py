"""Naming runs on the command line: RUN is a name, a unique prefix of one, or a path."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from ..engine.errors import UsageError
from ..engine.run_files import SUFFIX, run_name

F = TypeVar("F", bound=Callable[..., Any])


def runs_folder(chosen: Path | None) -> Path:
    """Where runs live: --dir, else $EVOSCOPE_RUNS, else ./runs."""
    return chosen or Path(os.environ.get("EVOSCOPE_RUNS") or "runs")


def find_runs(folder: Path) -> list[Path]:
    """The run files of a folder, by name."""
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if path.is_file())


def resolve_run(word: str, folder: Path) -> Path:
    """The run that a word names. Raises UsageError if there is none, or more than one."""
    if os.sep in word or word.endswith(SUFFIX):
        path = Path(word)
        if not path.is_file() and os.sep not in word:
            path = folder / word
        if path.is_file():
            return path
        raise UsageError(f"no run file {word}")
    exact = folder / f"{word}{SUFFIX}"
    if exact.is_file():
        return exact
    found = [path for path in find_runs(folder) if path.name.startswith(word)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(run_name(path) for path in found[:5])
        raise UsageError(f"{word!r} could be {names}; write more of the name")
    raise UsageError(
        f"no run {word!r} in {folder}; `evoscope ls` lists them, --dir looks elsewhere"
    )


class RunArgument(click.ParamType[Path]):
    """A run by name, completed by the shell."""

    name = "run"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """The run's file."""
        return resolve_run(str(value), _folder_of(ctx))

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Names of runs that begin like that."""
        names = map(run_name, find_runs(_folder_of(ctx)))
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def folder_option(command: F) -> F:
    """Adds --dir; the command gets `folder`, with the default filled in."""
    return click.option(
        "--dir",
        "folder",
        type=click.Path(path_type=Path, file_okay=False),
        is_eager=True,
        callback=lambda ctx, param, value: runs_folder(value),
        help="Folder of the runs [default: $EVOSCOPE_RUNS or ./runs].",
    )(command)


def run_argument(command: F) -> F:
    """Adds RUN and --dir; the command gets `run`, the run's file."""

    @functools.wraps(command)
    def without_folder(*args: Any, folder: Path, **kwargs: Any) -> Any:
        return command(*args, **kwargs)

    return click.argument("run", type=RunArgument())(folder_option(without_folder))  # type: ignore[return-value]


def _folder_of(ctx: click.Context | None) -> Path:
    folder = ctx.params.get("folder") if ctx else None
    return runs_folder(folder if isinstance(folder, Path) else None)

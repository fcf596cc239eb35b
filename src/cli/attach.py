"""`evoscope attach`: open the app on a run, or on the folder of runs."""

import sys
from pathlib import Path

import click

from ..engine.errors import UsageError
from .runs import RunArgument, folder_option


@click.command()
@click.argument("run", type=RunArgument(), required=False)
@folder_option
@click.option("--read-only", is_flag=True, help="Send no commands.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Use ASCII signs only.")
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
def attach(
    run: Path | None, folder: Path, read_only: bool, ascii_only: bool, no_mouse: bool
) -> int:
    """Open the app on RUN, or on the list of runs. Leaving it never touches the engine."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("attach needs a terminal; `evoscope follow` and `show` do without")
    if run is None and not folder.is_dir():
        raise UsageError(f"no folder {folder}; `evoscope demo` makes a run in it")
    from ..tui.app import open_app

    return open_app(run or folder, read_only, ascii_only, not no_mouse)

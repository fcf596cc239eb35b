"""`evoscope backup` and `evoscope rm`: a run's file as a whole."""

import sqlite3
from contextlib import closing
from pathlib import Path

import click

from ..engine.errors import StoreError, UsageError
from ..engine.run_files import remove_run, run_files, run_name
from ..engine.store.reader import Reader
from ..engine.store.status import ACTIVE, read_status
from .output import narrate
from .runs import run_argument


@click.command()
@run_argument
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path, dir_okay=False), help="File."
)
def backup(run: Path, output: Path) -> None:
    """Copy RUN to a file, as it stands at one moment, even while its engine writes."""
    with Reader(run):
        pass  # refuses what is no run before anything is made
    try:
        output.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        raise UsageError(f"{output} exists; choose another file with -o") from None
    except OSError as error:
        raise StoreError(f"{output} cannot be written ({error.strerror})") from None
    try:
        source = sqlite3.connect(f"{run.absolute().as_uri()}?mode=ro", uri=True, timeout=10)
        with closing(source), closing(sqlite3.connect(output)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            _give_up_its_engine(copy)
    except sqlite3.Error as error:
        output.unlink()
        raise StoreError(f"{run} could not be copied to {output} ({error})") from error
    narrate(f"copied {run_name(run)} to {output} ({output.stat().st_size:,} bytes)")


def _give_up_its_engine(copy: sqlite3.Connection) -> None:
    """A copy is stopped, so that nobody takes it for a lost run and pays its calls twice."""
    (state,) = copy.execute("SELECT value FROM meta WHERE key = 'state'").fetchone() or ("",)
    if state in ACTIVE:
        reason = f"copied while it was {state}"
        for key, value in (("state", "stopped"), ("reason", reason)):
            copy.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))
        copy.commit()


@click.command()
@run_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
def rm(run: Path, yes: bool) -> None:
    """Delete RUN with everything beside it. Refused while its engine works."""
    status = read_status(run)
    if status.alive:
        raise UsageError(f"{status.name} is {status.state}; `evoscope stop {status.name}` first")
    size = sum(path.stat().st_size for path in run_files(run) if path.is_file())
    question = f"Delete {status.name} ({status.calls.completed} calls, {size:,} bytes)?"
    if not yes:
        click.confirm(question, abort=True, err=True)
    remove_run(run)
    narrate(f"deleted {status.name}")

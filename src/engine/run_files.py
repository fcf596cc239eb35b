"""The files of one run: `NAME.evo`, and beside it the folder `NAME.evo.d` for what is passing."""

import errno
import shutil
from pathlib import Path

from .errors import StoreError
from .store.lock import side_folder

SUFFIX = ".evo"
LEAST_FREE_BYTES = 8 * 2**20


def inbox(run: Path) -> Path:
    """Where people's commands are dropped, one JSON file each."""
    return side_folder(run) / "inbox"


def heartbeat_file(run: Path) -> Path:
    """What the engine says about itself, about once a second."""
    return side_folder(run) / "heartbeat.json"


def log_file(run: Path) -> Path:
    """The engine's own words, and whatever it prints."""
    return side_folder(run) / "engine.log"


def run_name(run: Path) -> str:
    """The run's name: its file's name without the suffix."""
    return run.name.removesuffix(SUFFIX)


def run_files(run: Path) -> list[Path]:
    """Everything on disk that belongs to a run and exists; the folder beside it comes last."""
    ends = ("", "-wal", "-shm", "-journal")
    paths = [run.with_name(f"{run.name}{end}") for end in ends]
    paths += [run.with_name(f"{run_name(run)}.cache"), side_folder(run)]
    return [path for path in paths if path.exists()]


def remove_run(run: Path) -> None:
    """Delete a run. The caller has made sure that no engine works on it."""
    for path in run_files(run):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def require_space(run: Path) -> None:
    """Raise StoreError where the run's disk is full or nearly so: an engine could say nothing."""
    folder = next(each for each in run.absolute().parents if each.exists())
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE_BYTES:
        raise StoreError(
            f"{folder} has {free // 1024} kB left (No space left on device); free "
            f"{LEAST_FREE_BYTES // 2**20} MB or more, then try again"
        )


def write_atomically(path: Path, text: str) -> None:
    """Replace a file so that readers see the old text or the new one, never a part."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def write_on_full_disk(path: Path, text: str) -> None:
    """Replace a file as `write_atomically` does; where the disk is full, write into the blocks
    that the file has already. Raises OSError."""
    try:
        write_atomically(path, text)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT) or not path.exists():
            raise
        with path.open("r+", encoding="utf-8") as file:
            file.write(text)
            file.truncate()

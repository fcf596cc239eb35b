"""The files of one run: `NAME.evo`, and beside it the folder `NAME.evo.d` for what is passing."""

from pathlib import Path

from .store.lock import side_folder

SUFFIX = ".evo"


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


def write_atomically(path: Path, text: str) -> None:
    """Replace a file so that readers see the old text or the new one, never a part."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)

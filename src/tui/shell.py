"""What the app does outside its screen: clipboard, files, the pager."""

import base64
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import chain
from pathlib import Path

COPY_LIMIT = 74_000
"""Base64 characters that terminals take in one OSC 52; more goes to a file."""


def osc52(text: str) -> str | None:
    """The sequence that puts a text on the clipboard of the person's own terminal, over SSH too.

    None where the text is too long for it.
    """
    packed = base64.b64encode(text.encode("utf-8", "replace")).decode()
    return f"\x1b]52;c;{packed}\x07" if len(packed) <= COPY_LIMIT else None


def copy_or_save(parts: Iterator[str]) -> str | Path:
    """The sequence that copies a text or, where it is too long, the file it went to.

    Raises OSError.
    """
    taken: list[str] = []
    size = 0
    for part in parts:
        taken.append(part)
        size += len(part)
        if size > COPY_LIMIT:
            return save_parts("evoscope-copy.txt", chain(taken, parts))
    text = "".join(taken)
    return osc52(text) or save_parts("evoscope-copy.txt", [text])


def save_parts(name: str, parts: Iterable[str], folder: Path | None = None) -> Path:
    """Write a new file, never over another one; returns where.

    Raises OSError; then no half of a file stays.
    """
    folder = folder or Path.cwd()
    stem, suffix = os.path.splitext(re.sub(r"[^\w.-]+", "-", name))
    for number in range(1, 1000):
        path = folder / f"{stem}{'' if number == 1 else f'-{number}'}{suffix}"
        try:
            file = path.open("x", encoding="utf-8", errors="replace")
        except FileExistsError:
            continue
        try:
            with file:
                file.writelines(parts)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path
    raise FileExistsError(f"{folder} holds a thousand files named {stem}")


def spool(parts: Iterable[str]) -> Path:
    """Write a text into a temporary file; the caller removes it. Raises OSError."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", errors="replace", suffix=".txt", delete=False
    ) as file:
        try:
            file.writelines(parts)
        except BaseException:
            os.unlink(file.name)
            raise
    return Path(file.name)


def run_pager(path: Path, suspend: Callable[[], AbstractContextManager[None]]) -> None:
    """Show a file in $PAGER (else less), the app stepping aside. Raises OSError."""
    command = shlex.split(os.environ.get("PAGER", "")) or ["less"]
    with suspend():
        subprocess.run([*command, str(path)], check=False)

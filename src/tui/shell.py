"""What the app does outside its screen: clipboard, files, the pager."""

import base64
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

COPY_LIMIT = 74_000
"""Base64 characters that terminals take in one OSC 52; more goes to a file."""


def osc52(text: str) -> str | None:
    """The sequence that puts a text on the clipboard of the person's own terminal, over SSH too.

    None where the text is too long for it.
    """
    packed = base64.b64encode(text.encode("utf-8", "replace")).decode()
    return f"\x1b]52;c;{packed}\x07" if len(packed) <= COPY_LIMIT else None


def save_text(name: str, text: str, folder: Path | None = None) -> Path:
    """Write a new file, never over another one; returns where. Raises OSError."""
    folder = folder or Path.cwd()
    stem, suffix = os.path.splitext(re.sub(r"[^\w.-]+", "-", name))
    for number in range(1, 1000):
        path = folder / f"{stem}{'' if number == 1 else f'-{number}'}{suffix}"
        try:
            with path.open("x", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except FileExistsError:
            continue
        return path
    raise FileExistsError(f"{folder} holds a thousand files named {stem}")


def run_pager(text: str, suspend: Callable[[], AbstractContextManager[None]]) -> None:
    """Show a text in $PAGER (else less), the app stepping aside. Raises OSError."""
    command = shlex.split(os.environ.get("PAGER", "")) or ["less"]
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", errors="replace", suffix=".txt"
    ) as file:
        file.write(text)
        file.flush()
        with suspend():
            subprocess.run([*command, file.name], check=False)

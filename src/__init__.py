"""Evoscope: evolutionary searches over language-model evaluations."""

from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .door import Run

__version__ = "0.1.0"


def open(path: "str | PathLike[str]") -> "Run":
    """A run's file, open for reading; see `evoscope.door.Run`. Close it, or use `with`.

    Raises StoreError where it cannot be read, NewerFile where a later version wrote it.
    """
    from pathlib import Path

    from .door import Run

    return Run(Path(path))

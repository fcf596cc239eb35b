"""Where prompts and themes lie, in a checkout and in a wheel alike."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def resource_dir(kind: str) -> Traversable:
    """The folder `prompts` or `themes`: in the package if a wheel put it there, else beside `src`."""
    packaged = files("evoscope") / kind
    return packaged if packaged.is_dir() else Path(__file__).resolve().parent.parent / kind

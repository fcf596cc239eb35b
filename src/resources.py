"""Where prompts, themes and examples lie, in a checkout and in a wheel alike."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def resource_dir(kind: str) -> Traversable:
    """The folder `prompts`, `themes` or `examples`: in the package in a wheel, else beside it."""
    packaged = files("evoscope") / kind
    return packaged if packaged.is_dir() else Path(__file__).resolve().parent.parent / kind

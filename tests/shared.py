"""Where the golden vectors lie: the folder `shared/data` beside the project."""

import os
from pathlib import Path

import pytest


def shared_data(*parts: str) -> Path:
    """The path of a shared file or folder; skips the test where it is missing."""
    default = Path(__file__).resolve().parents[1] / "../shared/data"
    path = Path(os.environ.get("EVOSCOPE_SHARED") or default).joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no shared data at {path}")
    return path

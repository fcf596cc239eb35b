"""The checks of `evoscope doctor`; each looks at one thing and says what to do about it.

`ok` is None where the thing cannot be told or does not matter by itself.
"""

import importlib.util
import locale
import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..engine.providers.build import KEY_VARIABLES
from ..engine.store.database import network_file_system

MINIMUM_PYTHON = (3, 11)
MINIMUM_SQLITE = (3, 38, 0)
RESET_BUG_FIXED = (3, 51, 3)
LITTLE_SPACE = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Check:
    """One finding."""

    name: str
    ok: bool | None
    detail: str
    advice: str = ""


def system(folder: Path) -> Check:
    """Linux, macOS and WSL are supported."""
    name = f"{platform.system()} {platform.release()} {platform.machine()}"
    fine = platform.system() in ("Linux", "Darwin")
    return Check("system", fine, name, "" if fine else "use Linux, macOS or WSL")


def python(folder: Path) -> Check:
    """The interpreter's version."""
    fine = sys.version_info[:2] >= MINIMUM_PYTHON
    return Check(
        "python", fine, platform.python_version(), "" if fine else "use Python 3.11 or later"
    )


def sqlite(folder: Path) -> Check:
    """SQLite's version, and whether two writers could meet its WAL-reset bug."""
    found = sqlite3.sqlite_version_info
    if found < MINIMUM_SQLITE:
        return Check(
            "sqlite", False, sqlite3.sqlite_version, "use a Python with SQLite 3.38 or later"
        )
    old = found < RESET_BUG_FIXED
    advice = "never write a run's file with other tools while its engine works" if old else ""
    return Check("sqlite", True, sqlite3.sqlite_version, advice)


def runs_folder(folder: Path) -> Check:
    """Whether runs can be made where they would be."""
    place = _existing(folder)
    fine = os.access(place, os.W_OK | os.X_OK)
    advice = "" if fine else "choose another folder with --dir or EVOSCOPE_RUNS"
    return Check("folder of runs", fine, str(folder.absolute()), advice)


def file_system(folder: Path) -> Check:
    """SQLite can lose data on network file systems."""
    kind = network_file_system(_existing(folder) / "run.evo")
    advice = "put runs on a local disk, or accept the risk with --allow-network-fs" if kind else ""
    return Check("file system", kind is None, kind or "local", advice)


def disk(folder: Path) -> Check:
    """Free space; a run needs about 1 kB a call, more with log-probabilities."""
    free = shutil.disk_usage(_existing(folder)).free
    fine = free >= LITTLE_SPACE
    advice = "" if fine else "make space: a run pauses when the disk is full"
    return Check("free disk", fine, f"{free / 1e9:.1f} GB", advice)


def keys(folder: Path) -> Check:
    """Which API keys are set; never their values."""
    found = [name for name in KEY_VARIABLES.values() if os.environ.get(name, "").strip()]
    advice = (
        "" if found else "offline runs need none; `evoscope check CONFIG` names what a run needs"
    )
    return Check("keys", None, ", ".join(found) or "none set", advice)


def lingering(folder: Path) -> Check:
    """Whether the engine outlives the login (systemd may kill it)."""
    user = os.environ.get("USER") or os.environ.get("LOGNAME") or ""
    if not Path("/run/systemd/system").exists():
        return Check("logging out", None, "no systemd here", "")
    if Path("/var/lib/systemd/linger", user).exists():
        return Check("logging out", True, "lingering is on")
    advice = f"`loginctl enable-linger {user}`, or start runs with `systemd-run --user --scope`"
    return Check("logging out", None, "lingering is off; logging out may end the engine", advice)


def terminal(folder: Path) -> Check:
    """Encoding and colours that the app would use."""
    encoding = locale.getpreferredencoding(False)
    colours = os.environ.get("COLORTERM") or os.environ.get("TERM") or "none"
    fine = encoding.lower().replace("-", "") == "utf8"
    advice = "" if fine else "set a UTF-8 locale (export LC_ALL=C.UTF-8), or use --ascii"
    return Check("terminal", fine or None, f"{encoding}, colours {colours}", advice)


def multiplexer(folder: Path) -> Check:
    """tmux and screen change what gets through."""
    if os.environ.get("TMUX"):
        advice = (
            "for copying and colours: set -g set-clipboard on; set -as terminal-features ',*:RGB'"
        )
        return Check("multiplexer", None, "inside tmux", advice)
    found = shutil.which("tmux") is not None
    return Check("multiplexer", None, "tmux is installed" if found else "no tmux")


def sandbox(folder: Path) -> Check:
    """The strongest level of the sandbox that passes its own test here (needed by `cegar`)."""
    import asyncio

    from ..engine.errors import SandboxUnavailable
    from ..engine.sandbox.pool import Pool

    async def tried() -> str:
        async with await Pool.open(workers=1) as pool:
            return pool.level

    try:
        level = asyncio.run(tried())
    except SandboxUnavailable as problem:
        return Check("sandbox", None, str(problem), "`cegar` needs Linux with seccomp")
    return Check("sandbox", True, f"{level}, self-test passed")


def sandbox_layers(folder: Path) -> Check:
    """Which locks this machine has for running code that a model wrote."""
    from ..engine.sandbox.levels import layers

    found = layers()
    words = [f"{name} {what}" for name, what in found.items() if what]
    lacking = [name for name, what in found.items() if not what]
    advice = f"stronger with {', '.join(lacking)}" if words and lacking else ""
    return Check("sandbox layers", None, ", ".join(words) or "none", advice)


def extras(folder: Path) -> Check:
    """Optional packages."""
    found = [name for name in ("pandas",) if importlib.util.find_spec(name)]
    return Check("optional packages", None, ", ".join(found) or "none (pandas gives frames)")


ALL: tuple[Callable[[Path], Check], ...] = (
    system, python, sqlite, runs_folder, file_system, disk, keys, lingering, terminal, multiplexer,
    sandbox, sandbox_layers, extras,
)  # fmt: skip


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    return place

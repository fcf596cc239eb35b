"""How strongly a sandbox is built, and the command that starts a zygote at each level.

L2: seccomp allow-list, resource limits, no privileges. L1: L2 and Landlock. L0: L1 inside
bubblewrap's namespaces. `none` isolates nothing and is taken only when a person asks for it.
"""

import os
import platform
import pwd
import shutil
import sys
from pathlib import Path
from typing import get_args

from .jobs import LevelName

STRONGEST_FIRST: tuple[LevelName, ...] = ("L0", "L1", "L2")
HERE = Path(__file__).resolve().parent
BOOT = "import sys; sys.path.insert(0, sys.argv.pop(1)); from inside.zygote import main; main()"
ENVIRONMENT = {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
"""All that a zygote's environment holds; -I would ignore the hash seed, hence -s -P instead."""
SYSTEM_FOLDERS = ("/usr", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache")
_UNUSED_UIDS = range(61184, 65520)
"""The range that systemd keeps for users without an account."""


def interpreter() -> str:
    """The Python that zygotes run, outside any virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def command(level: LevelName, descriptor: int, number: int) -> list[str]:
    """The command of zygote `number`, which finds its control socket at `descriptor`."""
    assert level in get_args(LevelName)
    parent = 0 if level == "L0" else os.getpid()
    python = [interpreter(), "-s", "-S", "-P", "-B", "-c", BOOT, str(HERE)]
    words = [*python, str(descriptor), level, str(unused_uid(number)), str(parent)]
    return [*bubblewrap(), *words] if level == "L0" else words


def bubblewrap() -> list[str]:
    """The start of a command inside new namespaces that hold only what Python needs to start."""
    folders = [*SYSTEM_FOLDERS, sys.base_prefix, sys.base_exec_prefix, str(HERE)]
    binds = [word for folder in folders for word in ("--ro-bind-try", folder, folder)]
    spaces = (
        ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
         "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        if os.geteuid() == 0
        else ["--unshare-all"]
    )  # fmt: skip
    return [
        shutil.which("bwrap") or "bwrap", *spaces, "--die-with-parent", "--new-session",
        *binds, "--proc", "/proc", "--chdir", "/", "--",
    ]  # fmt: skip


def unused_uid(number: int) -> int:
    """A user without an account, another one for each zygote of this process."""
    start = os.getpid() * 16 + number
    for offset in range(len(_UNUSED_UIDS)):
        uid = _UNUSED_UIDS[(start + offset) % len(_UNUSED_UIDS)]
        try:
            pwd.getpwuid(uid)
        except KeyError:
            return uid
    return _UNUSED_UIDS[0]


def missing(level: LevelName) -> str:
    """Why a level cannot work here, as far as that shows without trying; "" if it may.

    Even `none` has limits and honest verdicts, and so needs Linux.
    """
    if sys.platform != "linux":
        return "the sandbox needs Linux with seccomp"
    from .inside import lockdown

    if lockdown.machine() is None:
        return "no system call filter for this processor"
    if level in ("L0", "L1") and not lockdown.landlock_abi():
        return "the kernel has no Landlock"
    if level == "L0" and shutil.which("bwrap") is None:
        return "bubblewrap (bwrap) is not installed"
    return ""


def layers() -> dict[str, str]:
    """Each lock and what this machine has of it, "" for nothing."""
    if sys.platform != "linux":
        return {"seccomp": "", "Landlock": "", "bubblewrap": ""}
    from .inside import lockdown

    abi = lockdown.landlock_abi()
    return {
        "seccomp": platform.machine() if lockdown.machine() else "",
        "Landlock": f"ABI {abi}" if abi else "",
        "bubblewrap": shutil.which("bwrap") or "",
    }

"""Starting an engine as its own process, free of the terminal that asked for it."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from .config import RunConfig
from .errors import ConfigError, EvoscopeError, StoreError
from .heartbeat import read_heartbeat
from .providers.build import key_variable
from .run_files import log_file, require_space, run_name
from .store.lock import side_folder
from .store.reader import Reader

START_S = 60.0
ERROR_PREFIX = "evoscope: "
"""What the command line puts before an error; the engine's log is searched for it."""
_POLL_S = 0.05


def start_engine(run: Path, timeout_s: float = START_S) -> "subprocess.Popen[bytes]":
    """Start the engine of a made run and return once it works (or has ended without an error).

    The process has its own session and no terminal; what it prints goes to its log. Raises
    ConfigError where a key is missing, EvoscopeError with the engine's own line (and its exit
    code) where it could not start.
    """
    require_keys(run, os.environ)
    require_space(run)
    engine, offset = _spawn(run)
    _await_start(run, engine, offset, timeout_s)
    return engine


def store_labels(run: Path) -> "subprocess.Popen[bytes]":
    """Start a short engine that stores the labels in a run's inbox, and return at once.

    For a run that no engine works on; beside a living engine it does nothing and ends well.
    Raises StoreError where its log cannot be written.
    """
    return _spawn(run, "--labels")[0]


def _spawn(run: Path, *options: str) -> tuple["subprocess.Popen[bytes]", int]:
    """The engine's process, and where in its log it begins."""
    command = [sys.executable, "-m", "evoscope.cli.main", "_engine", str(run.absolute()), *options]
    with _open_log(run) as log:
        offset = log.tell()
        engine = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    return engine, offset


def _open_log(run: Path) -> IO[bytes]:
    try:
        side_folder(run).mkdir(parents=True, exist_ok=True, mode=0o700)
        return log_file(run).open("ab")
    except OSError as error:
        raise StoreError(
            f"{log_file(run)} cannot be written ({error.strerror}); free space or restore its "
            "folder's rights, then try again"
        ) from None


def require_keys(run: Path, environ: Mapping[str, str]) -> None:
    """Raise ConfigError if an environment variable that the run's providers need is not set."""
    with Reader(run) as reader:
        config = RunConfig.model_validate_json(reader.meta()["config"])
    if missing := missing_keys(config, environ):
        raise ConfigError(
            f"{run_name(run)}: not set: {', '.join(missing)}; export them and start again"
        )


def missing_keys(config: RunConfig, environ: Mapping[str, str]) -> list[str]:
    """The environment variables with API keys that the used providers need and do not have."""
    used = {model.provider for model in config.models.values()}
    variables = {
        key_variable(settings) for name, settings in config.providers.items() if name in used
    }
    return sorted(v for v in variables if v is not None and not environ.get(v, "").strip())


def _await_start(
    run: Path, engine: "subprocess.Popen[bytes]", offset: int, timeout_s: float
) -> None:
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        code = engine.poll()
        if code is not None:
            if code not in (0, 3):
                raise _failure(run, code, offset)
            return
        beat = read_heartbeat(run)
        if beat is not None and beat.pid == engine.pid:
            return
        time.sleep(_POLL_S)
    engine.kill()
    engine.wait()
    raise EvoscopeError(
        f"{run_name(run)}: its engine gave no sign of life for {timeout_s:g} s and was ended; "
        f"see {log_file(run)}"
    )


def _failure(run: Path, code: int, offset: int) -> EvoscopeError:
    """The engine's own error line; its log's last line where it left none."""
    with log_file(run).open("rb") as log:
        log.seek(offset)
        lines = log.read().decode("utf-8", "replace").strip().splitlines()
    errors = [line.removeprefix(ERROR_PREFIX) for line in lines if line.startswith(ERROR_PREFIX)]
    said = errors[-1] if errors else lines[-1] if lines else "it said nothing"
    error = EvoscopeError(f"{run_name(run)}: the engine could not start: {said}")
    error.exit_code = code if code in (1, 2) else 1
    return error

"""The life of a run as a process: made from a configuration, served until its end.

`new_run` fixes in the file all that replay depends on: configuration, prompts, cases, the
search's version. `serve` refuses to go on where one of them has changed since.
"""

import asyncio
import json
import logging
import os
import platform
import signal
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import asdict
from decimal import Decimal
from logging.handlers import RotatingFileHandler
from pathlib import Path

from .. import __version__
from .calls.prices import Prices
from .canonical import sha256
from .clock import utc_now
from .config import RunConfig
from .errors import ConfigError, EvoscopeError, StoreError
from .hooks import Hooks
from .model.outcomes import UNSAFE
from .plans import Plan, plan_run
from .providers.base import Provider
from .providers.build import build_provider
from .run_files import heartbeat_file, inbox, log_file, require_space, run_name, write_on_full_disk
from .session import End, Session, Setup
from .store.database import create, initialise, network_file_system, read_texts
from .store.lock import own_identity
from .store.memory import read_only

log = logging.getLogger(__name__)
BEAT_S = 1.0
PROGRAM = f"evoscope {__version__}"
REPLAY = "replay"
"""The pin that holds the search's name and replay version."""


def new_run(
    path: Path,
    config: RunConfig,
    *,
    allow_network_fs: bool = False,
    unsafe_no_sandbox: bool = False,
) -> None:
    """Make the run's file with all that its replay depends on.

    With `unsafe_no_sandbox` its programs run with the user's rights; the file says so for good.

    Raises ConfigError, DataError or StoreError before anything is written.
    """
    system = network_file_system(path)
    if system and not allow_network_fs:
        raise StoreError(
            f"{path} lies on a network file system ({system}), where SQLite can lose data; "
            "choose a local --dir or pass --allow-network-fs"
        )
    require_space(path)
    plan, text = plan_run(config), config.model_dump_json()
    budget_check(config)
    path.parent.mkdir(parents=True, exist_ok=True)
    create(path)
    inbox(path).mkdir(parents=True, exist_ok=True, mode=0o700)
    pins = {**plan.pins, "config": sha256(text.encode())}
    texts = {f"start/{name}": pin for name, pin in pins.items()}
    meta = first_meta(path, config, plan.total, plan.unit_kind)
    if plan.offline is not None:
        meta["offline"] = str(int(plan.offline))
    if unsafe_no_sandbox:
        meta[UNSAFE] = "1"
    initialise(path, meta, texts)


def first_meta(path: Path, config: RunConfig, total: int, unit_kind: str) -> dict[str, str]:
    """What a new file says of itself before anything has run in it."""
    offline = all(p.kind == "offline" for p in config.providers.values())
    return {
        "search": config.search,
        "name": run_name(path),
        "seed": str(config.seed),
        "offline": str(int(offline)),
        "state": "starting",
        "reason": "",
        "started": utc_now(),
        "updated": utc_now(),
        "progress_total": str(total),
        "progress_unit": unit_kind,
        "config": config.model_dump_json(),
        "made_by": f"{PROGRAM}, Python {platform.python_version()}",
    }


def budget_check(config: RunConfig) -> None:
    """Raise ConfigError for a money budget with a model of unknown price."""
    if config.budget is not None:
        Prices(config.models, config.providers).require_known()


def stored_config(path: Path) -> RunConfig:
    """The configuration that a run was started with."""
    return RunConfig.model_validate_json(_meta(path)["config"])


def stored_plan(path: Path) -> Plan:
    """The search of a recorded run, with every pin checked.

    Raises ConfigError where prompts, cases or the search's version are no longer those of the
    start.
    """
    plan, meta = plan_run(stored_config(path)), _meta(path)
    pins = {**plan.pins, "config": sha256(meta["config"].encode())}
    stored = {n.removeprefix("start/"): text for n, text in read_texts(path, "start/").items()}
    for pin, text in sorted(stored.items(), key=lambda item: item[0] != REPLAY):
        if pins.get(pin) != text:
            differs = _other_replay if pin == REPLAY else _other_pin
            raise ConfigError(f"{path.name}: {differs(pin, text, pins.get(pin), meta)}")
    return plan


def _other_replay(_: str, then: str, now: str | None, meta: Mapping[str, str]) -> str:
    """What to do about a search that decides otherwise: its number counts, not the program's."""
    search, _, version = then.rpartition(" ")
    own = (now or "none").rpartition(" ")[2]
    made_by = meta.get("made_by", "a version that it does not name")
    return (
        f"this run was begun with replay version {version} of {search}, and this program, "
        f"{PROGRAM}, has {own}: it would decide otherwise, so the run can be shown, inspected and "
        f"reported here, but not resumed or verified; for that use a build whose replay version of "
        f"{search} is {version} (the run was made by {made_by})"
    )


def _other_pin(pin: str, then: str, now: str | None, meta: Mapping[str, str]) -> str:
    """What to do about prompts, cases or settings that were changed since the start."""
    made_by = meta.get("made_by", "the version that began it")
    other = "" if made_by.partition(",")[0] == PROGRAM else f", or use {made_by}"
    return (
        f"{pin} is not what this run began with ({then:.60} then, {now or 'nothing':.60} now); "
        f"put it back{other}"
    )


async def serve(path: Path, *, foreground: bool = False) -> int:
    """Run a made run until its end; returns the exit code (0, 1 or 3)."""
    require_space(path)
    _log_to(log_file(path), foreground)
    plan = stored_plan(path)
    config = stored_config(path)
    providers = {name: build_provider(name, p, os.environ) for name, p in config.providers.items()}
    try:
        return await _serve(path, config, plan, providers)
    finally:
        for provider in providers.values():
            await provider.aclose()


async def _serve(path: Path, config: RunConfig, plan: Plan, providers: dict[str, Provider]) -> int:
    session = Session(path, _setup(config, plan, providers))
    await session.open()
    hooks = Hooks(config.on_event, run_name(path))
    session.on_state = hooks.state
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, session.stop, f"signal {number.name}")
    with suppress(AttributeError):
        loop.add_signal_handler(signal.SIGHUP, lambda: None)
    beat = asyncio.create_task(_beat(session, path))
    end = End("failed", "the engine ended early")
    try:
        end = await session.run()
    finally:
        beat.cancel()
        await session.close()
        await hooks.close()
    log.info("%s %s", end.state, end.reason)
    return end.exit_code


def _setup(config: RunConfig, plan: Plan, providers: dict[str, Provider]) -> Setup:
    return Setup(
        search=plan.search,
        seed=config.seed,
        parallel_cases=config.parallel_cases,
        providers=providers,
        provider_settings=config.providers,
        prices=Prices(config.models, config.providers),
        budget=None if config.budget is None else Decimal(config.budget),
        workers=config.cegar.workers,
    )


async def _beat(session: Session, path: Path) -> None:
    """Say once a second that the engine lives, and what it does."""
    identity = own_identity()
    while True:
        state = asdict(session.buyer.snapshot())
        said = {"time": utc_now(), "state": session.state, "trouble": session.trouble}
        try:
            text = json.dumps(identity | said | state, default=str)
            write_on_full_disk(heartbeat_file(path), text)
        except OSError as error:
            session.storage_trouble(f"{heartbeat_file(path)} cannot be written ({error.strerror})")
        await asyncio.sleep(BEAT_S)


def _log_to(path: Path, foreground: bool) -> None:
    handlers: list[logging.Handler] = [logging.StreamHandler()] if foreground else []
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handlers.append(RotatingFileHandler(path, maxBytes=5_000_000, backupCount=2))
    except OSError as error:
        raise StoreError(f"{path} cannot be written ({error.strerror}); check its folder") from None
    logging.basicConfig(
        level=logging.INFO,
        handlers=handlers,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        force=True,
    )
    logging.getLogger("httpx").setLevel(logging.WARNING)


def _meta(path: Path) -> dict[str, str]:
    if not path.exists():
        raise EvoscopeError(f"{path} does not exist; `evoscope ls` lists the runs")
    with closing(read_only(path)) as db:
        return dict(db.execute("SELECT key, value FROM meta").fetchall())

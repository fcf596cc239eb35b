"""The report of a run's file: tables, what must be read first, and where the figures come from."""

import json
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..canonical import canonical_json, sha256
from ..errors import UsageError
from ..model.llm import Json
from ..store.reader import Reader
from ..store.status import status_of
from .chase_read import read_chase
from .chase_report import chase_report
from .harden_read import read_domain, read_harden
from .harden_report import harden_report
from .tables import Report

OFFLINE = (
    "Offline run: every model is a small built-in program. The figures show how the engine works"
    " and say nothing about language models."
)
UNSAFE = (
    "No sandbox: a person typed --unsafe-no-sandbox, and programs ran with that person's rights."
    " Nothing kept them from forging their own outcomes."
)
UNCALIBRATED = "The realism rubric is uncalibrated: no real source stands behind it."
ITEMS = "SELECT id, content_hash FROM item ORDER BY ord, id"


def open_report(path: Path) -> Report:
    """The report of the run in a file, as far as it has come.

    Raises StoreError where the file cannot be read, UsageError for a search without a report.
    """
    with Reader(path) as reader:
        search = reader.meta().get("search")
        if search == "cegar":
            return _cegar(reader)
        if search == "chase":
            return chase_report(read_chase(reader), provenance(reader, {}), _banner(reader, {}))
        if search != "harden":
            raise UsageError(f"{path}: a {search} run has no report")
        domain = read_domain(reader)
        return harden_report(
            read_harden(reader), provenance(reader, domain), _banner(reader, domain)
        )


def _cegar(reader: Reader) -> Report:
    from .cegar_baselines import baseline_tables
    from .cegar_compared import held_judges, read_compared
    from .cegar_held import held_out
    from .cegar_read import read_cegar
    from .cegar_report import cegar_report

    run = read_cegar(reader)
    found = read_compared(reader, run)
    config = json.loads(reader.meta()["config"])
    held = held_out(reader.path, config, (*run.starting, *run.admitted), found.operators)
    said = {"training": found.judges}
    if held is not None:
        said["held out"] = held_judges(reader.path, held.split)
    known = provenance(reader, {}) | {"sandbox": reader.meta().get("sandbox")}
    whole = cegar_report(run, held, known, _banner(reader, {}), said)
    others = baseline_tables(run, found, held, said)
    return replace(whole, tables={**whole.tables, **others})


def provenance(reader: Reader, domain: Mapping[str, Any]) -> dict[str, Json]:
    """What the figures depend on: versions, hashes, seed and models; unknown is None."""
    meta = reader.meta()
    config = json.loads(meta["config"])
    models = config.get("models", {})
    return {
        "version": meta.get("made_by"),
        "config_hash": sha256(canonical_json(config).encode()),
        "rubric_hash": domain.get("rubric_sha256"),
        "rubric_status": domain.get("rubric_status"),
        "data_hash": _data_hash(reader),
        "seed": int(meta["seed"]) if meta.get("seed") else None,
        "offline": meta.get("offline") == "1",
        "models": {role: model.get("model") for role, model in models.items()},
        "intervals": f"numpy {version('numpy')}",
    }


def _data_hash(reader: Reader) -> str | None:
    """SHA-256 over the sampled cases' ids and contents, in order; None before they are drawn."""
    items: list[list[str]] = [[name, content] for name, content in reader.rows(ITEMS)]
    return sha256(canonical_json(items).encode()) if items else None


def _banner(reader: Reader, domain: Mapping[str, Any]) -> tuple[str, ...]:
    status = status_of(reader)
    lines = [OFFLINE] if status.offline else []
    if status.unsafe:
        lines.append(UNSAFE)
    if status.state != "finished":
        reason = f" ({status.reason})" if status.reason else ""
        lines.append(f"The run is {status.state}{reason}: these are the figures so far.")
    if domain.get("rubric_status") == "uncalibrated":
        lines.append(UNCALIBRATED)
    return tuple(lines)

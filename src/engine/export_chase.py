"""A chase run's results as files: the chosen harness, a run that starts from it, the archive."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .config import RunConfig
from .errors import UsageError
from .model.chase import Harness
from .report.open_report import provenance
from .store.chase import chase_archive
from .store.reader import Reader


def export_harness(path: Path, folder: Path) -> list[Path]:
    """Write harness.json (H*), run.toml (the same run with H* as H_0), archive.json (its
    counterfactuals as transformation specs) and run_card.json into a new folder.

    Raises UsageError where no harness has been chosen yet or the folder is in use.
    """
    with Reader(path) as reader:
        chosen = _chosen(reader)
        if chosen is None:
            raise UsageError(
                f"{path.name} has chosen no harness yet; export it when it is finished"
            )
        spec = Harness.model_validate_json(_content(reader, chosen))
        config = json.loads(reader.meta()["config"])
        archive = [_specified(reader, one) for one in chase_archive(reader)["benchmarks"][1:]]
        card: dict[str, Any] = {"harness": chosen, **provenance(reader, {})}
    config["chase"]["harness"] = "harness.json"
    config["name"] = None
    files = {
        "harness.json": _pretty(spec.plain()),
        "run.toml": toml_text(RunConfig.model_validate(config)),
        "archive.json": _pretty(archive),
        "run_card.json": _pretty(card),
    }
    return _write(folder, files)


def _chosen(reader: Reader) -> str | None:
    row = reader.row("SELECT chosen FROM decision WHERE kind = 'promote' ORDER BY seq DESC LIMIT 1")
    return None if row is None else str(json.loads(row[0])[0])


def _content(reader: Reader, node: str) -> str:
    row = reader.row("SELECT content_hash FROM node WHERE id = ?", (node,))
    return reader.text(row[0]) if row else "{}"


def _specified(reader: Reader, benchmark: Mapping[str, Any]) -> dict[str, Any]:
    content = json.loads(_content(reader, benchmark["id"]))
    return {"id": benchmark["id"], "vetoed": benchmark["vetoed"], **content}


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def toml_text(config: RunConfig) -> str:
    """A configuration as TOML: what differs from the defaults, tables inline."""
    plain = config.model_dump(mode="json", exclude_defaults=True)
    plain["search"] = config.search
    scalars = {name: value for name, value in plain.items() if not isinstance(value, dict)}
    lines = [f"{name} = {_toml(value)}" for name, value in scalars.items()]
    for name, table in plain.items():
        if isinstance(table, dict):
            lines += ["", f"[{name}]"]
            lines += [f"{_key(key)} = {_toml(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() else json.dumps(name)


def _write(folder: Path, files: Mapping[str, str]) -> list[Path]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty; give a new folder to -o")
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder} cannot be used ({error.strerror}); give another -o") from None
    return [folder / name for name in files]

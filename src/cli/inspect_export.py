"""A case variant as a record of its benchmark's own format."""

import json
import tempfile
from pathlib import Path
from typing import Any

from ..engine.errors import EvoscopeError
from ..engine.store.content import fields_of
from ..engine.store.reader import Reader
from ..tui.dossier import Dossier


def exported(reader: Reader, dossier: Dossier) -> tuple[Any, str | None]:
    """The record that an export of this variant holds, or None and why there is none."""
    node = dossier.node
    settings = json.loads(reader.meta().get("config", "{}")).get("benchmark")
    if node.kind != "case" or not settings:
        return None, "only case variants have a record of their own"
    from ..engine.benchmarks.load import load

    try:
        path = settings.get("path")
        benchmark = load(settings["kind"], None if path is None else Path(path))
        case = next((case for case in benchmark.cases if case.id == node.group), None)
        if case is None:
            return None, f"the benchmark's file no longer holds case {node.group}"
        fields = fields_of(dossier.contents[node.id])
        changed = {name: fields[name] for name in benchmark.mutable if name in fields}
        variant = benchmark.with_fields(case, changed)
        with tempfile.TemporaryDirectory() as folder:
            written = benchmark.export([variant], Path(folder))
            return json.loads(written[0].read_text(encoding="utf-8")), None
    except (EvoscopeError, ValueError) as error:
        return None, str(error)

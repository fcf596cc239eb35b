"""A harden run's results as files: the cases in their source's format, what was answered, whence.

The export is checked before it is called one: it is loaded again as a benchmark, every kept
response is graded on it, and the scores must be those that the run recorded.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from .benchmarks.base import Benchmark, Case
from .benchmarks.load import load
from .canonical import sha256
from .config import RunConfig
from .errors import DataError, UsageError
from .model.harden import CaseResult
from .model.llm import Json
from .report.harden_read import read_domain
from .report.open_report import provenance
from .store.content import fields_of, reply_text
from .store.reader import Reader
from .store.status import status_of
from .verify import digest

RESPONSES = (
    "SELECT r.sample, r.num, r.den, c.reply_blob FROM rollout r JOIN call c ON c.slot = r.slot "
    "WHERE r.node = ? AND c.purpose = 'fresh' AND r.outcome != 'error' ORDER BY r.sample"
)
SERVED = (
    "SELECT role, coalesce(served_model, model), served_provider, count(*), sum(input_tokens), "
    "sum(output_tokens) FROM call WHERE status = 'completed' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
)
SERVED_AS = ("role", "model", "provider", "calls", "input_tokens", "output_tokens")
LICENCES = {
    "finqa": "FinQA: MIT; its data CC BY 4.0. Cite Chen et al., FinQA (EMNLP 2021).",
    "pubmedqa": "PubMedQA: MIT. Cite Jin et al., PubMedQA (EMNLP-IJCNLP 2019).",
    "contractnli": "ContractNLI: CC BY 4.0. Cite Koreeda and Manning, ContractNLI (2021).",
    "bundle": "The licence of your own cases applies.",
}


@dataclass(frozen=True, slots=True)
class Ending:
    """One finished case: its result, and the case as it leaves the run."""

    result: CaseResult
    case: Case


def export_run(path: Path, folder: Path) -> list[Path]:
    """Write the run's finished cases, their fresh responses and the run card into `folder`.

    Files: the cases in the source's own format; `responses.jsonl` ({id, sample, response} on the
    cases as exported) and `responses_original.jsonl`, both as `evoscope grade` reads them;
    `run_card.json`. Raises UsageError for another search or a folder that is in use, DataError
    where the export does not grade as the run did.
    """
    with Reader(path) as reader:
        meta = reader.meta()
        if meta.get("search") != "harden":
            raise UsageError(f"{path.name} is a {meta.get('search')} run; this exports harden runs")
        config = RunConfig.model_validate_json(meta["config"])
        _prepare(folder)
        benchmark = load(config.benchmark.kind, config.benchmark.path)
        endings = list(_endings(reader, benchmark))
        if not endings:
            raise UsageError(f"{path.name} has no finished case yet; export it later")
        files = benchmark.export([ending.case for ending in endings], folder)
        loaded = {case.id: case for case in load(config.benchmark.kind, files[0]).cases}
        after = [(e, str(e.result.final)) for e in endings]
        before = [(e, e.result.original) for e in endings]
        originals = {case.id: case for case in benchmark.cases}
        files.append(_responses(reader, benchmark, loaded, after, folder / "responses.jsonl"))
        files.append(
            _responses(reader, benchmark, originals, before, folder / "responses_original.jsonl")
        )
        card = _card(path, reader, config, endings, files)
    files.append(_write(folder / "run_card.json", json.dumps(card, indent=2, ensure_ascii=False)))
    return files


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty; give a new folder to -o")
    except OSError as error:
        raise UsageError(f"{folder} cannot be used ({error.strerror}); give another -o") from None


def _endings(reader: Reader, benchmark: Benchmark) -> Iterator[Ending]:
    cases = {case.id: case for case in benchmark.cases}
    rows = reader.rows(
        "SELECT result FROM unit WHERE kind = 'case' AND state = 'done' ORDER BY ord"
    )
    for (text,) in rows:
        result = CaseResult.from_json(json.loads(text))
        if result.status == "failed" or result.final is None:
            continue
        case = cases[result.case]
        if result.status == "hardened":
            found = reader.row("SELECT content_hash FROM node WHERE id = ?", (result.final,))
            content = fields_of(reader.text(found[0])) if found else {}
            changes = {name: content[name] for name in benchmark.mutable if name in content}
            case = benchmark.with_fields(case, changes)
        yield Ending(result, case)


def _responses(
    reader: Reader,
    benchmark: Benchmark,
    cases: Mapping[str, Case],
    endings: Sequence[tuple[Ending, str]],
    path: Path,
) -> Path:
    """Write a node's fresh responses as grade lines; each must grade as it did in the run."""
    lines = []
    for ending, node in endings:
        case = cases[ending.result.case]
        for sample, num, den, blob in reader.rows(RESPONSES, (node,)):
            response = reply_text(reader.blob(blob).decode("utf-8", "replace"))
            grade = benchmark.grade(case, response)
            if grade.score != Fraction(num, den):
                raise DataError(
                    f"{path}: response {sample} of {node} graded {num}/{den} in the run and "
                    f"{grade.score} on the export; please report this"
                )
            lines.append(json.dumps({"id": case.id, "sample": sample, "response": response}))
    return _write(path, "\n".join(lines) + "\n")


def _card(
    path: Path,
    reader: Reader,
    config: RunConfig,
    endings: Sequence[Ending],
    files: Sequence[Path],
) -> dict[str, Any]:
    """Where the exported cases come from: enough to name, cite and check them."""
    status = status_of(reader)
    found: dict[str, Json] = provenance(reader, read_domain(reader))
    left_out = reader.rows(
        "SELECT state, count(*) FROM unit WHERE kind = 'case' AND state != 'done' GROUP BY 1"
    )
    return {
        "run": reader.meta().get("name"),
        "state": status.state,
        "offline": status.offline,
        "digest": digest(path),
        **found,
        "config": config.model_dump(mode="json"),
        "served": [dict(zip(SERVED_AS, row, strict=True)) for row in reader.rows(SERVED)],
        "cost": {
            "amount": None if status.calls.cost is None else str(status.calls.cost),
            "source": status.calls.cost_source,
        },
        "licence": LICENCES[config.benchmark.kind],
        "modified": "Inputs of cases with status hardened were rewritten; answers are unchanged.",
        "cases": [_case_card(reader, ending.result) for ending in endings],
        "by_status": dict(Counter(ending.result.status for ending in endings)),
        "left_out": dict(left_out),
        "files": {file.name: sha256(file.read_bytes()) for file in files},
    }


def _case_card(reader: Reader, result: CaseResult) -> dict[str, Json]:
    chain: list[Json] = []
    node: str | None = result.final
    while node is not None and node != result.original:
        row = reader.row("SELECT origin, description FROM node WHERE id = ?", (node,))
        up = reader.row("SELECT parent FROM parent WHERE node = ?", (node,))
        if row is not None:
            axis = json.loads(row[0]).get("axis")
            chain.append({"node": node, "axis": axis, "description": row[1]})
        node = up[0] if up else None
    scores: dict[str, Json] = {
        name: None if (value := getattr(result, name)) is None else str(value)
        for name in ("score_before", "score_after", "fresh_before", "fresh_after")
    }
    return {
        "id": result.case,
        "status": result.status,
        "node": result.final,
        "mutations": list(reversed(chain)),
        **scores,
    }


def _write(path: Path, text: str) -> Path:
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}); give another -o") from None
    return path

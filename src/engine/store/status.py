"""The state of a run in a handful of cheap queries: what `ls`, `status` and the header show."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

from ..heartbeat import SILENT_S, Heartbeat, read_heartbeat
from ..model.harden import CaseResult
from ..model.outcomes import UNSAFE
from ..run_files import run_name
from .cegar import cegar_effect
from .chase import chase_effect
from .reader import Reader

EFFECTS = {"chase": chase_effect, "cegar": cegar_effect}
"""What a search's status says of its effect; harden's has a field of its own."""

ACTIVE = frozenset(("starting", "running", "pausing", "paused", "stopping"))
"""States that need a living engine; without one the run is lost."""


@dataclass(frozen=True, slots=True)
class CallSums:
    """Calls by status, with what they took; money in US dollars, unknown costs left out.

    `input_tokens` were not read from a cache; those written to one are among them.
    """

    completed: int = 0
    failed: int = 0
    ambiguous: int = 0
    retries: int = 0
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    cost: Decimal | None = None
    cost_source: str = "unknown"
    maybe_paid: Decimal = Decimal(0)

    @property
    def all_input_tokens(self) -> int | None:
        """Those read from a cache included."""
        if self.input_tokens is None:
            return None
        return self.input_tokens + (self.cached_input_tokens or 0)


@dataclass(frozen=True, slots=True)
class HardenEffect:
    """What the finished cases show. `scored` cases have fresh scores, which no selection saw."""

    cases: int = 0
    hardened: int = 0
    failed: int = 0
    scored: int = 0
    fresh_before: Fraction | None = None
    fresh_after: Fraction | None = None
    selection_before: Fraction | None = None
    selection_after: Fraction | None = None
    entropy_before: float | None = None
    entropy_after: float | None = None
    saved_by_vote_stopping: int = 0
    saved_by_racing: int = 0
    skipped_by_futility: int = 0


@dataclass(frozen=True, slots=True)
class RunStatus:
    """Everything that is said about a run as a whole. `state` is `lost` if its engine is gone."""

    name: str
    path: Path
    search: str
    state: str
    reason: str
    offline: bool
    seed: int | None
    done: int
    total: int | None
    unit: str
    parked: tuple[str, ...]
    eta_s: tuple[float, float] | None
    calls: CallSums
    budget: Decimal | None
    effect: HardenEffect
    heartbeat: Heartbeat | None
    started: str | None
    updated: str | None
    meta: Mapping[str, str] = field(default_factory=dict)
    found: Mapping[str, Any] = field(default_factory=dict)
    """The effect of a search other than harden, by name; shares are exact."""

    @property
    def unsafe(self) -> bool:
        """Whether its programs run without a sandbox, as a person has asked for."""
        return self.meta.get(UNSAFE) == "1"

    @property
    def alive(self) -> bool:
        """Whether an engine works on the run now."""
        return self.state in ACTIVE


def read_status(path: Path) -> RunStatus:
    """The state of the run in a file. Raises StoreError or NewerFile."""
    with Reader(path) as reader:
        return status_of(reader)


def status_of(reader: Reader) -> RunStatus:
    """The state of an open run; see `RunStatus`."""
    beat = read_heartbeat(reader.path)
    meta = reader.meta()
    state, reason = judged(meta, beat)
    unit = meta.get("progress_unit", "case")
    done, parked = _progress(reader, unit)
    total = int(meta["progress_total"]) if meta.get("progress_total") else None
    return RunStatus(
        name=run_name(reader.path),
        path=reader.path,
        search=meta.get("search", "?"),
        state=state,
        reason=reason,
        offline=meta.get("offline") == "1",
        seed=int(meta["seed"]) if meta.get("seed") else None,
        done=done if total is None else min(done, total),  # a unit may only find nothing left
        total=total,
        unit=unit,
        parked=parked,
        eta_s=_eta(reader, unit, total - done) if state == "running" and total else None,
        calls=_calls(reader),
        budget=_budget(meta),
        effect=_harden_effect(reader),
        heartbeat=beat,
        started=meta.get("started"),
        updated=meta.get("updated"),
        meta=meta,
        found=EFFECTS[meta["search"]](reader) if meta.get("search") in EFFECTS else {},
    )


def judged(meta: Mapping[str, str], beat: Heartbeat | None) -> tuple[str, str]:
    """State and reason, with `lost` for a run whose engine is gone without having said so."""
    state = meta.get("state", "starting")
    if state not in ACTIVE:
        return state, meta.get("reason", "")
    if beat is not None and beat.alive():
        return _living(meta, beat)
    if beat is None:
        return "lost", f"was {state}; no engine has left a heartbeat"
    return "lost", f"was {state}; the engine (process {beat.pid} on {beat.host}) is gone"


def _living(meta: Mapping[str, str], beat: Heartbeat) -> tuple[str, str]:
    """What the file says; what the heartbeat says where it is newer and the file is stuck."""
    state, reason = meta.get("state", "starting"), meta.get("reason", "")
    if beat.trouble and beat.time > meta.get("updated", ""):
        return "paused", beat.trouble
    if not reason and beat.age_s() > SILENT_S:
        reason = "its engine lives but writes nothing; is the disk full or its folder read-only?"
    return state, reason


def _progress(reader: Reader, unit: str) -> tuple[int, tuple[str, ...]]:
    rows = reader.rows("SELECT state, count(*) FROM unit WHERE kind = ? GROUP BY state", (unit,))
    counts = dict(rows)
    parked = reader.rows("SELECT id FROM unit WHERE state = 'parked' ORDER BY ord LIMIT 1000")
    return counts.get("done", 0) + counts.get("failed", 0), tuple(row[0] for row in parked)


def _calls(reader: Reader) -> CallSums:
    rows = reader.rows(
        "SELECT status, count(*), sum(input_tokens + coalesce(cache_write_tokens, 0)), "
        "sum(cached_input_tokens), "
        "sum(output_tokens), sum(CAST(cost AS REAL)), count(cost), max(cost_source), "
        "min(cost_source) FROM call GROUP BY status"
    )
    by_status = {row[0]: row[1:] for row in rows}
    counts = {status: row[0] for status, row in by_status.items()}
    done = by_status.get("completed", (0, None, None, None, None, 0, None, None))
    count, given, cached, output, cost, priced, source, other = done
    attempts = reader.row(
        "SELECT count(*), sum(iif(maybe_paid, CAST(estimate AS REAL), 0)) FROM attempt "
        "WHERE outcome <> 'completed'"
    )
    retries, maybe_paid = attempts or (0, None)
    known = count > 0 and priced == count
    return CallSums(
        completed=count,
        failed=counts.get("failed", 0),
        ambiguous=counts.get("ambiguous", 0),
        retries=retries,
        input_tokens=given,
        cached_input_tokens=cached,
        output_tokens=output,
        cost=_money(cost) if priced else None,
        cost_source=(source if source == other else "price table") if known else "unknown",
        maybe_paid=_money(maybe_paid or 0.0),
    )


def _budget(meta: Mapping[str, str]) -> Decimal | None:
    """The budget in US dollars that holds now: the one set last, else the configuration's."""
    value = meta.get("set:budget")
    if value is None:
        value = json.loads(meta.get("config", "{}")).get("budget")
    return None if value in (None, "None", "none") else Decimal(str(value))


def _money(dollars: float) -> Decimal:
    """A sum of costs without the noise of its additions."""
    return Decimal(str(round(dollars, 6)))


def _harden_effect(reader: Reader) -> HardenEffect:
    rows = reader.rows("SELECT result FROM unit WHERE kind = 'case' AND state = 'done'")
    results = [CaseResult.from_json(json.loads(text)) for (text,) in rows if text]
    saved = dict(reader.rows("SELECT axis, sum(n) FROM tally WHERE gate = 'saved' GROUP BY axis"))
    kept = [r for r in results if r.status != "failed"]
    fresh = [
        (r.fresh_before, r.fresh_after)
        for r in kept
        if r.fresh_before is not None and r.fresh_after is not None
    ]
    return HardenEffect(
        cases=len(kept),
        hardened=sum(r.status == "hardened" for r in kept),
        failed=len(results) - len(kept),
        scored=len(fresh),
        fresh_before=_mean([before for before, _ in fresh]),
        fresh_after=_mean([after for _, after in fresh]),
        selection_before=_mean([r.score_before for r in kept if r.score_before is not None]),
        selection_after=_mean([_after(r) for r in kept if r.score_before is not None]),
        entropy_before=_mean([r.entropy_before for r in kept if r.entropy_before is not None]),
        entropy_after=_mean([r.entropy_after for r in kept if r.entropy_after is not None]),
        saved_by_vote_stopping=saved.get("vote_stopping", 0),
        saved_by_racing=saved.get("racing", 0),
        skipped_by_futility=saved.get("futility", 0),
    )


def _after(result: CaseResult) -> Fraction:
    """The score after the search: the original's where nothing was promoted."""
    after = result.score_before if result.score_after is None else result.score_after
    return after if after is not None else Fraction(0)


def _mean(values: list[Any]) -> Any:
    return sum(values) / len(values) if values else None


def _eta(reader: Reader, unit: str, left: int) -> tuple[float, float] | None:
    """Seconds to the end, as a range, from the rate since the engine last began to run.

    Units that were finished before do not count. With k units finished the range is the estimate
    divided and multiplied by 1 + 1/sqrt(k).
    """
    start = reader.row("SELECT time FROM event WHERE kind = 'running' ORDER BY seq DESC LIMIT 1")
    if start is None:
        return None
    row = reader.row(
        "SELECT count(*) FROM unit WHERE kind = ? AND state = 'done' AND ended >= ?",
        (unit, start[0]),
    )
    finished = int(row[0]) if row else 0
    if not finished:
        return None
    elapsed = (datetime.now(UTC) - datetime.fromisoformat(start[0])).total_seconds()
    estimate = max(left, 0) * elapsed / finished
    spread = 1 + 1 / sqrt(finished)
    return estimate / spread, estimate * spread

"""What a run's baselines and ablations have left in its file, and the judge on both splits."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, cast

from ..model.llm import Json
from ..searches.cegar.arms import CHANGES, Ablation
from ..searches.cegar.bench import Operator
from ..searches.cegar.induction import unit_name
from ..searches.cegar.judging import column_of
from ..searches.cegar.outcome import RoundResult
from ..searches.cegar.training import Labelled
from ..searches.cegar.verdicts import Member, Verdict
from ..store.reader import Reader
from .cegar_held import judge_file
from .cegar_read import Attempted, CegarRun, Judged, attempts_of, columns_of, served, vetoed_of

RESULTS = "SELECT id, result FROM unit WHERE kind = 'baseline' AND state = 'done' ORDER BY ord, id"
CALLS = (
    "SELECT unit, count(*) FROM call JOIN unit u ON u.id = unit "
    "WHERE kind = 'baseline' AND status = 'completed' GROUP BY unit"
)


@dataclass(frozen=True, slots=True)
class Compared:
    """One arm of the loop, or induction at one interface: calls, attempts, what was admitted.

    `ended` is how an arm ended, empty while it goes on; `admitted` leaves out what people vetoed.
    """

    name: str
    calls: int
    attempts: tuple[Attempted, ...]
    admitted: tuple[Operator, ...]
    ended: str = ""


@dataclass(frozen=True, slots=True)
class JudgeSaid:
    """One configuration of the judge on one split: calls, and its verdicts by member."""

    name: str
    model: str
    form: str
    calls: int
    column: Mapping[Member, Verdict]


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All of a run's baselines and ablations. `training` has their operators' verdicts."""

    arms: tuple[Compared, ...]
    induced: tuple[Compared, ...]
    judges: tuple[JudgeSaid, ...]
    training: Judged

    @property
    def operators(self) -> tuple[Operator, ...]:
        """What they have admitted: to be scored on held-out tasks as the pool is."""
        return tuple(chain.from_iterable(one.admitted for one in (*self.arms, *self.induced)))


def read_compared(reader: Reader, run: CegarRun) -> Comparisons:
    """The comparisons in an open file, as far as they have come."""
    results = dict(_results(reader))
    attempts = attempts_of(reader, run.training.split, "baseline")
    found = _Found(results, dict(reader.rows(CALLS)), attempts, vetoed_of(reader))
    arms = [found.arm(name) for name in CHANGES if f"{name}-1" in found.begun]
    induced = [found.induced(level) for level in (1, 2) if unit_name(level) in results]
    operators = list(chain.from_iterable(one.admitted for one in (*arms, *induced)))
    return Comparisons(
        tuple(arms), tuple(induced), judges_said(results, run.training.split),
        _judged(run.training, operators, reader),
    )  # fmt: skip


def held_judges(path: Path, split: Labelled) -> tuple[JudgeSaid, ...]:
    """The judge on held-out candidates; nothing where it has not been asked."""
    file = judge_file(path)
    if not file.exists():
        return ()
    with Reader(file) as reader:
        return judges_said(dict(_results(reader)), split)


def judges_said(results: Mapping[str, Any], split: Labelled) -> tuple[JudgeSaid, ...]:
    """The finished configurations among the results of units."""
    found = []
    for unit, result in results.items():
        column = column_of(split, result) if unit.startswith("judge-") else None
        if column is not None:
            name = unit.removeprefix("judge-").replace("-", ", ")
            found.append(JudgeSaid(name, result["model"], result["form"], result["calls"], column))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Found:
    """What the file has of units of the kind `baseline`, by unit."""

    results: Mapping[str, Mapping[str, Json]]
    calls: Mapping[str, int]
    attempts: Sequence[Attempted]
    vetoed: set[str]

    @property
    def begun(self) -> set[str]:
        return {one.unit for one in self.attempts} | set(self.results)

    def arm(self, name: Ablation) -> Compared:
        """An arm's rounds together."""
        own = sorted((unit for unit in self.begun if _arm_of(unit) == name), key=_number)
        rounds = [RoundResult.from_json(self.results[u]) for u in own if u in self.results]
        admitted = [one.admitted for one in rounds if one.admitted is not None]
        ended = rounds[-1].ended if rounds else ""
        return self._compared(
            name, own, admitted, "" if ended in ("admitted", "abandoned") else ended
        )

    def induced(self, level: int) -> Compared:
        """Induction at one interface, once it has finished."""
        unit = unit_name(level)
        listed = cast(list[dict[str, Any]], self.results[unit]["admitted"])
        return self._compared(f"level {level}", [unit], [Operator(**one) for one in listed], "done")

    def _compared(
        self, name: str, own: Sequence[str], admitted: Sequence[Operator], ended: str
    ) -> Compared:
        return Compared(
            name,
            sum(self.calls.get(unit, 0) for unit in own),
            tuple(one for one in self.attempts if one.unit in own),
            tuple(one for one in admitted if one.node not in self.vetoed),
            ended,
        )


def _arm_of(unit: str) -> str:
    return unit.rpartition("-")[0]


def _number(unit: str) -> int:
    return int(unit.rpartition("-")[2])


def _results(reader: Reader) -> list[tuple[str, Any]]:
    return [(unit, json.loads(result)) for unit, result in reader.rows(RESULTS) if result]


def _judged(training: Judged, operators: Sequence[Operator], reader: Reader) -> Judged:
    """The training split with these operators' verdicts beside those of the run."""
    more = asyncio.run(columns_of(training.split, operators, served(reader)))
    return Judged(training.split, {**training.columns, **more}, training.pools)

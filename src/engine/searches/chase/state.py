"""What one method knows between its rounds, as JSON that the next round loads."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ...benchmarks.transform.composition import Composition, parse
from ...benchmarks.transform.operators import Catalogue
from ...canonical import canonical_json, sha256
from ...model.chase import Harness
from ...model.llm import Json
from .gains import REL, Sheet, TaskScores
from .selection import Choice

BASE = "H0"
NEUTRAL = "b0"
"""B_0's name among the benchmarks, where it is known."""
RELEASE = "release"
"""A separate release's name among the benchmarks, where there is one."""


@dataclass(frozen=True, slots=True)
class Member:
    """A confirmed counterfactual. `disc` and `conf` are its gain destruction there."""

    id: str
    round: int
    description: str
    composition: Composition
    disc: Fraction
    conf: Fraction
    threshold: Fraction


@dataclass(slots=True)
class State:
    """One method's harnesses, scores, trajectories on D_evo, archive and history of rounds.

    `chosen` are H_0 to H_t; `trajectories` hold, by harness, benchmark and task, one entry for each
    rollout; `tried` the D_disc results of earlier rounds; `rounds` what each round came to; `start`
    is what the present round's candidates are revisions of.
    """

    method: str
    harnesses: dict[str, Harness]
    evo: Sheet
    disc: Sheet
    chosen: list[str] = field(default_factory=lambda: [BASE])
    archive: list[Member] = field(default_factory=list)
    trajectories: dict[str, Any] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    tried: list[Json] = field(default_factory=list)
    rounds: list[dict[str, Json]] = field(default_factory=list)
    start: str = BASE

    @property
    def current(self) -> str:
        """H_t."""
        return self.chosen[-1]

    def archived(self, vetoed: frozenset[str]) -> list[str]:
        """The archive's benchmarks without vetoed ones; B_rel always first."""
        return [REL, *(member.id for member in self.archive if member.id not in vetoed)]

    def begin(self, vetoed: frozenset[str]) -> None:
        """Start a round from H_t, from H_0 where people have taken H_t out."""
        self.start = BASE if self.current in self.barred(vetoed) else self.current

    def barred(self, vetoed: frozenset[str]) -> frozenset[str]:
        """The vetoed nodes, and the harnesses proposed so far that were revised from one."""
        gone = set(vetoed)
        for entry, (before, own) in zip(self.rounds, pairwise(self.chosen), strict=True):
            if entry.get("started_from", before) in gone:
                proposed = entry.get("candidates", {})
                heirs = (own, *(proposed if isinstance(proposed, dict) else ()))
                gone.update(name for name in heirs if name not in (before, BASE))
        return frozenset(gone)

    def eligible(self, vetoed: frozenset[str], candidates: Iterable[str]) -> tuple[str, list[str]]:
        """H_t, or H_0 where it is barred, and the candidates of this round that are not."""
        gone = self.barred(vetoed)
        alive = [] if self.start in gone else [name for name in candidates if name not in gone]
        return (BASE if self.current in gone else self.current), alive

    def used(self, vetoed: frozenset[str]) -> tuple[str, ...]:
        """Of this method's harnesses and archive those that are vetoed, for a decision to say."""
        own = (*self.harnesses, *(member.id for member in self.archive))
        return tuple(sorted(name for name in own if name in vetoed))

    def close(self, number: int, choice: Choice, more: Mapping[str, Json]) -> None:
        """Note what a round came to; its harness is H_t from here on."""
        entry = {"round": number, "chosen": choice.harness, "outcome": choice.outcome, **more}
        if self.start != self.current:
            entry["started_from"] = self.start
        self.rounds.append(entry)
        self.chosen.append(choice.harness)

    def dump(self) -> str:
        """The state as canonical JSON."""
        return canonical_json(
            {
                "method": self.method,
                "harnesses": {name: one.plain() for name, one in self.harnesses.items()},
                "evo": _dump_sheet(self.evo),
                "disc": _dump_sheet(self.disc),
                "chosen": self.chosen,
                "archive": [_dump_member(member) for member in self.archive],
                "trajectories": self.trajectories,
                "known": sorted(self.known),
                "tried": self.tried,
                "rounds": self.rounds,
            }
        )


def load_state(text: str, operators: Catalogue) -> State:
    """The state that `dump` wrote."""
    data = json.loads(text)
    return State(
        data["method"],
        {name: Harness.model_validate(spec) for name, spec in data["harnesses"].items()},
        _load_sheet(data["evo"]),
        _load_sheet(data["disc"]),
        data["chosen"],
        [_load_member(member, operators) for member in data["archive"]],
        data["trajectories"],
        set(data["known"]),
        data["tried"],
        data["rounds"],
    )


def harness_id(method: str, harness: Harness) -> str:
    """From the canonical spec's hash; each method has its own, for neither sees the other's."""
    return f"h-{sha256(canonical_json([method, harness.plain()]).encode())[:12]}"


def counterfactual_id(composition: Composition) -> str:
    """From the hash of the normalised operator list."""
    return f"cf-{composition.hash[:12]}"


def _dump_sheet(sheet: Sheet) -> dict[str, Json]:
    scores: list[Json] = [
        [harness, benchmark, {task: [str(v) for v in values] for task, values in own.items()}]
        for (harness, benchmark), own in sorted(sheet.scores.items())
    ]
    return {"tasks": list(sheet.tasks), "scores": scores}


def _load_sheet(data: Mapping[str, Any]) -> Sheet:
    sheet = Sheet(tuple(data["tasks"]))
    for harness, benchmark, own in data["scores"]:
        scores: TaskScores = {t: tuple(Fraction(v) for v in values) for t, values in own.items()}
        sheet.put(harness, benchmark, scores)
    return sheet


def _dump_member(member: Member) -> dict[str, Json]:
    return {
        "id": member.id,
        "round": member.round,
        "description": member.description,
        "operators": member.composition.plain(),
        "disc": str(member.disc),
        "conf": str(member.conf),
        "threshold": str(member.threshold),
    }


def _load_member(data: Mapping[str, Any], operators: Catalogue) -> Member:
    return Member(
        data["id"],
        data["round"],
        data["description"],
        parse({"operators": data["operators"]}, operators),
        *(Fraction(data[name]) for name in ("disc", "conf", "threshold")),
    )

"""Fills a report's facts from a run's file: a few finished queries per unit, never one large one.

Rollouts of one case carry sample numbers: 0 to T-1 were seen by selection, T to 2T-1 are fresh,
-1 is the greedy completion.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp
from typing import Any

from ..model.harden import CaseResult
from ..stats.entropy import class_counts, frequency_entropy
from ..store.reader import Reader
from .harden import (
    Calibration,
    Candidate,
    CaseFacts,
    HardenRun,
    Recipe,
    Sample,
    Scoring,
    Version,
)
from .labels import read_labelled
from .spend_read import CallSum, read_calls, spend_of

CONTEXT = "task"
LABELS = {"pubmedqa": 3, "contractnli": 3}
SILENT = ("abstain", "error")
BASELINE = ("rollout", "greedy")
OURS = ("fresh", "final_audit")

DOMAIN = "SELECT result FROM unit WHERE kind = 'domain' AND state = 'done'"
UNITS = "SELECT id, ord, state, reason, result FROM unit WHERE kind = 'case' ORDER BY ord"
NODES = (
    "SELECT n.id, n.generation, n.origin, n.state, n.num, n.den, n.vetoed, n.entropy, "
    "(SELECT min(p.parent) FROM parent p WHERE p.node = n.id) "
    "FROM node n WHERE n.unit = ? ORDER BY n.generation, n.idx"
)
VERDICTS = "SELECT node, gate, vote, outcome FROM verdict WHERE unit = ?"
ROLLOUTS = (
    "SELECT node, sample, num, den, class, logprob_sum, tokens FROM rollout "
    "WHERE unit = ? AND context = ? ORDER BY node, sample"
)


@dataclass(slots=True)
class _Node:
    """A node's row with what was found about it."""

    id: str
    generation: int
    origin: Mapping[str, Any]
    state: str
    score: Fraction | None
    vetoed: bool
    entropy: float | None
    parent: str | None
    gates: dict[str, str] = field(default_factory=dict)
    votes: Counter[str] = field(default_factory=Counter)
    silent: Counter[str] = field(default_factory=Counter)
    samples: dict[int, Sample | None] = field(default_factory=dict)

    def scoring(self, numbers: range) -> Scoring | None:
        """The samples of these numbers; None unless all of them are there and graded."""
        found = [self.samples.get(number) for number in numbers]
        whole = tuple(sample for sample in found if sample is not None)
        return Scoring(whole) if whole and len(whole) == len(numbers) else None

    def version(self, rollouts: int) -> Version:
        """The node as a version of its case."""
        return Version(
            node=self.id,
            selection=self.scoring(range(rollouts)),
            fresh=self.scoring(range(rollouts, 2 * rollouts)),
            greedy=self.samples.get(-1),
        )


def read_harden(reader: Reader) -> HardenRun:
    """The facts of a harden run, as far as it has come. Raises StoreError."""
    meta = reader.meta()
    config = json.loads(meta["config"])
    settings, benchmark = config["harden"], config["benchmark"]["kind"]
    rollouts, offline = int(settings["rollouts"]), meta.get("offline") == "1"
    cases: list[CaseFacts] = []
    candidates: list[Candidate] = []
    bases: Counter[int] = Counter()
    calls: list[CallSum] = []
    searched: dict[str, int] = {}
    for unit, place, state, reason, result in reader.rows(UNITS):
        nodes = _nodes(reader, unit)
        ended = CaseResult.from_json(json.loads(result)) if result and state == "done" else None
        cases.append(_case(unit, place, state, reason, ended, nodes, rollouts))
        candidates += _candidates(unit, nodes, rollouts, offline)
        bases.update(_bases(nodes.values(), rollouts))
    for unit, sums in read_calls(reader):
        calls += sums
        searched[unit] = sum(c.completed for c in sums if not _beyond_search(c))
    outcomes = {case.id: case.outcome for case in cases}
    return HardenRun(
        name=meta.get("name", reader.path.stem),
        benchmark=benchmark,
        recipe=Recipe(
            rollouts=rollouts,
            votes=int(settings["votes"]),
            generations=int(settings["generations"]),
            base=LABELS.get(benchmark) or _usual(bases) or rollouts,
        ),
        cases=tuple(cases),
        candidates=tuple(candidates),
        spend=tuple(spend_of(calls)),
        purposes=_purposes(calls),
        searched={u: n for u, n in searched.items() if outcomes.get(u) in ("hardened", "kept")},
        calibration=_calibration(read_domain(reader)),
        labels=read_labelled(reader),
    )


def read_domain(reader: Reader) -> Mapping[str, Any]:
    """The result of the domain analysis; empty until it is done."""
    row = reader.row(DOMAIN)
    found: Mapping[str, Any] = json.loads(row[0]) if row and row[0] else {}
    return found


def _calibration(domain: Mapping[str, Any]) -> tuple[Calibration, ...]:
    return tuple(
        Calibration(
            source=entry["source"],
            records=entry["n"],
            met=entry["met"],
            mean_score=None if entry["mean_score"] is None else Fraction(entry["mean_score"]),
            target_met=entry["target_met"],
        )
        for entry in domain.get("calibration", ())
    )


def _nodes(reader: Reader, unit: str) -> dict[str, _Node]:
    nodes = {row[0]: _node(row) for row in reader.rows(NODES, (unit,))}
    for node, gate, vote, outcome in reader.rows(VERDICTS, (unit,)):
        if node not in nodes:
            continue
        if vote < 0:
            nodes[node].gates[gate] = outcome
        else:
            nodes[node].votes[gate] += 1
            nodes[node].silent[gate] += outcome in SILENT
    for node, number, *cells in reader.rows(ROLLOUTS, (unit, CONTEXT)):
        if node in nodes:
            nodes[node].samples[number] = _sample(cells)
    return nodes


def _node(row: tuple[Any, ...]) -> _Node:
    node, generation, origin, state, num, den, vetoed, entropy, parent = row
    score = None if num is None else Fraction(num, den)
    return _Node(node, generation, json.loads(origin), state, score, bool(vetoed), entropy, parent)


def _sample(cells: Sequence[Any]) -> Sample | None:
    num, den, cls, logprob_sum, tokens = cells
    return None if num is None else Sample(Fraction(num, den), cls, logprob_sum, tokens)


def _case(
    unit: str,
    place: int,
    state: str,
    reason: str,
    ended: CaseResult | None,
    nodes: Mapping[str, _Node],
    rollouts: int,
) -> CaseFacts:
    if ended is None:
        return CaseFacts(unit, place, state, "", reason)
    if ended.original not in nodes or ended.status == "failed":
        return CaseFacts(unit, place, state, ended.status, ended.reason)
    before = nodes[ended.original].version(rollouts)
    promoted = nodes.get(ended.final or "") if ended.status == "hardened" else None
    after = promoted.version(rollouts) if promoted else before
    axes = _axes(promoted, nodes) if promoted else ()
    return CaseFacts(unit, place, state, ended.status, ended.reason, before, after, axes)


def _axes(node: _Node | None, nodes: Mapping[str, _Node]) -> tuple[str, ...]:
    """The axes on the chain from the original to a node, oldest first."""
    chain: list[str] = []
    while node is not None:
        if axis := _axis(node):
            chain.append(axis)
        node = nodes.get(node.parent or "")
    return tuple(reversed(chain))


def _axis(node: _Node) -> str | None:
    axis = node.origin.get("axis")
    return str(axis) if axis else None


def _candidates(
    unit: str, nodes: Mapping[str, _Node], rollouts: int, offline: bool
) -> list[Candidate]:
    return [
        Candidate(
            node=node.id,
            case=unit,
            axis=_axis(node),
            state=node.state,
            generation=node.generation,
            gates=node.gates,
            votes=node.votes,
            silent=node.silent,
            score=node.score,
            parent_score=_score(nodes.get(node.parent or "")),
            rollouts=sum(0 <= number < rollouts for number in node.samples),
            greedy=-1 in node.samples,
            careless=_careless(node) if offline else None,
            vetoed=node.vetoed,
        )
        for node in nodes.values()
        if node.generation > 0
    ]


def _score(node: _Node | None) -> Fraction | None:
    return node.score if node else None


def _careless(node: _Node) -> bool | None:
    """The offline mutator's tag; an entry without an axis is no mutation of its."""
    return bool(node.origin.get("careless")) if _axis(node) else None


def _bases(nodes: Iterable[_Node], rollouts: int) -> Iterable[int]:
    """The class bases that recorded entropies imply: u = H / ln B, where 0 < u < 1.

    Only a bundle needs this: its grader fixes B, and the file keeps u and the samples.
    """
    for node in nodes:
        scoring = node.scoring(range(rollouts))
        if scoring and node.entropy and 0 < node.entropy < 1:
            counts = class_counts(sample.cls for sample in scoring.samples)
            yield round(exp(frequency_entropy(counts) / node.entropy))


def _usual(bases: Counter[int]) -> int | None:
    return bases.most_common(1)[0][0] if bases else None


def _purposes(calls: Iterable[CallSum]) -> dict[str, int]:
    total: defaultdict[str, int] = defaultdict(int)
    for call in calls:
        total[call.purpose] += call.completed
    return dict(total)


def _beyond_search(call: CallSum) -> bool:
    """Whether a case that is not searched buys such a call as well."""
    return call.purpose in OURS or (call.of_original and call.purpose in BASELINE)

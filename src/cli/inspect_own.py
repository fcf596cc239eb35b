"""What a node of its own search has besides: firewall and measurements, scores, source, flags."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..engine.model.llm import Json
from ..engine.store.content import fields_of
from ..engine.store.reader import Reader
from ..tui.dossier import Dossier
from .output import section, table

if TYPE_CHECKING:
    from ..tui.screens.own import Own
    from ..tui.searches.chase_archive import Measured
    from ..tui.searches.chase_sides import Shift

WIDEST = 99
"""Cells of a side's lines: from 100 on a comparison stands side by side."""
OF_MODELS = ("Trajectories", "Pair", "Class")
"""Sides that hold texts of models: they come with --content only."""
_SPLITS = (
    "SELECT DISTINCT i.split FROM rollout r JOIN item i ON i.id = r.item WHERE r.node = ? "
    "ORDER BY i.split"
)


def own_json(reader: Reader, dossier: Dossier) -> dict[str, Any]:
    """What `inspect --json` adds under the node's kind; nothing for a case variant."""
    kind = dossier.node.kind
    if kind == "counterfactual":
        from ..tui.searches.chase_sides import read_shift

        return {kind: _counterfactual(read_shift(reader, dossier))}
    if kind == "harness":
        return {kind: _harness(reader, dossier)}
    return {kind: _operator(reader, dossier)} if kind == "operator" else {}


def own_lines(
    reader: Reader, dossier: Dossier, own: "Own", *, content: bool, width: int
) -> list[str]:
    """The search's own sides as sections, and a harness's scores."""
    from ..tui.glyphs import choose
    from ..tui.lines import plain

    glyphs, room = choose(False), min(width or WIDEST, WIDEST)
    lines: list[str] = []
    for side in own.sides(dossier.node):
        if content or side.name not in OF_MODELS:
            shown = side.lines(side.read(reader, dossier), room, glyphs)
            text = "\n".join(plain(line).rstrip() for line in shown)
            lines += section(side.name.lower(), text.rstrip("\n").split("\n"))
    if dossier.node.kind == "harness":
        lines += section("scores", _score_lines(reader, dossier))
    return lines


def _counterfactual(shift: "Shift") -> dict[str, Any]:
    """Transformation, firewall and measurements; what the file does not tell is null."""
    from ..tui.searches.chase import share
    from ..tui.searches.chase_sides import CHECKS, KEYS

    detail, trial = shift.detail, shift.trial
    confirmed = {"pairs": trial.pairs, "threshold": trial.threshold, "confirmed": trial.archived}
    ranked = {"rank": trial.rank, "of": trial.of, "round": trial.round, "tried": trial.tried}
    return {
        "transformation": shift.spec.get("transformation"),
        "fixtures": detail.get("fixtures"),
        "checks": {name: detail.get(name) for name in CHECKS},
        "active": detail.get("active"),
        "change": share(detail.get("change")),
        "refused": shift.reason or None,
        "ranking": None
        if trial.rank is None
        else ranked | {key: share(trial.keys.get(key)) for key in KEYS},
        "harness": trial.harness,
        "disc": _measured(shift.disc),
        "conf": None if trial.conf is None else (_measured(shift.conf) or {}) | confirmed,
    }


def _measured(found: "Measured") -> dict[str, Any] | None:
    """A gain destruction with its 95% interval; None where it was not measured."""
    if found.value is None:
        return None
    value, half = found.value, found.half
    bounds = (None, None) if half is None else (float(value) - half, float(value) + half)
    return {"delta": value, "low": bounds[0], "high": bounds[1]}


def _harness(reader: Reader, dossier: Dossier) -> dict[str, Any]:
    """Fields that differ from the parent's, the scores by split, the last selection's gains."""
    from ..tui.searches.chase import read_facts

    row = read_facts(reader).measured.get(dossier.node.id)
    return {
        "changed": [
            {"field": name, "before": old, "after": new} for name, old, new in _changed(dossier)
        ],
        "scores": [
            dict(zip(("split", "benchmark", "tasks", "rate", "gain"), found, strict=True))
            for found in _scores(reader, dossier.node.id)
        ],
        "selection": None if row is None else _selection(row),
    }


def _selection(row: Mapping[str, Any]) -> dict[str, Any]:
    released, gains = Fraction(row["g_rel"]), row["gains"]
    return {
        "g_rel": released,
        "gains": {name: Fraction(gain) for name, gain in gains.items()},
        "deltas": {name: released - Fraction(gain) for name, gain in gains.items()},
        "feasible": row["feasible"],
        "binding": row["binding"],
    }


def _changed(dossier: Dossier) -> Iterator[tuple[str, Json, Json]]:
    if dossier.parent is None:
        return
    old, new = (
        dict(_settings(fields_of(dossier.contents[node.id])))
        for node in (dossier.parent, dossier.node)
    )
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            yield name, old.get(name), new.get(name)


def _settings(fields: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """Surfaces by name, those of several settings setting by setting: `retrieval.top_k`."""
    for name, value in fields.items():
        inner = value if isinstance(value, dict) else {}
        yield from ((f"{name}.{part}", of_part) for part, of_part in inner.items())
        if not inner:
            yield name, value


def _scores(
    reader: Reader, node: str
) -> Iterator[tuple[str, str, int, Fraction | None, Fraction | None]]:
    """Split, benchmark, tasks with a score, R, and the gain over H_0 on the tasks of both."""
    from ..engine.report.chase_scores import read_sheet
    from ..engine.searches.chase.state import BASE

    for (split,) in reader.rows(_SPLITS, (node,)):
        sheet = read_sheet(reader, split)
        for harness, benchmark in sheet.scores:
            if harness != node:
                continue
            tasks = sheet.usable([node], [benchmark])
            rate = sheet.rate(node, benchmark) if tasks else None
            known = sheet.measurable(node, BASE, [benchmark])
            gains = sheet.gains(node, BASE, [benchmark]).gains if known else {}
            yield split, benchmark, len(tasks), rate, gains.get(benchmark)


def _score_lines(reader: Reader, dossier: Dossier) -> list[str]:
    from ..tui.searches.chase import points

    rows = [
        (split, benchmark, str(tasks), points(rate), points(gain))
        for split, benchmark, tasks, rate, gain in _scores(reader, dossier.node.id)
    ]
    heads = ("split", "benchmark", "tasks", "R", "G over H_0")
    return table(heads, rows, {2, 3, 4}) if rows else ["none yet"]


def _operator(reader: Reader, dossier: Dossier) -> dict[str, Any]:
    """What an operator flags among the training candidates; None before the baseline is done."""
    from ..tui.searches.cegar_sides import read_flags, read_source

    content, flags = read_source(reader, dossier), read_flags(reader, dossier)
    return {
        "level": content.get("level"),
        "source": content.get("source"),
        "flags": None
        if flags is None
        else {
            "run": flags.run,
            "programs": flags.programs,
            "verdicts": {
                word: flags.counts.get(letter, 0)
                for word, letter in (("flag", "F"), ("pass", "P"), ("abstain", "A"))
            },
            "abstained_because": dict(flags.reasons),
            "tasks": [
                {"task": t.task, "right": t.right, "wrong": t.wrong, "before": t.before,
                 "after": t.after}
                for t in flags.tasks
            ],
        },
    }  # fmt: skip

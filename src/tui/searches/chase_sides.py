"""A chase node's own sides: a counterfactual's fixture and checks, a harness's trajectories."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...engine.model.llm import Json
from ...engine.store.content import fields_of
from ...engine.store.reader import Reader
from ..dossier import Dossier
from ..glyphs import Glyphs
from ..lines import Line, Span, one, tidy
from ..text import clean_lines
from ..widgets.diff import compare, render, text_lines, wrap_spans
from .chase import Trial, points, read_facts, share
from .chase_archive import Measured, destruction

CHECKS = {
    "task": "task and answer are unchanged",
    "information": "available information is unchanged",
    "access": "access and resources are unchanged",
    "scoring": "scoring is unchanged",
    "declared": "only declared parts change",
    "independence": "it depends on no task",
    "replay": "it replays alike and can be undone",
}
"""The firewall's checks in words."""
SPEC = ("system_prompt", "memory", "retrieval", "tools", "control", "guidance")
KEYS = {
    "fixture_change": "fixtures changed", "activation": "tasks it would touch",
    "vulnerability": "weak points it touches", "novelty": "novelty",
}  # fmt: skip


def harness_fields(content: str) -> Mapping[str, Json]:
    """A harness's surfaces, each as lines: policies setting by setting, rules, guidance."""
    spec = fields_of(content)
    order = sorted(spec, key=lambda name: SPEC.index(name) if name in SPEC else len(SPEC))
    return {name: surface_lines(spec[name]) for name in order}


def surface_lines(value: Json) -> Json:
    """A surface as a list of lines; a text stays one."""
    if isinstance(value, dict):
        return [f"{name}: {_word(part)}" for name, part in value.items()]
    if isinstance(value, list):
        return [_entry(part) for part in value]
    return value


def _entry(value: Json) -> str:
    """A control rule or a guidance module in one line; anything else as it is."""
    if not isinstance(value, dict):
        return _word(value)
    if "do" in value:
        number = "" if value.get("n") is None else f" {value['n']}"
        return f"when {_word(value.get('when'))}{number}: {_word(value['do'])}"
    if "instruction" in value:
        return f"{value.get('name')}, {value.get('applies_when')}: {value['instruction']}"
    return _word(value)


def _word(value: Json) -> str:
    if isinstance(value, str):
        return value.replace("_", " ") if value.isidentifier() else value
    if isinstance(value, list):
        return ", ".join(_word(part) for part in value) or "none"
    return "none" if value is None else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Shift:
    """A counterfactual as its sides show it; `detail` is the firewall's record."""

    spec: Mapping[str, Any]
    detail: Mapping[str, Any]
    reason: str
    trial: Trial
    disc: Measured
    conf: Measured


def read_shift(reader: Reader, dossier: Dossier) -> Shift:
    """All about a counterfactual that the file knows."""
    node = dossier.node
    trial = read_facts(reader).trials.get(node.id, Trial())
    details = (dossier.details[v.detail_hash] for v in dossier.verdicts if v.detail_hash)
    reasons = (v.reason for v in dossier.verdicts if v.outcome == "fail")
    return Shift(
        fields_of(dossier.contents[node.id]),
        _object(next(details, "{}")),
        next(reasons, ""),
        trial,
        destruction(reader, node.id, trial, "disc"),
        destruction(reader, node.id, trial, f"conf{trial.round}"),
    )


def _object(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def fixture_lines(shift: Shift, width: int, glyphs: Glyphs) -> list[Line]:
    """What it does, operator by operator; then fixtures before and after."""
    lines = wrap_spans(one(tidy(str(shift.spec.get("description", ""))), "accent"), width)
    lines += [line for text in operator_lines(shift.spec) for line in wrap_spans(one(text), width)]
    claim = str(shift.spec.get("claim") or "")
    if claim:
        lines += wrap_spans(one(f"  claims (never used): {tidy(claim)}", "dim"), width)
    lines.append(())
    shown = shift.detail.get("fixtures")
    if not isinstance(shown, list) or not shown:
        return [*lines, one(_no_fixture(shift), "warn")]
    fields = [
        (
            f"fixture {tidy(str(entry.get('fixture')))}",
            compare(output_lines(entry.get("before")), output_lines(entry.get("after"))),
        )
        for entry in shown
        if isinstance(entry, dict)
    ]
    return lines + render(fields, width, glyphs)


def _no_fixture(shift: Shift) -> str:
    if shift.detail.get("active") is False:
        return "no fixture changes: the transformation is inactive"
    if shift.reason:
        return f"fixtures: unknown, for it was refused before: {tidy(shift.reason)}"
    return "fixtures: unknown, this file keeps none"


def operator_lines(spec: Mapping[str, Any]) -> list[str]:
    """`1 move_block  seed 947, to swap`, and what the proposal says it changes."""
    shape = spec.get("transformation")
    listed = shape.get("operators") if isinstance(shape, dict) else None
    if not isinstance(listed, list):
        return [f"  {text}" for text in clean_lines(json.dumps(shape, ensure_ascii=False))]
    lines = []
    for number, entry in enumerate(listed, 1):
        own = entry if isinstance(entry, dict) else {"operator": entry}
        given = own.get("arguments")
        pairs = given.items() if isinstance(given, dict) else ()
        arguments = ", ".join(f"{name} {_word(value)}" for name, value in pairs)
        lines.append(f"  {number} {tidy(str(own.get('operator')))}  {tidy(arguments)}")
    if isinstance(shape, dict) and isinstance(shape.get("declares"), list):
        lines.append(f"  declares {tidy(', '.join(map(str, shape['declares'])))}")
    return lines


def output_lines(value: Json) -> list[str]:
    """A tool's output as cleaned lines, texts inside it line by line."""
    if isinstance(value, str):
        return text_lines(value)
    if isinstance(value, list):
        return [line for part in value for line in _item_lines(part)]
    if isinstance(value, dict):
        lines: list[str] = []
        for name, part in value.items():
            inner = output_lines(part)
            head = tidy(name)
            lines += [f"{head}: {inner[0]}"] if len(inner) == 1 else [f"{head}:", *inner]
        return lines
    return [_word(value)]


def _item_lines(value: Json) -> list[str]:
    """One part of a list: in one line where nothing in it takes more."""
    inner = output_lines(value)
    flat = isinstance(value, dict) and len(inner) == len(value)
    lines = [", ".join(inner)] if flat else inner
    return [f"- {lines[0]}", *(f"  {line}" for line in lines[1:])] if lines else ["-"]


def check_lines(shift: Shift, width: int, glyphs: Glyphs) -> list[Line]:
    """The firewall's checks, activity, ranking keys, then both measurements."""
    lines: list[Line] = [one("firewall", "accent")]
    lines += [_check(shift.detail.get(name), text, glyphs) for name, text in CHECKS.items()]
    change = share(shift.detail.get("change"))
    lines.append(_check(shift.detail.get("active"), f"active: {points(change)} of fixtures change",
                        glyphs))  # fmt: skip
    if shift.reason:
        lines += wrap_spans(one(f"  {tidy(shift.reason)}", "bad"), width)
    lines += [
        (),
        one("ranking", "accent"),
        *_ranking(shift.trial),
        (),
        *_measurements(shift, glyphs),
    ]
    return lines


def _check(holds: object, text: str, glyphs: Glyphs) -> Line:
    if holds is True:
        sign, word, style = glyphs.passed, "holds", "ok"
    elif holds is False:
        sign, word, style = glyphs.failed, "fails", "bad"
    else:
        sign, word, style = glyphs.abstained, "unknown", "warn"
    return ((f"  {sign} {word:<8} ", style), (text, ""))


def _ranking(trial: Trial) -> list[Line]:
    if trial.rank is None:
        return [one("  not ranked", "dim")]
    picked = "tried on D_disc" if trial.tried else "not tried"
    lines = [one(f"  {trial.rank} of {trial.of} in round {trial.round}, {picked}")]
    return [
        *lines,
        *(one(f"  {points(share(trial.keys.get(key))):>7}  {text}") for key, text in KEYS.items()),
    ]


def _measurements(shift: Shift, glyphs: Glyphs) -> list[Line]:
    trial = shift.trial
    against = "" if trial.harness is None else f", of {tidy(trial.harness)} over H_0"
    lines: list[Line] = [one(f"gain destruction{against}", "accent")]
    unknown: Span = ("unknown: it was not measured there", "dim")
    disc: Span = unknown if trial.disc is None else (shift.disc.text, "")
    lines.append((("  D_disc  ", "dim"), disc))
    if trial.conf is None:
        return [*lines, (("  D_conf  ", "dim"), unknown)]
    sign, word, style = (
        (glyphs.passed, "confirmed, and in the archive", "accent")
        if trial.archived
        else (glyphs.failed, "not confirmed", "warn")
    )
    pairs = f"  over {trial.pairs} pairs, threshold eta {points(trial.threshold)}"
    lines.append((("  D_conf  ", "dim"), (shift.conf.text, style), (pairs, "dim")))
    note = "  ± is the 95% interval over tasks, by the normal approximation"
    return [*lines, one(f"  {sign} {word}", style), one(note, "dim")]

"""What a chase run's overview says first: gains, archive, each method's rounds, certification."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...engine.store.chase import by_method
from ...engine.store.status import RunStatus
from ..glyphs import Glyphs
from ..lines import Line, Span, one, tidy
from .chase import Facts, Stage, points, share
from .chase_branches import stage_activity, waits

CERTIFIED = (
   ("r_rel", "R_rel", False), ("g_rel", "G_rel", True), ("g_min", "G_min", True),
    ("gamma", "Gamma", False), ("g_0", "G_0", True), ("delta_bs", "D_BS", True),
    ("r_release", "release", False),
)  # fmt: skip
WIDE = 8
SHORT = 8
"""Characters of an id that tell a run's few harnesses apart."""


def effect_lines(status: RunStatus, facts: Facts, glyphs: Glyphs) -> list[Line]:
    """Gain and Gamma of the harness that counts now, the archive, rounds by method."""
    lines = [_gain(facts), _archive(facts)]
    lines += [_rounds(facts, method, glyphs) for method in facts.methods]
    certified = next((stage.result for stage in facts.stages if stage.id == "certification"), {})
    methods = certified.get("methods")
    if isinstance(methods, dict):
        lines += _certified(methods)
    if gone := ", ".join(contested(facts)):
        lines.append(one(f" the certificate is contested: {tidy(gone)} vetoed afterwards", "bad"))
    return lines


def contested(facts: Facts) -> list[str]:
    """What the certification rests on and a person has vetoed."""
    sealed = facts.choice("certification", "seal")
    result = next((stage.result for stage in facts.stages if stage.id == "certification"), {})
    fixed = [*(sealed.chosen if sealed else ()), *map(str, result.get("archive") or ())]
    return [node for node in fixed if node in facts.nodes and facts.nodes[node].vetoed]


def _gain(facts: Facts) -> Line:
    """Of H*, or of the newest harness of CHASE's own rounds."""
    final = facts.choice("certification", "final") or facts.choice("final", "final")
    selects = [
        one for one in facts.choices if one.step == "select" and one.unit.startswith("chase/")
    ]
    made = final or (selects[-1] if selects else None)
    if made is None or not made.chosen:
        return ((" gain       ", "dim"), ("no harness is selected yet", "dim"))
    name = made.chosen[0]
    title = "H*" if final else "H_t"
    row = facts.measured.get(name)
    if row is None:
        return ((" gain       ", "dim"), (f"unknown for {tidy(name)}", "dim"))
    gains = [gain for value in row["gains"].values() if (gain := share(value)) is not None]
    return (
        (" gain       ", "dim"),
        (f"G_rel {points(share(row['g_rel']), sign=True)}", "accent"),
        (f"  G_min {points(min(gains, default=None), sign=True)}", ""),
        (f"  Gamma {points(share(row['gamma']))}", "warn" if not row["feasible"] else ""),
        (f"  D_evo, {title} = {tidy(name)}", "dim"),
    )


def _archive(facts: Facts) -> Line:
    archived = [node for node, trial in facts.trials.items() if trial.archived]
    vetoed = sum(node in facts.nodes and facts.nodes[node].vetoed for node in archived)
    size = 1 + len(archived) - vetoed
    fallbacks = sum(one.kind == "fallback" for one in facts.choices)
    spans: list[Span] = [
        (" archive    ", "dim"),
        (f"{size} benchmark{'s' * (size > 1)}", "accent"),
    ]
    if vetoed:
        spans.append((f", {vetoed} vetoed", "bad"))
    fell = f"  {fallbacks or 'no'} fallback{'s' * (fallbacks != 1)}"
    spans.append((fell, "warn" if fallbacks else "dim"))
    spans.append((f"  epsilon {points(facts.epsilon)}, eta {_eta(facts.settings)}", "dim"))
    return tuple(spans)


def _eta(settings: Mapping[str, Any]) -> str:
    known: Fraction | None = share(settings.get("eta"))
    return "by the theory" if known is None else points(known)


def _rounds(facts: Facts, method: str, glyphs: Glyphs) -> Line:
    """`chase  ✓ kept H0  ✓ adopted h-5d71a5 +1 cf  ▶ proposing`; +1 cf: the archive grew."""
    spans: list[Span] = [(f" {tidy(method)[:10]:<10} ", "dim")]
    for stage in facts.rounds(method):
        if not waits(facts, stage):
            sign, style = _sign(stage, glyphs)
            spans += [(f"{sign} ", style), (f"{_came_to(facts, stage)}  ", "")]
    return tuple(spans)


def _sign(stage: Stage, glyphs: Glyphs) -> Span:
    if stage.state == "done":
        return glyphs.passed, "ok"
    if stage.state == "open":
        return glyphs.running, "accent"
    return glyphs.error, "warn"


def _came_to(facts: Facts, stage: Stage) -> str:
    made, confirm = facts.choice(stage.id, "select"), facts.choice(stage.id, "confirm")
    if stage.state == "open" and (made is None or confirm is None):
        return stage_activity(facts, stage)
    if made is None or not made.chosen:
        return stage.state
    word = {"adopt": "adopted", "keep": "kept", "fallback": "fallback"}.get(made.kind, made.kind)
    grown = " +1 cf" if confirm is not None and confirm.kind == "archive" else ""
    return f"{word} {tidy(made.chosen[0])[:SHORT]}{grown}"


def _certified(methods: Mapping[str, Mapping[str, Any]]) -> list[Line]:
    """A line for each method, with the figures that this benchmark has."""
    shown = [each for each in CERTIFIED if any(each[0] in own for own in methods.values())]
    heads = "".join(f"{head:>{WIDE}}" for _, head, _ in shown)
    lines: list[Line] = [((" on D_cert  ", "dim"), (heads, "dim"))]
    for method, entry in by_method(methods).items():
        spans: list[Span] = [(f"   {tidy(method)[:8]:<8} ", "dim")]
        for key, _, sign in shown:
            text = "" if key not in entry else points(share(entry[key]), sign=sign)
            spans.append((f"{text:>{WIDE}}", "accent" if key == "g_rel" else ""))
        lines.append(tuple(spans))
    return lines

"""An operator from every side: the pair it was asked to tell apart, its source, what it flags."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...engine.store.reader import Reader
from ..dossier import Dossier
from ..glyphs import Glyphs
from ..lines import Line, brief_middle, one, tidy
from ..text import clean_line, clean_lines
from ..widgets.diff import compare_documents, render, wrap_spans

if TYPE_CHECKING:
    from ...engine.report.cegar_live import Facts, Member

TASK = 44
"""Cells of a task's name: what a filter changes stands behind it."""
VERDICTS = {"F": "flags it", "P": "passes it", "A": "abstains on it", "": "was not run on it"}


@dataclass(frozen=True, slots=True)
class Half:
    """One candidate of a colliding pair. `detail` is what the labeller noted, "" for nothing."""

    name: str
    right: bool
    code: str
    detail: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A colliding pair: correct, then incorrect; `prompts` are the tasks', each once."""

    halves: tuple[Half, ...]
    prompts: tuple[tuple[str, str], ...]
    signature: str


def read_pair(reader: Reader, dossier: Dossier) -> Pair | None:
    """The pair that the operator's request named; None where the file cannot tell."""
    from ...engine.report.cegar_live import facts_of

    facts, origin = facts_of(reader), dossier.node.origin
    if facts is None or not origin.get("pair"):
        return None
    said = _said(facts, dossier.node.id)
    halves = tuple(_half(facts, str(name), said) for name in origin["pair"])
    tasks = {half.name.rpartition("#")[0] for half in halves}
    prompts = tuple((task.id, task.prompt) for task in facts.split.tasks if task.id in tasks)
    return Pair(halves, prompts, str(origin.get("signature", "")))


def _said(facts: "Facts", node: str) -> Mapping["Member", str]:
    verdicts = facts.said(node).verdicts
    return {m: verdicts[n] for n in verdicts for m in facts.split.programs[n].members}


def _half(facts: "Facts", name: str, said: Mapping["Member", str]) -> Half:
    from ...engine.report.cegar_live import Member

    task, _, place = name.rpartition("#")
    member = Member(task, int(place) if place.isdigit() else -1)
    codes = facts.split.samples.get(task, ())
    code = codes[member.sample] if 0 <= member.sample < len(codes) else ""
    right = facts.split.correct.get(member, False)
    return Half(name, right, code, facts.details.get(member, ""), said.get(member, ""))


def pair_lines(pair: Pair | None, width: int, glyphs: Glyphs) -> list[Line]:
    """Both programs, side by side where there is room, and what is known of their outputs."""
    if pair is None:
        return [one("no colliding pair is known of this operator", "dim")]
    pool = f"the pool says {tidy(pair.signature)} of both"
    known = pool if pair.signature else "the pool was empty: all candidates looked alike"
    lines: list[Line] = [*wrap_spans(one(known, "dim"), width), ()]
    for half, sign in zip(pair.halves, "-+", strict=False):
        word, style = ("right", "ok") if half.right else ("wrong", "bad")
        lines.append(
            (
                (f"{sign} {tidy(half.name)}  ", "bold"),
                (word, style),
                (f"  this operator {VERDICTS[half.verdict]}", ""),
            )
        )
        lines += wrap_spans((("  hidden suite: ", "dim"), (output_text(half), "")), width)
    if len(pair.halves) == 2:
        right, wrong = ({"candidate": half.code} for half in pair.halves)
        both = compare_documents(right, wrong, glyphs)
        lines += [(), *render(both, width, glyphs, unfolded=True)]
    for task, prompt in pair.prompts:
        lines += [one(f"task {clean_line(task)}", "accent"), *_wrapped(prompt, width), ()]
    return lines


def output_text(half: Half) -> str:
    """What the file knows of a program's outputs on the hidden suite."""
    if half.right:
        return "the expected value on every input"
    if not half.detail:
        return "fails; on which input is not in the file"
    return f"{tidy(half.detail)}; the value itself is not in the file"


def _wrapped(text: str, width: int, style: str = "") -> list[Line]:
    return [part for line in clean_lines(text) for part in wrap_spans(one(line, style), width)]


def read_source(reader: Reader, dossier: Dossier) -> Mapping[str, Any]:
    """The operator as it was recorded: name, level, rationale, source."""
    try:
        found = json.loads(dossier.contents[dossier.node.id])
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def source_lines(content: Mapping[str, Any], width: int, glyphs: Glyphs) -> list[Line]:
    """Name, interface and rationale, then the source with its line numbers."""
    source = str(content.get("source") or "")
    context = ", ctx" if content.get("level") == 2 else ""
    lines = wrap_spans(
        (
            (f"{tidy(str(content.get('name', '?')))}  ", "bold"),
            (f"level {content.get('level', '?')}, op(task, code{context})", "dim"),
        ),
        width,
    )
    lines += _wrapped(str(content.get("rationale") or ""), width, "accent")
    lines.append(())
    if not source:
        return [*lines, one("no operator came of this attempt", "dim")]
    for number, text in enumerate(clean_lines(source.rstrip("\n")), 1):
        first, *more = wrap_spans(one(text), width - 5) or [()]
        lines.append(((f"{number:>4} ", "dim"), *first))
        lines += [(("     ", ""), *part) for part in more]
    return lines


@dataclass(frozen=True, slots=True)
class TaskFlags:
    """What an operator flags in one task; `before` and `after` are P(correct)."""

    task: str
    right: tuple[int, ...]
    wrong: tuple[int, ...]
    before: Fraction
    after: Fraction


@dataclass(frozen=True, slots=True)
class Flags:
    """An operator's verdicts: programs run of all, counts by letter, reasons, flags by task."""

    run: int
    programs: int
    counts: Mapping[str, int]
    reasons: tuple[tuple[str, int], ...]
    tasks: tuple[TaskFlags, ...]


def read_flags(reader: Reader, dossier: Dossier) -> Flags | None:
    """What the operator flags among the training candidates it was run on."""
    from ...engine.report.cegar_live import ABSTAIN, FLAG, facts_of

    facts = facts_of(reader)
    if facts is None:
        return None
    said = facts.said(dossier.node.id)
    why = Counter(
        said.reasons.get(number, "its own choice")
        for number, verdict in said.verdicts.items()
        if verdict == ABSTAIN
    )
    flagged = {number for number, verdict in said.verdicts.items() if verdict == FLAG}
    return Flags(
        len(said.verdicts),
        len(facts.split.programs),
        Counter(said.verdicts.values()),
        tuple(sorted(why.items(), key=lambda pair: (-pair[1], pair[0]))),
        tuple(_task_flags(facts, flagged)),
    )


def _task_flags(facts: "Facts", flagged: set[int]) -> list[TaskFlags]:
    members = {m for number in flagged for m in facts.split.programs[number].members}
    found: list[TaskFlags] = []
    votes = facts.split.votes(members.__contains__)
    for task, vote in zip(facts.split.tasks, votes, strict=True):
        own = sorted(member for member in members if member.task == task.id)
        if own:
            right = tuple(m.sample for m in own if facts.split.correct[m])
            wrong = tuple(m.sample for m in own if not facts.split.correct[m])
            found.append(TaskFlags(task.id, right, wrong, vote.nothing(), vote.chosen()))
    return sorted(found, key=lambda task: -abs(task.after - task.before))


def flags_lines(flags: Flags | None, width: int, glyphs: Glyphs) -> list[Line]:
    """Counts, reasons for abstaining, then task by task which samples it flags."""
    if flags is None:
        return [one("the baseline is not finished yet", "dim")]
    if not flags.run:
        return [one("it was run on no candidate", "dim")]
    copies = "copies apart" if flags.run == flags.programs else "as far as its trial went"
    lines: list[Line] = [
        one(f"run on {flags.run} of {flags.programs} training programs, {copies}", "dim"),
        (
            (f"flags {flags.counts.get('F', 0)}", "accent"),
            (f"  passes {flags.counts.get('P', 0)}", ""),
            (f"  abstains on {flags.counts.get('A', 0)}", "warn" if flags.reasons else "dim"),
        ),
        (),
    ]
    if flags.reasons:
        lines.append(one("why it abstains", "accent"))
        for reason, count in flags.reasons:
            lines += wrap_spans(((f"  {count:>4}  ", "warn"), (tidy(reason), "")), width)
        lines.append(())
    told = "what it flags, by task, with P(correct) before and after"
    lines.append(one(told if flags.tasks else "it flags nothing", "accent"))
    for task in flags.tasks:
        lines += _task_lines(task, width, glyphs)
    return lines


def _task_lines(task: TaskFlags, width: int, glyphs: Glyphs) -> list[Line]:
    change = task.after - task.before
    word, style = ("helped", "ok") if change > 0 else ("hurt", "bad") if change else ("", "dim")
    moved = f"{float(task.before):.3f} {glyphs.arrow} {float(task.after):.3f}"
    lines: list[Line] = [
        ((f"  {brief_middle(tidy(task.task), TASK)}  ", "bold"), (moved, ""), (f"  {word}", style))
    ]
    for name, places, mark in (("wrong", task.wrong, "ok"), ("right", task.right, "bad")):
        if places:
            shown = " ".join(f"#{place}" for place in places)
            lines += wrap_spans(((f"    {name}  ", mark), (shown, "dim")), width)
    return lines

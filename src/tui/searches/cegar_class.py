"""The members of a signature class: of a target, or of a blind spot that is left."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...engine.store.reader import Reader
from ..dossier import Dossier
from ..glyphs import Glyphs
from ..lines import Line, one, tidy
from ..text import clean_line
from ..widgets.diff import wrap_spans
from .cegar import read_search

if TYPE_CHECKING:
    from ...engine.report.cegar_live import BlindSpot, Facts


@dataclass(frozen=True, slots=True)
class ClassTask:
    """A class's members of one task: right samples, and wrong ones with what the labeller noted."""

    task: str
    right: tuple[int, ...]
    wrong: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Members:
    """The members of a signature class, task by task."""

    signature: str
    pair: tuple[str, ...]
    tasks: tuple[ClassTask, ...]


def read_members(reader: Reader, dossier: Dossier) -> Members | None:
    """The class that the operator's target was."""
    return read_class(reader, dossier.node.unit)


def read_class(reader: Reader, unit: str, key: str = "") -> Members | None:
    """The class that a target was or is, or today's blind spot of that key."""
    from ...engine.report.cegar_live import facts_of

    facts, search = facts_of(reader), read_search(reader)
    if facts is None:
        return None
    if key:
        spot = facts.target(key, search.standing, frozenset())
    else:
        named = [target.key for target in (*search.targets, *search.beside) if target.unit == unit]
        before = search.admitted_before(unit)
        spot = facts.target(named[0], before, search.vetoed) if named else None
    return None if spot is None else _members(facts, spot)


def _members(facts: "Facts", spot: "BlindSpot") -> Members:
    from ...engine.report.cegar_live import letters

    right: dict[str, list[int]] = {}
    wrong: dict[str, list[tuple[int, str]]] = {}
    for member in spot.correct:
        right.setdefault(member.task, []).append(member.sample)
    for member in spot.incorrect:
        detail = facts.details.get(member, "")
        wrong.setdefault(member.task, []).append((member.sample, detail))
    tasks = [task.id for task in facts.split.tasks if task.id in right or task.id in wrong]
    tasks.sort(key=lambda task: task not in wrong)
    return Members(
        letters(spot.signature),
        tuple(f"{member.task}#{member.sample}" for member in spot.pair),
        tuple(
            ClassTask(task, tuple(right.get(task, ())), tuple(wrong.get(task, ())))
            for task in tasks
        ),
    )  # fmt: skip


def members_lines(found: Members | None, width: int, glyphs: Glyphs) -> list[Line]:
    """The class: its signature, its pair, its members; tasks with wrong ones first."""
    if found is None:
        return [one("the members of this class are not known", "dim")]
    right, wrong = _size(found.tasks)
    signature = tidy(found.signature) or "none: the pool is empty"
    lines = [
        *wrap_spans((("signature ", "dim"), (signature, "accent")), width),
        one(
            f"{right + wrong} candidates of {len(found.tasks)} tasks: {right} right, {wrong} wrong"
        ),
        *wrap_spans((("pair ", "dim"), (tidy("  ".join(found.pair)), "")), width),
        (),
    ]
    for task in found.tasks:
        lines.append(one(clean_line(task.task), "bold"))
        for place, detail in task.wrong:
            note = tidy(detail) or "why it fails is not in the file"
            lines += wrap_spans(((f"  wrong #{place}  ", "bad"), (note, "")), width)
        if task.right:
            shown = " ".join(f"#{place}" for place in task.right)
            lines += wrap_spans((("  right ", "ok"), (shown, "dim")), width)
    return lines


def _size(tasks: Sequence[ClassTask]) -> tuple[int, int]:
    return sum(len(task.right) for task in tasks), sum(len(task.wrong) for task in tasks)

"""Verifier induction as a baseline: checks that predict the label (EvalCEGAR, Appendix I).

The author, the screens and the training split are the search's. Two things differ: a candidate is
commissioned against a balanced sample drawn by lot, and is admitted for predicting the label.
"""

import hashlib
from dataclasses import asdict
from functools import partial

from ...context import UnitBody, UnitSpec
from ...model.core import Decision, Event, NodeState
from ...model.llm import Json
from .arms import BASELINE
from .authoring import ASKS, author, sample_data
from .baseline import node_of
from .bench import Operator
from .gate import induction_gate
from .pool import Desk
from .request import Sample, balanced
from .training import bounded
from .trial import DECIDABLE, REST, Trial, behaves, by_label, detail_of, extend, keep, opened
from .trial import screened as passes_screens
from .verdicts import Member

GATE = "induction"


def units(desk: Desk, first: int) -> list[tuple[UnitSpec, UnitBody]]:
    """A unit for each interface that candidates are wanted for, at the places from `first` on."""
    settings = desk.setup.settings
    wanted = {1: settings.induction_level1, 2: settings.induction_level2}
    return [
        (UnitSpec(unit_name(level), BASELINE, first + place), _body(desk, level, count))
        for place, (level, count) in enumerate(wanted.items())
        if count
    ]


def unit_name(level: int) -> str:
    """The unit of one interface."""
    return f"induction-{level}"


def _body(desk: Desk, level: int, count: int) -> UnitBody:
    async def body(unit: UnitSpec) -> None:
        made = await bounded(
            [partial(_candidate, desk, unit.id, level, number) for number in range(count)]
        )
        admitted: list[Json] = [asdict(one) for one, _ in made if one is not None]
        result: dict[str, Json] = {
            "level": level,
            "commissioned": sum(calls > 0 for _, calls in made),
            "calls": sum(calls for _, calls in made),
            "electorate": desk.training.electorate,
            "admitted": admitted,
        }
        await desk.ctx.finish_unit(unit.id, result)

    return body


async def _candidate(desk: Desk, unit: str, level: int, number: int) -> tuple[Operator | None, int]:
    """One candidate, admitted or not, and its calls; none once a person has skipped the unit.

    Raises CallOpen.
    """
    said = await desk.ctx.point(unit, f"candidate:{number}")
    if said.skipped:
        return None, 0
    wrong, right = drawn(desk, level, number)
    tasks = {task.id: task for task in desk.training.tasks}
    data = sample_data(tasks, level, wrong, right)
    profile = desk.setup.profiles["author"]
    draft = await author(desk.ctx, profile, unit, number, data, ASKS)
    trial = opened(draft, unit, f"{unit}/{number}", level)
    await _judged(desk, unit, trial)
    origin: dict[str, Json] = {"kind": "induced", "candidate": number}
    await keep(desk.ctx, unit, trial, node_of(trial.operator, unit, unit, 1, number, origin))
    if trial.stopped:
        return None, draft.calls
    await _admit(desk, unit, trial)
    return trial.operator, draft.calls


async def _judged(desk: Desk, unit: str, trial: Trial) -> None:
    """The screens of the search, in its order, then the gate on the label."""
    if trial.stopped or not passes_screens(desk, unit, trial):
        return
    wrong, right = by_label(desk.training)
    await extend(desk, trial, [*wrong, *right], DECIDABLE)
    if not await behaves(desk, unit, trial, wrong, right):
        return
    await extend(desk, trial, range(len(desk.training.programs)), REST)
    trial.alone = desk.alone(desk.training.column(trial.known))
    ruling = induction_gate(trial.alone)
    trial.rule(unit, GATE, ruling.admitted, ruling.reason, detail_of(trial.alone))


async def _admit(desk: Desk, unit: str, trial: Trial) -> None:
    """Keep an admitted check and its verdicts on everything."""
    assert trial.alone is not None
    operator = trial.operator
    await desk.bench.complete(operator, trial.known, REST)
    considered = {"node": operator.node, **detail_of(trial.alone)}
    await desk.ctx.record(
        Decision(
            unit, f"admit:{operator.node}", "admit", unit, (considered,), (operator.node,),
            trial.rows[-1].reason,
        ),
        effects=[
            NodeState(operator.node, "promoted", trial.alone.delta),
            Event("admitted", "node", operator.node),
        ],
    )  # fmt: skip


def drawn(desk: Desk, level: int, number: int) -> tuple[list[Sample], list[Sample]]:
    """The sample that a candidate is commissioned against: wrong and right programs of V(t).

    As many of each as the settings say, drawn by the seed, level and number; fewer of both where
    they do not fit into the prompt.
    """
    settings = desk.setup.settings
    samples = [
        Sample(program.members[0], program.code, True, program.correct)
        for program in desk.training.programs
        if program.visible
    ]
    order = {one.member: _lot(desk.ctx.seed, level, number, one.member) for one in samples}
    chosen = balanced(samples, settings.induction_sample, order)
    wrong = [sample for sample in chosen if not sample.correct]
    right = [sample for sample in chosen if sample.correct]
    while sum(len(one.code) for one in (*wrong, *right)) > settings.prompt_characters:
        (wrong if len(wrong) > len(right) else right).pop()
    return wrong, right


def _lot(seed: int, level: int, number: int, member: Member) -> str:
    text = f"{seed}:induction:{level}:{number}:{member.task}:{member.sample}"
    return hashlib.sha256(text.encode()).hexdigest()

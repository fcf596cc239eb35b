"""The LLM judge as a baseline: one question a candidate (EvalCEGAR, Section 5.1 and Appendix I).

A judge sees what a level-1 operator sees: the task, its visible checks, the candidate's text. Its
four configurations cross two models with two prompts. Each distinct (pool, task, source) of V(t)
is a slot of its own, so that no reply is bought twice; a reply that names no verdict flags nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from ...benchmarks.code_tasks.operate import task_view
from ...benchmarks.code_tasks.tasks import Task
from ...context import Context, UnitBody, UnitSpec
from ...errors import CallFailed
from ...gates.together import together
from ...model.core import Slot
from ...model.llm import Completion, Finish, Json, Message, Request
from ...prompts import load_template, render
from ..harden.requests import document
from ..harden.setup import Profile
from .arms import BASELINE
from .electorate import code_hash
from .training import Labelled, Program
from .verdicts import LETTERS, Member, Verdict, letters

Form: TypeAlias = Literal["word", "reason"]
FORMS: tuple[Form, ...] = ("word", "reason")
"""The prompts: one word; or reasons, then a verdict, told the training split's class balance."""
PORTION = 32
"""Candidates that are asked about at the same time; a person may skip what is left."""
ROLES = ("author", "judge")
"""The models: the one that writes operators, and a cheaper one."""
_WORD = re.compile(r"\b(right|wrong)\b", re.IGNORECASE)
_LINE = re.compile(r"^\W*verdict\W+(right|wrong)\b", re.IGNORECASE | re.MULTILINE)
_MEANS = {"wrong": Verdict.FLAG, "right": Verdict.PASS}


@dataclass(frozen=True, slots=True)
class Judge:
    """One configuration: the model behind a role, and a prompt."""

    role: str
    form: Form
    profile: Profile

    @property
    def unit(self) -> str:
        """Its unit in a run."""
        return f"judge-{self.role}-{self.form}"


@dataclass(frozen=True, slots=True)
class Balance:
    """How many samples of the training split's V(t) are wrong, and how many are right."""

    wrong: int
    right: int


def judges_of(profiles: Mapping[str, Profile]) -> list[Judge]:
    """The configurations; a second role with the very same model and parameters has none."""
    roles = [role for role in ROLES if role in profiles]
    if len(roles) == 2 and profiles[roles[0]] == profiles[roles[1]]:
        roles.pop()
    return [Judge(role, form, profiles[role]) for role in roles for form in FORMS]


def balance(training: Labelled) -> Balance:
    """The class balance that the second prompt states; operators' authors know it too."""
    labels = list(training.accepted.values())
    return Balance(labels.count(False), labels.count(True))


def units(
    ctx: Context, judges: Sequence[Judge], split: Labelled, known: Balance, first: int
) -> list[tuple[UnitSpec, UnitBody]]:
    """A unit for each configuration on a split, at the places from `first` on."""
    return [
        (UnitSpec(judge.unit, BASELINE, first + place), _body(ctx, judge, split, known))
        for place, judge in enumerate(judges)
    ]


def _body(ctx: Context, judge: Judge, split: Labelled, known: Balance) -> UnitBody:
    async def body(unit: UnitSpec) -> None:
        programs, verdicts = judged_programs(split), []
        for start in range(0, len(programs), PORTION):
            said = await ctx.point(unit.id, f"judge:{start}")
            if said.skipped:
                break
            portion = programs[start : start + PORTION]
            verdicts += await together(
                [_verdict(ctx, judge, split, program, known) for program in portion]
            )
        result: dict[str, Json] = {
            "role": judge.role,
            "form": judge.form,
            "model": judge.profile.model,
            "electorate": split.electorate,
            "calls": len(verdicts),
            "verdicts": letters(verdicts),
        }
        await ctx.finish_unit(unit.id, result)

    return body


def judged_programs(split: Labelled) -> list[Program]:
    """The distinct programs of V(t), in the split's pinned order: what the endpoint scores."""
    return [program for program in split.programs if program.visible]


async def _verdict(
    ctx: Context, judge: Judge, split: Labelled, program: Program, known: Balance
) -> Verdict:
    """The judge's word on one candidate. Raises CallOpen."""
    task = split.tasks[program.task]
    pair = f"{task.dataset}/{task.id}/{code_hash(program.code)}"
    try:
        completion = await ctx.complete(
            Slot(judge.unit, "judge", pair), judge_request(judge, task, program.code, known)
        )
    except CallFailed:
        return Verdict.ABSTAIN
    return read_verdict(judge.form, completion)


def judge_request(judge: Judge, task: Task, code: str, known: Balance) -> Request:
    """The question about one candidate."""
    seen: dict[str, Any] = {k: v for k, v in task_view(task).items() if k != "examples"}
    told = {} if judge.form == "word" else {"wrong": known.wrong, "right": known.right}
    name = f"cegar/judge_{judge.form}"
    system, user = render(name, document=document({"task": seen, "answer": code}), **told)
    return Request(
        role=load_template(name).role,
        provider=judge.profile.provider,
        model=judge.profile.model,
        messages=(Message("user", user),),
        system=system,
        params=judge.profile.params,
        route=judge.profile.route,
    )


def read_verdict(form: Form, completion: Completion) -> Verdict:
    """Flag or pass as the reply says; abstain where it names no verdict, or more than one in the
    form of one word. Of several verdict lines the last one counts."""
    if completion.finish in (Finish.REFUSAL, Finish.CONTENT_FILTER):
        return Verdict.ABSTAIN
    if form == "reason":
        lines = _LINE.findall(completion.text)
        return _MEANS[lines[-1].lower()] if lines else Verdict.ABSTAIN
    words = {word.lower() for word in _WORD.findall(completion.text)}
    return _MEANS[words.pop()] if len(words) == 1 else Verdict.ABSTAIN


def column_of(split: Labelled, result: Mapping[str, Json]) -> dict[Member, Verdict] | None:
    """A finished unit's verdicts by member; None where a person skipped it, or where it judged
    another electorate."""
    said, programs = cast(str, result["verdicts"]), judged_programs(split)
    if len(said) != len(programs) or result["electorate"] != split.electorate:
        return None
    return {
        member: Verdict(LETTERS.index(letter))
        for letter, program in zip(said, programs, strict=True)
        for member in program.members
    }

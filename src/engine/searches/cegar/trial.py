"""One operator's way through screens, target and gate; every consultation is a ledger row."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from ...benchmarks.code_tasks.bundle import shown_fields
from ...context import Context
from ...model.core import Event, Node, NodeState, Tally
from ...model.core import Verdict as Row
from ...model.llm import Json
from .authoring import ENTRY, Draft
from .bench import Operator
from .metric import Score
from .partition import BlindSpot, adds_distinction, shrinks
from .pool import Desk
from .rulings import rulings
from .screens.fitting import Leak, screen_tree
from .screens.literals import emitted_constants, training_literals
from .screens.texts import screen_texts
from .screens.variants import behaviour_screen, text_variants, variants
from .training import Labelled
from .verdicts import Member, Verdict

INCORRECT, PAIRED, DECIDABLE, CLASS, REST = 2, 3, 4, 5, 6
"""Stages of running an operator: the target's wrong members, its right ones in decidable tasks,
the other decidable tasks, what is left of the class, everything else."""
REWRITTEN_EACH = 4


@dataclass
class Trial:
    """What is known of an operator so far; `stopped` names the gate that refused it."""

    operator: Operator
    known: dict[int, Verdict] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    stopped: str = ""
    reason: str = ""
    alone: Score | None = None

    def rule(self, unit: str, gate: str, passed: bool, reason: str, detail: Json = None) -> bool:
        """Note a gate's ruling; gives whether it passed."""
        outcome = "pass" if passed else "fail"
        self.rows.append(
            Row(self.operator.node, unit, gate, None, outcome, "rule", reason, detail)  # type: ignore[arg-type]
        )
        if not passed:
            self.stopped, self.reason = gate, reason
        return passed


def opened(draft: Draft, unit: str, node: str, level: int) -> Trial:
    """The trial of what an attempt's calls gave; stopped at once where that is no operator."""
    written = draft.authored
    if written is not None:
        return Trial(Operator(node, level, written.source, written.name, written.rationale))
    trial = Trial(Operator(node, level, "", "no operator"))
    trial.rule(unit, "author", False, draft.problem)
    return trial


async def tried(
    desk: Desk, unit: str, trial: Trial, spot: BlindSpot, vetoed: AbstractSet[str]
) -> None:
    """Take the operator as far as it gets: screens, target, distinction, behaviour, admission.

    An arm without the target's test consults the gate about whatever behaves. Raises CallOpen.
    """
    if trial.stopped or not screened(desk, unit, trial):
        return
    if desk.arm.targeted:
        if not await _shrinks(desk, unit, trial, spot, vetoed):
            return
        wrong, paired, _ = _parts(desk, spot)
    else:
        wrong, paired = by_label(desk.training)
        await extend(desk, trial, wrong, INCORRECT)
        await extend(desk, trial, paired, PAIRED)
    if not await behaves(desk, unit, trial, wrong, paired):
        return
    await extend(desk, trial, _decidable(desk), DECIDABLE)
    if desk.arm.reads_all:
        await extend(desk, trial, range(len(desk.training.programs)), REST)
    trial.alone = desk.alone(desk.training.column(trial.known))
    details: dict[str, Json] = {"admission": detail_of(trial.alone)}
    for gate, ruling in rulings(desk, trial.known, trial.alone, vetoed):
        if not trial.rule(unit, gate, ruling.admitted, ruling.reason, details.get(gate)):
            return


async def keep(ctx: Context, unit: str, trial: Trial, node: Node) -> None:
    """Record an operator with its way through the gates."""
    delta = None if trial.alone is None else trial.alone.delta
    outcome = "fail" if trial.stopped else "pass"
    gate = trial.rows[-1].gate
    await ctx.record(
        node,
        *trial.rows,
        effects=[
            NodeState(node.id, "rejected" if trial.stopped else "scored", delta),
            Tally(unit, gate, f"level {trial.operator.level}", outcome),
            Event(f"attempt {outcome}", "node", node.id),
        ],
    )


def detail_of(alone: Score) -> dict[str, Json]:
    """A gate's figures, exact."""
    return {
        "helped": alone.helped,
        "hurt": alone.hurt,
        "delta": str(alone.delta),
        "flags": alone.flags,
        "caught": alone.caught,
        "headroom": str(alone.headroom),
    }


def screened(desk: Desk, unit: str, trial: Trial) -> bool:
    """The screens on the operator's own text."""
    leaks = leaks_of(desk, trial.operator.source)
    told: list[Json] = [f"{leak.screen}, line {leak.line}: {leak.what}" for leak in leaks]
    return trial.rule(unit, "screens", not leaks, str(told[0]) if told else "no leak", told or None)


def leaks_of(desk: Desk, source: str) -> list[Leak]:
    """What the leakage screens say of an operator's text, held against the training samples."""
    raw = desk.training.raw()
    wrong = [sample.code for sample in raw if not sample.correct]
    right = [sample.code for sample in raw if sample.correct]
    if desk.setup.training.checker is None:
        return screen_tree(
            source,
            ENTRY,
            training=training_literals((*wrong, *right)),
            faults=emitted_constants(wrong, right),
        )
    tasks = desk.training.tasks
    return screen_texts(
        source,
        ENTRY,
        texts={task.id: (task.prompt, *desk.training.samples[task.id]) for task in tasks},
        faulty=wrong,
        clean=right,
        fields={name for task in tasks for name in shown_fields(task)},
    )


async def _shrinks(
    desk: Desk,
    unit: str,
    trial: Trial,
    spot: BlindSpot,
    vetoed: AbstractSet[str],
) -> bool:
    """Whether it splits the target. Its wrong members come first: without a flag among them
    nothing else need be run."""
    wrong, paired, rest = _parts(desk, spot)
    await extend(desk, trial, wrong, INCORRECT)
    said = [trial.known[number] for number in wrong]
    if Verdict.FLAG not in said:
        return trial.rule(
            unit, "shrinks", False,
            f"flags none of the target's {len(spot.incorrect)} incorrect members"
            + _abstained(said),
        )  # fmt: skip
    await extend(desk, trial, paired, PAIRED)
    if len(set(trial.known.values())) == 1:
        await extend(desk, trial, rest, CLASS)
    column = desk.training.column(trial.known)
    judged = _within(spot, column)
    flags = sum(column[m] is Verdict.FLAG for m in judged.incorrect)
    alarms = sum(column[m] is Verdict.FLAG for m in judged.correct)
    facts = f"flags {flags} of {len(judged.incorrect)} incorrect, {alarms} of {len(judged.correct)}"
    if not trial.rule(unit, "shrinks", shrinks(judged, column), f"{facts} correct members"):
        return False
    signed = desk.signed(vetoed)
    own = {member: signed[member] for member in judged.members}
    return trial.rule(
        unit, "distinction", adds_distinction(own, column), "no function of the signature"
    )


async def behaves(
    desk: Desk, unit: str, trial: Trial, wrong: Sequence[int], paired: Sequence[int]
) -> bool:
    """The part of screen 1 that is a test run: rewritten candidates must get the same verdict.

    Four of the wrong programs that it flags are rewritten, and four right ones.
    """
    flagged = [n for n in wrong if trial.known[n] is Verdict.FLAG][:REWRITTEN_EACH]
    chosen = [*flagged, *[n for n in paired if n in trial.known][:REWRITTEN_EACH]]
    written = variants if desk.setup.training.checker is None else text_variants
    texts = [
        (number, name, text)
        for number in chosen
        for name, text in written(desk.training.programs[number].code).items()
    ]
    said = await desk.bench.rewritten(trial.operator, [(n, text) for n, _, text in texts])
    verdicts = {(n, text): one for (n, _, text), one in zip(texts, said, strict=True)}
    for number in chosen:

        async def recorded(text: str, number: int = number) -> Verdict | None:
            return verdicts[number, text]

        own = [(name, text) for n, name, text in texts if n == number]
        leak = await behaviour_screen(trial.known[number], own, recorded)
        if leak is not None:
            return trial.rule(unit, "rewritten", False, f"{leak.screen}: {leak.what}")
    return trial.rule(unit, "rewritten", True, f"{len(texts)} rewritten candidates judged alike")


async def extend(desk: Desk, trial: Trial, wanted: Iterable[int], stage: int) -> None:
    """Run what is not known yet of these programs."""
    new = [number for number in wanted if number not in trial.known]
    trial.known |= await desk.bench.some(trial.operator, new, stage)


def _parts(desk: Desk, spot: BlindSpot) -> tuple[list[int], list[int], list[int]]:
    """The target's programs: wrong ones, right ones of decidable tasks, the other right ones."""
    members, decidable = set(spot.members), desk.training.decidable
    own = [
        (number, program)
        for number, program in enumerate(desk.training.programs)
        if program.members[0] in members
    ]
    wrong = [number for number, program in own if not program.correct]
    paired = [n for n, program in own if program.correct and program.task in decidable]
    rest = [n for n, program in own if program.correct and program.task not in decidable]
    return wrong, paired, rest


def by_label(training: Labelled) -> tuple[list[int], list[int]]:
    """Programs of V(t) in decidable tasks: wrong ones, right ones."""
    own = [
        (number, program)
        for number, program in enumerate(training.programs)
        if program.visible and program.task in training.decidable
    ]
    return [n for n, one in own if not one.correct], [n for n, one in own if one.correct]


def _decidable(desk: Desk) -> list[int]:
    return [
        number
        for number, program in enumerate(desk.training.programs)
        if program.task in desk.training.decidable and program.visible
    ]


def _within(spot: BlindSpot, column: Mapping[Member, Verdict]) -> BlindSpot:
    """The target without right members that need not be run."""
    return BlindSpot(spot.signature, tuple(m for m in spot.correct if m in column), spot.incorrect)


def _abstained(said: Sequence[Verdict]) -> str:
    count = sum(one is Verdict.ABSTAIN for one in said)
    return f"; abstains on {count} of {len(said)} programs" if count else ""

"""One operator's way through screens, target and gate; every consultation is a ledger row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...model.core import Verdict as Row
from ...model.llm import Json
from .authoring import ENTRY
from .bench import Operator
from .gate import decision_gate
from .metric import Score
from .partition import BlindSpot, adds_distinction, shrinks
from .pool import Desk
from .screens.fitting import screen_tree
from .screens.literals import emitted_constants, training_literals
from .screens.variants import behaviour_screen, variants
from .verdicts import Member, Signature, Verdict

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


async def tried(
    desk: Desk, unit: str, operator: Operator, spot: BlindSpot, signed: Mapping[Member, Signature]
) -> Trial:
    """Run the operator as far as it gets: screens, target, distinction, behaviour, admission.

    Raises CallOpen.
    """
    trial = Trial(operator)
    if not _screened(desk, unit, trial):
        return trial
    if not await _shrinks(desk, unit, trial, spot, signed):
        return trial
    if not await _behaves(desk, unit, trial, spot):
        return trial
    await _run(desk, trial, _decidable(desk), DECIDABLE)
    trial.alone = desk.alone(desk.training.column(trial.known))
    ruling = decision_gate(trial.alone)
    trial.rule(unit, "admission", ruling.admitted, ruling.reason, detail_of(trial.alone))
    return trial


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


def _screened(desk: Desk, unit: str, trial: Trial) -> bool:
    """The four screens on the operator's own text."""
    raw = desk.training.raw()
    leaks = screen_tree(
        trial.operator.source,
        ENTRY,
        training=training_literals(sample.code for sample in raw),
        faults=emitted_constants(
            (s.code for s in raw if not s.correct), (s.code for s in raw if s.correct)
        ),
    )
    told: list[Json] = [f"{leak.screen}, line {leak.line}: {leak.what}" for leak in leaks]
    return trial.rule(unit, "screens", not leaks, str(told[0]) if told else "no leak", told or None)


async def _shrinks(
    desk: Desk,
    unit: str,
    trial: Trial,
    spot: BlindSpot,
    signed: Mapping[Member, Signature],
) -> bool:
    """Whether it splits the target. Its wrong members come first: without a flag among them
    nothing else need be run."""
    wrong, paired, rest = _parts(desk, spot)
    await _run(desk, trial, wrong, INCORRECT)
    said = [trial.known[number] for number in wrong]
    if Verdict.FLAG not in said:
        return trial.rule(
            unit, "shrinks", False,
            f"flags none of the target's {len(spot.incorrect)} incorrect members"
            + _abstained(said),
        )  # fmt: skip
    await _run(desk, trial, paired, PAIRED)
    if len(set(trial.known.values())) == 1:
        await _run(desk, trial, rest, CLASS)
    column = desk.training.column(trial.known)
    judged = _within(spot, column)
    flags = sum(column[m] is Verdict.FLAG for m in judged.incorrect)
    alarms = sum(column[m] is Verdict.FLAG for m in judged.correct)
    facts = f"flags {flags} of {len(judged.incorrect)} incorrect, {alarms} of {len(judged.correct)}"
    if not trial.rule(unit, "shrinks", shrinks(judged, column), f"{facts} correct members"):
        return False
    own = {member: signed[member] for member in judged.members}
    return trial.rule(
        unit, "distinction", adds_distinction(own, column), "no function of the signature"
    )


async def _behaves(desk: Desk, unit: str, trial: Trial, spot: BlindSpot) -> bool:
    """The part of screen 1 that is a test run: rewritten candidates must get the same verdict."""
    wrong, paired, _ = _parts(desk, spot)
    flagged = [n for n in wrong if trial.known[n] is Verdict.FLAG][:REWRITTEN_EACH]
    chosen = [*flagged, *[n for n in paired if n in trial.known][:REWRITTEN_EACH]]
    texts = [
        (number, name, text)
        for number in chosen
        for name, text in variants(desk.training.programs[number].code).items()
    ]
    said = await desk.bench.rewritten(trial.operator, [(n, text) for n, _, text in texts])
    verdicts = {(n, text): one for (n, _, text), one in zip(texts, said, strict=True)}
    for number in chosen:

        async def recorded(text: str, number: int = number) -> Verdict:
            return verdicts[number, text]

        own = [(name, text) for n, name, text in texts if n == number]
        leak = await behaviour_screen(trial.known[number], own, recorded)
        if leak is not None:
            return trial.rule(unit, "rewritten", False, f"{leak.screen}: {leak.what}")
    return trial.rule(unit, "rewritten", True, f"{len(texts)} rewritten candidates judged alike")


async def _run(desk: Desk, trial: Trial, wanted: Sequence[int], stage: int) -> None:
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


def _decidable(desk: Desk) -> list[int]:
    return [
        number
        for number, program in enumerate(desk.training.programs)
        if program.task in desk.training.decidable
    ]


def _within(spot: BlindSpot, column: Mapping[Member, Verdict]) -> BlindSpot:
    """The target without right members that need not be run."""
    return BlindSpot(spot.signature, tuple(m for m in spot.correct if m in column), spot.incorrect)


def _abstained(said: Sequence[Verdict]) -> str:
    count = sum(one is Verdict.ABSTAIN for one in said)
    return f"; abstains on {count} of {len(said)} programs" if count else ""

"""Running operators on candidates, in the order that loses nothing (engine-decisions, item 12)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from ...benchmarks.code_tasks.operate import Given, operator_job, read_answer
from ...benchmarks.code_tasks.visible import known_arguments
from ...context import Run
from ...model.llm import Json
from ...model.outcomes import Outcomes, Place
from .cells import pack_some, unpack_some
from .electorate import peers
from .inputs import Inputs, inputs
from .training import Labelled, Settle, bounded
from .verdicts import Verdict

PORTION = 32
"""Programs a row: what a crash may lose."""
COMPLETE = 0
"""The shard that holds an operator's verdicts on all programs."""
_VERDICTS = {"flag": Verdict.FLAG, "abstain": Verdict.ABSTAIN, "pass": Verdict.PASS}


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator: its node, its interface (1 or 2), its source text, its name, and why it was
    written."""

    node: str
    level: int
    source: str
    name: str
    rationale: str = ""


class Bench:
    """Runs operators on the programs of one labelled split."""

    def __init__(self, split: Labelled, settle: Settle) -> None:
        self.split, self._settle = split, settle
        self._inputs = cache(self._inputs_of)

    def _inputs_of(self, task: int) -> Inputs:
        found = self.split.tasks[task]
        return inputs(found.id, known_arguments(found.visible, found.entry))

    async def some(
        self, operator: Operator, wanted: Sequence[int], stage: int
    ) -> dict[int, Verdict]:
        """Verdicts on the programs of these numbers; `stage` counts from 1 and names the rows."""
        portions = [wanted[at : at + PORTION] for at in range(0, len(wanted), PORTION)]
        first = stage * (len(self.split.programs) + 1)

        async def one(number: int) -> dict[int, Verdict]:
            place = Place(operator.node, self.split.electorate, first + number)
            found = await self._settle(
                place, lambda run: self._portion(operator, portions[number], run)
            )
            return unpack_some(found.planes, len(self.split.programs))

        parts = await bounded([partial(one, n) for n in range(len(portions))])
        return {number: verdict for part in parts for number, verdict in part.items()}

    async def complete(
        self, operator: Operator, known: Mapping[int, Verdict], stage: int
    ) -> dict[int, Verdict]:
        """Verdicts on all programs, in one row of their own; what is not known is run."""
        count = len(self.split.programs)

        async def work(run: Run) -> Outcomes:
            rest = [number for number in range(count) if number not in known]
            verdicts = {**known, **await self.some(operator, rest, stage)}
            return Outcomes(pack_some(verdicts, count))

        place = Place(operator.node, self.split.electorate, COMPLETE)
        return unpack_some((await self._settle(place, work)).planes, count)

    async def rewritten(
        self, operator: Operator, texts: Sequence[tuple[int, str]]
    ) -> list[Verdict | None]:
        """Verdicts on programs written otherwise; each stands for the program of its number. None
        is an abstention that the operator did not choose."""

        async def work(run: Run) -> Outcomes:
            found = [await self._one(operator, number, text, run) for number, text in texts]
            return _outcomes(dict(enumerate(found)), len(texts))

        place = Place(operator.node, f"{self.split.electorate}/rewritten", 0)
        found = await self._settle(place, work)
        kept, forced = unpack_some(found.planes, len(texts)), found.reasons.get("abstained", {})
        assert isinstance(forced, Mapping)
        return [None if str(n) in forced else kept[n] for n in range(len(texts))]

    async def _portion(self, operator: Operator, numbers: Sequence[int], run: Run) -> Outcomes:
        codes = [(number, self.split.programs[number].code) for number in numbers]
        said = await bounded([partial(self._one, operator, n, c, run) for n, c in codes])
        return _outcomes(dict(zip(numbers, said, strict=True)), len(self.split.programs))

    async def _one(
        self, operator: Operator, number: int, code: str, run: Run
    ) -> tuple[Verdict, str, bool]:
        """One verdict, why it is an abstention that nobody chose, and whether a limit was near."""
        program = self.split.programs[number]
        task = self.split.tasks[program.task]
        given: Given | None = None
        if operator.level == 2:
            found = self._inputs(program.task)
            others = peers(self.split.samples[task.id], program.code)
            given = Given(tuple(others), found.arguments, found.unperturbed)
        outcome = await run(operator_job(operator.source, task, code, given))
        answer, reason = read_answer(outcome)
        if outcome.verdict != "pass":
            reason = "timeout" if outcome.verdict == "timeout" else outcome.label
        return _VERDICTS[answer], reason, outcome.near_limit


def _outcomes(said: Mapping[int, tuple[Verdict, str, bool]], count: int) -> Outcomes:
    reasons: dict[str, Json] = {str(n): reason for n, (_, reason, _) in said.items() if reason}
    near: list[Json] = [n for n, one in said.items() if one[2]]
    told: dict[str, Json] = {"abstained": reasons} if reasons else {}
    if near:
        told["near"] = near
    return Outcomes(pack_some({n: one[0] for n, one in said.items()}, count), told)

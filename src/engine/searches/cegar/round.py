"""One round: the next target, its attempts at both levels, and how it ends (Algorithm 1)."""

from collections.abc import Sequence
from dataclasses import replace

from ...model.core import Decision, Directives, Effect, Event, NodeState, Tally
from ...model.llm import Json
from ...stats.shuffle import shuffle_test
from .attempts import Abandon, Attempt, End
from .authoring import Tried, author, request_data, undirected_data
from .baseline import node_of
from .bench import Operator
from .metric import score
from .outcome import RoundResult
from .partition import BlindSpot
from .pool import Desk, pool_flags
from .request import Scope, scope
from .trial import REST, Trial, detail_of, keep, opened, tried
from .verdicts import letters


class Round:
    """The unit of one round. Its attempts share what has failed on the target so far."""

    def __init__(self, desk: Desk, unit: str, number: int) -> None:
        self.desk, self.unit, self.number = desk, unit, number
        self.progress = replace(desk.progress, round=number, target=None, attempt=0)
        self.failures: list[Tried] = []
        self.made = 0
        self.calls = 0

    async def run(self) -> RoundResult:
        """Attempts until one is admitted, the target is abandoned, or the search is over.

        Raises CallOpen.
        """
        while True:
            step = f"attempt:{self.made}"
            said = await self.desk.ctx.point(self.unit, step)
            spots = self.desk.spots(said.vetoed)
            following = self.progress.next(spots)
            if isinstance(following, End):
                return RoundResult(following.ending, self.calls, failures=tuple(self.failures))
            if isinstance(following, Attempt) and said.skipped:
                following = Abandon(following.target, following.round)
            if isinstance(following, Abandon):
                return await self._abandon(following, said)
            result = await self._attempt(following, said)
            if result is not None:
                return result

    async def _attempt(self, step: Attempt, said: Directives) -> RoundResult | None:
        if step.target.key != self.progress.target:
            self.failures.clear()
        whole = scope(step.target, self.desk.training.raw())
        data = self._request(step, whole, said)
        left = self.progress.limits.calls - self.progress.calls
        profile = self.desk.setup.profiles["author"]
        draft = await author(self.desk.ctx, profile, self.unit, self.made, data, left)
        for _ in range(draft.calls):
            self.progress = self.progress.called()
        self.calls += draft.calls
        trial = opened(draft, self.unit, f"{self.unit}/{self.made}", step.level)
        await tried(self.desk, self.unit, trial, step.target, said.vetoed)
        return await self._settle(trial, step, whole)

    def _request(self, step: Attempt, whole: Scope, said: Directives) -> dict[str, Json]:
        """What the author is told: of the target, or in the undirected arm of the tasks alone."""
        tasks = {task.id: task for task in self.desk.training.tasks}
        pool = [one.name for one in self.desk.pool(said.vetoed)]
        budget = self.desk.setup.settings.prompt_characters
        if self.desk.arm.directed:
            return request_data(whole, tasks, step.level, self.failures, pool, budget)
        return undirected_data(tasks, step.level, self.failures, pool, budget)

    async def _settle(self, trial: Trial, step: Attempt, whole: Scope) -> RoundResult | None:
        """Record the attempt; admitted, unless a person has vetoed the operator by now."""
        operator, index = trial.operator, self.made
        origin: dict[str, Json] = {
            "kind": "authored", "round": self.number, "attempt": step.attempt,
            "target": step.target.key, "signature": letters(step.target.signature),
            "pair": [f"{member.task}#{member.sample}" for member in step.target.pair],
        }  # fmt: skip
        if self.desk.arm.name is not None:
            origin["arm"] = self.desk.arm.name
        node = node_of(operator, self.unit, self.unit, self.number + 1, index, origin)
        await keep(self.desk.ctx, self.unit, trial, node)
        self.made += 1
        self.progress = self.progress.failed(step)
        if trial.stopped:
            self.failures.append(
                Tried(operator.level, trial.stopped, trial.reason, operator.source)
            )
            return None
        return await self._admit(trial, step, whole)

    async def _admit(self, trial: Trial, step: Attempt, whole: Scope) -> RoundResult | None:
        operator = trial.operator
        said = await self.desk.ctx.point(self.unit, f"admit:{operator.node}")
        if operator.node in said.vetoed:
            self.failures.append(
                Tried(operator.level, "veto", "a person vetoed it", operator.source)
            )
            return None
        verdicts = await self.desk.bench.complete(operator, trial.known, REST)
        column = self.desk.training.column(verdicts)
        self.desk.columns[operator.node] = column
        alone = self.desk.alone(column)
        pool, effects = pool_with(self.desk, self.unit, operator, said)
        keys = {**detail_of(alone), "pool": pool}
        reason = f"level {operator.level}, {trial.rows[-1].reason}"
        await self.desk.ctx.record(
            self._decision("admit", operator.node, step.target, reason, keys),
            effects=[
                NodeState(operator.node, "promoted", alone.delta),
                Event("admitted", "node", operator.node),
                *effects,
            ],
        )
        await self._revised(operator, step.target)
        return RoundResult(
            "admitted", self.calls, step.target.key, fault_of(whole), operator,
            tuple(self.failures),
        )  # fmt: skip

    async def _revised(self, operator: Operator, target: BlindSpot) -> None:
        """A veto after the admission takes the operator out of the pool from then on."""
        ctx, step = self.desk.ctx, f"revise:{operator.node}"
        if not ctx.wants_revision(self.unit, step, [operator.node]):
            return
        said = await ctx.point(self.unit, step)
        if operator.node in said.vetoed:
            await ctx.record(
                replace(
                    self._decision(
                        "fallback", operator.node, target, "vetoed by a person after admission", {}
                    ),
                    chosen=(), vetoes=(operator.node,), step=step,
                )
            )  # fmt: skip

    async def _abandon(self, step: Abandon, said: Directives) -> RoundResult:
        spot = step.target
        why = "skipped by a person" if said.skipped else f"{len(self.failures)} attempts failed"
        whole = scope(spot, self.desk.training.raw())
        await self.desk.ctx.record(
            self._decision("abandon", "", spot, why, {"fault": fault_of(whole)}),
            effects=[
                Tally(self.unit, "abandoned", "target", "fail"),
                Event("abandoned", "unit", self.unit),
            ],
        )
        return RoundResult(
            "abandoned", self.calls, spot.key, fault_of(whole), None, tuple(self.failures),
            spot_json(spot),
        )  # fmt: skip

    def _decision(
        self, kind: str, node: str, spot: BlindSpot, reason: str, keys: dict[str, Json]
    ) -> Decision:
        considered = {
            "node": node, "class": spot.key, "signature": letters(spot.signature),
            "correct": len(spot.correct), "incorrect": len(spot.incorrect), **keys,
        }  # fmt: skip
        chosen = (node,) if node else ()
        return Decision(
            self.unit, f"{kind}:{self.made}", kind, self.unit, (considered,), chosen, reason
        )


def pool_with(
    desk: Desk, unit: str, operator: Operator, said: Directives
) -> tuple[dict[str, Json], list[Effect]]:
    """The pool grown by an operator on the training split; see `pool_of`."""
    return pool_of(desk, unit, operator.node, [*desk.voting(said.vetoed), operator])


def pool_of(
    desk: Desk, unit: str, axis: str, voting: Sequence[Operator]
) -> tuple[dict[str, Json], list[Effect]]:
    """A pool's figures on the training split, and the counts of its null test under `axis`, which
    are an effect because no decision reads them."""
    flags = pool_flags([desk.columns[one.node] for one in voting], desk.training)
    votes = desk.training.votes(lambda member: flags[member])
    members: list[Json] = [one.node for one in voting]
    null = shuffle_test([vote.count() for vote in votes], seed=desk.ctx.seed)
    counts = {} if null is None else {"at_least": null.at_least, "resamples": null.resamples}
    return {**detail_of(score(votes)), "members": members}, [
        Tally(unit, "null", axis, name, count) for name, count in counts.items()
    ]


def fault_of(whole: Scope) -> str:
    """The request's kinds of fault in one line."""
    return "; ".join(fault.value for fault in whole.faults)


def spot_json(spot: BlindSpot) -> dict[str, Json]:
    """A class as a unit's result keeps it."""
    return {
        "signature": letters(spot.signature),
        "correct": [[m.task, m.sample] for m in spot.correct],
        "incorrect": [[m.task, m.sample] for m in spot.incorrect],
    }

"""Rollouts of a generation's candidates in waves, stopped where they can change nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ...gates.together import together
from ...model.core import Decision, Effect, Event, NodeState, Rollout, Tally, Verdict
from ...model.harden import Score
from ...model.llm import Json
from .gating import gate_effects
from .racing import Progress, bounds, stopped, wave_ends
from .rollouts import roll
from .selection import Contender, vetoed_closure
from .state import CaseState, Desk, Variant, entropy_of, score_of


@dataclass(slots=True)
class Race:
    """The candidates of one generation that passed all gates, and how far each has come."""

    desk: Desk
    state: CaseState
    generation: int
    parent: Variant
    candidates: Sequence[Variant]
    rollouts: dict[str, list[Rollout]] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    out: frozenset[str] = frozenset()
    barred: frozenset[str] = frozenset()

    async def run(self) -> bool:
        """All waves; false where a person skipped the case in between."""
        settings = self.desk.settings
        ends = wave_ends(settings.rollouts, settings.waves, racing=settings.racing)
        for wave, end in enumerate(ends if self.candidates else (), start=1):
            said = await self.desk.ctx.point(self.state.unit, f"g{self.generation}/wave{wave}")
            if said.skipped:
                return False
            self.bar(said.vetoed)
            await self._advance([end])
            await self._record_race(f"g{self.generation}/race{wave}", f"after wave {wave}")
        return True

    def bar(self, vetoed: frozenset[str]) -> None:
        """Take the vetoes of a decision point in: whom they remove, and who is out without them."""
        self.barred = vetoed_closure(vetoed, self.state.parents)
        self.out = self._stopped()

    async def settle(self) -> None:
        """Continue stopped candidates for whom a veto or a failed sibling freed a place."""
        settings, turn = self.desk.settings, 0
        ends = wave_ends(settings.rollouts, settings.waves, racing=settings.racing)
        while waiting := [c.node for c in self._running() if not self._complete(c.node)]:
            turn += 1
            step = f"g{self.generation}/continue{turn}"
            await self._record_continue(step, waiting)
            await self._advance(ends)
            await self._record_race(f"{step}/race", "continued")

    def progress(self, node: str) -> Progress:
        """How far a candidate has come."""
        grades = [r.score for r in self.rollouts.get(node, ()) if r.score is not None]
        return Progress(node, sum(grades, Fraction(0)), len(grades))

    def contenders(self) -> list[Contender]:
        """The candidates with a complete score that no veto removed."""
        return [
            self.state.contender(candidate.node)
            for candidate in self._live()
            if candidate.node in self.state.scores
        ]

    def improved(self, node: str) -> bool:
        """Whether it is known that 0 < s < the parent's score."""
        if node in self.failed:
            return False
        span = bounds(
            self.progress(node), self.desk.settings.rollouts, self.desk.benchmark.max_grade
        )
        return span.low > 0 and span.high < self.state.scores[self.parent.node].value

    def saved_calls(self) -> int:
        """Rollouts that racing left out."""
        total = self.desk.settings.rollouts
        return sum(total - self.progress(node).done for node in self.out)

    def _live(self) -> list[Variant]:
        return [
            c for c in self.candidates if c.node not in self.barred and c.node not in self.failed
        ]

    def _running(self) -> list[Variant]:
        return [c for c in self._live() if c.node not in self.out]

    def _complete(self, node: str) -> bool:
        return len(self.rollouts.get(node, ())) >= self.desk.settings.rollouts

    def _stopped(self) -> frozenset[str]:
        if not self.desk.settings.racing:
            return frozenset()
        return stopped(
            [self.progress(candidate.node) for candidate in self._live()],
            [m.score.value for m in self.state.population if m.node not in self.barred],
            survivors=self.desk.settings.survivors,
            parent_score=self.state.scores[self.parent.node].value,
            rollouts=self.desk.settings.rollouts,
            max_grade=self.desk.benchmark.max_grade,
        )

    async def _advance(self, ends: Sequence[int]) -> None:
        """Bring everyone who runs to the next of the wave ends, all at once."""
        await together(self._to(c, ends) for c in self._running() if not self._complete(c.node))

    async def _to(self, candidate: Variant, ends: Sequence[int]) -> None:
        known = self.rollouts.setdefault(candidate.node, [])
        end = next((end for end in ends if end > len(known)), len(known))
        known += await roll(self.desk, self.state.unit, candidate, range(len(known), end))
        if any(rollout.outcome == "error" for rollout in known):
            self.failed.add(candidate.node)
            await self._record_failure(candidate)
        elif (score := score_of(known, self.desk.settings.rollouts)) is not None:
            self.state.scores[candidate.node] = score
            await self._record_score(candidate, score)

    async def _record_score(self, candidate: Variant, score: Score) -> None:
        """The end of a candidate's rollouts: scored, or collapsed at 0."""
        unit, alive = self.state.unit, score.value > 0
        reason = f"score {score.value}" if alive else "collapsed: score 0"
        verdict = Verdict(
            candidate.node, unit, "rollouts", None, "pass" if alive else "fail", "rule", reason
        )
        entropy = entropy_of(score, self.desk.entropy_base)
        effects = gate_effects(unit, candidate, "rollouts", passed=alive)[:1]
        name = "scored" if alive else "collapsed"
        effects.append(NodeState(candidate.node, name, score.value, entropy=entropy))
        await self.desk.ctx.record(verdict, effects=effects)

    async def _record_failure(self, candidate: Variant) -> None:
        """A rollout could not be had: that is no score of 0, the candidate is rejected."""
        unit = self.state.unit
        reason = next(r.parsed or "" for r in self.rollouts[candidate.node] if r.outcome == "error")
        await self.desk.ctx.record(
            Verdict(
                candidate.node, unit, "rollouts", None, "error", "rule",
                f"a rollout could not be had: {reason}",
            ),
            effects=[
                Tally(unit, "rollouts", candidate.axis or "", "error"),
                NodeState(candidate.node, "error"),
            ],
        )  # fmt: skip

    async def _record_race(self, step: str, when: str) -> None:
        before, self.out = self.out, self._stopped()
        new = sorted(self.out - before, key=self._index)
        if new:
            states: list[Effect] = [self._raced_out(node) for node in new]
            reason = f"{when}: neither retention nor improvement is open any more"
            await self._decide(step, new, reason, states)

    async def _record_continue(self, step: str, waiting: Sequence[str]) -> None:
        states: list[Effect] = [NodeState(node, "proposed") for node in waiting]
        await self._decide(step, waiting, "a place became free: continued", states)

    async def _decide(
        self, step: str, chosen: Sequence[str], reason: str, effects: Sequence[Effect]
    ) -> None:
        unit = self.state.unit
        await self.desk.ctx.record(
            Decision(
                unit=unit,
                step=step,
                kind="race",
                group=unit,
                considered=tuple(self._standing(c.node) for c in self._live()),
                chosen=tuple(chosen),
                reason=reason,
                vetoes=tuple(c.node for c in self.candidates if c.node in self.barred),
            ),
            effects=[*effects, Event("race", "decision", f"{unit}|{step}")],
        )

    def _standing(self, node: str) -> dict[str, Json]:
        now = self.progress(node)
        span = bounds(now, self.desk.settings.rollouts, self.desk.benchmark.max_grade)
        return {"node": node, "done": now.done, "low": str(span.low), "high": str(span.high)}

    def _raced_out(self, node: str) -> NodeState:
        now = self.progress(node)
        return NodeState(node, "raced_out", now.total / self.desk.settings.rollouts, bound=True)

    def _index(self, node: str) -> int:
        return self.state.variants[node].index

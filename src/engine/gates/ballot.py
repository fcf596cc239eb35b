"""A gate that asks a model K times: casts votes, records each, stops when it is decided."""

from collections.abc import Callable
from dataclasses import dataclass

from ..context import Context
from ..errors import CallFailed
from ..model.core import Slot, Verdict
from ..model.llm import Finish, Request
from .ruling import Ruling
from .together import together
from .votes import next_votes, passed

REFUSALS = ("refusal", "content_filter")


@dataclass(frozen=True, slots=True)
class Ballot:
    """One candidate before one gate. `purpose` names the votes' slots, `needed` is how many of the
    `votes` must pass; `request` builds vote k's request and `judge` reads its reply. `note` stands
    with the gate's verdict."""

    unit: str
    node: str
    gate: str
    purpose: str
    votes: int
    needed: int
    stopping: bool
    request: Callable[[int], Request]
    judge: Callable[[str], Ruling]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Consultation:
    """The votes that were cast, and what follows. `saved` votes were not needed."""

    ballot: Ballot
    cast: tuple[Ruling, ...]

    @property
    def passed(self) -> bool:
        """Whether the gate lets the candidate through."""
        return passed([ruling.passed for ruling in self.cast], self.ballot.needed)

    @property
    def saved(self) -> int:
        """How many votes were left out because they could change nothing."""
        return self.ballot.votes - len(self.cast)

    def verdict(self) -> Verdict:
        """The row of the gate as a whole; its outcome never depends on votes left out."""
        ballot, passes = self.ballot, sum(ruling.passed for ruling in self.cast)
        against = next((ruling.reason for ruling in self.cast if not ruling.passed), "")
        votes = f"{passes} of {len(self.cast)} votes pass, {ballot.needed} needed"
        parts = (votes, "" if self.passed else against, ballot.note)
        reason = "; ".join(part for part in parts if part)
        return Verdict(
            node=ballot.node,
            unit=ballot.unit,
            gate=ballot.gate,
            vote=None,
            outcome="pass" if self.passed else "fail",
            by="model",
            reason=reason,
        )


async def consult(ctx: Context, ballot: Ballot) -> Consultation:
    """Cast votes until the outcome stands; each is recorded with its slot. Raises CallOpen."""
    cast: list[Ruling] = []
    while True:
        flags = [ruling.passed for ruling in cast]
        numbers = next_votes(flags, ballot.votes, ballot.needed, stopping=ballot.stopping)
        if not numbers:
            return Consultation(ballot, tuple(cast))
        rulings = await together(cast_vote(ctx, ballot, number) for number in numbers)
        rows = [_row(ballot, k, r) for k, r in zip(numbers, rulings, strict=True)]
        await ctx.record(*rows)
        cast += rulings


async def cast_vote(ctx: Context, ballot: Ballot, number: int) -> Ruling:
    """One vote; a refusal is an abstention, a call that failed for good an error."""
    try:
        completion = await ctx.complete(_slot(ballot, number), ballot.request(number))
    except CallFailed as error:
        return Ruling("abstain" if error.reason in REFUSALS else "error", error.reason)
    if completion.finish in (Finish.REFUSAL, Finish.CONTENT_FILTER):
        return Ruling("abstain", completion.finish.value)
    return ballot.judge(completion.text)


def _slot(ballot: Ballot, number: int) -> Slot:
    return Slot(ballot.unit, ballot.purpose, ballot.node, number)


def _row(ballot: Ballot, number: int, ruling: Ruling) -> Verdict:
    return Verdict(
        node=ballot.node,
        unit=ballot.unit,
        gate=ballot.gate,
        vote=number,
        outcome=ruling.outcome,
        by="model",
        reason=ruling.reason,
        detail=ruling.detail,
        slot=_slot(ballot, number).key,
    )

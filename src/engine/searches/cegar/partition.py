"""Blind spots: signature classes that hold correct and incorrect candidates (Algorithm 1)."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from .verdicts import Member, Signature, Verdict


@dataclass(frozen=True, slots=True)
class BlindSpot:
    """A mixed class: one signature for correct and incorrect candidates, duplicates included."""

    signature: Signature
    correct: tuple[Member, ...]
    incorrect: tuple[Member, ...]

    @property
    def size(self) -> int:
        """How many candidates it holds."""
        return len(self.correct) + len(self.incorrect)

    @property
    def members(self) -> tuple[Member, ...]:
        """All candidates, by task and place."""
        return tuple(sorted((*self.correct, *self.incorrect)))

    @property
    def key(self) -> str:
        """The class's identity: a hash of its member set, whatever its signature has become."""
        listed = [[member.task, member.sample] for member in self.members]
        return hashlib.sha256(json.dumps(listed).encode()).hexdigest()

    @property
    def pair(self) -> tuple[Member, Member]:
        """The colliding pair: a correct and an incorrect one, of one task where there is one.

        Of the tasks that hold both, the first; in it the first of each.
        """
        shared = {m.task for m in self.correct} & {m.task for m in self.incorrect}
        if not shared:
            return min(self.correct), min(self.incorrect)
        task = min(shared)
        correct = min(m for m in self.correct if m.task == task)
        return correct, min(m for m in self.incorrect if m.task == task)


def blind_spots(
    signed: Mapping[Member, Signature], correct: Mapping[Member, bool]
) -> list[BlindSpot]:
    """All mixed classes, the next target first.

    Most members first, then most incorrect ones, then the signature in the order flag, abstain,
    pass.
    """
    classes: dict[Signature, list[Member]] = {}
    for member in sorted(signed):
        classes.setdefault(signed[member], []).append(member)
    mixed = [
        BlindSpot(
            signature,
            tuple(m for m in members if correct[m]),
            tuple(m for m in members if not correct[m]),
        )
        for signature, members in classes.items()
        if len({correct[m] for m in members}) == 2
    ]
    return sorted(mixed, key=lambda spot: (-spot.size, -len(spot.incorrect), spot.signature))


def next_target(spots: Iterable[BlindSpot], abandoned: Collection[str]) -> BlindSpot | None:
    """The first class, in the order of `blind_spots`, that has not been abandoned."""
    return next((spot for spot in spots if spot.key not in abandoned), None)


def shrinks(spot: BlindSpot, column: Mapping[Member, Verdict]) -> bool:
    """Whether an operator splits the class: not constant on it, and flags an incorrect member."""
    said = {column[member] for member in spot.members}
    return len(said) > 1 and any(column[member] is Verdict.FLAG for member in spot.incorrect)


def adds_distinction(signed: Mapping[Member, Signature], column: Mapping[Member, Verdict]) -> bool:
    """Whether an operator is more than a function of the signature: some class disagrees on it."""
    known: dict[Signature, Verdict] = {}
    return any(
        known.setdefault(signature, column[member]) is not column[member]
        for member, signature in signed.items()
    )

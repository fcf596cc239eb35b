"""The insufficiency certificate: which distinctions the operators' language could not express."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...model.llm import Json
from .partition import BlindSpot
from .verdicts import Member, letters


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt on a target: its level, where it stopped, and why."""

    level: int
    gate: str
    reason: str


@dataclass(frozen=True, slots=True)
class Abandoned:
    """A target that defeated every attempt."""

    target: BlindSpot
    fault: str
    round: int
    failures: tuple[Failure, ...]


def certificate(
    abandoned: Sequence[Abandoned], pool: Sequence[str], electorate: str
) -> Mapping[str, Json]:
    """The certificate as JSON, with a hash over the rest of it.

    `pool` are the ids of the operators in signature order. Only to be given where the search ended
    "insufficient": each blind spot that is left has been abandoned.
    """
    body: dict[str, Json] = {
        "claim": "the pool's operators cannot tell the members of these classes apart, "
        "and no attempt at either interface could",
        "pool": list(pool),
        "electorate": electorate,
        "distinctions": [_distinction(one) for one in abandoned],
    }
    text = json.dumps(body, sort_keys=True, ensure_ascii=True)
    return {**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _distinction(one: Abandoned) -> dict[str, Json]:
    spot = one.target
    correct, incorrect = spot.pair
    return {
        "class": spot.key,
        "signature": letters(spot.signature),
        "fault": one.fault,
        "round": one.round,
        "correct": [_member(member) for member in spot.correct],
        "incorrect": [_member(member) for member in spot.incorrect],
        "pair": {"correct": _member(correct), "incorrect": _member(incorrect)},
        "attempts": [
            {"level": failure.level, "gate": failure.gate, "reason": failure.reason}
            for failure in one.failures
        ],
    }


def _member(member: Member) -> Json:
    return {"task": member.task, "sample": member.sample}

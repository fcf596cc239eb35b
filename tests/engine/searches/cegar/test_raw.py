"""Signatures over all raw training samples: a switch beside those over V(t) (decisions.md)."""

import asyncio

import pytest

from evoscope.engine.context import Work
from evoscope.engine.model.outcomes import Outcomes, Place
from evoscope.engine.report.cegar_composition import task_flags
from evoscope.engine.report.cegar_read import Judged
from evoscope.engine.searches.cegar.bench import Operator
from evoscope.engine.searches.cegar.cells import pack_codes
from evoscope.engine.searches.cegar.metric import score
from evoscope.engine.searches.cegar.partition import blind_spots
from evoscope.engine.searches.cegar.request import Fault, scope
from evoscope.engine.searches.cegar.training import LABELS, Labelled, labelled
from evoscope.engine.searches.cegar.verdicts import Member, Verdict, signatures
from tests.engine.searches.cegar import trains

FAILS, SEEN, RIGHT = 0, 1, 3
"""Labels as the run keeps them: fails the visible check, passes it alone, passes both."""


def split(signature_over: str) -> Labelled:
    """The example bundle with labels made up: by task in turn 2 right, 3 seen, 3 that fail."""
    training, _ = trains.splits(signatures=signature_over)
    codes = (RIGHT, RIGHT, SEEN, SEEN, SEEN, FAILS, FAILS, FAILS)

    async def settle(place: Place, work: Work) -> Outcomes:
        assert place.node == LABELS
        ordered = _consistent(training.samples[training.tasks[place.shard].id], codes)
        return Outcomes(pack_codes(ordered), {"visible": [], "near": [], "details": {}})

    return asyncio.run(labelled(training, settle))


def _consistent(texts: tuple[str, ...], codes: tuple[int, ...]) -> list[int]:
    """Equal texts get equal labels."""
    first: dict[str, int] = {}
    for text, code in zip(texts, codes, strict=True):
        first.setdefault(text, code)
    return [first[text] for text in texts]


@pytest.fixture(scope="module")
def raw() -> Labelled:
    return split("raw")


@pytest.fixture(scope="module")
def visible() -> Labelled:
    return split("visible")


def test_every_raw_sample_is_judged_and_only_accepted_ones_are_scored(
    raw: Labelled, visible: Labelled
) -> None:
    assert len(raw.correct) == sum(map(len, raw.samples.values())) > len(visible.correct)
    assert raw.accepted == visible.accepted == visible.correct
    assert raw.decidable == visible.decidable
    flags = {member for n, member in enumerate(sorted(raw.correct)) if n % 3 == 0}
    assert score(raw.votes(flags.__contains__)) == score(visible.votes(flags.__contains__))
    assert raw.electorate != visible.electorate


def test_a_blind_spot_may_hold_faults_of_both_kinds(raw: Labelled, visible: Labelled) -> None:
    def faults(found: Labelled) -> tuple[Fault, ...]:
        members = sorted(found.correct)
        column = dict.fromkeys(members, Verdict.PASS)
        (spot,) = blind_spots(signatures([column], members), found.correct)
        return scope(spot, found.raw()).faults

    assert faults(raw) == (Fault.VISIBLE, Fault.HIDDEN)
    assert faults(visible) == (Fault.HIDDEN,)


def test_composition_reads_the_accepted_samples_alone(raw: Labelled, visible: Labelled) -> None:
    def flags(found: Labelled) -> list[tuple[list[bool], list[list[bool]]]]:
        def said(member: Member) -> Verdict:
            return Verdict.FLAG if member.sample % 2 else Verdict.PASS

        judged = Judged(found, {"o": {member: said(member) for member in found.correct}})
        listed = task_flags(judged, [Operator("o", 1, "", "o")])
        return [(task.correct.tolist(), task.flags.tolist()) for task in listed]

    assert flags(raw) == flags(visible)

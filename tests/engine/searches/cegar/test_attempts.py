"""Rounds, levels, abandonment and endings, driven by outcomes alone."""

import random
from dataclasses import replace

import pytest

from evoscope.engine.searches.cegar.attempts import (
    LEVEL_1_ONLY,
    Abandon,
    Attempt,
    End,
    Limits,
    Progress,
)
from evoscope.engine.searches.cegar.authoring import Tried
from evoscope.engine.searches.cegar.certificate import Abandoned, Failure, certificate
from evoscope.engine.searches.cegar.outcome import RoundResult
from evoscope.engine.searches.cegar.partition import BlindSpot
from evoscope.engine.searches.cegar.search import ending_of, given_up_now
from evoscope.engine.searches.cegar.verdicts import Member, Verdict


def spot(number: int) -> BlindSpot:
    name = f"t{number}"
    return BlindSpot((Verdict.PASS,), (Member(name, 0),), (Member(name, 1),))


def fail_all(progress: Progress, spots: list[BlindSpot]) -> tuple[Progress, list[object]]:
    """Let every attempt fail until the search ends."""
    log: list[object] = []
    while True:
        step = progress.next(spots)
        if isinstance(step, End):
            return progress, [*log, step.ending]
        if isinstance(step, Abandon):
            log.append(("abandon", step.target.key))
            progress = progress.abandon(step)
        else:
            log.append((step.target.key, step.attempt, step.level))
            progress = progress.called().failed(step)


def test_three_narrow_then_three_wide_attempts_then_the_next_target() -> None:
    spots = [spot(1), spot(2)]
    progress, log = fail_all(Progress(), spots)
    first, second = (s.key for s in spots)
    expected: list[object] = []
    for key in (first, second):
        expected += [(key, n, 1 if n < 3 else 2) for n in range(6)] + [("abandon", key)]
    assert log == [*expected, "insufficient"]
    assert (progress.round, progress.calls) == (2, 12)


def test_without_escalation_all_six_attempts_are_narrow() -> None:
    _, log = fail_all(Progress(LEVEL_1_ONLY), [spot(1)])
    assert [entry[2] for entry in log[:6] if isinstance(entry, tuple)] == [1] * 6
    assert log[-1] == "insufficient"


def test_rounds_or_calls_that_run_out_leave_no_certificate() -> None:
    progress, log = fail_all(Progress(), [spot(n) for n in range(9)])
    assert log[-1] == "incomplete" and progress.round == 8 and progress.calls == 48
    progress, log = fail_all(Progress(Limits(calls=10)), [spot(n) for n in range(9)])
    assert log[-1] == "incomplete" and progress.calls == 10


def test_targets_all_abandoned_in_the_last_round_are_insufficient_not_incomplete() -> None:
    _, log = fail_all(Progress(Limits(rounds=2)), [spot(1), spot(2)])
    assert log[-1] == "insufficient"


def test_an_admission_ends_the_round_and_starts_at_level_one_again() -> None:
    progress = Progress()
    step = progress.next([spot(1)])
    assert isinstance(step, Attempt)
    progress = progress.called().failed(step).called().admitted()
    step = progress.next([spot(1)])
    assert isinstance(step, Attempt)
    assert (step.round, step.attempt, step.level, progress.calls) == (1, 0, 1, 2)
    assert progress.next([]) == End("separated")


def test_a_target_that_vanishes_mid_round_gives_way_to_the_first_that_is_left() -> None:
    progress = Progress()
    step = progress.next([spot(1), spot(2)])
    assert isinstance(step, Attempt)
    after = progress.called().failed(step).next([spot(2)])
    assert isinstance(after, Attempt)
    assert (after.target, after.attempt) == (spot(2), 0)


def test_any_course_of_outcomes_ends_within_its_limits() -> None:
    for seed in range(200):
        rng = random.Random(seed)
        progress, spots = Progress(), [spot(n) for n in range(rng.randint(0, 12))]
        for _ in range(500):
            step = progress.next(spots)
            if isinstance(step, End):
                break
            if isinstance(step, Abandon):
                progress = progress.abandon(step)
            elif rng.random() < 0.2:
                progress, spots = progress.called().admitted(), spots[1:]
            else:
                progress = progress.called().failed(step)
        assert isinstance(step, End)
        assert progress.round <= 8 and progress.calls <= 48
        left = {s.key for s in spots}
        assert (step.ending == "insufficient") is (bool(left) and left <= progress.abandoned)


def test_the_certificate_names_every_distinction_and_hashes_itself() -> None:
    failures = (Failure(1, "gate", "helped 2"), Failure(2, "screen", "searches source text"))
    given = [Abandoned(spot(1), "hidden", 0, failures)]
    first = certificate(given, ["op-1"], "e" * 64)
    assert first == certificate(given, ["op-1"], "e" * 64)
    assert first["sha256"] != certificate(given, ["op-2"], "e" * 64)["sha256"]
    distinctions = first["distinctions"]
    assert isinstance(distinctions, list) and isinstance(distinctions[0], dict)
    assert distinctions[0]["pair"] == {
        "correct": {"task": "t1", "sample": 0},
        "incorrect": {"task": "t1", "sample": 1},
    }
    assert len(distinctions) == 1 and str(distinctions[0]["attempts"]).count("level") == 2


def abandoned(class_: BlindSpot, attempts: int) -> RoundResult:
    failures = tuple(Tried(1, "gate", "helped 2", "") for _ in range(attempts))
    return RoundResult("abandoned", attempts, class_.key, "hidden", None, failures)


def test_only_todays_blind_spots_that_defeated_every_attempt_are_given_up() -> None:
    split, kept, skipped = spot(1), spot(2), spot(3)
    results = [abandoned(split, 6), abandoned(kept, 6), abandoned(skipped, 2)]
    signed = replace(kept, signature=(*kept.signature, Verdict.PASS))
    found = given_up_now(results, [signed, skipped], 6)
    assert [(one.target, one.round) for one in found] == [(signed, 1)]


@pytest.mark.parametrize(
    ("last", "left", "lost", "ended"),
    [
        ("insufficient", 2, 2, "insufficient"),
        ("insufficient", 2, 1, "incomplete"),
        ("separated", 0, 0, "separated"),
        ("separated", 1, 0, "incomplete"),
        ("abandoned", 1, 1, "incomplete"),
        ("admitted", 0, 0, "incomplete"),
        ("pooled", 3, 0, "pooled"),
    ],
)
def test_a_veto_or_a_skipped_target_at_the_end_leaves_a_search_incomplete(
    last: str, left: int, lost: int, ended: str
) -> None:
    assert ending_of(last, left, lost) == ended

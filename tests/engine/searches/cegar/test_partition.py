"""Signatures, blind spots, targets and what an operator must do to one."""

from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.searches.cegar.partition import (
    BlindSpot,
    adds_distinction,
    blind_spots,
    next_target,
    shrinks,
)
from evoscope.engine.searches.cegar.verdicts import (
    LETTERS,
    Member,
    Signature,
    Verdict,
    letters,
    signatures,
    votes,
)

F, A, P = Verdict.FLAG, Verdict.ABSTAIN, Verdict.PASS


def signature(text: str) -> Signature:
    return tuple(Verdict(LETTERS.index(letter)) for letter in text)


def members(
    rows: list[tuple[str, bool, str]],
) -> tuple[dict[Member, Signature], dict[Member, bool]]:
    signed = {Member(t, n): signature(s) for n, (t, _, s) in enumerate(rows)}
    return signed, {Member(t, n): right for n, (t, right, _) in enumerate(rows)}


WORKED = [
    ("t", True, "PAP"),
    ("t", False, "PAP"),
    ("u", True, "PAP"),
    ("t", False, "FAP"),
    ("t", False, "PPP"),
    ("u", True, "PPP"),
    ("u", False, "PPP"),
]


def test_the_worked_example_has_two_blind_spots_of_three() -> None:
    spots = blind_spots(*members(WORKED))
    assert [(letters(s.signature), s.size, len(s.incorrect)) for s in spots] == [
        ("PPP", 3, 2),
        ("PAP", 3, 1),
    ]
    merged = blind_spots(*members([(t, c, s.replace("A", "P")) for t, c, s in WORKED]))
    assert [spot.size for spot in merged] == [6]  # what reading abstain as pass would give


def test_equal_classes_are_tried_in_the_order_flag_abstain_pass() -> None:
    rows = [("t", right, text) for text in ("P", "F", "A") for right in (True, False)]
    assert [letters(s.signature) for s in blind_spots(*members(rows))] == ["F", "A", "P"]


def test_the_pair_is_of_one_task_where_there_is_one() -> None:
    rows = [("a", True, "P"), ("b", False, "P"), ("b", True, "P"), ("c", False, "P")]
    (spot,) = blind_spots(*members(rows))
    assert spot.pair == (Member("b", 2), Member("b", 1))
    apart = BlindSpot((P,), (Member("a", 0),), (Member("b", 1),))
    assert apart.pair == (Member("a", 0), Member("b", 1))


def test_abandonment_follows_the_members_not_the_signature() -> None:
    spots = blind_spots(*members(WORKED))
    longer = blind_spots(*members([(t, c, s + "P") for t, c, s in WORKED]))
    assert [s.key for s in spots] == [s.key for s in longer]
    assert next_target(longer, {spots[0].key}) == longer[1]
    assert next_target(longer, {s.key for s in spots}) is None


def test_shrinking_needs_a_split_and_a_flagged_incorrect_member() -> None:
    spot = blind_spots(*members(WORKED))[0]
    wrong, right = spot.incorrect, spot.correct
    column = dict.fromkeys(spot.members, P)
    assert not shrinks(spot, column)
    assert not shrinks(spot, dict.fromkeys(spot.members, F))
    assert not shrinks(spot, {**column, wrong[0]: A})
    assert not shrinks(spot, {**column, right[0]: F})
    assert shrinks(spot, {**column, wrong[0]: F})


columns = st.lists(st.lists(st.sampled_from(list(Verdict)), min_size=6, max_size=6), max_size=3)


@given(columns, st.lists(st.sampled_from(list(Verdict)), min_size=6, max_size=6))
def test_an_operator_adds_a_distinction_exactly_if_it_refines_the_partition(
    pool: list[list[Verdict]], new: list[Verdict]
) -> None:
    order = [Member("t", n) for n in range(6)]
    mapped = [dict(zip(order, column, strict=True)) for column in pool]
    column = dict(zip(order, new, strict=True))
    before = signatures(mapped, order)
    after = signatures([*mapped, column], order)
    refined = len(set(after.values())) > len(set(before.values()))
    assert adds_distinction(before, column) is refined


@given(st.lists(st.sampled_from(list(Verdict)), max_size=6), st.integers(1, 3))
def test_a_vote_counts_flags_only(verdicts: list[Verdict], least: int) -> None:
    assert votes(verdicts, least) is (letters(verdicts).count("F") >= least)

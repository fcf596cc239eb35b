"""Labels against gates: who is compared, who decides, what is undefined."""

from evoscope.engine.report.labels import Labelled, label_table, labelled
from evoscope.engine.store.labels import Candidate

POOL = (
    Candidate("a", "case", True, "hash", {}),
    Candidate("b", "case", False, "hash", {"correct": True, "realistic": False}),
    Candidate("c", "case", False, "hash", {"correct": False}),
)


def rows(found: tuple[Labelled, ...]) -> dict[tuple[str, str], tuple[object, ...]]:
    table = label_table(found)
    assert table is not None
    return {(str(row[0]), str(row[2])): row[3:] for row in table.rows}


def test_no_label_is_no_table() -> None:
    assert label_table(labelled(POOL, [])) is None


def test_most_of_the_people_decide_and_a_split_is_left_out() -> None:
    said = [("b", "correct", answer) for answer in ("yes", "yes", "no")]
    said += [("c", "correct", "yes"), ("c", "correct", "no")]
    found = labelled(POOL, said)
    assert [(each.human, each.gate) for each in found] == [(True, True), (None, False)]
    assert rows(found)["correct", "all"] == (1, 100.0, 1, 100.0, 100.0, None, 1.0)
    table = label_table(found)
    assert table is not None and "Left out because people split: 1." in table.notes


def test_without_a_gate_s_verdict_nothing_is_compared() -> None:
    found = labelled(POOL, [("a", "realistic", "no"), ("c", "realistic", "yes")])
    assert rows(found) == {
        ("realistic", "all"): (2, 50.0, 0, None, None, None, None),
        ("realistic", "original"): (1, 0.0, 0, None, None, None, None),
        ("realistic", "generated"): (1, 100.0, 0, None, None, None, None),
    }


def test_labels_of_nodes_outside_the_pool_count_nowhere() -> None:
    assert labelled(POOL, [("gone", "correct", "yes")]) == ()

"""The judge and the pool as flag sets, and which of several is chosen: by hand-made splits."""

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.benchmarks.code_tasks.tasks import Task
from evoscope.engine.report.cegar_baselines import baseline_tables, best_single
from evoscope.engine.report.cegar_compared import Compared, Comparisons, JudgeSaid
from evoscope.engine.report.cegar_judged import best_judge
from evoscope.engine.report.cegar_read import Judged
from evoscope.engine.report.tables import Table
from evoscope.engine.searches.cegar.bench import Operator
from evoscope.engine.searches.cegar.training import Labelled
from evoscope.engine.searches.cegar.verdicts import Member, Verdict

PLACES = range(6)
MEMBERS = [Member(task, place) for task in ("a", "b") for place in PLACES]
FLAGS = st.sets(st.sampled_from(MEMBERS))


def split() -> Labelled:
    """Two tasks of six programs; the first two of each are wrong."""
    tasks = tuple(Task(name, "own", "", "f", "", (), ()) for name in ("a", "b"))
    samples = {task.id: tuple(f"{task.id}{place}" for place in PLACES) for task in tasks}
    right = tuple(tuple(place > 1 for place in PLACES) for _ in tasks)
    return Labelled(tasks, samples, ((True,) * 6,) * 2, right, (), "e")


def column(flags: set[Member]) -> dict[Member, Verdict]:
    return {m: Verdict.FLAG if m in flags else Verdict.PASS for m in MEMBERS}


def judge(name: str, flags: set[Member]) -> JudgeSaid:
    return JudgeSaid(name, "m", "word", 12, column(flags))


def run_of(pool: set[Member]) -> Any:
    """All that these tables read of a run."""
    return SimpleNamespace(
        starting=(), admitted=("one",), seed=0,
        flagged=lambda judged: {member: member in pool for member in MEMBERS},
    )  # fmt: skip


def dicts(table: Table) -> dict[str, dict[str, Any]]:
    names = [one.name for one in table.columns]
    return {str(row[0]): dict(zip(names, row, strict=True)) for row in table.rows}


@given(FLAGS, FLAGS)
def test_the_parts_of_two_flag_sets_add_up_to_them(pool: set[Member], said: set[Member]) -> None:
    judged, one = Judged(split(), {}), judge("judge, word", said)
    found = Comparisons((), (), (one,), judged)
    tables = baseline_tables(run_of(pool), found, None, {"training": (one,)})
    rows = dicts(tables["flag_algebra"])
    flags = {name: row["flags"] for name, row in rows.items()}
    assert flags["pool"] == len(pool) == flags["pool only"] + flags["both"]
    assert flags["judge"] == len(said) == flags["judge only"] + flags["both"]
    assert flags["either"] == len(pool | said)
    (note,) = [n for n in tables["flag_algebra"].notes if "Jaccard" in n]
    if pool | said:
        assert f"{len(pool & said) / len(pool | said):.3f}" in note


@given(FLAGS)
def test_a_judges_row_reads_it_as_a_classifier(said: set[Member]) -> None:
    judged, one = Judged(split(), {}), judge("judge, word", said)
    found = Comparisons((), (), (one,), judged)
    table = baseline_tables(run_of(set()), found, None, {"training": (one,)})["judge"]
    row = dicts(table)["m"]
    wrong = {member for member in MEMBERS if member.sample < 2}
    assert row["recall"] == len(said & wrong) / len(wrong)
    assert row["precision"] == (len(said & wrong) / len(said) if said else None)
    assert row["accuracy"] == (len(MEMBERS) - len(said ^ wrong)) / len(MEMBERS)
    assert row["false alarms"] == len(said - wrong) / 8


def test_the_best_judge_is_chosen_on_training_and_the_first_of_equals() -> None:
    judged = Judged(split(), {})
    worse, good, same = (
        judge("x", set()),
        judge("y", {Member("a", 0)}),
        judge("z", {Member("b", 1)}),
    )
    assert best_judge(judged, [worse, good, same]) is good
    assert best_judge(judged, [same, good, worse]) is same
    assert best_judge(judged, []) is None


def test_the_best_single_check_has_the_largest_training_f1() -> None:
    operators = [Operator(name, 1, "", name) for name in ("precise", "broad", "noisy")]
    wrong = {member for member in MEMBERS if member.sample < 2}
    flags = {"precise": {Member("a", 0)}, "broad": wrong, "noisy": set(MEMBERS)}
    training = Judged(split(), {name: column(found) for name, found in flags.items()})
    assert best_single(operators, training) == operators[1]
    assert best_single([], training) is None
    assert best_single([operators[0], operators[0]], training) is operators[0]


def test_induction_is_combined_in_three_ways_and_held_out_labels_change_none() -> None:
    operators = tuple(Operator(name, 2, "", name) for name in ("one", "two"))
    both, only = Member("a", 0), Member("b", 0)
    columns = {"one": column({both, only}), "two": column({both})}
    judged = Judged(split(), columns)
    turned = split()
    held = Labelled(
        turned.tasks, turned.samples, turned.visible,
        tuple(tuple(not one for one in row) for row in turned.right), (), "h",
    )  # fmt: skip
    found = Comparisons((), (Compared("level 2", 5, (), operators, "done"),), (), judged)
    table = baseline_tables(run_of(set()), found, Judged(held, columns), {})["induction"]
    flags = {(row[1], row[2]): row[10] for row in table.rows}
    assert [one.name for one in table.columns][10] == "flags"
    for name in ("training", "held out"):
        assert flags["any flag", name] == 2 and flags["two votes", name] == 1
        assert flags["best single: one", name] == 2


@given(st.lists(FLAGS, min_size=1, max_size=4))
def test_one_filter_of_all_hand_written_flags_what_any_of_them_does(
    flags: list[set[Member]],
) -> None:
    starting = tuple(Operator(f"hand/{n}", 1, "", f"o{n}") for n in range(len(flags)))
    judged = Judged(split(), {o.node: column(f) for o, f in zip(starting, flags, strict=True)})
    run = run_of(set())
    run.starting = starting
    rows = dicts(baseline_tables(run, Comparisons((), (), (), judged), None, {})["hand_written"])
    assert [rows[f"o{n}"]["flags"] for n in range(len(flags))] == [len(one) for one in flags]
    whole = rows["all hand-written, as one filter"]
    assert whole["flags"] == len(set().union(*flags)) and whole["calls"] == 0

"""Cegar's tables over rules, benchmarks, classes and criteria against their plain definitions."""

import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from evoscope.engine.benchmarks.code_tasks.tasks import Task
from evoscope.engine.export_cegar import contents
from evoscope.engine.report import cegar_rules
from evoscope.engine.report.cegar_classes import classes_table, flag_set, rarefaction_table, words
from evoscope.engine.report.cegar_composition import HALVES, composed, composition_tables
from evoscope.engine.report.cegar_costs import (
    attempts_table,
    budget_table,
    cost_table,
    sensitivity_table,
)
from evoscope.engine.report.cegar_pools import ALL, pool_votes, pools_table, power_table
from evoscope.engine.report.cegar_read import Attempted, CegarRun, Judged, Source
from evoscope.engine.report.cegar_report import cegar_report, operators_table
from evoscope.engine.report.cegar_rules import (
    CHOSEN,
    COMPARATOR,
    FILTER,
    POOL,
    UNION,
    Rule,
    ordinal,
    paired_table,
    rules,
)
from evoscope.engine.report.tables import Table
from evoscope.engine.searches.cegar.bench import Operator
from evoscope.engine.searches.cegar.metric import score
from evoscope.engine.searches.cegar.training import Labelled
from evoscope.engine.searches.cegar.verdicts import Member, Verdict
from evoscope.engine.stats.ranks import wilcoxon_paired

Cells = Sequence[tuple[bool, tuple[Verdict, ...]]]
OPERATORS = tuple(
    Operator(f"target-{n}/0", 2, f"def op(task, code, ctx):\n    return {n}\n", f"op{n}")
    for n in range(1, 5)
)
VERDICTS = st.sampled_from(list(Verdict))
MEMBERS = st.tuples(st.booleans(), st.tuples(*[VERDICTS] * len(OPERATORS)))
TASKS = st.lists(st.lists(MEMBERS, max_size=5), min_size=2, max_size=7)
POOLS = ("first", "second")


def judged(tasks: Sequence[Cells]) -> Judged:
    """A split of these tasks: of each member whether it is right and what each operator says."""
    made = tuple(Task(f"t{n}", "own", "", "f", "", (), ()) for n in range(len(tasks)))
    split = Labelled(
        made,
        {t.id: tuple(f"p{n}" for n in range(len(own))) for t, own in zip(made, tasks, strict=True)},
        tuple(tuple(True for _ in own) for own in tasks),
        tuple(tuple(right for right, _ in own) for own in tasks),
        (), "electorate",
    )  # fmt: skip
    columns = {
        operator.node: {
            Member(task.id, place): said[number]
            for task, own in zip(made, tasks, strict=True)
            for place, (_, said) in enumerate(own)
        }
        for number, operator in enumerate(OPERATORS)
    }
    return Judged(split, columns, {t.id: POOLS[n % 2] for n, t in enumerate(made)})


def run_of(training: Judged, **changes: object) -> CegarRun:
    known: dict[str, object] = {
        "name": "run", "seed": 5, "training": training, "starting": (), "admitted": OPERATORS,
        "vetoed": (), "rounds": (), "attempts": (), "ended": "incomplete", "certificate": None,
        "calls": 7, **changes,
    }  # fmt: skip
    return CegarRun(**known)  # type: ignore[arg-type]


def column(table: Table, name: str) -> list[object]:
    place = [one.name for one in table.columns].index(name)
    return [row[place] for row in table.rows]


@given(TASKS)
@settings(max_examples=40, deadline=None)
def test_what_benchmarks_gain_adds_up_to_the_whole(tasks: Sequence[Cells]) -> None:
    held = judged(tasks)
    for rule in rules(run_of(held), held, (0, 1)):
        parts = pool_votes(held, rule)
        assert set(parts) == {ALL, *POOLS}
        apart = sum((score(parts[p]).delta * len(parts[p]) for p in POOLS), Fraction(0))
        assert apart == score(parts[ALL]).delta * len(tasks)


@given(TASKS)
@settings(max_examples=40, deadline=None)
def test_rules_flag_what_their_votes_say(tasks: Sequence[Cells]) -> None:
    held = judged(tasks)
    found = {rule.name: rule for rule in rules(run_of(held), held, (0, 2))}
    for member in held.split.accepted:
        flags = [held.columns[o.node][member] is Verdict.FLAG for o in OPERATORS]
        assert found[POOL].flagged(member) == (sum(flags) >= 2)
        assert found[UNION].flagged(member) == any(flags)
        assert found[CHOSEN].flagged(member) == (flags[0] and flags[2])


@given(TASKS)
@settings(max_examples=25, deadline=None)
def test_the_criteria_stand_where_direct_counting_puts_them(tasks: Sequence[Cells]) -> None:
    training, held = judged(tasks), judged([*tasks[1:], tasks[0]])
    found = composed(run_of(training), held)
    assert found is not None and found.ends == ("held out", *POOLS, *HALVES)
    table = composition_tables(found)["robustness"]
    subsets = [s for k in range(1, 5) for s in combinations(range(4), k)]
    for end in found.ends:
        kept = _tasks_of(held, end, run_of(training).seed)
        deltas = {s: _delta(held, s, kept) for s in subsets}
        for choice, delta, place in zip(
            found.choices, column(table, f"Delta, {end}"), column(table, f"percentile, {end}"),
            strict=True,
        ):  # fmt: skip
            own = deltas[choice.members]
            assert delta == pytest.approx(float(own))
            below = sum(one < own for one in deltas.values())
            assert place == pytest.approx(100 * below / len(subsets))


def _tasks_of(held: Judged, end: str, seed: int) -> set[str]:
    from evoscope.engine.stats.halves import halves

    names = [task.id for task in held.split.tasks]
    halved = dict(zip(HALVES, halves(names, seed), strict=True))
    if end in halved:
        return set(halved[end])
    return {name for name in names if end in ("held out", held.pools[name])}


def _delta(held: Judged, subset: Sequence[int], kept: set[str]) -> Fraction:
    """A subset's Delta under two votes, one task after the other."""
    total = Fraction(0)
    for name in kept:
        members = [m for m in held.split.accepted if m.task == name]
        right = {m: held.split.accepted[m] for m in members}
        said = {
            m: sum(held.columns[OPERATORS[n].node][m] is Verdict.FLAG for n in subset) >= 2
            for m in members
        }
        left = [m for m in members if not said[m]] or members
        if members:
            total += Fraction(sum(right[m] for m in left), len(left))
            total -= Fraction(sum(right.values()), len(members))
    return total / len(kept)


@given(st.lists(st.fractions(-1, 1, max_denominator=12), max_size=12))
def test_ordinals_keep_signs_order_and_ties(values: list[Fraction]) -> None:
    made = ordinal(values)
    for (a, x), (b, y) in combinations(zip(values, made, strict=True), 2):
        assert (abs(a) < abs(b)) == (abs(x) < abs(y)) and (abs(a) == abs(b)) == (abs(x) == abs(y))
    assert [(v > 0) - (v < 0) for v in values] == [(m > 0) - (m < 0) for m in made]


def test_a_paired_test_is_wilcoxons_on_the_tasks_that_differ() -> None:
    values = [Fraction(1, 3), Fraction(-1, 4), Fraction(1, 6), Fraction(0), Fraction(2, 3)]
    found = wilcoxon_paired(ordinal(values))
    plain = wilcoxon(np.array([float(v) for v in values if v]))
    assert found is not None and found.p == pytest.approx(plain.pvalue) and found.n == 4
    f, p = Verdict.FLAG, Verdict.PASS
    held = judged([[(True, (p, f, p, p)), (False, (f, p, p, p))] for _ in range(6)])
    good, bad = (
        Rule(n, held.columns[o.node].get) for n, o in zip((POOL, "b"), OPERATORS[:2], strict=True)
    )  # type: ignore[arg-type]
    flags = [
        Rule(rule.name, lambda m, r=rule: r.flagged(m) is f)  # type: ignore[misc]
        for rule in (good, bad)
    ]
    (row,) = paired_table("held out", held, flags).rows
    assert row[:6] == ("b", POOL, 6, 0, 6, -1.0)
    assert row[6] == pytest.approx(2 / 2**6) and row[7] == row[6]


def test_power_is_a_perfect_operator_against_its_null() -> None:
    p = (Verdict.PASS,) * 4
    rich = judged([[(True, p), (False, p), (False, p)] for _ in range(12)])
    poor = judged([[(True, p), (False, p)], [(True, p)], [(False, p)]])
    table = power_table({"training": rich, "held out": poor}, 3)
    rows = {(row[0], row[1]): row for row in table.rows}
    assert rows["training", ALL][-1] == "yes" and rows["held out", ALL][-1] == "no"
    assert rows["training", ALL][4] == pytest.approx(2 / 3)
    wrong = {m for m, right in rich.split.accepted.items() if not right}
    assert rows["training", ALL][5] == float(cegar_rules.tested(rich, wrong.__contains__, 3)[1].p)


def test_table_2_adjusts_a_rules_p_by_its_benchmarks() -> None:
    f, p = Verdict.FLAG, Verdict.PASS
    held = judged([[(True, (p, p, p, p)), (False, (f, f, p, p))] for _ in range(8)])
    table = pools_table(held, rules(run_of(held), held, ())[:1], 3)
    assert column(table, "benchmark") == [ALL, *POOLS]
    assert column(table, "tasks") == [8, 4, 4] and column(table, "helped") == [8, 4, 4]
    ps, adjusted = column(table, "p"), column(table, "p, Bonferroni")
    assert adjusted[0] is None
    assert adjusted[1:] == [min(1.0, 2 * p) for p in ps[1:]]  # type: ignore[operator]


def test_a_screen_of_operators_is_adjusted_by_benjamini_and_hochberg() -> None:
    f, p = Verdict.FLAG, Verdict.PASS
    held = judged([[(True, (p, f, p, p)), (False, (f, p, p, p))] for _ in range(8)])
    table = operators_table(run_of(held), {"training": held})
    ps, adjusted = column(table, "p"), column(table, "p, Benjamini-Hochberg")
    ordered = sorted(zip(ps, adjusted, strict=True))  # type: ignore[type-var]
    expected = [
        min(q * 4 / rank for rank, (q, _) in enumerate(ordered, 1) if rank >= place)  # type: ignore[operator]
        for place in range(1, 5)
    ]
    assert [value for _, value in ordered] == [pytest.approx(min(1.0, e)) for e in expected]


def test_classes_count_equal_flag_sets_and_leave_silent_operators_out() -> None:
    f, p, a = Verdict.FLAG, Verdict.PASS, Verdict.ABSTAIN
    held = judged([[(True, (p, a, p, p)), (False, (f, f, f, p)), (False, (p, p, f, p))]])
    table = classes_table(run_of(held), {"training": held})
    row = dict(zip((c.name for c in table.columns), table.rows[1], strict=True))
    assert (row["operators"], row["classes"], row["largest"], row["pairs"]) == (3, 2, 2, 3)
    assert row["% of pairs alike"] == pytest.approx(100 / 3) and row["median Jaccard"] == 0.5
    assert flag_set(held, OPERATORS[3]) == frozenset()
    assert words("x = 1  # why\n") == words("x  =  1\n") == {"x", "=", "1"}


@given(st.lists(st.lists(st.integers(0, 3), max_size=4, unique=True), min_size=1, max_size=5))
def test_rarefaction_is_the_mean_over_all_subsets_of_runs(owned: list[list[int]]) -> None:
    f, p = Verdict.FLAG, Verdict.PASS
    one = [(False, tuple(f if n == k else p for n in range(4))) for k in range(3)]
    held = judged([one])  # operator 4 flags nothing
    runs = [[OPERATORS[n] for n in own] for own in owned]
    for count, expected, _ in rarefaction_table("training", held, runs).rows:
        assert isinstance(count, int)
        sizes = [len(set().union(*s) - {3}) for s in combinations(owned, count)]
        assert expected == pytest.approx(sum(sizes) / len(sizes))


def attempt(level: int, stopped: str, silent: bool | None, **figures: object) -> Attempted:
    return Attempted("n", "u", "op", level, stopped, "", figures, "rejected", silent)


def test_the_ledger_tells_ends_abstentions_and_what_another_floor_would_admit() -> None:
    attempts = (
        attempt(1, "admission", False, helped=2, hurt=0, delta="1/50"),
        attempt(1, "shrinks", True),
        attempt(1, "author", None),
        attempt(2, "", False, helped=3, hurt=1, delta="1/50"),
        attempt(2, "admission", False, helped=5, hurt=5, delta="1/50"),
        attempt(2, "admission", False, helped=4, hurt=1, delta="-1/50"),
    )
    run = run_of(judged([[], []]), attempts=attempts)
    floors = {(r[0], r[1]): r[2:] for r in sensitivity_table(run).rows}
    assert floors[1, 2] == (1, 1) and floors[1, 3] == (1, 0)
    assert floors[2, 3] == (3, 1) and floors[2, 4] == (3, 0)
    ends = {(r[0], r[1]): r[2:] for r in attempts_table(run).rows}
    assert ends[1, "abstains everywhere, of 2 run"] == (1, 50.0)
    assert ends[2, "admitted"] == (1, pytest.approx(100 / 3))


def test_costs_hold_the_authors_calls_against_one_a_distinct_candidate() -> None:
    p = (Verdict.PASS,) * 4
    held = judged([[(True, p), (False, p)], [(True, p)]])
    alone = {r[0]: r[1:] for r in cost_table(run_of(held), {"held out": held}).rows}
    assert alone["author"] == (7, 4, None)
    assert alone["a judge, one pass over held out"] == (3, None, pytest.approx(3 / 7))
    sources = (Source("a", 4, 3), Source("b", 2, 1))
    merged = {r[0]: r[1:] for r in cost_table(run_of(held, sources=sources, calls=0), {}).rows}
    assert merged["author, all runs"] == (6, 4, None) and merged["author, run b"] == (2, 1, None)


def test_the_transfer_budget_counts_decidable_tasks_pairs_and_labels() -> None:
    f, p = Verdict.FLAG, Verdict.PASS
    training = judged(
        [
            [(True, (p, p, p, p)), (True, (f, p, p, p)), (False, (p, f, p, p))],
            [(True, (p, p, p, p))],
            [],
        ]
    )
    told = dict(budget_table(run_of(training)).rows)  # type: ignore[arg-type]
    assert told["training tasks"] == 3 and told["decidable ones"] == 1
    assert told["pairs of a right and a wrong candidate"] == 2
    assert told["labelled candidates"] == 4
    assert told["labelled candidates that some operator flags"] == 2


def test_a_report_of_a_pool_has_every_table_on_both_splits() -> None:
    f, p = Verdict.FLAG, Verdict.PASS
    right, wrong = (True, (p, p, f, p)), (False, (f, f, p, p))
    split = judged([[right, wrong, right] for _ in range(6)] + [[wrong]])
    sources = (Source("a", 4, 2), Source("b", 2, 2))
    admitted = tuple(
        Operator(f"run{1 + n // 2}/{o.node}", o.level, o.source, o.name)
        for n, o in enumerate(OPERATORS)
    )
    renamed = Judged(
        split.split,
        {a.node: split.columns[o.node] for a, o in zip(admitted, OPERATORS, strict=True)},
        split.pools,
    )
    run = run_of(renamed, admitted=admitted, sources=sources)
    report = cegar_report(run, renamed, {})
    assert {
        "effect", "benchmarks", "power", "gate_floors", "attempts", "classes",
        "rarefaction_training", "rarefaction_held_out", "robustness", "paired", "cost",
        "transfer_budget", "criteria", "sweep", "landscape",
    } <= set(report.tables)  # fmt: skip
    for table in report.tables.values():
        assert all(len(row) == len(table.columns) for row in table.rows), table.title
    assert len(report.tables["sweep"].rows) == 12
    assert any("Split-half" in note for note in report.tables["robustness"].notes)
    effect = report.tables["effect"]
    rows = [row for row in effect.rows if row[1] == "held out"]
    asked = {row[0]: row[-2] for row in rows}
    assert [c.name for c in effect.columns][-2:] == ["author calls", "judge calls"]
    assert not any(row[-1] for row in rows)
    hand = {COMPARATOR, FILTER}
    assert all(calls == (0 if name in hand else 6) for name, calls in asked.items())
    place = [c.name for c in effect.columns].index("p, Bonferroni")
    assert all(row[place] == min(1.0, len(rows) * row[place - 1]) for row in rows)  # type: ignore[operator]


def test_a_veto_of_an_operator_under_the_certificate_contests_it() -> None:
    held = judged([[(True, (Verdict.PASS,) * 4), (False, (Verdict.FLAG,) * 4)]])
    sealed = {"pool": ["a", "b"], "sha256": "e" * 64}
    for vetoed, lines in (((), 0), (("c",), 0), (("b", "c"), 1)):
        run = run_of(held, certificate=sealed, vetoed=vetoed)
        told = [line for line in cegar_report(run, held, {}).banner if "contested: b" in line]
        assert len(told) == lines
        kept = json.loads(contents(run)["evoscope_pool/certificate.json"])
        assert kept == (None if lines else sealed)

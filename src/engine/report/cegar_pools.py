"""Table 2: each rule on each held-out benchmark, and whether that benchmark could show anything."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..searches.cegar.metric import Vote
from ..stats.counts import bonferroni
from .cegar_read import Judged
from .cegar_rules import Rule, percent, real, tested_votes
from .tables import Cell, Table, columns

ALL = "all"
LEVEL = Fraction(5, 100)


def pool_votes(judged: Judged, rule: Rule) -> dict[str, list[Vote]]:
    """A rule's votes by benchmark in the order of the tasks, and on all tasks."""
    cast = judged.split.votes(rule.flagged)
    found: dict[str, list[Vote]] = {ALL: cast}
    names = {judged.pools.get(task.id, "") for task in judged.split.tasks}
    if len(names) < 2:
        return found
    for task, vote in zip(judged.split.tasks, cast, strict=True):
        found.setdefault(judged.pools[task.id], []).append(vote)
    return found


def pools_table(judged: Judged, rules: Sequence[Rule], seed: int) -> Table:
    """Every rule on every benchmark, each against its own null there."""
    rows: list[tuple[Cell, ...]] = []
    for rule in rules:
        scored = {name: tested_votes(cast, seed) for name, cast in pool_votes(judged, rule).items()}
        apart = [float(null.p) for name, (_, null) in scored.items() if name != ALL]
        adjusted = dict(
            zip((name for name in scored if name != ALL), bonferroni(apart), strict=True)
        )
        rows += [
            (
                rule.name, name, found.tasks, found.decidable, float(found.delta),
                percent(found.share), float(null.p), adjusted.get(name), null.z, found.helped,
                found.hurt, real(found.false_alarms), found.flags,
            )
            for name, (found, null) in scored.items()
        ]  # fmt: skip
    return Table(
        "Rules by held-out benchmark",
        columns(
            "rule", "benchmark", ("tasks", 0), ("decidable", 0), ("Delta", 4),
            ("% of headroom", 1), ("p", 4), ("p, Bonferroni", 4), ("z", 2), ("helped", 0),
            ("hurt", 0), ("false alarms", 4), ("flags", 0),
        ),
        tuple(rows),
        ("Bonferroni: over one rule's benchmarks. Task files of one name are one benchmark.",),
    )  # fmt: skip


def power_table(splits: Mapping[str, Judged], seed: int) -> Table:
    """Whether a perfect operator clears its own null: where it doesn't, a zero says nothing."""
    rows: list[tuple[Cell, ...]] = []
    for split, judged in splits.items():
        wrong = {member for member, right in judged.split.accepted.items() if not right}
        for name, cast in pool_votes(judged, Rule("perfect", wrong.__contains__)).items():
            found, null = tested_votes(cast, seed)
            rows.append(
                (
                    split, name, found.tasks, found.decidable, float(found.headroom),
                    float(null.p), null.z, "yes" if null.p < LEVEL else "no",
                )
            )  # fmt: skip
    return Table(
        "Power: a perfect operator against its own null",
        columns(
            "split", "benchmark", ("tasks", 0), ("decidable", 0), ("headroom", 4), ("p", 4),
            ("z", 2), "enough",
        ),
        tuple(rows),
        ("Enough: p below 0.05. Elsewhere too few tasks are decidable for any rule to show.",),
    )  # fmt: skip

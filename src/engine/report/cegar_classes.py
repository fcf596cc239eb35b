"""How often a pool repeats itself: classes of texts and flag sets, rarefaction over runs, overlap.

Sources: EvalCEGAR, Section 6, Appendix H and Figure 5; Chao 1984, 1987.
"""

import io
import tokenize
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import combinations
from statistics import median

from ..searches.cegar.bench import Operator
from ..searches.cegar.gate import DUPLICATE
from ..searches.cegar.verdicts import Member, Verdict
from ..stats.sets import chao1, jaccard, rarefaction_by_unit
from .cegar_read import CegarRun, Judged
from .cegar_rules import COMPARATOR, percent, real
from .tables import Cell, Table, columns

Sets = Sequence[AbstractSet[Hashable]]


def flag_set(judged: Judged, operator: Operator) -> frozenset[Member]:
    """The members of V(t) that an operator flags: its behaviour on the split."""
    column = judged.columns[operator.node]
    return frozenset(m for m in judged.split.accepted if column[m] is Verdict.FLAG)


def words(source: str) -> frozenset[str]:
    """The distinct tokens of a program, without comments, strings that stand alone, and layout."""
    kept = (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING)
    try:
        read = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return frozenset(source.split())
    return frozenset(token.string for token in read if token.type in kept)


def classes_table(run: CegarRun, splits: Mapping[str, Judged]) -> Table:
    """Classes among the admitted operators by text, and by flag set on each split."""
    rows = [("", "text", *_redundancy([words(o.source) for o in run.admitted]))]
    rows += [
        (name, "flags", *_redundancy([flag_set(judged, o) for o in run.admitted]))
        for name, judged in splits.items()
    ]
    return Table(
        "Behavioural classes of the admitted operators",
        columns(
            "split", "layer", ("operators", 0), ("classes", 0), ("largest", 0), ("Chao1", 2),
            ("pairs", 0), ("% of pairs alike", 1), ("median Jaccard", 3),
        ),
        tuple(rows),
        (
            "One class: the same flag set, or the same set of tokens. Operators that flag nothing "
            "are left out. Alike: a Jaccard index of 0.8 or more.",
        ),
    )  # fmt: skip


def _redundancy(sets: Sets) -> tuple[Cell, ...]:
    """Members, classes, the largest one, Chao1, pairs, share of pairs alike, median index."""
    found = [one for one in sets if one]
    counts = Counter(frozenset(one) for one in found)
    indices = [index for a, b in combinations(found, 2) if (index := jaccard(a, b)) is not None]
    alike = Fraction(sum(i >= DUPLICATE for i in indices), len(indices)) if indices else None
    return (
        len(found), len(counts), max(counts.values(), default=0),
        float(chao1(list(counts.values()))), len(indices), percent(alike),
        float(median(indices)) if indices else None,
    )  # fmt: skip


def rarefaction_table(name: str, judged: Judged, runs: Sequence[Collection[Operator]]) -> Table:
    """Classes of flag sets against the number of runs, exact over all subsets of them."""
    units = [{found for o in own if (found := flag_set(judged, o))} for own in runs]
    curve = rarefaction_by_unit(units)
    before: Fraction | int = 0
    rows: list[tuple[Cell, ...]] = []
    for count, expected in enumerate(curve.expected, 1):
        rows.append((count, float(expected), float(expected - before)))
        before = expected
    return Table(
        f"Rarefaction over runs ({name})",
        columns(("runs", 0), ("classes expected", 3), ("new at the last", 3)),
        tuple(rows),
        (
            f"{curve.observed} classes: {curve.uniques} in one run only, {curve.duplicates} in "
            f"two; Chao's lower bound {float(curve.chao):.2f}. Means over all subsets of the runs, "
            "which equal those over all orders of arrival.",
        ),
    )


def overlap_table(run: CegarRun, splits: Mapping[str, Judged]) -> Table:
    """Jaccard's index of the flag sets of admitted operators and the strongest hand-written."""
    chosen = [*run.admitted, *(o for o in run.starting if o.name == COMPARATOR)]
    rows: list[tuple[Cell, ...]] = []
    for name, judged in splits.items():
        sets = {o.node: flag_set(judged, o) for o in chosen}
        for first, second in combinations(chosen, 2):
            a, b = sets[first.node], sets[second.node]
            rows.append(
                (
                    name, titled(first), titled(second), len(a), len(b), len(a & b),
                    real(jaccard(a, b)),
                )
            )  # fmt: skip
    return Table(
        "Overlap of flag sets",
        columns(
            "split", "first", "second", ("first's", 0), ("second's", 0), ("shared", 0),
            ("Jaccard", 3),
        ),
        tuple(rows),
    )  # fmt: skip


def titled(operator: Operator) -> str:
    """An operator's name; with its node where it was authored, for names repeat."""
    known = operator.node.startswith("hand/")
    return operator.name if known else f"{operator.name} ({operator.node})"

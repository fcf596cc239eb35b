"""The archive of a chase run: harnesses against benchmarks, confirmations, bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...engine.store.chase import chase_archive
from ...engine.store.reader import Reader
from ..glyphs import Glyphs
from ..lines import Column, Line, Span, one, tidy
from .chase import BASE, Facts, Trial, points, read_facts, share
from .harden import margin

REL = "rel"
BINDS = "*"
_SCORES = (
    "SELECT item, sample, node, context, num, den FROM rollout WHERE node IN (?, ?) "
    "AND context IN (?, ?) AND item IN (SELECT id FROM item WHERE split = ?)"
)


@dataclass(frozen=True, slots=True)
class Measured:
    """A gain destruction on fresh tasks with half its 95% interval; None where tasks are too few
    or all alike.

    The interval is the normal approximation over tasks, each with the mean of its rollouts.
    """

    value: Fraction | None
    half: float | None = None

    @property
    def text(self) -> str:
        """`25.0% ±12.1`."""
        half = "" if self.half is None else f" ±{100 * self.half:.1f}"
        return f"{points(self.value)}{half}"


@dataclass(frozen=True, slots=True)
class Member:
    """A benchmark of the archive, or a counterfactual that was not confirmed."""

    id: str
    place: int
    family: str
    description: str
    trial: Trial
    vetoed: bool
    disc: Measured
    conf: Measured


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the archive: a harness, a benchmark, titles of columns, or a line of text.

    `gains` and `deltas` are by benchmark; what was never measured is missing in them, and
    `measured` says whether that leaves Gamma known, or at least too high.
    """

    key: str
    node: str | None = None
    text: Line = ()
    gains: Mapping[str, Fraction] | None = None
    deltas: Mapping[str, Fraction] | None = None
    binding: str | None = None
    word: str = ""
    measured: bool = True
    member: Member | None = None
    heads: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Archive:
    """All lines in order, with the archive's benchmarks and what is said above them."""

    rows: tuple[Row, ...] = ()
    benchmarks: tuple[str, ...] = ()
    head: str = ""


def read_archive(reader: Reader) -> Archive:
    """The matrix, then confirmations, then bounds. Raises StoreError."""
    facts, found = read_facts(reader), chase_archive(reader)
    names = [one["id"] for one in found["benchmarks"][1:]]
    standing = {one["id"] for one in found["benchmarks"][1:] if not one["vetoed"]}
    rows = [_harness(facts, entry, standing) for entry in found["harnesses"]]
    confirmed = [
        _member(reader, facts, node, names)
        for node, trial in facts.trials.items()
        if trial.conf is not None
    ]
    if confirmed:
        rows.append(Row("head conf", heads=CONFIRMATIONS))
        rows += [Row(member.id, member.id, member=member) for member in confirmed]
    certified = next((s.result for s in facts.stages if s.id == "certification"), {})
    rows.append(Row("head bounds", text=one(" bounds", "accent")))
    rows += [
        Row(f"bound {place}", text=line)
        for place, line in enumerate(bound_lines(certified.get("guarantees"), facts.unconfirmed()))
    ]
    head = f"epsilon {points(share(found['epsilon']))}  eta {_eta(found['eta'])}"
    return Archive(tuple(rows), tuple(names), head)


def _eta(value: object) -> str:
    known = share(value)
    return points(known) if known is not None else "by the theory"


def _harness(facts: Facts, entry: Mapping[str, Any], standing: set[str]) -> Row:
    """Whether it passes is said of today's archive: one that failed by what it was measured on
    fails, one that passed there and was not measured on the rest is unknown."""
    measured = not entry["feasible"] or standing <= set(entry["deltas"])
    word = "no" if not entry["feasible"] else "yes" if measured else "?"
    word = "chosen" if entry["chosen"] else word
    node = facts.nodes.get(entry["id"])
    if node is not None and node.vetoed:
        word = "vetoed"
    note = f"{node.unit}  {node.origin.get('kind') or ''}" if node is not None else ""
    return Row(
        entry["id"], entry["id"], (), entry["gains"], entry["deltas"], entry["binding"], word,
        note=note, measured=measured,
    )  # fmt: skip


def _member(reader: Reader, facts: Facts, node: str, names: Sequence[str]) -> Member:
    row, trial = facts.nodes.get(node), facts.trials[node]
    families = ", ".join(map(str, row.origin.get("family") or ())) if row else "?"
    return Member(
        node,
        names.index(node) + 1 if node in names else 0,
        families,
        row.description.removeprefix("what changes: ") if row else "",
        trial,
        bool(row and row.vetoed),
        destruction(reader, node, trial, "disc"),
        destruction(reader, node, trial, f"conf{trial.round}"),
    )


def destruction(reader: Reader, node: str, trial: Trial, split: str) -> Measured:
    """The recorded gain destruction on a split, with the interval that its rollouts give."""
    value = trial.disc if split == "disc" else trial.conf
    if value is None or trial.harness is None:
        return Measured(value)
    pairs: dict[tuple[str, int], dict[tuple[str, str], float]] = {}
    for item, sample, harness, context, num, den in reader.rows(
        _SCORES, (BASE, trial.harness, REL, node, split)
    ):
        if den:
            pairs.setdefault((item, sample), {})[harness, context] = num / den
    return Measured(value, margin(task_means(pairs, trial.harness, node)) or None)


def task_means(
    pairs: Mapping[tuple[str, int], Mapping[tuple[str, str], float]], harness: str, node: str
) -> list[float]:
    """Each task's mean gain destruction over the rollouts that all four scores are known of."""
    by_task: dict[str, list[float]] = {}
    for (task, _), scores in pairs.items():
        if len(scores) == 4:
            gain = scores[harness, REL] - scores[BASE, REL]
            shifted = scores[harness, node] - scores[BASE, node]
            by_task.setdefault(task, []).append(gain - shifted)
    return [sum(values) / len(values) for values in by_task.values()]


def bound_lines(found: Mapping[str, Any] | None, rounds: Sequence[str]) -> list[Line]:
    """The guarantees as far as they hold anything; a vacuous one is marked.

    `rounds` are those whose counterfactual was not confirmed: the stopping bound speaks of them.
    """
    if not found:
        return [one("   they come with the certification", "dim")]
    lines: list[Line] = []
    if "note" in found:
        lines.append(one(f"   {tidy(str(found['note']))}", "dim"))
    lines += _bound(found, "delta_bs_at_most", "Delta_BS", "<=", "vacuous_delta")
    lines += _bound(found, "g_0_at_least", "G_0", ">=", "vacuous_gain")
    lines += _stopping(found, rounds)
    sizes = ", ".join(f"{name} {found[name]}" for name in ("k", "m", "n", "alpha", "rho")
                      if found.get(name) is not None)  # fmt: skip
    return [*lines, one(f"   with {tidy(sizes)}", "dim")]


def _bound(found: Mapping[str, Any], name: str, text: str, sign: str, vacuous: str) -> list[Line]:
    value = found.get(name)
    if isinstance(value, str):
        return [one(f"   {text}: {tidy(value)}", "dim")]
    if not isinstance(value, int | float):
        return []
    mark = "  vacuous: it holds for any harness" if found.get(vacuous) else ""
    line = f"   {text} {sign} {100 * value:.1f}%"
    return [((line, "dim" if mark else ""), (mark, "warn"))]


def _stopping(found: Mapping[str, Any], rounds: Sequence[str]) -> list[Line]:
    """Theorem 3 with the rounds it holds for, and what it assumes."""
    if not isinstance(found.get("stopping"), int | float):
        return _bound(found, "stopping", "Delta of a search that stopped", "<", "")
    if not rounds:
        text = "no tested counterfactual went unconfirmed: it holds for no harness"
        return [one(f"   stopping bound: {text}", "dim")]
    of = f"Delta of the harness of {tidy(', '.join(rounds))}"
    lines = _bound(found, "stopping", of, "<", "stopping_vacuous")
    assumed = found.get("stopping_assumes")
    return [*lines, one(f"     assumes that {tidy(str(assumed))}", "dim")] if assumed else lines


LOOKS = {
    "chosen": ("accent", "promoted"), "yes": ("ok", "passed"), "no": ("warn", "failed"),
    "vetoed": ("bad", "vetoed"), "?": ("dim", "proposed"),
}  # fmt: skip
"""A harness's style, and the state whose mark it gets, by what is said of it."""


def matrix_columns(names: Sequence[str], width: int) -> tuple[Column, ...]:
    """G_rel, then gain and Delta for each counterfactual, below 76 cells the Delta alone."""
    both = width >= 76
    wide = [
        Column(f"b{place} gain, D" if both else f"b{place} D", 12 if both else 6, "right")
        for place, _ in enumerate(names, 1)
    ]
    return (
        Column("", 1), Column("harness", 14, middle=True), Column("G_rel", 6, "right"), *wide,
        Column("Gamma", 6, "right"), Column("pass", 6), Column("", 0),
    )  # fmt: skip


def matrix_cells(row: Row, names: Sequence[str], width: int, glyphs: Glyphs) -> list[Span]:
    """A harness's cells in points of 100; a star marks the constraint that binds."""
    gains, deltas = row.gains or {}, row.deltas or {}
    style, state = LOOKS[row.word]
    cells: list[Span] = []
    for name in names:
        mark = BINDS if row.binding == name else " "
        delta = f"{_number(deltas.get(name))}{mark}"
        text = f"{_number(gains.get(name))} {delta:>6}" if width >= 76 else delta
        cells.append((text, "warn" if mark == BINDS else ""))
    gamma = max(deltas.values(), default=None) if row.measured else None
    return [
        (glyphs.of(state), style),
        (tidy(row.key), style),
        (_number(gains.get(REL)), ""),
        *cells,
        (_number(gamma, sign=False), "warn" if row.word == "no" else ""),
        (row.word, style),
        (tidy(row.note), "dim"),
    ]


def _number(value: Fraction | None, *, sign: bool = True) -> str:
    if value is None:
        return "?"
    return f"{100 * float(value):{'+' if sign else ''}.1f}"


MEMBER_COLUMNS = (
    Column("", 1),
    Column("", 3),
    Column("counterfactual", 15, middle=True),
    Column("family", 13, least=76),
    Column("D_disc", 12, "right"),
    Column("D_conf", 12, "right"),
    Column("archived", 8),
    Column("what changes", 0),
)


CONFIRMATIONS = (
    "", "", "confirmation", "family", "D_disc", "D_conf", "archived", "what changes",
)  # fmt: skip


def member_cells(member: Member, glyphs: Glyphs) -> list[Span]:
    """A confirmation: name in the matrix, D_disc and D_conf with intervals, whether it entered."""
    trial = member.trial
    word = "vetoed" if member.vetoed else f"round {trial.round}" if trial.archived else "no"
    state = "vetoed" if member.vetoed else "survivor" if trial.archived else "discarded"
    style = {"vetoed": "bad", "survivor": "accent", "discarded": "dim"}[state]
    return [
        (glyphs.of(state), style),
        (f"b{member.place}" if member.place else "", "bold"),
        (tidy(member.id), style),
        (tidy(member.family), ""),
        (member.disc.text, "dim"),
        (member.conf.text, style),
        (word, style),
        (tidy(member.description), "dim"),
    ]

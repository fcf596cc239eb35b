"""Puts the report of a chase run together (CHASE, tables 1, 2, C.4, C.6, C.7 and C.8)."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from ..model.llm import Json
from .chase_read import ChaseRun
from .tables import Cell, Report, Table, columns

RATES = ("r_rel", "r_0", "r_avg", "r_min", "g_rel", "g_0", "delta_bs", "gamma", "g_min")
HEADS = (
    "R_rel", "R_0", "R_avg,A", "R_min,A", "G_rel", "G_0", "Delta_BS", "Gamma", "G_min", "Delta_TS",
)  # fmt: skip
NAMES = {"raw": "RawHarness", "compass": "HarnessCompass", "b0": "B0-Access", "chase": "CHASE"}
BY_QUESTION = (
    "Splits were made by question: questions of different splits may share source documents."
)
PAPER = (
    ("RawHarness", 81.89, 15.22, None, None, None),
    ("HarnessCompass", 80.45, 14.74, -1.28, 2.24, -3.53),
    ("B0-Access", 83.01, 32.69, 1.28, 20.19, -18.91),
    ("CHASE", 87.18, 38.30, 5.29, 23.08, -17.79),
)


def chase_report(
    run: ChaseRun, provenance: Mapping[str, Json], banner: tuple[str, ...] = ()
) -> Report:
    """The whole report of a run, finished or not."""
    if run.contested:
        lines = f"The certificate is contested: {', '.join(run.contested)} was vetoed afterwards."
        banner = (*banner, lines)
    if run.benchmark.get("splits") == "question":
        banner = (*banner, BY_QUESTION)
    tables: dict[str, Table | None] = {
        "certification": certification_table(run),
        "selections": selection_table(run),
        "matrix": matrix_table(run),
        "certified": certified_table(run),
        "counterfactuals": counterfactual_table(run),
        "guarantees": guarantee_table(run),
        "use": use_table(run),
        "paper": paper_table(),
    }
    return Report(
        title=f"{run.name}: chase",
        banner=banner,
        tables={name: table for name, table in tables.items() if table is not None},
        provenance=provenance,
    )


def percent(value: object) -> float | None:
    """An exact share, kept as text, in per cent; None where it is unknown."""
    return None if value is None else float(100 * Fraction(str(value)))


def certification_table(run: ChaseRun) -> Table | None:
    """Every method on D_cert; None before it was opened."""
    if run.certification is None:
        return None
    methods = run.certification["methods"]
    known = any("r_release" in entry for entry in methods.values())
    apart, rates = (("R_release",), ("r_release", *RATES)) if known else ((), RATES)
    rows: list[tuple[Cell, ...]] = [
        (NAMES[name], entry["harness"], *(percent(entry.get(rate)) for rate in rates),
         percent(_specific(run, entry)))
        for name, entry in methods.items()
    ]  # fmt: skip
    left = {name: entry["missing"] for name, entry in methods.items() if entry["missing"]}
    notes = [
        "All methods under CHASE's final archive; D_cert was opened once.",
        "Delta_TS: how much larger the released gain was on D_evo, which the search saw.",
        *("R_release: a separate release under its released protocol, scored once." for _ in apart),
        *_scoring(run),
    ]
    notes += [
        f"{NAMES[name]}: {n} tasks without a score are in no mean." for name, n in left.items()
    ]
    heads = columns("method", "harness", *((head, 2) for head in (*apart, *HEADS)))
    return Table("Certification, per cent", heads, tuple(rows), tuple(notes))


def _specific(run: ChaseRun, entry: Mapping[str, Any]) -> Fraction | None:
    """Delta_TS: G_rel on D_evo less G_rel on D_cert; None where D_evo was not scored (section 3.1).

    B0-Access scores its harnesses on D_evo under B_0 alone.
    """
    seen = run.evo_gains.get(entry["harness"])
    return None if seen is None else seen - Fraction(entry["g_rel"])


def _scoring(run: ChaseRun) -> list[str]:
    own = run.benchmark
    if own.get("kind") != "corpus_qa":
        return []
    return [
        "No B_0 is known of this benchmark: R_0, G_0 and Delta_BS cannot be had.",
        f"Answers scored by {own['scorer']} match at tolerance {own['tolerance']}.",
    ]


def certified_table(run: ChaseRun) -> Table | None:
    """The whole matrix on D_cert: each method under each benchmark, with gain and destruction."""
    if run.certification is None:
        return None
    rows: list[tuple[Cell, ...]] = []
    for method, entry in run.certification["methods"].items():
        gains = {**entry["gains"], **({"b0": entry["g_0"]} if "g_0" in entry else {})}
        for benchmark in sorted(gains, key=lambda b: (b != "rel", b == "b0", b)):
            gain = gains[benchmark]
            lost = Fraction(entry["g_rel"]) - Fraction(gain)
            rate = run.rates.get((entry["harness"], benchmark))
            binds = "binds" if benchmark == entry["binding"] else ""
            rows.append((NAMES[method], benchmark, *map(percent, (rate, gain, lost)), binds))
    heads = columns("method", "benchmark", ("R", 2), ("G", 2), ("Delta", 2), "")
    return Table("Every method under every benchmark, on D_cert", heads, tuple(rows))


def selection_table(run: ChaseRun) -> Table | None:
    """What each of CHASE's rounds chose from, with every Delta and the constraint that binds."""
    rows: list[tuple[Cell, ...]] = []
    for choice in run.choices:
        if choice.step == "select" and choice.unit.startswith("chase/"):
            rows += [
                (choice.unit, *row, choice.kind if row[0] in choice.chosen else "")
                for row in _gain_rows(run, choice.considered, choice.unit)
            ]
    if not rows:
        return None
    heads = columns(
        "round", "harness", "kind", ("G_rel", 2), "Delta by counterfactual", ("Gamma", 2), "binds",
        "pass", "outcome",
    )  # fmt: skip
    return Table("Selections on D_evo, per cent of gain", heads, tuple(rows))


def matrix_table(run: ChaseRun) -> Table | None:
    """H_0 to H_T under the final archive: what H* was chosen from."""
    final = next((one for one in reversed(run.choices) if one.step == "final"), None)
    if final is None:
        return None
    rows = tuple(
        (*row, "chosen" if row[0] in final.chosen else "")
        for row in _gain_rows(run, final.considered)
    )
    heads = columns(
        "harness",
        "kind",
        ("G_rel", 2),
        "Delta by counterfactual",
        ("Gamma", 2),
        "binds",
        "pass",
        "",
    )
    return Table("Harnesses under the final archive, on D_evo", heads, rows)


def _kind(run: ChaseRun, node: str, unit: str) -> str:
    """As what a harness was proposed; in a round, those that came into it are only earlier ones."""
    if node not in run.kinds:
        return "start"
    proposed, kind = run.kinds[node]
    return kind if unit in ("", proposed) else "earlier"


def _gain_rows(
    run: ChaseRun, considered: Iterable[Mapping[str, Any]], unit: str = ""
) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for row in considered:
        released = Fraction(row["g_rel"])
        deltas = [
            f"{name} {float(100 * (released - Fraction(gain))):.2f}"
            for name, gain in row["gains"].items()
            if name != "rel"
        ]
        passes = "yes" if row["feasible"] else "no"
        rows.append(
            (row["node"], _kind(run, row["node"], unit), percent(row["g_rel"]),
             "; ".join(deltas) or "none", percent(row["gamma"]), row["binding"] or "", passes)
        )  # fmt: skip
    return rows


def counterfactual_table(run: ChaseRun) -> Table | None:
    """Every counterfactual that went to confirmation."""
    rows: list[tuple[Cell, ...]] = [
        (c.node, c.round, c.family, c.description, percent(c.disc), percent(c.conf), c.pairs,
         percent(c.threshold), "vetoed" if c.vetoed else "yes" if c.archived else "no")
        for c in run.confirmations
    ]  # fmt: skip
    heads = columns(
        "counterfactual", "round", "family", "what changes", ("D_disc", 2), ("D_conf", 2), "pairs",
        ("eta", 2), "archived",
    )  # fmt: skip
    return (
        Table("Confirmations, gain destruction in per cent", heads, tuple(rows)) if rows else None
    )


def guarantee_table(run: ChaseRun) -> Table | None:
    """The bounds with the run's own numbers."""
    if run.certification is None:
        return None
    found = run.certification["guarantees"]
    shown = {name: value for name, value in found.items() if name not in ("note",)}
    rows = tuple((name, _worded(name, value)) for name, value in shown.items())
    notes = [str(found["note"])] if "note" in found else []
    if "r" in found:
        notes.append(_stopped(run))
    notes.append(
        "Each bound holds with probability 1 - alpha/2 or more. Assumes tasks drawn independently "
        "from one population, H* and the archive fixed before D_cert was opened, and "
        f"rho = {found['rho']} as stated."
    )
    if found.get("vacuous_delta") or found.get("vacuous_gain"):
        notes.append("A vacuous bound holds for any harness: it says nothing.")
    return Table("Guarantees", columns("quantity", "value"), rows, tuple(notes))


def _stopped(run: ChaseRun) -> str:
    """Which rounds the stopping bound speaks of: those whose counterfactual was not confirmed."""
    rounds = [one.round for one in run.confirmations if not one.archived]
    if not rounds:
        return "No tested counterfactual went unconfirmed: the stopping bound holds for no harness."
    return f"The stopping bound holds for the harnesses of {', '.join(rounds)}."


def _worded(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "no limit" if name == "most_confirmations" else "none"
    return f"{value:.6f}" if isinstance(value, float) else str(value)


def use_table(run: ChaseRun) -> Table | None:
    """Tokens and model time, search and certification apart."""
    rows: list[tuple[Cell, ...]] = [
        (use.part, use.done, use.attempts, use.tokens, use.uncached, use.seconds / 3600,
         *(use.wall or (None, None, None)))
        for use in run.uses
    ]  # fmt: skip
    heads = columns(
        "part", "calls or rollouts", "attempts", "tokens", "without cached input",
        ("hours, sum", 3), ("s, median", 2), ("s, 25%", 2), ("s, 75%", 2),
    )  # fmt: skip
    notes = [
        "Search counts completed calls; certification counts rollouts. Attempts are all requests "
        "that were sent for them, failed and retried ones too.",
        "Time is that of the model's answers and of the waits before retries, summed over calls.",
    ]
    if any(use.attempts is None for use in run.uses):
        notes.append("Attempts are unknown where the file no longer holds every call's.")
    return Table("Tokens and model time", heads, tuple(rows), tuple(notes)) if rows else None


def paper_table() -> Table:
    """The paper's own figures on its Syn-Ledger."""
    heads = columns("method", ("R_rel", 2), ("R_0", 2), ("G_rel", 2), ("G_0", 2), ("Delta_BS", 2))
    notes = (
        "Printed figures of another model on the authors' tasks: for orientation only.",
        "The printed gains of HarnessCompass and B0-Access imply 81.73 and 12.50 for RawHarness.",
    )
    return Table("The paper's table 2, per cent", heads, PAPER, notes)

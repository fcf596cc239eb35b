"""The paper's figures as tables, to be read beside a run's and never as its results."""

from .paper import (
    ACCURACY,
    BENCHMARKS,
    ENTROPY,
    HARDENED,
    MODELS,
    SEQUENCE_NLL,
    TOKEN_NLL,
    WEIGHTED_ENTROPY,
)
from .paper_headlines import CASES_PER_CELL, headlines
from .tables import Cell, Table, columns

NOT_OURS = "Printed in the HARDEN paper, for its own models and cases; not a result of this run."


def headline_table() -> Table:
    """The paper's headlines: what each is against, in which unit, and what its tables give."""
    rows = tuple(
        (line.figure, line.printed, line.value, line.unit, line.against) for line in headlines()
    )
    return Table(
        "Reference: the paper's headlines",
        columns("figure", "printed", ("from its tables", 2), "unit", "against"),
        rows,
        (NOT_OURS, "A drop is original minus HARDEN; where the two columns differ, both stand."),
    )


def reference_table(benchmark: str) -> Table:
    """The paper's cells for a benchmark by its configuration name; all of them for another one."""
    named = [name for name in BENCHMARKS if name.casefold() == benchmark.casefold()]
    cells = [(name, model) for name in named or BENCHMARKS for model in MODELS]
    return Table(
        "Reference: the paper's cells",
        columns(
            "benchmark", "task model", ("accuracy before, %", 1), ("after, %", 1),
            ("drop, points", 1), f"hardened of {CASES_PER_CELL}", ("entropy before", 2),
            ("entropy after", 2), ("weighted before", 2), ("weighted after", 2),
            ("sequence NLL before", 1), ("sequence NLL after", 1), ("token NLL before", 3),
            ("token NLL after", 3),
        ),
        tuple(_cells(cell) for cell in cells),
        (NOT_OURS, "Drops are against the original cases, in points. Task models: Qwen 3.5."),
    )  # fmt: skip


def _cells(cell: tuple[str, str]) -> tuple[Cell, ...]:
    accuracy = ACCURACY[cell]
    pairs = [
        side
        for table in (ENTROPY, WEIGHTED_ENTROPY, SEQUENCE_NLL, TOKEN_NLL)
        for side in (table[cell].original, table[cell].harden)
    ]
    drop = round(accuracy.original - accuracy.harden, 1)
    cases = HARDENED[cell].cases
    return (*cell, accuracy.original, accuracy.harden, drop, cases, *pairs)


def paper_discard_table() -> Table:
    """Shares of single-pass mutations that the paper's model checks discarded."""
    rows: tuple[tuple[Cell, ...], ...] = (
        ("FinQA", 42.0, 27.0),
        ("PubMedQA", 3.5, 2.0),
        ("ContractNLI", 23.0, 22.5),
    )
    return Table(
        "Reference: mutations that the paper's checks discarded",
        columns("benchmark", ("few-shot, %", 1), ("few-shot with web search, %", 1)),
        rows,
        (NOT_OURS, "Per cent of single-pass mutations, correctness and realism together."),
    )

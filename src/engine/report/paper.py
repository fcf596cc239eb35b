"""What the HARDEN paper printed (tables 4 to 9), to stand beside a run's figures, never among them.

Cells are as printed. Few-shot columns come unfiltered and constraint-filtered, where cases that
fail a gate have gone back to the original.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

BENCHMARKS = ("FinQA", "PubMedQA", "ContractNLI")
MODELS = ("35B", "122B", "397B")


@dataclass(frozen=True, slots=True)
class Row:
    """One benchmark and task model under every method."""

    original: float
    few_shot: float
    few_shot_filtered: float
    web: float
    web_filtered: float
    harden: float


@dataclass(frozen=True, slots=True)
class Hardened:
    """A row of Table 9: the hardened cases of 200, before and after."""

    cases: int
    accuracy_before: float
    accuracy_after: float
    entropy_before: float
    entropy_after: float


Table: TypeAlias = Mapping[tuple[str, str], Row]
CELLS = tuple((benchmark, model) for benchmark in BENCHMARKS for model in MODELS)


def _table(**columns: tuple[float, ...]) -> Table:
    """One row per cell of CELLS out of whole columns, each a `Row` field."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return MappingProxyType({cell: Row(**row) for cell, row in zip(CELLS, rows, strict=True)})


ACCURACY = _table(
    original=(71.6, 72.4, 73.8, 76.1, 77.7, 76.8, 70.5, 72.9, 71.4),
    few_shot=(69.1, 69.5, 72.1, 80.6, 81.3, 82.1, 69.5, 71.3, 69.6),
    few_shot_filtered=(69.8, 71.1, 72.7, 80.2, 80.7, 81.5, 70.5, 72.0, 71.5),
    web=(66.3, 69.4, 72.1, 81.9, 83.4, 82.1, 69.5, 72.1, 69.3),
    web_filtered=(68.5, 70.0, 72.3, 81.9, 83.4, 82.0, 71.3, 73.5, 71.0),
    harden=(49.4, 59.6, 60.5, 50.4, 33.5, 37.9, 53.8, 54.3, 60.0),
)
"""Table 4: accuracy over 200 cases, per cent."""

ENTROPY = _table(
    original=(0.17, 0.14, 0.09, 0.16, 0.11, 0.08, 0.25, 0.25, 0.16),
    few_shot=(0.22, 0.15, 0.13, 0.11, 0.1, 0.09, 0.26, 0.25, 0.15),
    few_shot_filtered=(0.2, 0.13, 0.11, 0.11, 0.1, 0.08, 0.26, 0.27, 0.17),
    web=(0.26, 0.17, 0.12, 0.14, 0.1, 0.1, 0.28, 0.27, 0.14),
    web_filtered=(0.21, 0.15, 0.1, 0.14, 0.1, 0.1, 0.28, 0.27, 0.14),
    harden=(0.44, 0.32, 0.22, 0.35, 0.39, 0.32, 0.39, 0.43, 0.24),
)
"""Table 5: normalised semantic entropy."""

WEIGHTED_ENTROPY = _table(
    original=(0.17, 0.13, 0.09, 0.15, 0.11, 0.08, 0.24, 0.24, 0.16),
    few_shot=(0.22, 0.15, 0.13, 0.11, 0.1, 0.09, 0.26, 0.25, 0.15),
    few_shot_filtered=(0.2, 0.13, 0.11, 0.11, 0.1, 0.08, 0.25, 0.26, 0.17),
    web=(0.26, 0.17, 0.12, 0.13, 0.1, 0.1, 0.27, 0.26, 0.14),
    web_filtered=(0.21, 0.15, 0.1, 0.13, 0.1, 0.1, 0.27, 0.27, 0.14),
    harden=(0.44, 0.31, 0.22, 0.34, 0.39, 0.32, 0.38, 0.42, 0.24),
)
"""Table 6: likelihood-weighted entropy."""

SEQUENCE_NLL = _table(
    original=(100.9, 61.8, 22.3, 56.7, 48.1, 16.7, 72.6, 49.0, 26.9),
    few_shot=(106.2, 83.5, 20.3, 58.8, 47.1, 19.8, 84.8, 54.3, 23.3),
    few_shot_filtered=(94.0, 66.7, 21.5, 58.5, 47.0, 19.4, 86.2, 58.7, 26.8),
    web=(113.8, 78.8, 30.9, 66.8, 52.3, 24.2, 101.2, 45.0, 22.3),
    web_filtered=(92.6, 65.6, 25.7, 66.6, 52.1, 24.2, 98.1, 45.2, 24.6),
    harden=(140.8, 70.3, 25.1, 78.0, 56.6, 23.5, 84.7, 59.3, 31.9),
)
"""Table 7: sequence NLL of greedy completions."""

TOKEN_NLL = _table(
    original=(0.101, 0.076, 0.032, 0.21, 0.15, 0.055, 0.208, 0.168, 0.07),
    few_shot=(0.103, 0.08, 0.027, 0.21, 0.149, 0.051, 0.212, 0.155, 0.067),
    few_shot_filtered=(0.101, 0.078, 0.029, 0.209, 0.149, 0.051, 0.212, 0.162, 0.069),
    web=(0.097, 0.075, 0.032, 0.212, 0.146, 0.053, 0.219, 0.158, 0.069),
    web_filtered=(0.096, 0.072, 0.031, 0.212, 0.146, 0.053, 0.217, 0.162, 0.07),
    harden=(0.111, 0.081, 0.034, 0.227, 0.167, 0.059, 0.216, 0.17, 0.073),
)
"""Table 8: mean-token NLL of greedy completions."""

HARDENED: Mapping[tuple[str, str], Hardened] = MappingProxyType(
    dict(
        zip(
            CELLS,
            (
                Hardened(126, 92.2, 57.0, 0.13, 0.56),
                Hardened(101, 93.4, 68.1, 0.09, 0.45),
                Hardened(61, 86.2, 42.5, 0.17, 0.57),
                Hardened(121, 78.3, 36.0, 0.24, 0.57),
                Hardened(142, 92.1, 29.9, 0.12, 0.52),
                Hardened(122, 94.5, 30.7, 0.1, 0.49),
                Hardened(95, 78.5, 43.3, 0.35, 0.66),
                Hardened(124, 79.2, 49.1, 0.31, 0.6),
                Hardened(62, 78.4, 41.6, 0.3, 0.58),
            ),
            strict=True,
        )
    )
)
"""Table 9, hardened cases only, of 200 each."""

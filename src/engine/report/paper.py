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


def _table(*rows: tuple[float, float, float, float, float, float]) -> Table:
    return MappingProxyType({cell: Row(*row) for cell, row in zip(CELLS, rows, strict=True)})


ACCURACY = _table(
    (71.6, 69.1, 69.8, 66.3, 68.5, 49.4),
    (72.4, 69.5, 71.1, 69.4, 70.0, 59.6),
    (73.8, 72.1, 72.7, 72.1, 72.3, 60.5),
    (76.1, 80.6, 80.2, 81.9, 81.9, 50.4),
    (77.7, 81.3, 80.7, 83.4, 83.4, 33.5),
    (76.8, 82.1, 81.5, 82.1, 82.0, 37.9),
    (70.5, 69.5, 70.5, 69.5, 71.3, 53.8),
    (72.9, 71.3, 72.0, 72.1, 73.5, 54.3),
    (71.4, 69.6, 71.5, 69.3, 71.0, 60.0),
)
"""Table 4: accuracy of 200 cases, per cent."""

ENTROPY = _table(
    (0.17, 0.22, 0.2, 0.26, 0.21, 0.44),
    (0.14, 0.15, 0.13, 0.17, 0.15, 0.32),
    (0.09, 0.13, 0.11, 0.12, 0.1, 0.22),
    (0.16, 0.11, 0.11, 0.14, 0.14, 0.35),
    (0.11, 0.1, 0.1, 0.1, 0.1, 0.39),
    (0.08, 0.09, 0.08, 0.1, 0.1, 0.32),
    (0.25, 0.26, 0.26, 0.28, 0.28, 0.39),
    (0.25, 0.25, 0.27, 0.27, 0.27, 0.43),
    (0.16, 0.15, 0.17, 0.14, 0.14, 0.24),
)
"""Table 5: normalised semantic entropy."""

WEIGHTED_ENTROPY = _table(
    (0.17, 0.22, 0.2, 0.26, 0.21, 0.44),
    (0.13, 0.15, 0.13, 0.17, 0.15, 0.31),
    (0.09, 0.13, 0.11, 0.12, 0.1, 0.22),
    (0.15, 0.11, 0.11, 0.13, 0.13, 0.34),
    (0.11, 0.1, 0.1, 0.1, 0.1, 0.39),
    (0.08, 0.09, 0.08, 0.1, 0.1, 0.32),
    (0.24, 0.26, 0.25, 0.27, 0.27, 0.38),
    (0.24, 0.25, 0.26, 0.26, 0.27, 0.42),
    (0.16, 0.15, 0.17, 0.14, 0.14, 0.24),
)
"""Table 6: likelihood-weighted entropy."""

SEQUENCE_NLL = _table(
    (100.9, 106.2, 94.0, 113.8, 92.6, 140.8),
    (61.8, 83.5, 66.7, 78.8, 65.6, 70.3),
    (22.3, 20.3, 21.5, 30.9, 25.7, 25.1),
    (56.7, 58.8, 58.5, 66.8, 66.6, 78.0),
    (48.1, 47.1, 47.0, 52.3, 52.1, 56.6),
    (16.7, 19.8, 19.4, 24.2, 24.2, 23.5),
    (72.6, 84.8, 86.2, 101.2, 98.1, 84.7),
    (49.0, 54.3, 58.7, 45.0, 45.2, 59.3),
    (26.9, 23.3, 26.8, 22.3, 24.6, 31.9),
)
"""Table 7: sequence NLL of the greedy completion."""

TOKEN_NLL = _table(
    (0.101, 0.103, 0.101, 0.097, 0.096, 0.111),
    (0.076, 0.08, 0.078, 0.075, 0.072, 0.081),
    (0.032, 0.027, 0.029, 0.032, 0.031, 0.034),
    (0.21, 0.21, 0.209, 0.212, 0.212, 0.227),
    (0.15, 0.149, 0.149, 0.146, 0.146, 0.167),
    (0.055, 0.051, 0.051, 0.053, 0.053, 0.059),
    (0.208, 0.212, 0.212, 0.219, 0.217, 0.216),
    (0.168, 0.155, 0.162, 0.158, 0.162, 0.17),
    (0.07, 0.067, 0.069, 0.069, 0.07, 0.073),
)
"""Table 8: mean-token NLL of the greedy completion."""

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

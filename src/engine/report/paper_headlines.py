"""The HARDEN paper's printed headlines, each with what it is against and in which unit.

Computed from its tables, so that a figure that does not come out of them is seen beside the
printed one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean

from .paper import ACCURACY, BENCHMARKS, CELLS, ENTROPY, HARDENED, MODELS, Row

CASES_PER_CELL = 200


@dataclass(frozen=True, slots=True)
class Headline:
    """A printed figure; `value` is what its formula gives on the printed cells."""

    figure: str
    printed: str
    value: float
    unit: str
    against: str


def drop(row: Row) -> float:
    """Original minus HARDEN, in the row's own unit."""
    return row.original - row.harden


def mean_over(
    value: Callable[[Row], float],
    cells: Iterable[tuple[str, str]] = CELLS,
    *,
    entropy: bool = False,
) -> float:
    """Mean of `value` over cells of the accuracy (or entropy) table."""
    table = ENTROPY if entropy else ACCURACY
    return fmean(value(table[cell]) for cell in cells)


def benchmark_drop(benchmark: str) -> float:
    """Mean accuracy drop of one benchmark over the task models, points."""
    return mean_over(drop, [(benchmark, model) for model in MODELS])


def model_drop(model: str) -> float:
    """Mean accuracy drop of one task model over the benchmarks, points."""
    return mean_over(drop, [(benchmark, model) for benchmark in BENCHMARKS])


def entropy_rise_percent() -> float:
    """Mean HARDEN entropy over the mean of all constraint-filtered baselines, minus one."""
    filtered = fmean(
        value for row in ENTROPY.values() for value in (row.few_shot_filtered, row.web_filtered)
    )
    return 100 * (mean_over(lambda row: row.harden, entropy=True) / filtered - 1)


def hardened_share() -> float:
    """Hardened cases of all cases, per cent."""
    total = sum(row.cases for row in HARDENED.values())
    return 100 * total / (CASES_PER_CELL * len(HARDENED))


def headlines() -> list[Headline]:
    """Every headline that a report shows beside a run's own figures."""
    printed = {"FinQA": "16.1", "PubMedQA": "36.3", "ContractNLI": "15.6"}
    by_benchmark = [_drop_line(name, text, benchmark_drop(name)) for name, text in printed.items()]
    sizes = {"35B": "21.5", "122B": "25.2", "397B": "21.2"}
    by_model = [_drop_line(name, text, model_drop(name)) for name, text in sizes.items()]
    return [*by_benchmark, *by_model, *_overall()]


def _drop_line(name: str, printed: str, value: float) -> Headline:
    return Headline(f"{name} accuracy drop", printed, value, "points", "original cases")


def _overall() -> list[Headline]:
    largest = ACCURACY["PubMedQA", "122B"]
    return [
        Headline(
            "average accuracy drop",
            "22.7",
            mean_over(drop),
            "points",
            "original cases; 22.7 is the mean of three rounded benchmark means",
        ),
        Headline(
            "largest accuracy drop",
            "49.9",
            largest.web - largest.harden,
            "points",
            "few-shot with web search (PubMedQA, 122B)",
        ),
        Headline(
            "entropy rise",
            "112",
            entropy_rise_percent(),
            "per cent",
            "constraint-filtered few-shot baselines, ratio of grand means",
        ),
        Headline(
            "hardened cases",
            "52.4",
            hardened_share(),
            "per cent",
            "all cases of all cells; its own Table 9 sums to 954 of 1800",
        ),
    ]

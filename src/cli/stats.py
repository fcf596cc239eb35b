"""`evoscope stats`: a gate's agreement with people, entropies and bootstrap intervals of files."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..engine.stats import agreement as coefficients
from ..engine.stats import entropy as entropies
from ..engine.stats.counts import mcnemar_exact, wilson
from .output import facts, print_json, print_lines, table
from .stats_input import NO, YES, Pair, SampleSet, read_means, read_pairs, read_samples

FILE = click.Path(path_type=Path)
NO_POSITIVE = "the labels are not two words of yes and no, so none of them is the positive class"


@click.group()
def stats() -> None:
    """Statistics of plain files, as the reports compute them."""


@stats.command(short_help="A gate's agreement with people.")
@click.argument("file", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def agreement(file: Path, as_json: bool) -> None:
    """How far a gate agrees with people: FILE is CSV or JSON Lines with gate, human[, source].

    Labels are 0 and 1, yes and no, or any words. Rows whose human label is empty or "split" are
    left out and counted.
    """
    result = agreement_of(read_pairs(file))
    _print(result, as_json, _agreement_lines(result))


@stats.command(short_help="Semantic entropy of samples.")
@click.argument("file", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
def entropy(file: Path, as_json: bool) -> None:
    """Semantic entropy of samples: FILE has {"samples": [class...], base?, logprobs?} a line.

    Without base the entropy is normalised by the number of samples.
    """
    rows = [entropy_of(line) for line in read_samples(file)]
    heads = ["line", "entropy", "normalised", "weighted"]
    cells = [[str(n), *map(_shown, row.values())] for n, row in enumerate(rows, start=1)]
    _print(rows, as_json, table(heads, cells, right=range(4)))


@stats.command(short_help="A mean with its bootstrap interval.")
@click.argument("file", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def bootstrap(file: Path, as_json: bool) -> None:
    """Mean with its 95% percentile bootstrap interval: FILE has one case's mean a line."""
    from ..engine.stats.bootstrap import percentile_interval

    interval = percentile_interval(read_means(file))
    names = ("mean", "low", "high", "n", "resamples", "seed")
    result = {name: getattr(interval, name) for name in names}
    _print(result, as_json, facts((name, _shown(value)) for name, value in result.items()))


def agreement_of(pairs: Sequence[Pair]) -> dict[str, Any]:
    """The figures of `stats agreement` (HARDEN, A.11 and A.12); undefined ones are None."""
    labels = {label for p in pairs for label in (p.gate, p.human) if label is not None}
    binary = labels <= YES | NO
    pairs = [_yes_or_no(pair) for pair in pairs] if binary else pairs
    kept = [(pair.gate, pair.human) for pair in pairs if pair.human is not None]
    gate, human = [a for a, _ in kept], [b for _, b in kept]
    hits = sum(a == b for a, b in kept)
    named: dict[str, Any] = {
        "n": len(kept),
        "agreement": coefficients.ratio(hits, len(kept)),
        **(_binary(gate, human) if binary else _nominal(gate, human)),
        "wilson95": wilson(hits, len(kept)),
        "by_source": _by_source(pairs, binary),
        "left_out": len(pairs) - len(kept),
    }
    return named if binary else {**named, "confusion_note": NO_POSITIVE}


def _yes_or_no(pair: Pair) -> Pair:
    human = pair.human and ("yes" if pair.human in YES else "no")
    return Pair("yes" if pair.gate in YES else "no", human, pair.source)


def _binary(gate: Sequence[str], human: Sequence[str]) -> dict[str, Any]:
    table = coefficients.confusion([a == "yes" for a in gate], [b == "yes" for b in human])
    return {
        "kappa": coefficients.kappa(table),
        "ac1": coefficients.ac1(table),
        "positive_agreement": coefficients.positive_agreement(table),
        "negative_agreement": coefficients.negative_agreement(table),
        "mcc": coefficients.mcc(table),
        "confusion": {name: getattr(table, name) for name in ("tp", "fn", "fp", "tn")},
        "specificity": coefficients.specificity(table),
        "recall": coefficients.recall(table),
        "balanced_accuracy": coefficients.balanced_accuracy(table),
        "mcnemar_p": mcnemar_exact(table.fp, table.fn) if table.n else None,
    }


def _nominal(gate: Sequence[str], human: Sequence[str]) -> dict[str, Any]:
    categories = len({*gate, *human})
    only_two = Counter(a for a, b in zip(gate, human, strict=True) if a != b)
    discordant = (*only_two.values(), 0, 0)[:2]
    return {
        "kappa": coefficients.cohen_kappa(gate, human),
        "ac1": coefficients.gwet_ac1(gate, human, categories=categories),
        "positive_agreement": None,
        "negative_agreement": None,
        "mcc": coefficients.multiclass_mcc(gate, human),
        "confusion": None,
        "specificity": None,
        "recall": None,
        "balanced_accuracy": None,
        "mcnemar_p": mcnemar_exact(*discordant) if categories == 2 else None,
    }


def _by_source(pairs: Sequence[Pair], binary: bool) -> dict[str, Any] | None:
    sources = list(dict.fromkeys(pair.source for pair in pairs if pair.source is not None))
    return {source: _source(source, pairs, binary) for source in sources} or None


def _source(source: str, pairs: Sequence[Pair], binary: bool) -> dict[str, Any]:
    kept = [(p.gate, p.human) for p in pairs if p.source == source and p.human is not None]
    rates: list[float | None] = [None, None]
    if binary:
        rates = [
            coefficients.ratio(sum(pair[i] == "yes" for pair in kept), len(kept)) for i in (0, 1)
        ]
    hits = coefficients.ratio(sum(a == b for a, b in kept), len(kept))
    return {"n": len(kept), "gate_accepts": rates[0], "human_accepts": rates[1], "agreement": hits}


def entropy_of(line: SampleSet) -> dict[str, float | None]:
    """The figures of `stats entropy` for one line; entropy is in natural units."""
    counts = entropies.class_counts(line.classes)
    means = [
        entropies.mean_logprob(sum(tokens), len(tokens)) if tokens else None
        for tokens in line.logprobs or ()
    ]
    return {
        "entropy": entropies.frequency_entropy(counts),
        "normalised": entropies.normalised_entropy(counts, line.base),
        "likelihood_weighted": entropies.weighted_entropy(line.classes, means, line.base),
    }


def _print(result: object, as_json: bool, lines: Sequence[str]) -> None:
    if as_json:
        print_json(result)
    else:
        print_lines(lines)


def _agreement_lines(result: Mapping[str, Any]) -> list[str]:
    shown = [
        (name.removesuffix("_note"), _agreement_value(name, value))
        for name, value in result.items()
        if name != "by_source"
    ]
    return [*facts(shown), *_source_lines(result["by_source"] or {})]


def _agreement_value(name: str, value: Any) -> str:
    if name == "confusion" and value:
        return " ".join(f"{cell} {count}" for cell, count in value.items())
    if name == "wilson95" and value:
        return f"{value[0]:.4f} to {value[1]:.4f}"
    return _shown(value)


def _source_lines(sources: Mapping[str, Mapping[str, Any]]) -> list[str]:
    rows = [[source, *map(_shown, row.values())] for source, row in sources.items()]
    heads = ["source", "n", "gate accepts", "human accepts", "agreement"]
    return ["", *table(heads, rows, right=range(1, 5))] if rows else []


def _shown(value: object) -> str:
    if value is None:
        return "n/a"
    return f"{value:.4f}" if isinstance(value, float) else str(value)

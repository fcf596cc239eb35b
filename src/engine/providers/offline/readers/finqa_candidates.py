"""Programs that could answer a question on the series of a page, each with a score."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from . import finqa_question as q
from .finqa_series import KIND_COLUMN, KIND_TEXT, Mention, Series

SERIES_KEPT = 10
PAIRS_KEPT = 14
W_OPERATION = 2.5
W_RECALL = 5.7
W_PRECISION = 2.4
W_YEAR = 3.15
W_HEADING = 5.25
W_PARTS = 12.4
W_BALANCE = 8.0
SPREAD = frozenset(("total", "net"))


@dataclass(frozen=True, slots=True)
class Page:
    """A question with its page: the weight of each word, and the series by relevance."""

    question: q.Question
    weight: dict[str, float]
    ranked: tuple[tuple[Series, float], ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """A mention inside its series, with the relevance of both to the question."""

    series: Series
    mention: Mention
    score: float


def weigh(question: q.Question, series: Sequence[Series]) -> Page:
    """Rank the series of a page by idf-weighted overlap with the question."""
    seen: dict[str, int] = {}
    for one in series:
        for word in one.words:
            seen[word] = seen.get(word, 0) + 1
    weight = {
        word: math.log(1 + len(series) / (1 + seen.get(word, 0))) if word in seen else 0.3
        for word in question.words
    }
    scored = [(one, _relevance(question, weight, seen, one, len(series))) for one in series]
    order = sorted(range(len(scored)), key=lambda i: (-scored[i][1], i))
    return Page(question, weight, tuple(scored[i] for i in order[:SERIES_KEPT]))


def _relevance(
    question: q.Question, weight: dict[str, float], seen: dict[str, int], one: Series, n: int
) -> float:
    shared = question.words & one.words
    total = sum(weight.values()) or 1.0
    recall = sum(weight[word] for word in shared) / total
    if one.kind == KIND_TEXT:
        return W_RECALL * recall * one.weight + 0.4 * len(
            one.years & frozenset(question.years)
        ) / max(1, len(question.years))
    own = sum(math.log(1 + n / (1 + seen[word])) for word in one.words) or 1.0
    precision = sum(weight[word] for word in shared) / own
    named = 0.5 if one.name and " ".join(one.name.split()) in question.text else 0.0
    lost = 0.8 if one.kind == KIND_COLUMN else 0.0
    if "balanc" in one.words and "beginn" not in one.words and "january" not in one.words:
        lost -= W_BALANCE
    return W_RECALL * recall + W_PRECISION * min(1.0, precision) + named - lost


def _fit(page: Page, series: Series, mention: Mention) -> float:
    """How well a number's heading fits the question's years and words."""
    wanted = frozenset(page.question.years)
    score = 0.0
    found = mention.years or series.years
    if wanted and found:
        score += W_YEAR if wanted & found else -W_YEAR
    total = sum(page.weight.values()) or 1.0
    shared = page.question.words & mention.words - series.words
    score += W_HEADING * sum(page.weight[word] for word in shared) / total
    if series.kind == KIND_TEXT:
        near = page.question.words & mention.words
        score += 1.5 * sum(page.weight[word] for word in near) / total - 0.5
    return score


def candidates(page: Page) -> dict[str, float]:
    """Programs by text with the best score each reached."""
    found: dict[str, float] = {}
    makers: dict[str, Callable[[Page], Iterator[tuple[str, float]]]] = {
        q.CHANGE: _changes,
        q.DIFFERENCE: _differences,
        q.RATIO: _ratios,
        q.AVERAGE: _averages,
        q.TOTAL: _totals,
        q.EXTREME_HIGH: lambda p: _extremes(p, "table_max"),
        q.EXTREME_LOW: lambda p: _extremes(p, "table_min"),
        q.COMPARE: _comparisons,
        q.INDEXED: _indexed,
        q.PRODUCT: _products,
    }
    for operation, weight in page.question.operations:
        for program, score in makers[operation](page):
            value = score + W_OPERATION * weight
            if value > found.get(program, -math.inf):
                found[program] = value
    return found


def _pairs(page: Page) -> Iterator[tuple[Mention, Mention, float, Series]]:
    """(later, earlier, score) of two numbers of one series."""
    for series, relevance in page.ranked:
        yield from (
            (new, old, relevance + score, series) for new, old, score in _pairs_of(page, series)
        )


def _pairs_of(page: Page, series: Series) -> Iterator[tuple[Mention, Mention, float]]:
    mentions = series.mentions[:12]
    asked = page.question.years
    for i, a in enumerate(mentions):
        for j, b in enumerate(mentions):
            if i == j or a.number == b.number:
                continue
            ya, yb = max(a.years, default=0), max(b.years, default=0)
            if ya and yb and ya <= yb:
                continue
            score = _pair_fit(page, series, a, b)
            if not (ya and yb):
                score -= 0.8 if i < j else 1.2
            if len(asked) < 2 and not (asked and ya in asked):
                score -= 0.3 * (i + abs(j - i) - 1)
            yield a, b, score


def _pair_fit(page: Page, series: Series, new: Mention, old: Mention) -> float:
    asked = page.question.years
    ya, yb = max(new.years, default=0), max(old.years, default=0)
    score = 0.25 * (_fit(page, series, new) + _fit(page, series, old))
    if len(asked) >= 2 and ya and yb:
        score += 2.0 * ((ya == asked[-1]) + (yb == asked[0])) - 2.0
    elif len(asked) == 1 and ya and yb:
        score += 1.5 * (ya == asked[0]) + 1.0 * (yb == ya - 1) - 1.0
    return score - (0.7 if new.percent != old.percent else 0.0)


def _changes(page: Page) -> Iterator[tuple[str, float]]:
    for new, old, score, _ in _pairs(page):
        yield f"subtract({new.number}, {old.number}), divide(#0, {old.number})", score


def _differences(page: Page) -> Iterator[tuple[str, float]]:
    for new, old, score, _ in _pairs(page):
        yield f"subtract({new.number}, {old.number})", score
    for a, b, score in _across(page):
        if not 0 < _year(a) < _year(b):
            yield f"subtract({a.mention.number}, {b.mention.number})", score - 0.5


def _spots(page: Page) -> list[Spot]:
    return [
        Spot(series, mention, relevance + _fit(page, series, mention))
        for series, relevance in page.ranked
        for mention in series.mentions[:12]
    ]


def _across(page: Page) -> Iterator[tuple[Spot, Spot, float]]:
    """Two numbers of different labels under one heading, first the part, then the whole."""
    spots = sorted(_spots(page), key=lambda s: -s.score)[: 3 * PAIRS_KEPT]
    question = page.question
    firsts = _best(page, spots, question.part)
    seconds = _best(page, spots, question.whole)
    for a, fa in firsts:
        for b, fb in seconds:
            if a.mention.place == b.mention.place or a.mention.number == b.mention.number:
                continue
            score = 0.5 * (fa + fb) - (W_PARTS * 0.75 if question.part or question.whole else 0.0)
            score += 0.8 if _aligned(a, b) else -0.8
            yield a, b, score


def _best(page: Page, spots: Sequence[Spot], words: frozenset[str]) -> list[tuple[Spot, float]]:
    total = sum(page.weight.get(word, 0.3) for word in words)
    scored = []
    for spot in spots:
        label = spot.series.words | spot.mention.words
        if spot.series.kind == KIND_TEXT:
            label = spot.mention.words
        share = sum(page.weight.get(w, 0.3) for w in words & label) / total if words else 0.0
        scored.append((spot, spot.score + W_PARTS * share))
    scored.sort(key=lambda pair: -pair[1])
    return scored[:PAIRS_KEPT]


def _aligned(a: Spot, b: Spot) -> bool:
    """Whether two numbers stand under one heading, or in one sentence."""
    if (a.series.kind == KIND_TEXT) != (b.series.kind == KIND_TEXT):
        return False
    if a.series.kind == KIND_TEXT:
        return a.mention.place[0] == b.mention.place[0]
    (ra, ca), (rb, cb) = a.mention.place, b.mention.place
    return ca == cb or ra == rb


def _year(spot: Spot) -> int:
    """The year that a number stands under, 0 for none."""
    return max(spot.mention.years or spot.series.years, default=0)


def _ratios(page: Page) -> Iterator[tuple[str, float]]:
    plain = "ratio" in page.question.text
    for a, b, score in _across(page):
        total = "total" in b.series.words or "total" in b.mention.words
        smaller = abs(a.mention.value) < abs(b.mention.value)
        bonus = 0.0 if plain else (1.2 if total else 0.0) + (0.8 if smaller else -0.8)
        if not plain and "total" in a.series.words:
            bonus -= 0.8
        yield f"divide({a.mention.number}, {b.mention.number})", score + bonus


def _of_years(page: Page, series: Series) -> list[Mention]:
    asked = page.question.years
    if len(asked) < 2:
        return list(series.mentions[:3])
    low, high = asked[0], asked[-1]
    wanted = range(low, high + 1) if page.question.span else asked
    return [m for m in series.mentions if any(year in wanted for year in m.years)]


def _averages(page: Page) -> Iterator[tuple[str, float]]:
    for series, relevance in page.ranked:
        chosen = _of_years(page, series)
        if series.kind == "row" and _writable(series.name):
            whole = 1.0 if len(chosen) == len(series.mentions) else 0.0
            yield f"table_average({series.name}, none)", relevance + whole
        if 2 <= len(chosen) <= 5:
            yield _added(chosen, mean=True), relevance + 0.4


def _added(mentions: Sequence[Mention], *, mean: bool) -> str:
    steps = [f"add({mentions[0].number}, {mentions[1].number})"]
    steps += [f"add(#{i}, {m.number})" for i, m in enumerate(mentions[2:])]
    if mean:
        steps.append(f"divide(#{len(steps) - 1}, const_{len(mentions)})")
    return ", ".join(steps)


def _totals(page: Page) -> Iterator[tuple[str, float]]:
    for series, relevance in page.ranked:
        chosen = _of_years(page, series)
        if 2 <= len(chosen) <= 5:
            asked = len(page.question.years) > 1
            yield _added(chosen, mean=False), relevance + (1.0 if asked else -0.5)
    for a, b, score in _across(page):
        yield f"add({a.mention.number}, {b.mention.number})", score - 0.2


def _extremes(page: Page, operation: str) -> Iterator[tuple[str, float]]:
    for series, relevance in page.ranked:
        if series.kind == "row" and _writable(series.name):
            yield f"{operation}({series.name}, none)", relevance


def _writable(name: str) -> bool:
    return bool(name) and not any(mark in name for mark in (", ", "(", ")"))


def _comparisons(page: Page) -> Iterator[tuple[str, float]]:
    less = any(word in page.question.text for word in ("less than", "lower than", "smaller"))
    for a, b, score in _across(page):
        high, low = (b, a) if less else (a, b)
        yield f"greater({high.mention.number}, {low.mention.number})", score
    for new, old, score, _ in _pairs(page):
        text = page.question.text
        later, earlier = (text.find(str(max(m.years, default=0))) for m in (new, old))
        first, second = (new, old) if later <= earlier else (old, new)
        yield f"greater({first.number}, {second.number})", score


def _indexed(page: Page) -> Iterator[tuple[str, float]]:
    for series, relevance in page.ranked:
        if series.kind != "row" or not any(abs(m.value - 100) < 1e-9 for m in series.mentions):
            continue
        for mention in series.mentions:
            if abs(mention.value - 100) < 1e-9:
                continue
            latest = 0.5 if mention is series.mentions[-1] else 0.0
            score = relevance + _fit(page, series, mention) + latest
            yield f"subtract({mention.number}, const_100), divide(#0, const_100)", score


def _products(page: Page) -> Iterator[tuple[str, float]]:
    for a, b, score in _across(page):
        if _aligned(a, b):
            yield f"multiply({a.mention.number}, {b.mention.number})", score - 0.5

"""Bars and sparklines in one line of cells."""

from collections.abc import Sequence
from itertools import pairwise

from ..glyphs import Glyphs


def bar(share: float, width: int, glyphs: Glyphs) -> str:
    """A bar of `width` cells filled up to `share`; never full below 1, never empty above 0."""
    if width < 1:
        return ""
    share = min(max(share, 0.0), 1.0)
    full = round(share * width)
    if 0 < share < 1:
        full = min(max(full, 1), max(width - 1, 0))
    return glyphs.bar * full + glyphs.rest * (width - full)


def sparkline(values: Sequence[float | None], glyphs: Glyphs, top: float | None = None) -> str:
    """One step per value between 0 and `top` (the largest value if None); a space for None."""
    known = [value for value in values if value is not None]
    ceiling = top if top is not None else max(known, default=0.0)
    last = len(glyphs.steps) - 1

    def step(value: float | None) -> str:
        if value is None:
            return " "
        if ceiling <= 0:
            return glyphs.steps[0]
        return glyphs.steps[min(max(round(value / ceiling * last), 0), last)]

    return "".join(map(step, values))


def resampled(values: Sequence[float], width: int) -> list[float]:
    """The last values as at most `width` means of equal stretches, in order of time."""
    if len(values) <= width:
        return list(values)
    edges = [len(values) * place // width for place in range(width + 1)]
    return [sum(values[low:high]) / (high - low) for low, high in pairwise(edges) if high > low]

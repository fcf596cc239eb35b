"""A framed box in the middle of the screen."""

from collections.abc import Sequence

from ..glyphs import Glyphs
from ..lines import Line, fit_line, line_width, put
from ..text import cell_width, cut


def frame(title: str, body: Sequence[Line], width: int, glyphs: Glyphs) -> list[Line]:
    """A box of `width` cells around the lines, the title in its upper edge."""
    inner = max(width - 4, 0)
    corners, flat = glyphs.corners, glyphs.horizontal
    label = cut(f" {title} ", max(width - 4, 0))
    head = f"{corners[0]}{flat}{label}"
    head += flat * max(width - 1 - cell_width(head), 0) + corners[1]
    foot = corners[2] + flat * max(width - 2, 0) + corners[3]
    edge = glyphs.vertical
    rows = [((f"{edge} ", "dim"), *fit_line(line, inner), (f" {edge}", "dim")) for line in body]
    return [((head, "accent"),), *rows, ((foot, "dim"),)]


def lay(
    lines: list[Line], title: str, body: Sequence[Line], width: int, height: int, glyphs: Glyphs
) -> None:
    """Draw the box over the lines, centred; it is cut to the screen."""
    size = min(max(map(line_width, body), default=0) + 4, width)
    size = min(max(size, len(title) + 6, min(50, width)), width)
    box = frame(title, body[: max(height - 2, 0)], size, glyphs)
    while len(lines) < height:
        lines.append(())
    put(lines, box, max((width - size) // 2, 0), max((height - len(box)) // 2, 0), width)

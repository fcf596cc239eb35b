"""One frame: the page, the pages over it, and the foot of the screen."""

from typing import TYPE_CHECKING

from .lines import Line, Span, fit_line, line_width, tidy
from .text import cut

if TYPE_CHECKING:
    from .app import EvoscopeApp

LEAST = (60, 15)


def compose(app: "EvoscopeApp", width: int, height: int) -> list[Line]:
    """What the screen shows at this size."""
    if width < LEAST[0] or height < LEAST[1]:
        return too_small(width, height)
    ground = max(place for place, page in enumerate(app.stack) if not page.modal)
    lines = app.stack[ground].lines(width, height - 1)[: height - 1]
    lines += [()] * (height - 1 - len(lines))
    lines.append(foot(app, width))
    for page in app.stack[ground + 1 :]:
        page.overlay(lines, width, height)
    return lines


def too_small(width: int, height: int) -> list[Line]:
    """What a screen below 60x15 says."""
    words = (
        f"{width}x{height} is too small.",
        f"Evoscope needs {LEAST[0]}x{LEAST[1]};",
        "80x24 shows everything.",
    )
    return [((cut(text, width), ""),) for text in words[:height]]


def foot(app: "EvoscopeApp", width: int) -> Line:
    """The last message, else the keys that act here."""
    if app.message is not None:
        text, style = app.message
        return fit_line(((cut(tidy(text), width), style or "accent"),), width)
    page, spans = app.stack[-1], list[Span]()
    if page.modal:
        return fit_line(((page.hint, "dim"),), width)
    for name in (*page.actions(), "help", "detach"):
        key = app.settings.keys.label(name)
        if not key:
            continue
        more: list[Span] = [(f"{key} ", "key"), (f"{SHORT.get(name, name)}  ", "dim")]
        if line_width((*spans, *more)) > width:
            break
        spans += more
    return fit_line(tuple(spans), width)


SHORT = {
    "open": "open", "inspect": "inspect", "next_pane": "pane", "half_down": "page",
    "unveto": "undo veto", "detach": "leave", "next_rejected": "rejected", "faster": "calls+",
    "slower": "calls-", "restart": "restart engine", "unfold": "fold", "base": "against",
    "last": "before", "next_vetoed": "vetoed", "again": "question before",
    "yes": "yes", "no": "no", "reason": "reason", "later": "later", "agreement": "compare",
}  # fmt: skip

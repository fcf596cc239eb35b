"""The two sets of signs: Unicode, and ASCII for --ascii or a locale that is not UTF-8."""

import codecs
import locale
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One sign per meaning, each one cell wide, so that no state needs a colour."""

    proposed: str = "·"
    rejected: str = "✗"
    abstained: str = "?"
    error: str = "!"
    collapsed: str = "∅"
    raced_out: str = "»"
    scored: str = "○"
    discarded: str = "─"
    survivor: str = "●"
    parent: str = "▲"
    promoted: str = "★"
    unimprovable: str = "="
    vetoed: str = "⊘"
    running: str = "▶"
    passed: str = "✓"
    failed: str = "✗"
    open: str = "▾"
    closed: str = "▸"
    bar: str = "█"
    rest: str = "░"
    up: str = "↑"
    down: str = "↓"
    dot: str = "·"
    dash: str = "—"
    arrow: str = "→"
    horizontal: str = "─"
    vertical: str = "│"
    corners: str = "╭╮╰╯"
    steps: str = "▁▂▃▄▅▆▇█"
    cursor: str = "▌"

    def of(self, state: str) -> str:
        """The sign of a node's state."""
        return str(getattr(self, state, self.proposed))


UNICODE = Glyphs()
ASCII = Glyphs(
    proposed=".",
    rejected="x",
    abstained="?",
    error="!",
    collapsed="0",
    raced_out=">",
    scored="o",
    discarded="-",
    survivor="*",
    parent="^",
    promoted="#",
    unimprovable="=",
    vetoed="@",
    running=">",
    passed="+",
    failed="x",
    open="v",
    closed=">",
    bar="#",
    rest=".",
    up="^",
    down="v",
    dot="-",
    dash="-",
    arrow=">",
    horizontal="-",
    vertical="|",
    corners="++++",
    steps="_.-:=+*#",
    cursor=">",
)


def choose(ascii_only: bool) -> Glyphs:
    """ASCII where it is asked for or the locale can show nothing else."""
    return ASCII if ascii_only or not utf8_locale() else UNICODE


def utf8_locale() -> bool:
    """Whether the locale's encoding is UTF-8."""
    try:
        return codecs.lookup(locale.getpreferredencoding(False)).name == "utf-8"
    except LookupError:
        return False


def ascii_text(text: str) -> str:
    """The text in ASCII, for terminals that show nothing else: what has no twin becomes `?`."""
    return text if text.isascii() else text.translate(_TWINS).encode("ascii", "replace").decode()


_TWINS = {
    ord(getattr(UNICODE, field.name)): getattr(ASCII, field.name)
    for field in fields(Glyphs)
    if len(getattr(UNICODE, field.name)) == 1
} | {ord("…"): "~", ord("±"): "+", ord("Δ"): "D"}

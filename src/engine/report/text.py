"""Makes stored text safe to show: model output may hold escapes, bidi marks and line breaks."""

import unicodedata

_UNSAFE = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


def plain(text: str) -> str:
    """One line without control, format or unassigned characters; each shows as its code."""
    if text.isprintable():
        return text
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    if char in "\t\n\r":
        return " "
    return f"⟨{ord(char):04X}⟩" if unicodedata.category(char) in _UNSAFE else char

"""The offline judge: a verdict on a candidate from a glance at its text, and a good deal of chance.

It can run nothing and guesses: programs with a suspicious look are called wrong more often. Now and
then it names no verdict, so that this way of a reply is rehearsed too.
"""

from collections.abc import Sequence

from ...model.llm import Json
from .chance import uniform

Document = dict[str, Json]
SUSPICIOUS: Sequence[str] = (" - 1", " + 1", " < ", " <= ", "[1:]", "[:-1]", " or ", " not ")
USUALLY_WRONG = 0.08
WRONG_EACH = 0.05
SILENT = 0.02


def judge(data: Document, system: str, key: bytes) -> str:
    """The reply: one word, or reasons and a verdict line where the prompt asks for one."""
    code = str(data.get("answer", ""))
    marks = [mark.strip() for mark in SUSPICIOUS if mark in code]
    chance = USUALLY_WRONG + WRONG_EACH * len(marks)
    word = "WRONG" if uniform(key, "verdict") < chance else "RIGHT"
    if uniform(key, "silent") < SILENT:
        return "That cannot be told from the text alone."
    if "Verdict:" not in system:
        return word
    seen = ", ".join(marks) or "nothing of note"
    return f"Boundaries are where such answers go astray; here I see {seen}.\n\nVerdict: {word}"

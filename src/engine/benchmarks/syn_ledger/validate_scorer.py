"""The scorer on valid and malformed outputs."""

from ..checks import Check
from .environment import Ledger
from .score import read_integer

VALID = {
    "47": 47, " 47\n": 47, "+47": 47, "\u221247": -47, "-47": -47, "1,047": 1047, "0": 0,
    "12,345,678": 12345678,
}  # fmt: skip
MALFORMED = (
    "", " ", "47.0", "47.", "4 7", "47 48", "47, 48", "1,47", "10,47", "0047", "1047,", "--47",
    "The answer is 47", "47 crowns", "$47", "47%", "forty-seven", "**47**", "1e2", "\u0664\u0667",
    "(47)", "+-47", "47\n48", "0,047",
)  # fmt: skip


def scorer_checks(ledger: Ledger) -> list[Check]:
    """Right answers score 1, malformed and wrong ones 0, the same under every rendering."""
    misread = [text for text, value in VALID.items() if read_integer(text) != value]
    misread += [text for text in MALFORMED if read_integer(text) is not None]
    wrong = 0
    for task in ledger.released.ledger:
        for env in (ledger.released, ledger.neutral):
            wrong += env.grade(task.id, f" {task.answer} ").score != 1
            wrong += env.grade(task.id, str(task.answer + 1)).score != 0
            wrong += env.grade(task.id, f"It is {task.answer}.").score != 0
    fine = not misread and not wrong
    detail = f"{len(VALID) + len(MALFORMED)} outputs, {len(misread) + wrong} misread"
    return [Check("scorer", fine, detail)]

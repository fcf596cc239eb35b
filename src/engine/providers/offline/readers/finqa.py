"""The FinQA reader: links the question to series of the page and writes a program."""

import math

from ..prompts import tagged
from ..sampling import Answer, Reading
from .finqa_candidates import candidates, weigh
from .finqa_question import ask
from .finqa_series import Series, table_series, text_series

KEPT = 24
SHARPNESS = 1.6


def read(prompt: str) -> Reading | None:
    """Programs for the question of a FinQA prompt; None where it is no FinQA prompt."""
    question, table = tagged(prompt, "question"), tagged(prompt, "table")
    if question is None or table is None:
        return None
    pre, post = tagged(prompt, "pre_text") or "", tagged(prompt, "post_text") or ""
    rows = [[cell.strip() for cell in line.split("|")] for line in table.split("\n")]
    series = table_series(rows) + text_series(f"{pre}\n{post}".lower())
    asked = ask(question)
    found = candidates(weigh(asked, series))
    best = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:KEPT]
    sharpness = SHARPNESS / (1 + math.log1p(len(series)) / 8)
    answers = tuple(Answer(f"Program: {p}", sharpness * score) for p, score in best)
    return Reading(_rationale(series, asked.operations[0][0]), answers or (NOTHING,))


NOTHING = Answer("Program: add(const_0, const_0)", 0.0)


def _rationale(series: list[Series], operation: str) -> str:
    kinds = sum(one.kind != "text" for one in series)
    return (
        f"The question reads as {operation.replace('_', ' ')}. I compared its words with "
        f"{kinds} table labels and {len(series) - kinds} sentences that hold numbers."
    )

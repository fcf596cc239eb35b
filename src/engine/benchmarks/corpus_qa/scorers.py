"""OfficeQA's two scorers: the lenient match that CHASE uses, and the stricter one.

Relative differences are taken in floating point, as the released scorer does, since a tolerance of
5% of a decimal must come out as it does there. At tolerance 0 that is equality.
"""

import re
from collections.abc import Sequence

from .lists import gold_list, readings
from .numbers import Number, has_wording, numbers, wording

LONGEST_DIRECT = 250
_FINAL = re.compile(r"<FINAL_ANSWER>\s*(.*?)\s*</FINAL_ANSWER>", re.DOTALL | re.IGNORECASE)
_MARKUP = re.compile(r"<[^>]*>")
_BRACKETED = re.compile(r"\([^)]*\)")


def fuzzy_match(answer: str, prediction: str, tolerance: float = 0.0) -> bool:
    """Whether the prediction holds the answer: `fuzzy_match_answer`, which the paper names.

    Any matching number in the prediction will do. `tolerance` is a relative difference, 0 to 1.
    Raises ValueError on an empty answer or another tolerance.
    """
    if not answer:
        raise ValueError("the answer is empty; give the question one")
    if not 0 <= tolerance <= 1:
        raise ValueError(f"the tolerance {tolerance} is not from 0 to 1")
    if not prediction or "unable to determine" in prediction.lower():
        return False
    gold, found = numbers(answer), numbers(prediction)
    if not gold or not found:
        return _bare(answer) in _bare(prediction)
    if gold_list(answer, gold):
        return _list_match(answer, prediction, gold, found, tolerance)
    if not _words_agree(answer, prediction):
        return False
    kept = _without_years(gold, found, answer)
    return all(any(_close(g, f, tolerance) for f in kept) for g in gold)


def strict_match(answer: str, prediction: str, tolerance: float = 0.0) -> bool:
    """Whether the prediction is the answer and nothing else, then as `fuzzy_match`: `score_answer`.

    Reads what stands in the last FINAL_ANSWER tags, where there are any.
    """
    tagged = _FINAL.findall(prediction)
    direct = tagged[-1].strip() if tagged else prediction
    try:
        return _is_direct(answer, direct) and fuzzy_match(answer, direct, tolerance)
    except ValueError:
        return False


def _is_direct(answer: str, prediction: str) -> bool:
    """One line, short, with as many numbers as the answer has and no markup."""
    text = prediction.strip()
    if not text or len([line for line in text.splitlines() if line.strip()]) > 1:
        return False
    if len(text) > LONGEST_DIRECT:
        return False
    gold, found = numbers(answer), numbers(text)
    if not gold:
        return not found and _bare(answer) == _bare(text)
    kept = _without_years(gold, found, answer)
    if len(kept) != len(gold) and not (gold_list(answer, gold) and readings(text, len(gold))):
        return False
    return _MARKUP.search(text) is None


def _list_match(
    answer: str,
    prediction: str,
    gold: Sequence[Number],
    found: Sequence[Number],
    tolerance: float,
) -> bool:
    """Numbers in the answer's order, whichever way the prediction's commas are read."""
    candidates = [[Number(v) for v in values] for values in readings(prediction, len(gold))]
    candidates.append(_without_years(gold, found, answer))
    return any(
        len(candidate) == len(gold)
        and all(_close(g, c, tolerance) for g, c in zip(gold, candidate, strict=True))
        for candidate in candidates
    )


def _close(gold: Number, found: Number, tolerance: float) -> bool:
    """Units differ only where both have one; 0 is matched by 0 alone."""
    if gold.unit and found.unit and gold.unit != found.unit:
        return False
    if gold.value == 0:
        return found.value == 0
    return abs(gold.value - found.value) / abs(gold.value) <= tolerance


def _without_years(gold: Sequence[Number], found: Sequence[Number], answer: str) -> list[Number]:
    """The prediction's numbers without years mentioned in passing.

    Kept where the answer is a year, or is a single number with wording (a date).
    """
    dated = len(gold) == 1 and has_wording(answer)
    if dated or any(number.year for number in gold):
        return list(found)
    return [number for number in found if not number.year]


def _words_agree(answer: str, prediction: str) -> bool:
    """Whether the wording of one holds that of the other, where the answer has any."""
    if not has_wording(answer):
        return True
    if not has_wording(prediction):
        return False
    return wording(answer) in wording(prediction) or wording(prediction) in wording(answer)


def _bare(text: str) -> str:
    """Lower case, without quotes around it and without bracketed parts."""
    plain = text.strip().lower().strip('"').strip("'")
    return re.sub(r"\s+", " ", _BRACKETED.sub("", plain)).strip()

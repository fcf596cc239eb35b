"""What a FinQA question asks for: the operation by its cue phrases, the years, the parts."""

import re
from dataclasses import dataclass

from ..words import stems, years

CHANGE = "percent_change"
DIFFERENCE = "difference"
RATIO = "ratio"
AVERAGE = "average"
TOTAL = "total"
EXTREME_HIGH = "maximum"
EXTREME_LOW = "minimum"
COMPARE = "compare"
INDEXED = "indexed_return"
PRODUCT = "product"

P = r"(?:percent(?:age|ual)?|%|per cent)"
CUES: tuple[tuple[str, str, float], ...] = (
    (CHANGE, rf"{P}[a-z ]{{0,12}}(?:change|increase|decrease|decline|growth|reduction|gain)", 5.0),
    (CHANGE, rf"(?:change|grow|increase|decrease|decline|rise|fall)\w*[a-z ]{{0,25}} {P}\b", 3.0),
    (CHANGE, r"growth rate|rate of (?:growth|change|increase)|\broi\b|rate of return", 5.0),
    (CHANGE, rf"by (?:what|how much) {P}", 4.0),
    (CHANGE, r"by how much did|increase observed|(?:decrease|variation|decline) observed", 2.5),
    (CHANGE, r"\bgrowth\b|return on investment", 2.0),
    (CHANGE, rf"{P} (?:difference|returns?)", 3.0),
    (DIFFERENCE, r"\bchange in\b|net change|difference|variation in|variance|\brange\b", 3.0),
    (DIFFERENCE, r"how (?:much|many)[a-z ]*(?:more|less|higher|lower|longer|greater)", 4.0),
    (DIFFERENCE, r"\b(?:increase|decrease|decline|improvement|reduction|growth)\b", 1.5),
    (DIFFERENCE, r"percentage points?|basis points?", 4.0),
    (DIFFERENCE, r"excess|exceed|net of|left|remain", 1.0),
    (RATIO, rf"{P} (?:of|for|was|were|is)\b|{P}", 2.5),
    (RATIO, r"\bportion\b|proportion|fraction|what share|ratio", 4.0),
    (RATIO, r"how much of|as an? (?:percent|portion|share)|comprised|attributable", 2.0),
    (AVERAGE, r"\baverage\b|\bmean\b", 4.0),
    (TOTAL, r"\btotal\b|\bsum\b|combined|altogether|aggregate|cumulative|in all\b", 2.0),
    (EXTREME_HIGH, r"highest|maximum|largest|greatest|\bmost\b|\bpeak\b", 4.0),
    (EXTREME_LOW, r"lowest|minimum|smallest|\bleast\b", 4.0),
    (COMPARE, r"(?:^|, )(?:did|was|were|is|are|does|do|has|have|would|will) ", 2.0),
    (COMPARE, r"(?:greater|more|higher|less|larger|lower) than|exceed|outperform", 3.0),
    (INDEXED, r"(?:cumulative|total) (?:total )?(?:share|stock|return)\w*[ 0]*(?:return)", 4.0),
    (INDEXED, r"(?:five|5|four|three)[- ]year|return|invest", 2.0),
    (PRODUCT, r"\bif\b|\bwould\b|total (?:cost|value) of|approximate(?:ly)? value", 1.5),
)  # fmt: skip
COMPILED = tuple((operation, re.compile(cue), weight) for operation, cue, weight in CUES)
CUE_WORDS = frozenset(
    stems(
        "percent percentage change increase decrease growth rate difference ratio portion average "
        "total sum highest lowest maximum minimum greater considering observed year years company "
        "period ended december calculate value millions billions thousands million billion dollars"
    )
)
NAMED = (
    r"is|was|were|are|did|that|which|came|comprised|related|due|attribut\w+|charged|consist\w*|"
    r"represent\w*|accounted"
)
SPLITS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:percent\w*|portion|proportion|fraction|share|part) of (?:the )?"
        rf"(?P<whole>.+?) (?:{NAMED}) (?P<part>.+)",
        r"(?P<part>.+?) as an? (?:percent\w*|portion|share) of (?P<whole>.+)",
        r"ratio (?:of|between|for) (?P<part>.+?) (?:to|and|over) (?P<whole>.+)",
        r"(?P<part>.+?) (?:accounts?|accounted) for (?:what|which|how).* of (?P<whole>.+)",
        r"how much of (?P<whole>.+?) (?:is|was|were|are|comes?|came) (?P<part>.+)",
        r"(?P<part>.+?) (?:greater|more|higher|larger|less|lower|exceed\w*|longer) than "
        r"(?P<whole>.+)",
        r"(?:difference|spread|change|variance) (?:in|between|of|for) (?P<part>.+?) "
        r"(?:and|to|versus|compared to|over) (?P<whole>.+)",
        r"exceed\w* (?P<whole>.+)",
        r"(?:total|sum|combined|average)(?: of)? (?P<part>.+?) (?:and|plus) (?P<whole>.+)",
    )
)
LONGEST = 400
"""Characters of a question that are read: the patterns below look at every pair of places."""
SINCE = re.compile(r"((?:19|20)\d\d)\s*(?:-|to|through|and|until)\s*(?:[a-z]+\s)?((?:19|20)\d\d)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart; the stems of its parts are empty where it names no parts."""

    words: frozenset[str]
    years: tuple[int, ...]
    span: bool
    operations: tuple[tuple[str, float], ...]
    part: frozenset[str]
    whole: frozenset[str]
    text: str
    exact: bool


def ask(text: str) -> Question:
    """Take a question apart."""
    lower = " ".join(text.lower().replace("\\n", " ").split())[:LONGEST]
    scores: dict[str, float] = {}
    for operation, cue, weight in COMPILED:
        if cue.search(lower):
            scores[operation] = max(scores.get(operation, 0.0), weight) + (
                0.5 if operation in scores else 0.0
            )
    _settle(scores)
    if not scores:
        scores = {DIFFERENCE: 0.5, RATIO: 0.5, TOTAL: 0.5, PRODUCT: 0.2}
    part, whole = _parts(lower)
    named = tuple(sorted(set(years(lower))))
    return Question(
        frozenset(stems(lower)) - CUE_WORDS,
        named,
        SINCE.search(lower) is not None and len(named) > 1,
        tuple(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))),
        part - CUE_WORDS,
        whole - CUE_WORDS,
        lower,
        "%" not in lower and "percent" not in lower,
    )


def _settle(scores: dict[str, float]) -> None:
    """Let a clear operation silence those that share its cue words."""
    if scores.get(CHANGE, 0.0) >= 4.0:
        scores[RATIO] = 0.0
        scores[DIFFERENCE] = min(1.0, scores.get(DIFFERENCE, 0.0))
    if scores.get(COMPARE, 0.0) >= 3.5:
        scores[COMPARE] += 3.0
    elif COMPARE in scores:
        del scores[COMPARE]
    if INDEXED in scores and scores[INDEXED] < 4.0:
        scores[INDEXED] -= 1.0


def _parts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    for pattern in SPLITS:
        match = pattern.search(text)
        if match:
            groups = match.groupdict()
            return (
                frozenset(stems(groups.get("part") or "")),
                frozenset(stems(groups.get("whole") or "")),
            )
    return frozenset(), frozenset()

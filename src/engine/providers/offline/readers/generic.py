"""The reader of last resort: any prompt, an answer among the options or numbers it names."""

import re
from collections import Counter
from itertools import combinations

from ..sampling import Answer, Reading
from ..words import NUMBER, overlap, sentences, stems

OPTION = re.compile(r"(?m)^[ \t]*\(?([A-Z])[).:][ \t]+(\S.*)$")
LISTED = re.compile(
    r"(?i)(?:one of|either|answer with|options:|labels:|classes:|choose (?:from|between))[ \t]*"
    r"([^\n.]{3,200})"
)
FORM = re.compile(r"(?m)^[ \t>*-]*([A-Z][A-Za-z ]{1,20}):[ \t]*<?([^\n<>]{0,60})>?[ \t]*$")
SPLIT = re.compile(r"\s*(?:,|\||/|\bor\b)\s*")
KEPT = 12


def read(prompt: str) -> Reading:
    """Options, listed labels or numbers of the prompt by the words they share with its end."""
    marker = _marker(prompt)
    choices = _options(prompt) or _labels(prompt)
    tail = prompt[-600:]
    scored = _score_labels(prompt, choices) if choices else _score_numbers(prompt, tail)
    best = sorted(scored, key=lambda pair: (-pair[1], pair[0]))[:KEPT]
    answers = tuple(Answer(f"{marker}: {text}", score) for text, score in best)
    fallback = (Answer(f"{marker}: unknown", 0.0),)
    return Reading("I looked for the choices that the text names.", answers or fallback)


def _marker(prompt: str) -> str:
    forms = [m.group(1) for m in FORM.finditer(prompt) if m.group(1).lower() in MARKERS]
    return forms[-1] if forms else "Answer"


MARKERS = frozenset(("answer", "label", "final answer", "verdict", "class", "result", "category"))


def _options(prompt: str) -> list[tuple[str, str]]:
    return [(m.group(1), m.group(2)) for m in OPTION.finditer(prompt)][:KEPT]


def _labels(prompt: str) -> list[tuple[str, str]]:
    match = LISTED.search(prompt)
    if match is None:
        return []
    parts = [part.strip(" '\"`()[]{}") for part in SPLIT.split(match.group(1))]
    kept = [part for part in parts if part and len(part.split()) <= 4]
    return [(part, part) for part in kept][:KEPT] if len(kept) > 1 else []


def _score_labels(prompt: str, choices: list[tuple[str, str]]) -> list[tuple[str, float]]:
    """Each label by the words of its text and definition that stand in the rest of the prompt."""
    words: dict[str, frozenset[str]] = {}
    after = 0
    for label, text in choices:
        definition = re.search(rf"(?m)^[ \t(*-]*{re.escape(label)}[:.)](.*)$", prompt)
        words[label] = frozenset(stems(f"{text} {definition.group(1) if definition else ''}"))
        after = max(after, definition.end() if definition else 0)
    counts = Counter(stems(prompt[after:]))
    common = frozenset[str]().union(*(words[a] & words[b] for a, b in combinations(words, 2)))
    return [
        (label, 1.5 * sum(min(2, counts[word]) for word in sorted(own - common)) / (1 + len(own)))
        for label, own in words.items()
    ]


def _score_numbers(prompt: str, tail: str) -> list[tuple[str, float]]:
    """Numbers of the prompt by the words that their sentence shares with the prompt's end."""
    wanted = frozenset(stems(tail))
    best: dict[str, float] = {}
    for sentence in sentences(prompt)[:400]:
        link = 3.0 * overlap(wanted, frozenset(stems(sentence)))
        for number in NUMBER.findall(sentence)[:20]:
            best[number] = max(best.get(number, 0.0), link)
    return list(best.items())

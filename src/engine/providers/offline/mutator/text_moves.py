"""Moves on passages. They add, reorder or reword, and spare the evidence."""

import re

from ..words import NUMBER
from . import banks
from .draft import Draft

WORD = re.compile(r"\b[a-z]{5,}\b")
SENTENCE_END = re.compile(r"(?<=[.;])\s+")
NEGATING = frozenset(("without", "neither", "never", "cannot", "nothing"))
CONFUSIONS = (("rn", "m"), ("cl", "d"), ("li", "h"), ("ll", "U"), ("e", "c"), ("o", "0"))


def distract(draft: Draft) -> str | None:
    """Two sentences on neighbouring subjects, in the question's own words."""
    lines = [
        banks.fill(template, draft.topic(), draft.rng)
        for template in draft.rng.sample(banks.DISTRACTORS[draft.flavour], 2)
    ]
    return _insert(draft, lines, "Sentences on a neighbouring subject, as editors leave them in.")


def boilerplate(draft: Draft) -> str | None:
    """Two standard sentences of the field."""
    lines = draft.rng.sample(banks.BOILERPLATE[draft.flavour], 2)
    return _insert(draft, lines, "Standard notices of such documents were added.")


def cross_reference(draft: Draft) -> str | None:
    """Two pointers to other parts of the document."""
    template = banks.POINTERS[draft.flavour]
    lines = [banks.fill(template, draft.topic(), draft.rng) for _ in range(2)]
    return _insert(draft, lines, "Pointers to other parts were added, as editing leaves them.")


def clutter_periods(draft: Draft) -> str | None:
    """A sentence about periods that nobody asked for."""
    line = banks.fill(banks.PERIODS[draft.flavour], draft.topic(), draft.rng)
    return _insert(draft, [line], "Earlier periods are mentioned beside the one in question.")


def unit_notes(draft: Draft) -> str | None:
    """A note on units or rounding that agrees with the figures."""
    line = draft.rng.choice(banks.UNITS)
    return _insert(draft, [line], "A note on presentation was added, as preparers do.")


def _insert(draft: Draft, lines: list[str], description: str) -> str | None:
    """Put lines between passages, or inside one where the number of passages is fixed."""
    fields = draft.prose()
    if not fields:
        return None
    for line in lines:
        name, passages = draft.rng.choice(fields)
        if draft.grows(name):
            passages.insert(draft.rng.randint(0, len(passages)), line)
        else:
            _insert_inside(draft, passages, line)
        draft.put(name, passages)
    return description


def _insert_inside(draft: Draft, passages: list[str], line: str) -> None:
    at = draft.rng.randrange(len(passages))
    parts = SENTENCE_END.split(passages[at])
    parts.insert(draft.rng.randint(0, len(parts)), line)
    passages[at] = " ".join(part for part in parts if part)


def restructure(draft: Draft) -> str | None:
    """Move a passage to the front and another one to the end, in a field that has several."""
    fields = [(name, parts) for name, parts in draft.prose() if _full(parts) > 1]
    if not fields:
        return _swap_sentences(draft)
    name, passages = draft.rng.choice(fields)
    full = [i for i, part in enumerate(passages) if part.strip()]
    moved = passages.pop(draft.rng.choice(full[1:]))
    passages.insert(full[0], moved)
    draft.put(name, passages)
    return "A passage was moved forward, as in documents put together from parts."


def _full(passages: list[str]) -> int:
    return sum(bool(part.strip()) for part in passages)


def _swap_sentences(draft: Draft) -> str | None:
    for name, passages in draft.prose():
        for i, passage in enumerate(passages):
            parts = SENTENCE_END.split(passage)
            if len(parts) > 2:
                at = draft.rng.randrange(1, len(parts))
                passages[i] = " ".join(parts[at:] + parts[:at])
                draft.put(name, passages)
                return "The sentences of a passage were put in another order."
    return None


def substitute_terms(draft: Draft) -> str | None:
    """Replace up to four terms of the field by equal ones, wherever they stand."""
    terms = list(banks.TERMS[draft.flavour])
    draft.rng.shuffle(terms)
    done: list[str] = []
    for old, new in terms:
        if len(done) == 4:
            break
        pattern = re.compile(rf"\b{re.escape(old)}\b")
        if any(_replace(draft, name, parts, pattern, new) for name, parts in draft.prose()):
            done.append(f"{old} as {new}")
    return f"Other terms of the field: {', '.join(done)}." if done else None


def _replace(
    draft: Draft, name: str, passages: list[str], pattern: re.Pattern[str], new: str
) -> bool:
    changed = [pattern.sub(new, part) for part in passages]
    if changed == passages:
        return False
    draft.put(name, changed)
    return True


def hedge(draft: Draft) -> str | None:
    """Put a modest opening before sentences that hold no evidence, or add one that does so."""
    opening = draft.rng.choice(banks.HEDGES[draft.flavour])
    spots = [
        (name, passages, i)
        for name, passages in draft.prose()
        for i, part in enumerate(passages)
        if len(part) > 40 and part[0].isalpha() and not draft.is_held(part)
    ]
    if not spots:
        line = opening + banks.fill(banks.DISTRACTORS[draft.flavour][1], draft.topic(), draft.rng)
        return _insert(draft, [line], "A sentence in modest wording was added.")
    name, passages, i = draft.rng.choice(spots)
    passages[i] = opening + passages[i][0].lower() + passages[i][1:]
    draft.put(name, passages)
    return "Wording with more reserve, as careful authors write."


def nest(draft: Draft) -> str | None:
    """Put a parenthesis before the first comma of up to three passages."""
    addition = banks.NESTED[draft.flavour]
    done = 0
    for name, passages in draft.prose():
        order = list(range(len(passages)))
        draft.rng.shuffle(order)
        for i in order:
            at = passages[i].find(", ")
            if done < 3 and at > 20 and addition not in passages[i]:
                before = passages[i][:at].rstrip()
                passages[i] = before + addition + passages[i][at:]
                done += 1
        draft.put(name, passages)
    return f"{done} sentences carry a parenthesis more, as after legal review." if done else None


def scan_noise(draft: Draft) -> str | None:
    """Misread single letters in words that hold no evidence, as scanners do."""
    done = 0
    for name, passages in draft.prose():
        for i, part in enumerate(passages):
            if done >= 12 or draft.is_held(part):
                continue
            noisy = WORD.sub(lambda match: _misread(draft, match.group()), part)
            done += noisy != part
            passages[i] = noisy
        draft.put(name, passages)
    return f"Scanning left misread letters in {done} passages." if done else None


def _misread(draft: Draft, word: str) -> str:
    if draft.rng.random() > 0.05 or word in NEGATING or NUMBER.search(word):
        return word
    for seen, read in draft.rng.sample(CONFUSIONS, len(CONFUSIONS)):
        if seen in word[1:]:
            at = word.index(seen, 1)
            return word[:at] + read + word[at + len(seen) :]
    return word

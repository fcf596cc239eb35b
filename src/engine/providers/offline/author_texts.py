"""Operators for answers that are no programs: their form, and what other answers say."""

import random
from collections.abc import Sequence

Made = tuple[str, str, str]
FORMS = (
    ("holds_no_number", "not any(c.isdigit() for c in text)", "name no number"),
    ("is_long", "len(text.split()) > {bound}", "are long-winded"),
    ("is_short", "len(text.split()) < {bound}", "say too little"),
    ("is_shouted", "text.isupper()", "are all capitals"),
    ("says_it_twice", "len(set(text.split())) < len(text.split())", "repeat a word"),
    ("asks_back", "text.rstrip().endswith('?')", "end in a question"),
)
FORM = '''"""{rationale}"""


def op(task, text):
    """One look at the answer's form."""
    return "flag" if {test} else "pass"
'''
VIEWS = (
    ("answers", '" ".join(text.casefold().split()).rstrip(".!")'),
    ("last_words", '(text.casefold().rstrip(".! ").split() or [""])[-1]'),
    ("first_words", '(text.casefold().split() or [""])[0]'),
    ("numbers", '" ".join(re.findall(r"-?[0-9]+(?:[.][0-9]+)?", text))'),
)
PEERS = '''"""{rationale}"""

import re
from collections import Counter


def said(text):
    """What one answer comes to."""
    return {view}


def op(task, text, ctx):
    """Whether more of the other answers say something else."""
    groups = Counter(said(ctx.sources[peer]) for peer in ctx.peers)
    if len(ctx.peers) < {least}:
        return "abstain"
    mine = groups[said(text)] + 1
    best = max(groups.values())
    return "flag" if best >= {factor} * mine else "pass"
'''


def texts1(rng: random.Random, names: Sequence[str]) -> Made:
    """One operator that sees the answer alone: its name, why, and its source."""
    if rng.random() < 0.25:
        word = rng.choice(list(names))
        why = "Wrong answers share a word."
        return "shared_word", why, FORM.format(rationale=why, test=f"{word!r} in text")
    name, test, told = rng.choice(FORMS)
    why = f"Wrong answers {told}."
    return name, why, FORM.format(rationale=why, test=test.format(bound=rng.choice((2, 4, 8))))


def texts2(rng: random.Random, names: Sequence[str]) -> Made:
    """One operator that compares the answer with its peers."""
    name, view = rng.choices(VIEWS, weights=(4, 2, 1, 2))[0]
    why = f"Wrong answers stand alone with their {name.replace('_', ' ')}."
    source = PEERS.format(
        rationale=why, view=view, least=rng.choice((2, 3)), factor=rng.choice((1, 2, 2))
    )
    return f"minority_{name}", why, source

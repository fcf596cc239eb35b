"""Blind labelling: the questions that people answer, and the order in which items come.

An item's place is the SHA-256 of "seed:author:node", so that each author has an order of their
own, the same at every visit, and nodes that arrive later move none of those that are there.
"""

from collections.abc import Collection, Iterable
from hashlib import sha256

QUESTIONS = ("realistic", "correct")
"""Is the input realistic? Does the expected output hold for it?"""
ANSWERS = ("yes", "no")
GATE_OF = {"realistic": "realism", "correct": "correctness"}
"""The gate that has answered the same question."""
SAMPLE = 60
"""Items of a set where nobody says otherwise: the size of the paper's banks (HARDEN, A.11)."""


def handle(node: str) -> str:
    """A node's name without what its id tells (generation, place): 12 hexadecimal digits."""
    return sha256(node.encode("utf-8", "replace")).hexdigest()[:12]


def draw(
    nodes: Iterable[str], begun: Collection[str], author: str, seed: int, sample: int
) -> list[str]:
    """The set of an author in order: what they have `begun`, filled up to `sample` nodes."""

    def place(node: str) -> str:
        return sha256(f"{seed}:{author}:{node}".encode("utf-8", "replace")).hexdigest()

    order = sorted(nodes, key=lambda node: (place(node), node))
    room = sample - sum(node in begun for node in order)
    chosen = []
    for node in order:
        if node in begun or room > 0:
            chosen.append(node)
            room -= node not in begun
    return chosen

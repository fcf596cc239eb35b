"""Program equivalence as FinQA's official evaluator sees it.

Each argument text of the gold program becomes a symbol, a table step one symbol as a whole; two
programs are equivalent if sympy simplifies both to the same expression. Programs that differ at a
point of a prime field cannot simplify to the same, so most are told apart without sympy.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, TypeAlias

from .finqa_program import ARITHMETIC, Step, has_form, parse_step, step_texts, tokenize

Tree: TypeAlias = "str | tuple[str, Tree, Tree]"
Sized: TypeAlias = "tuple[Tree | None, int]"
"""An expression, None where it is too large, and its number of leaves."""

MAX_LEAVES = 32
MAX_OPAQUE_LEAVES = 12
"""With powers or comparisons sympy decides alone, and takes minutes for larger expressions."""
_PRIME = (1 << 61) - 1


def equivalent(gold: str, program: str) -> bool | None:
    """Whether `program` is algebraically the gold program (FinQA's program accuracy).

    None where no verdict can be had in a short time: the program, written out, has more than 32
    arguments, or more than 12 with powers or comparisons. Gold programs of FinQA stay below 8.
    Raises ValueError where the gold program is malformed.
    """
    return equivalent_tokens(tokenize(gold), tokenize(program))


def equivalent_tokens(gold: Sequence[str], tokens: Sequence[str]) -> bool | None:
    """As `equivalent`, on token lists that end with EOF."""
    gold_steps = [parse_step(text) for text in step_texts(gold)]
    symbols = _symbols(gold_steps)
    gold_tree = _tree(gold_steps, symbols)
    if gold_tree is None:
        return None
    if _calculates_with_comparison(gold_tree):
        raise ValueError("the gold program calculates with a comparison's result")
    try:
        tree = _candidate_tree(tokens, symbols)
    except (LookupError, ValueError):
        return False
    return None if tree is None else _same(gold_tree, tree)


def _symbols(steps: Sequence[Step]) -> dict[str, str]:
    """The gold program's arguments and table steps, numbered in order of appearance."""
    symbols: dict[str, str] = {}
    for step in steps:
        texts = (step.first, step.second) if step.op in ARITHMETIC else (step.text,)
        for text in texts:
            if step.op not in ARITHMETIC or "#" not in text:
                symbols.setdefault(text, f"a{len(symbols)}")
    return symbols


def _candidate_tree(tokens: Sequence[str], symbols: dict[str, str]) -> "Tree | None":
    """The candidate's expression; raises where it is malformed or has a symbol of its own."""
    if not has_form(tokens):
        raise ValueError("not a program")
    steps = [parse_step(text) for text in step_texts(tokens)]
    for index, step in enumerate(steps):
        if step.op not in ARITHMETIC:
            symbols[step.text]
            continue
        for text in (step.first, step.second):
            if "#" not in text:
                symbols[text]
            elif int(text.strip("#")) >= index:
                raise ValueError("a reference must point back")
    return _tree(steps, symbols)


def _tree(steps: Sequence[Step], symbols: dict[str, str]) -> "Tree | None":
    """The last step's expression with references written out; None where it is too large."""
    built: list[Sized] = []
    for step in steps:
        if step.op in ARITHMETIC:
            left, right = (_part(text, built, symbols) for text in (step.first, step.second))
            built.append(_joined(step.op, left, right))
        else:
            built.append((symbols[step.text], 1))
    if not built:
        raise ValueError("a program without a step")
    return built[-1][0]


def _joined(op: str, left: Sized, right: Sized) -> Sized:
    size = min(left[1] + right[1], MAX_LEAVES + 1)
    if left[0] is None or right[0] is None or size > MAX_LEAVES:
        return None, size
    return (op, left[0], right[0]), size


def _part(text: str, built: Sequence[Sized], symbols: dict[str, str]) -> Sized:
    if "#" not in text:
        return symbols[text], 1
    index = int(text.replace("#", ""))
    if not 0 <= index < len(built):
        raise ValueError("a reference must point back")
    return built[index]


def _same(gold: Tree, tree: Tree) -> bool | None:
    if gold == tree:
        return True
    if (gold[0] == "greater") != (tree[0] == "greater") or _calculates_with_comparison(tree):
        return False
    if max(map(_opaque_leaves, (gold, tree))) > MAX_OPAQUE_LEAVES:
        return None
    if _differs_in_field(gold, tree):
        return False
    try:
        return bool(_simplified(gold) == _simplified(tree))
    except Exception:  # what sympy refuses, such as 1/0 > a, the official evaluator calls unequal
        return False


def _opaque_leaves(tree: Tree) -> int:
    """How many leaves an expression with powers or comparisons has; 0 without any."""
    leaves, opaque, open_parts = 0, False, [tree]
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, str):
            leaves += 1
        else:
            opaque = opaque or part[0] in ("exp", "greater")
            open_parts.extend(part[1:])
    return leaves if opaque else 0


def _calculates_with_comparison(tree: Tree) -> bool:
    """Whether yes or no is an argument, which sympy refuses as execution does."""
    if isinstance(tree, str):
        return False
    return any(part[0] == "greater" or _calculates_with_comparison(part) for part in tree[1:])


@lru_cache(maxsize=4096)
def _simplified(tree: Tree) -> Any:
    # sympy takes half a second to import, and most programs never need it
    from sympy import Symbol, simplify

    def build(part: Tree) -> Any:
        if isinstance(part, str):
            return Symbol(part)
        operation, left, right = part[0], build(part[1]), build(part[2])
        return left > right if operation == "greater" else ARITHMETIC[operation](left, right)

    return simplify(build(tree))


_FIELD: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: (a + b) % _PRIME,
    "subtract": lambda a, b: (a - b) % _PRIME,
    "multiply": lambda a, b: a * b % _PRIME,
    "divide": lambda a, b: a * pow(b, -1, _PRIME) % _PRIME,
}


def _differs_in_field(gold: Tree, tree: Tree) -> bool:
    """Whether a value in the prime field proves the expressions different.

    Powers and comparisons have no value there, and prove nothing.
    """
    try:
        return _at_point(gold) != _at_point(tree)
    except (KeyError, ValueError):
        return False


def _at_point(tree: Tree) -> int:
    if isinstance(tree, str):
        return _point(tree)
    return _FIELD[tree[0]](_at_point(tree[1]), _at_point(tree[2]))


@cache
def _point(symbol: str) -> int:
    return pow(7, 1_000_003 * (int(symbol[1:]) + 1), _PRIME)

"""Operators that read the candidate's syntax tree: narrow ideas, most of them blind."""

import random
from collections.abc import Callable, Sequence

Made = tuple[str, str, str]
WALK = '''"""{rationale}"""

import ast


def op(task, code):
    """Walk the tree once."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return "abstain"
    count = 0
    for node in ast.walk(tree):
        if {test}:
            count += 1
    return "flag" if count {relation} {bound} else "pass"
'''
TESTS = (
    ("nested_loops", "isinstance(node, (ast.For, ast.While)) and any(isinstance(p, (ast.For, "
     "ast.While)) for p in ast.walk(node) if p is not node)"),
    ("comparisons", "isinstance(node, ast.Compare)"),
    ("chained_comparisons", "isinstance(node, ast.Compare) and len(node.ops) > 1"),
    ("early_exits", "isinstance(node, (ast.Break, ast.Continue))"),
    ("several_returns", "isinstance(node, ast.Return)"),
    ("bare_excepts", "isinstance(node, ast.ExceptHandler) and node.type is None"),
    ("slices", "isinstance(node, ast.Slice) and node.upper is not None"),
    ("negations", "isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)"),
    ("empty_blocks", "isinstance(node, ast.Pass)"),
    ("constant_tests", "isinstance(node, ast.If) and isinstance(node.test, ast.Constant)"),
    ("whole_divisions", "isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)"),
    ("lambdas", "isinstance(node, ast.Lambda)"),
)  # fmt: skip


def level1(rng: random.Random, names: Sequence[str]) -> Made:
    """One operator of the narrow interface: its name, why, and its source."""
    kinds: tuple[Callable[[random.Random, Sequence[str]], Made], ...] = (
        _count, _count, _count, _count, _fitted, _size,
    )  # fmt: skip
    return rng.choice(kinds)(rng, names)


def _count(rng: random.Random, names: Sequence[str]) -> Made:
    name, test = rng.choice(TESTS)
    relation, bound = rng.choice((">", ">", "==")), rng.choice((0, 1, 2, 3))
    why = f"Wrong programs stand out by their number of {name.replace('_', ' ')}."
    source = WALK.format(rationale=why, test=test, relation=relation, bound=bound)
    return f"counts_{name}", why, source


def _fitted(rng: random.Random, names: Sequence[str]) -> Made:
    """An operator that fits to the sample it was shown: what the screens are for."""
    word = rng.choice(list(names))
    why = "Wrong programs share a word."
    source = f'"""{why}"""\n\n\ndef op(task, code):\n    """Search the text."""\n'
    source += f'    return "flag" if {word!r} in code else "pass"\n'
    return "shared_word", why, source


def _size(rng: random.Random, names: Sequence[str]) -> Made:
    bound = rng.choice((6, 9, 12, 15))
    test = "isinstance(node, ast.stmt)"
    why = "Wrong programs are longer than the task needs."
    source = WALK.format(rationale=why, test=test, relation=">", bound=bound)
    return "many_statements", why, source

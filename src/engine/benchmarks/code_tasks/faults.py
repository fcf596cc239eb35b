"""Candidates for a task: its reference written otherwise, and with faults put in (cegar.md, 4).

Faults are changes of the syntax tree that programmers make by mistake: a bound moved by one, a
comparison that lets equality in or out, a branch turned round, a step left out. Seeded: the same
task, count and seed give the same candidates.
"""

import ast
import copy
import hashlib
import random
from collections.abc import Callable, Iterator
from typing import TypeAlias

from .rewriting import rewritten
from .tasks import Candidate, Task

Fault: TypeAlias = Callable[[ast.AST], Iterator[ast.AST | None]]
"""From a node to what could stand in its place; None leaves a statement out."""

COUNT = 16
CORRECT_SHARE = 0.45
SECOND_FAULT = 0.15


def candidates(task: Task, count: int = COUNT, *, seed: int) -> list[Candidate]:
    """`count` programs in a seeded order, some right and most of the others faulty, none labelled.

    A fault may happen to change nothing: what is right is for the hidden suite to say.
    """
    rng = random.Random(hashlib.sha256(f"{seed}:{task.id}".encode()).digest())
    texts = [_one(task.reference, rng) for _ in range(count)]
    return [Candidate(task.id, place, text, f"mutant:{seed}") for place, text in enumerate(texts)]


def _one(reference: str, rng: random.Random) -> str:
    """One candidate: the reference rewritten, or one or two faults in it, rewritten."""
    text = reference
    if rng.random() >= CORRECT_SHARE:
        for _ in range(2 if rng.random() < SECOND_FAULT else 1):
            text = faulty(text, rng)
    return rewritten(text, rng)


def faulty(text: str, rng: random.Random) -> str:
    """The program with one fault; itself where no place for one is found."""
    tree = ast.parse(text)
    places = [
        (number, kind, choice)
        for number, node in enumerate(ast.walk(tree))
        for kind, fault in enumerate(FAULTS)
        for choice, _ in enumerate(fault(node))
    ]
    if not places:
        return text
    kind = rng.choice(sorted({place[1] for place in places}))
    number, _, choice = rng.choice([place for place in places if place[1] == kind])
    return ast.unparse(_replaced(tree, number, FAULTS[kind], choice)) + "\n"


def _replaced(tree: ast.Module, number: int, fault: Fault, choice: int) -> ast.Module:
    """The tree with node `number` of its walk changed."""
    changed = copy.deepcopy(tree)
    node = list(ast.walk(changed))[number]
    new = list(fault(node))[choice]
    result = _Swap(node, new).visit(changed)
    assert isinstance(result, ast.Module)
    return ast.fix_missing_locations(result)


class _Swap(ast.NodeTransformer):
    """Puts one node in the place of another; an emptied block gets a `pass`."""

    def __init__(self, old: ast.AST, new: ast.AST | None) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """Replace or go deeper."""
        if node is self.old:
            return self.new if self.new is not None else ast.Pass()
        return self.generic_visit(node)


_FLIPS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt,),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt,),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mod,
    ast.Mod: ast.FloorDiv,
    ast.Div: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
}


def _comparison(node: ast.AST) -> Iterator[ast.AST]:
    """Equality let in or out, or the comparison turned round."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for flip in _FLIPS.get(type(node.ops[0]), ()):
            yield ast.Compare(node.left, [flip()], node.comparators)


def _constant(node: ast.AST) -> Iterator[ast.AST]:
    """A whole number one off."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(node.value + 1)
        if node.value > 0:
            yield ast.Constant(node.value - 1)


def _operator(node: ast.AST) -> Iterator[ast.AST]:
    """Another arithmetic operator."""
    if isinstance(node, ast.BinOp) and (other := _OPERATORS.get(type(node.op))):
        yield ast.BinOp(node.left, other(), node.right)


def _connective(node: ast.AST) -> Iterator[ast.AST]:
    """`and` for `or`, or one of the conditions forgotten."""
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield ast.BoolOp(other, node.values)
        yield from node.values


def _condition(node: ast.AST) -> Iterator[ast.AST]:
    """An `if` without its alternative, or always taken."""
    if isinstance(node, ast.If):
        if node.orelse:
            yield ast.If(node.test, node.body, [])
        yield ast.If(ast.Constant(True), node.body, node.orelse)


def _left_out(node: ast.AST) -> Iterator[ast.AST | None]:
    """A guard, an update or a call left out."""
    guard = isinstance(node, ast.If) and len(node.body) == 1 and not node.orelse
    if guard or isinstance(node, ast.AugAssign | ast.Expr):
        yield None


def _range(node: ast.AST) -> Iterator[ast.AST]:
    """A range that ends one early or one late."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range":
        end = min(1, len(node.args) - 1)
        for operator in (ast.Sub(), ast.Add()):
            moved = ast.BinOp(node.args[end], operator, ast.Constant(1))
            yield ast.Call(node.func, [*node.args[:end], moved, *node.args[end + 1 :]], [])


def _call(node: ast.AST) -> Iterator[ast.AST]:
    """`min` for `max`, or `sorted`, `abs` and `set` forgotten."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        swapped = {"min": "max", "max": "min"}.get(node.func.id)
        if swapped:
            yield ast.Call(ast.Name(swapped, ast.Load()), node.args, node.keywords)
        if node.func.id in ("sorted", "abs", "set"):
            yield node.args[0]


def _slice(node: ast.AST) -> Iterator[ast.AST]:
    """A slice whose bound is one off, or forgotten."""
    if isinstance(node, ast.Slice) and node.upper is not None:
        yield ast.Slice(node.lower, ast.BinOp(node.upper, ast.Sub(), ast.Constant(1)), node.step)
    if isinstance(node, ast.Slice) and node.lower is not None:
        yield ast.Slice(None, node.upper, node.step)


def _at_once(node: ast.AST) -> Iterator[ast.AST]:
    """A `return` behind a loop that slipped into it."""
    if isinstance(node, ast.FunctionDef) and len(node.body) > 1:
        loop, last = node.body[-2], node.body[-1]
        if isinstance(loop, ast.For | ast.While) and isinstance(last, ast.Return):
            inside = copy.copy(loop)
            inside.body = [*loop.body, last]
            changed = copy.copy(node)
            changed.body = [*node.body[:-2], inside]
            yield changed


FAULTS: tuple[Fault, ...] = (
    _comparison, _constant, _operator, _connective, _condition, _left_out, _range, _call, _slice,
    _at_once,
)  # fmt: skip

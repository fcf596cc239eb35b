"""Names and constants of training samples, and which of those are only Python's own vocabulary."""

import ast
import builtins
import keyword
from collections.abc import Iterable
from typing import TypeAlias

Literal: TypeAlias = str | int | float | bytes

_TYPES = (str, bytes, list, dict, set, frozenset, tuple, int, float, complex, bool, range, slice)
GENERIC: frozenset[Literal] = frozenset(
    {
        *dir(builtins), *keyword.kwlist, *keyword.softkwlist,
        *(name for kind in _TYPES for name in dir(kind)),
        "self", "cls", "args", "kwargs", "_", "", " ", "\n", "__main__",
        *range(-2, 11), 0.0, 0.5, 1.0, 2.0, 100,
    }
)  # fmt: skip
"""Words and numbers that belong to the language: naming them says nothing about a sample."""


def literals_of(code: str) -> frozenset[Literal]:
    """All identifiers and constants of a program, less `GENERIC`; none if it does not parse."""
    tree = parsed(code)
    return frozenset() if tree is None else frozenset(_all(tree)) - GENERIC


def training_literals(codes: Iterable[str]) -> frozenset[Literal]:
    """Identifiers and constants that occur in any training sample."""
    return frozenset().union(*(literals_of(code) for code in codes))


def emitted_constants(faulty: Iterable[str], clean: Iterable[str]) -> frozenset[Literal]:
    """Constants that stand in faulty samples and in no correct one: what faults are made of."""
    return _constants(faulty) - _constants(clean) - GENERIC


def parsed(code: str) -> ast.Module | None:
    """The syntax tree; None where the text is no Python."""
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _constants(codes: Iterable[str]) -> frozenset[Literal]:
    trees = [tree for code in codes if (tree := parsed(code)) is not None]
    return frozenset(
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bytes)
    )


def _all(tree: ast.AST) -> Iterable[Literal]:
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str() | int() | float() | bytes() as value):
                yield value
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.alias(name=name):
                yield name

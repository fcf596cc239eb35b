"""Flag a program that compares the result of a true division, or a float, for equality."""

import ast
from typing import Any


def inexact(node: ast.expr) -> bool:
    """Whether an expression gives a float that rounding may have touched."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float) and node.value != int(node.value)
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)


def op(task: dict[str, Any], code: str) -> str:
    """Rule: an `==` or `!=` has a division, or a float constant with a fraction, on one side."""
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            continue
        if any(inexact(side) for side in (node.left, *node.comparators)):
            return "flag"
    return "pass"

"""Flag a function that changes one of its arguments in place."""

import ast
from typing import Any

CHANGING = {
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "add",
    "discard", "popitem", "setdefault",
}  # fmt: skip


def rebound(function: ast.FunctionDef) -> set[str]:
    """Names that the function assigns itself: no longer the caller's object."""
    return {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def op(task: dict[str, Any], code: str) -> str:
    """Rule: a changing method, an item assignment or a `del` on a parameter never rebound."""
    for function in ast.walk(ast.parse(code)):
        if not isinstance(function, ast.FunctionDef) or function.name != task["entry_point"]:
            continue
        given = {arg.arg for arg in function.args.args} - rebound(function)
        for node in ast.walk(function):
            target: ast.expr | None = None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                target = node.func.value if node.func.attr in CHANGING else None
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                target = node.value
            if isinstance(target, ast.Name) and target.id in given:
                return "flag"
        return "pass"
    return "abstain"

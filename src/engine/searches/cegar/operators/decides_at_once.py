"""Flag a loop that always returns in its first round."""

import ast
from typing import Any


def leaves(body: list[ast.stmt]) -> bool:
    """Whether every path through these statements ends in a return."""
    for statement in body:
        if isinstance(statement, (ast.Return, ast.Raise)):
            return True
        branches = isinstance(statement, ast.If) and bool(statement.orelse)
        if branches and leaves(statement.body) and leaves(statement.orelse):  # type: ignore[attr-defined]
            return True
        if isinstance(statement, (ast.Continue, ast.Break)):
            return False
    return False


def op(task: dict[str, Any], code: str) -> str:
    """Rule: all paths through the body of a `for` or `while` return, so it never goes round."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, (ast.For, ast.While)) and leaves(node.body):
            escapes = any(isinstance(part, (ast.Continue, ast.Break)) for part in ast.walk(node))
            if not escapes:
                return "flag"
    return "pass"

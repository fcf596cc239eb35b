"""Flag a program that catches every exception."""

import ast
from typing import Any


def op(task: dict[str, Any], code: str) -> str:
    """Rule: a handler without a class, or for `Exception` or `BaseException`, does not re-raise."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ExceptHandler):
            broad = node.type is None or (
                isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
            )
            if broad and not any(isinstance(part, ast.Raise) for part in ast.walk(node)):
                return "flag"
    return "pass"

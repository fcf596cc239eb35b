"""Flag a program with statements that can never run."""

import ast
from typing import Any


def op(task: dict[str, Any], code: str) -> str:
    """Rule: in some block a statement follows a return, raise, break or continue."""
    ends = (ast.Return, ast.Raise, ast.Break, ast.Continue)
    for node in ast.walk(ast.parse(code)):
        for block in (getattr(node, "body", []), getattr(node, "orelse", [])):
            if isinstance(block, list) and any(isinstance(part, ends) for part in block[:-1]):
                return "flag"
    return "pass"

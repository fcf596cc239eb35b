"""Flag a function that never reads one of its parameters."""

import ast
from typing import Any


def op(task: dict[str, Any], code: str) -> str:
    """Rule: the entry function's body never loads the name of some parameter."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef) and node.name == task["entry_point"]:
            read = {
                part.id
                for part in ast.walk(node)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
            }
            return "flag" if any(arg.arg not in read for arg in node.args.args) else "pass"
    return "abstain"

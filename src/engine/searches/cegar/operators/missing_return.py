"""Flag a function that has no `return` with a value although an example expects one."""

import ast
from typing import Any


def op(task: dict[str, Any], code: str) -> str:
    """Rule: some example expects a value, and the entry function neither returns nor yields one."""
    expected = [value for _, value in task["examples"]]
    if not expected or all(value is None for value in expected):
        return "abstain"
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef) and node.name == task["entry_point"]:
            gives = any(
                isinstance(part, (ast.Return, ast.Yield)) and part.value is not None
                for part in ast.walk(node)
            )
            return "pass" if gives else "flag"
    return "abstain"

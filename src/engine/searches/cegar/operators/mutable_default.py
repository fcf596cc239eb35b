"""Flag a function whose default value is a list, dict or set that all calls share."""

import ast
from typing import Any


def op(task: dict[str, Any], code: str) -> str:
    """Rule: some default is a list, dict or set display, or a comprehension of one."""
    shared = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef):
            defaults = [*node.args.defaults, *node.args.kw_defaults]
            if any(isinstance(default, shared) for default in defaults):
                return "flag"
    return "pass"

"""Flag a loop that stops one element early without looking at the next one."""

import ast
from typing import Any


def stops_early(call: ast.expr) -> bool:
    """Whether an expression is a `range` whose end is a length less 1."""
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.args):
        return False
    end = call.args[0] if len(call.args) == 1 else call.args[1]
    return (
        call.func.id == "range"
        and isinstance(end, ast.BinOp)
        and isinstance(end.op, ast.Sub)
        and isinstance(end.left, ast.Call)
        and isinstance(end.left.func, ast.Name)
        and end.left.func.id == "len"
    )


def looks_ahead(loop: ast.For) -> bool:
    """Whether the body adds something to a name of the loop's target."""
    names = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, (ast.Add, ast.Sub))
        and any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node))
        for statement in loop.body
        for node in ast.walk(statement)
    )


def op(task: dict[str, Any], code: str) -> str:
    """Rule: `for i in range(len(x) - 1)` whose body never uses i plus or minus something."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.For) and stops_early(node.iter) and not looks_ahead(node):
            return "flag"
    return "pass"

"""Our own programming tasks: each function is the reference of one, read as text, never imported.

Its docstring is the statement with the asserts that a solver sees; `HIDDEN` at the end of each
file has the arguments of the hidden suite.
"""

import ast
from importlib.resources import files
from typing import Any

from ..tasks import Task

FILES = ("numbers", "texts", "sequences", "records")


def own_tasks() -> list[Task]:
    """All tasks in the order of the files."""
    folder = files(__package__)
    texts = (folder.joinpath(f"{name}.py").read_text(encoding="utf-8") for name in FILES)
    return [task for text in texts for task in tasks_of(text)]


def training_split(tasks: list[Task]) -> tuple[list[Task], list[Task]]:
    """Training and held-out tasks: every other one, so that both have all kinds."""
    return tasks[::2], tasks[1::2]


def tasks_of(text: str) -> list[Task]:
    """The tasks that one file of the suite defines."""
    tree = ast.parse(text)
    imports = [ast.unparse(n) for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    hidden = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "HIDDEN"
    )
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [_task(node, imports, hidden[node.name]) for node in functions]


def _task(node: ast.FunctionDef, imports: list[str], hidden: list[Any]) -> Task:
    statement = ast.get_docstring(node) or ""
    asserts = tuple(line for line in statement.splitlines() if line.startswith("assert "))
    bare = ast.FunctionDef(**{**dict(ast.iter_fields(node)), "body": node.body[1:]})
    ast.copy_location(bare, node)
    used = [line for line in imports if line.split()[-1] in ast.unparse(bare)]
    return Task(
        id=f"own/{node.name}",
        dataset="own",
        prompt=f'"""\n{statement}\n"""\n',
        entry=node.name,
        reference="\n".join([*used, ast.unparse(bare)]) + "\n",
        visible=asserts,
        base=tuple(hidden),
    )

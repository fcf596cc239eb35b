"""The same candidate written otherwise: what must not change an operator's verdict (screen 1)."""

import ast
import builtins
import io
import tokenize
from collections.abc import Awaitable, Callable, Iterable

from ..verdicts import LETTERS, Verdict
from .fitting import SYNTAX, Leak
from .literals import parsed

_BUILTINS = frozenset(dir(builtins))


def variants(code: str) -> dict[str, str]:
    """The candidate reformatted, without comments, and with its locals renamed, by name.

    Each does exactly what the original does; texts that do not parse have none, and a variant
    equal to the original is left out.
    """
    tree = parsed(code)
    if tree is None:
        return {}
    made = {
        "reformatted": ast.unparse(tree),
        "without comments": without_comments(code),
        "locals renamed": renamed(code),
    }
    return {name: text for name, text in made.items() if text != code and parsed(text)}


def text_variants(text: str) -> dict[str, str]:
    """The same for an answer that is no program: what no reader of it can see."""
    return {"with white space behind it": f"{text.rstrip()} \n"}


def without_comments(code: str) -> str:
    """The text with every comment cut out and all else in place."""
    lines = code.splitlines(keepends=True)
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return code
    for token in tokens:
        if token.type == tokenize.COMMENT:
            row, column = token.start[0] - 1, token.start[1]
            ending = "\n" if lines[row].endswith("\n") else ""
            lines[row] = lines[row][:column].rstrip() + ending
    return "".join(lines)


def renamed(code: str) -> str:
    """The text with locals of its functions renamed throughout, where that is safe.

    Left alone: names of the module, builtins, attributes of classes, keyword arguments, and
    programs that look names up by text.
    """
    tree = ast.parse(code)
    if any(isinstance(n, ast.Name) and n.id in _REFLECTION for n in ast.walk(tree)):
        return code
    names = sorted(_locals(tree) - _fixed(tree))
    table = {name: f"local_{place}" for place, name in enumerate(names)}
    taken = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    if taken & set(table.values()):
        return code
    return ast.unparse(_Renamer(table).visit(tree))


async def behaviour_screen(
    original: Verdict,
    candidates: Iterable[tuple[str, str]],
    run: Callable[[str], Awaitable[Verdict | None]],
) -> Leak | None:
    """Run the operator on each (variant's name, text) and compare with its original verdict.

    None of a variant, an abstention that the operator did not choose, is no evidence: runs may
    exceed their budget. Nor is anything where the original is an abstention.
    """
    for name, text in candidates:
        verdict = await run(text)
        if verdict not in (None, original) and original is not Verdict.ABSTAIN:
            said = f"{LETTERS[original]} became {LETTERS[verdict]} when {name}"
            return Leak(SYNTAX, 0, said)
    return None


_REFLECTION = frozenset({"locals", "globals", "vars", "eval", "exec", "dir", "getattr", "setattr"})


def _locals(tree: ast.Module) -> set[str]:
    """Names bound in functions: parameters, assignments, loop and comprehension targets."""
    bound: set[str] = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                if isinstance(node, ast.arg):
                    bound.add(node.arg)
                elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    bound.add(node.id)
    return bound


def _fixed(tree: ast.Module) -> set[str]:
    """Names that mean something outside one function."""
    fixed = set(_BUILTINS)
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                fixed.add(node.name)
            case ast.ClassDef():
                fixed.add(node.name)
                fixed |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                fixed |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
            case ast.keyword(arg=str() as name) | ast.ExceptHandler(name=str() as name):
                fixed.add(name)
            case ast.alias():
                fixed.add((node.asname or node.name).split(".")[0])
            case ast.Global() | ast.Nonlocal():
                fixed |= set(node.names)
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                fixed.add(name)
            case ast.MatchMapping(rest=str() as name):
                fixed.add(name)
    inside = {
        id(part)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for part in ast.walk(function)
    }
    return fixed | {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in inside}


class _Renamer(ast.NodeTransformer):
    def __init__(self, table: dict[str, str]) -> None:
        self.table = table

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Rename one use."""
        return ast.copy_location(ast.Name(self.table.get(node.id, node.id), node.ctx), node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Rename one parameter; its annotation stays."""
        node.arg = self.table.get(node.arg, node.arg)
        return node

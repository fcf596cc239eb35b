"""The same program in other words: what tells candidates of one behaviour apart in text."""

import ast
import builtins
import random

NAMES = (
    "acc", "agg", "arr", "b", "c", "cur", "d", "data", "elem", "f", "g", "h", "idx", "items_", "k",
    "lst", "m", "n", "num", "out", "p", "q", "res", "ret", "s", "seq", "t", "temp", "tmp", "u",
    "v", "val", "w", "x", "xs", "y", "z",
)  # fmt: skip


def rewritten(text: str, rng: random.Random) -> str:
    """The program with some locals renamed and a few forms replaced by equal ones."""
    tree = ast.parse(text)
    tree = _Renamed(_names(tree, rng)).visit(tree)
    tree = _Restyled(rng).visit(tree)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _names(tree: ast.AST, rng: random.Random) -> dict[str, str]:
    """New names for about half of the names that functions bind."""
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | set(dir(builtins))
    bound = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)} | {
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    free = rng.sample([name for name in NAMES if name not in used | bound], k=min(20, len(NAMES)))
    chosen = [name for name in sorted(bound) if rng.random() < 0.5]
    return dict(zip(chosen, free, strict=False))


class _Renamed(ast.NodeTransformer):
    def __init__(self, table: dict[str, str]) -> None:
        self.table = table

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """One use."""
        return ast.Name(self.table.get(node.id, node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """One parameter; its annotation goes, as candidates often have none."""
        return ast.arg(self.table.get(node.arg, node.arg), None)


_MIRROR: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}


class _Restyled(ast.NodeTransformer):
    """Equal forms: `x += y` for one of a number, a comparison written from the other side."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Annotations go in half of the programs."""
        self.generic_visit(node)
        node.returns = node.returns if self.rng.random() < 0.5 else None
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        """A comparison turned round with its sides."""
        self.generic_visit(node)
        mirror = _MIRROR.get(type(node.ops[0]))
        if len(node.ops) == 1 and mirror and self.rng.random() < 0.3:
            return ast.Compare(node.comparators[0], [mirror()], [node.left])
        return node

    def visit_If(self, node: ast.If) -> ast.If:
        """An `if` with an alternative, negated and turned round."""
        self.generic_visit(node)
        chained = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
        if node.orelse and not chained and self.rng.random() < 0.25:
            return ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)
        return node

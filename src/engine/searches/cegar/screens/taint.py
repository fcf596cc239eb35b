"""Where the values of an operator come from: its candidate's text, tree, the prompt, or a run.

A cautious reading of the syntax tree: a name has every kind that any assignment gives it, whatever
the order; what cannot be told from a run counts as what it was made from.
"""

import ast
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TypeAlias


class Kind(Enum):
    """What a value was made from."""

    TEXT = "source text"
    TREE = "syntax tree"
    PROMPT = "prompt"
    RUN = "observed run"


Kinds: TypeAlias = frozenset[Kind]

_NONE: Kinds = frozenset()
_PARSERS = {"parse", "compile", "literal_eval", "symtable"}
_PRINTERS = {"dump", "unparse", "get_source_segment"}
_RUNNERS = {"run", "run_many"}
_MEASURES = {"len", "isinstance", "type", "id", "hasattr", "callable", "range"}
_GIVEN: dict[str, Kinds] = {
    "sources": frozenset({Kind.TEXT}), "asserts": frozenset({Kind.PROMPT}),
    "examples": frozenset({Kind.PROMPT}),
}  # fmt: skip
"""What the parts of ctx are, whatever an operator calls it."""


class Origins:
    """The kinds of every expression of one operator, with `entry` as its function."""

    def __init__(self, tree: ast.Module, entry: str) -> None:
        self.tree = tree
        self.names: dict[str, Kinds] = {}
        self.literals: dict[str, list[ast.expr]] = {}
        self.helpers = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        self._seed(entry)
        self._settle()

    def of(self, node: ast.AST | None) -> Kinds:
        """What an expression was made from."""
        match node:
            case None:
                return _NONE
            case ast.Name(id=name):
                return self.names.get(name, _NONE)
            case ast.Attribute(value=ast.Name(), attr=attr) if attr in _GIVEN:
                return _GIVEN[attr]
            case ast.Subscript(value=ast.Name(id="task")):
                return frozenset({Kind.PROMPT})
            case ast.Call():
                return self._call(node)
            case ast.Lambda() | ast.FunctionDef():
                return _NONE
        return self.union(ast.iter_child_nodes(node))

    def union(self, nodes: Iterable[ast.AST]) -> Kinds:
        """The kinds of several expressions together."""
        return _NONE.union(*(self.of(node) for node in nodes))

    def constants(self, node: ast.AST) -> Iterator[ast.Constant]:
        """The constants in an expression, with those that its names were bound to."""
        for part in ast.walk(node):
            if isinstance(part, ast.Constant):
                yield part
            elif isinstance(part, ast.Name):
                for bound in self.literals.get(part.id, ()):
                    yield from (c for c in ast.walk(bound) if isinstance(c, ast.Constant))

    def _seed(self, entry: str) -> None:
        """The entry's parameters: task, code, ctx."""
        found = self.helpers.get(entry)
        given = [arg.arg for arg in found.args.args] if found else []
        for name, kind in zip(given, (Kind.PROMPT, Kind.TEXT), strict=False):
            self.names[name] = frozenset({kind})

    def _settle(self) -> None:
        """Bind names until nothing changes."""
        while True:
            before = dict(self.names)
            for node in ast.walk(self.tree):
                self._bind(node)
            if self.names == before:
                return

    def _bind(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                self._give(targets, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._give([target], value)
            case ast.AugAssign(target=target, value=value):
                self._give([target], value)
            case ast.NamedExpr(target=target, value=value):
                self._give([target], value)
            case (
                ast.For(target=target, iter=source) | ast.comprehension(target=target, iter=source)
            ):
                self._give([target], source)
            case ast.Call(func=ast.Name(id=name), args=args) if name in self.helpers:
                for arg, value in zip(self.helpers[name].args.args, args, strict=False):
                    self._add(arg.arg, self.of(value))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=args):
                self._add(name, self.union(args) if name in self.names else _NONE)

    def _give(self, targets: Iterable[ast.expr], value: ast.expr) -> None:
        for target in targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Name):
                    self._add(part.id, self.of(value))
                    bound = self.literals.setdefault(part.id, [])
                    if value not in bound:
                        bound.append(value)

    def _add(self, name: str, kinds: Kinds) -> None:
        if kinds:
            self.names[name] = self.names.get(name, _NONE) | kinds

    def _call(self, node: ast.Call) -> Kinds:
        name = called(node)
        given = self.union([*node.args, *(keyword.value for keyword in node.keywords)])
        if name == "getattr":
            given = given.union(
                *(_GIVEN.get(str(getattr(one, "value", "")), _NONE) for one in node.args[1:2])
            )
        if name in _RUNNERS:
            return frozenset({Kind.RUN})
        if name in _MEASURES:
            return given & {Kind.RUN}
        if name in _PARSERS:
            return frozenset(Kind.TREE if kind is Kind.TEXT else kind for kind in given)
        if name in _PRINTERS:
            return frozenset(Kind.TEXT if kind is Kind.TREE else kind for kind in given)
        if isinstance(node.func, ast.Name) and name in self.helpers:
            returns = (n for n in ast.walk(self.helpers[name]) if isinstance(n, ast.Return))
            return self.union(
                n.value for n in returns if n.value is not None and n.value is not node
            )
        return given | self.of(node.func)


def called(node: ast.Call) -> str:
    """The last name of what is called: `walk` for `ast.walk(...)`."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""

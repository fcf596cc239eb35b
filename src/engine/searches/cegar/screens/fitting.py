"""The four screens, as far as an operator's syntax tree shows them (EvalCEGAR, Section 3).

1. It decides from the candidate's syntax by pattern fitting. 2. It keys on a constant that faulty
samples hold. 3. It branches on words of the prompt. 4. It reaches a flag by matching text while it
runs the candidate elsewhere. A generic walk of the syntax tree passes all four.
"""

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from .literals import GENERIC, Literal, parsed
from .taint import Kind, Kinds, Origins, called

SYNTAX, CONSTANT, PROMPT, TEXT_MATCH = (
    "pattern fitting", "fault constant", "prompt keyword", "text match",
)  # fmt: skip
_SEARCHES = {
    "find", "rfind", "index", "rindex", "count", "startswith", "endswith", "partition",
    "rpartition", "split", "rsplit", "replace", "translate", "removeprefix", "removesuffix",
    "search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "fnmatch",
    "SequenceMatcher", "get_close_matches", "ndiff", "unified_diff", "tokenize", "generate_tokens",
    "__contains__", "__eq__", "__ne__", "contains", "eq", "ne", "isdisjoint", "issubset",
    "issuperset", "intersection", "difference", "symmetric_difference",
}  # fmt: skip
_LOOK_UPS = {"get", "pop", "setdefault", "__getitem__"}


@dataclass(frozen=True, slots=True)
class Leak:
    """A screen that fired: its name, the operator's line, and what was seen there."""

    screen: str
    line: int
    what: str


def screen_tree(
    operator: str,
    entry: str,
    *,
    training: Collection[Literal] = frozenset(),
    faults: Collection[Literal] = frozenset(),
) -> list[Leak]:
    """All leaks that the operator's own text shows, by line.

    `training` are the names and constants of the training samples, `faults` the constants that
    only faulty ones hold. An operator that does not parse has none: it fails when it is run.
    """
    tree = parsed(operator)
    if tree is None:
        return []
    origins = Origins(tree, entry)
    found = [
        leak
        for node in ast.walk(tree)
        for leak in (
            *_pattern(origins, node, training),
            *_constant(origins, node, faults),
            *_keyword(origins, node),
        )
    ]
    return sorted({*found, *_text_match(origins)}, key=lambda leak: (leak.line, leak.screen))


def prompt_leaks(operator: str, entry: str, fields: Collection[str] = ()) -> list[Leak]:
    """What screen 3 alone says, for tasks that have these fields besides."""
    tree = parsed(operator)
    if tree is None:
        return []
    origins = Origins(tree, entry)
    return [leak for node in ast.walk(tree) for leak in _keyword(origins, node, fields)]


def _pattern(origins: Origins, node: ast.AST, training: Collection[Literal]) -> Iterator[Leak]:
    """Screen 1."""
    match node:
        case ast.Compare() | ast.Match():
            kinds = origins.of(node)
            if Kind.TEXT in kinds and _compares_text(origins, node):
                yield Leak(SYNTAX, node.lineno, "compares source text")
            if Kind.TREE in kinds:
                for value in _named(origins, node, training):
                    yield Leak(SYNTAX, node.lineno, f"looks for {value!r} of a training sample")
        case ast.Call() if called(node) in _SEARCHES and _reads(origins, node, Kind.TEXT):
            yield Leak(SYNTAX, node.lineno, f"searches source text with {called(node)}")
        case ast.Call() if called(node) in ("eval", "exec") and _own_text(origins, node):
            yield Leak(SYNTAX, node.lineno, f"runs a text of its own with {called(node)}")
        case ast.Call() | ast.Subscript() if Kind.TEXT in _key(origins, node):
            yield Leak(SYNTAX, node.lineno, "looks source text up in a table")


def _constant(origins: Origins, node: ast.AST, faults: Collection[Literal]) -> Iterator[Leak]:
    """Screen 2."""
    if isinstance(node, ast.Compare | ast.Match):
        for value in _named(origins, node, faults):
            yield Leak(CONSTANT, node.lineno, f"{value!r} stands in faulty samples only")


def _keyword(origins: Origins, node: ast.AST, fields: Collection[str] = ()) -> Iterator[Leak]:
    """Screen 3."""
    match node:
        case ast.Compare() | ast.Match() if Kind.PROMPT in origins.of(node):
            for word in _words(origins, [node], fields):
                yield Leak(PROMPT, node.lineno, f"compares the prompt with {word!r}")
        case ast.Call() if called(node) in _SEARCHES and _reads(origins, node, Kind.PROMPT):
            for word in _words(origins, [*node.args, node.func], fields):
                yield Leak(PROMPT, node.lineno, f"searches the prompt for {word!r}")
        case ast.Call() | ast.Subscript() if Kind.PROMPT in _key(origins, node):
            yield Leak(PROMPT, node.lineno, "looks the prompt up in a table")


def _key(origins: Origins, node: ast.Call | ast.Subscript) -> Kinds:
    """What the key was made from where a node looks something up in a table of the operator's."""
    match node:
        case ast.Subscript(value=table, slice=key):
            keys = [key]
        case ast.Call(func=ast.Attribute(value=table, attr=name), args=keys) if name in _LOOK_UPS:
            pass
        case _:
            return frozenset()
    bound = origins.literals.get(table.id, ()) if isinstance(table, ast.Name) else (table,)
    held = any(isinstance(one, ast.Dict) and one.keys for one in bound)
    return origins.union(keys) if held else frozenset()


def _own_text(origins: Origins, node: ast.Call) -> bool:
    """Whether what a call runs is a text that the operator itself holds."""
    run = node.args[:1]
    texts = [c for arg in run for c in origins.constants(arg) if isinstance(c.value, str)]
    return bool(texts) and not origins.union(run)


_KEYS = frozenset({"prompt", "entry_point", "visible", "examples"})
"""What an operator must name to read its task at all."""


def _words(origins: Origins, nodes: Sequence[ast.AST], fields: Collection[str] = ()) -> list[str]:
    """Texts of the operator's own in expressions that read the prompt."""
    return [
        constant.value
        for node in nodes
        for constant in origins.constants(node)
        if isinstance(constant.value, str)
        and constant.value.strip()
        and constant.value not in _KEYS
        and constant.value not in fields
    ]


def _text_match(origins: Origins) -> Iterator[Leak]:
    """Screen 4: a flag whose conditions read the candidate's text, beside a run of it."""
    runs = any(
        isinstance(node, ast.Call) and called(node) in ("run", "run_many", "exec", "eval")
        for node in ast.walk(origins.tree)
    )
    if not runs:
        return
    for flag, tests in _flags(origins.tree, []):
        kinds = origins.union(tests)
        if kinds & {Kind.TEXT, Kind.TREE} and Kind.RUN not in kinds:
            yield Leak(TEXT_MATCH, flag.lineno, "flags by text, with no observation in the test")


def _flags(node: ast.AST, tests: list[ast.AST]) -> Iterator[tuple[ast.Return, list[ast.AST]]]:
    """Every `return "flag"` with the conditions it stands under."""
    if isinstance(node, ast.Return):
        constants = [n for n in ast.walk(node) if isinstance(n, ast.Constant)]
        if any(constant.value == "flag" for constant in constants):
            choices = [n.test for n in ast.walk(node) if isinstance(n, ast.IfExp)]
            yield node, [*tests, *choices]
        return
    own: list[ast.AST] = []
    if isinstance(node, ast.If | ast.While):
        own = [node.test]
    elif isinstance(node, ast.For):
        own = [node.iter]
    elif isinstance(node, ast.Match):
        own = [node.subject]
    for child in ast.iter_child_nodes(node):
        yield from _flags(child, tests + own)


def _compares_text(origins: Origins, node: ast.Compare | ast.Match) -> bool:
    """Whether text itself is compared, not only a measure of it."""
    sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else [node.subject]
    return any(Kind.TEXT in origins.of(side) for side in sides)


def _named(origins: Origins, node: ast.AST, wanted: Collection[Literal]) -> Iterator[Literal]:
    """The constants of a comparison that are among `wanted` and say more than the language."""
    for constant in origins.constants(node):
        value = constant.value
        if not isinstance(value, str | int | float | bytes):
            continue
        if value in wanted and value not in GENERIC:
            yield value


def _reads(origins: Origins, node: ast.Call, kind: Kind) -> bool:
    """Whether a call's object or arguments come from `kind`."""
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
    return kind in origins.union([*node.args, *([receiver] if receiver else [])])

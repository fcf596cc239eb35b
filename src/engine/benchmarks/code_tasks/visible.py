"""Visible checks: asserts in a prompt, docstring examples, and what they say as plain data."""

import ast
import doctest
import re
from collections.abc import Sequence

from .tasks import Arguments, Example

PREAMBLE = "import math\n"
"""Four MBPP+ prompts call `math.isclose` and import nothing."""


def prompt_asserts(prompt: str) -> tuple[str, ...]:
    """The assert statements printed in a prompt, each whole even where it fills several lines."""
    lines = prompt.splitlines()
    found: list[str] = []
    for start, line in enumerate(lines):
        if not line.strip().startswith("assert "):
            continue
        for end in range(start + 1, len(lines) + 1):
            text = "\n".join([line.strip(), *(part.strip() for part in lines[start + 1 : end])])
            if _is_assert(text):
                found.append(text)
                break
    return tuple(found)


def docstring_asserts(prompt: str, entry: str) -> tuple[str, ...]:
    """Asserts from a docstring's examples that call the entry point with literals, in order.

    Read are `>>>` examples, and calls in prose with the result behind an arrow, an equals sign or
    "returns". What is read wrongly fails on the reference, and is dropped there.
    """
    try:
        found = doctest.DocTestParser().get_examples(prompt)
    except ValueError:
        found = []
    # a result ends at a blank line, and prose often follows without one
    shown = [(ex.source, want) for ex in found for want in (ex.want, ex.want.split("\n")[0])]
    pairs = [*shown, *_in_prose(prompt, entry)]
    asserts = [f"assert {call.strip()} == {result.strip()}" for call, result in pairs if result]
    return tuple(dict.fromkeys(a for a in asserts if as_example(a, entry) is not None))


def known_arguments(asserts: Sequence[str], entry: str) -> tuple[Arguments, ...]:
    """The literal arguments of every call of the entry point in the asserts, in order."""
    found = []
    for text in asserts:
        for call in _calls(text, entry):
            arguments = _literals(call)
            if arguments is not None:
                found.append(arguments)
    return tuple(found)


def examples(asserts: Sequence[str], entry: str) -> tuple[Example, ...]:
    """The asserts that are plain examples."""
    return tuple(ex for text in asserts if (ex := as_example(text, entry)) is not None)


def as_example(text: str, entry: str) -> Example | None:
    """`assert entry(literals) == literal` as data; also `is None`, and bare or negated calls no.

    None for any other form: such a check needs a checker that runs the assert itself.
    """
    test = _test(text)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    call, expected = test.left, test.comparators[0]
    named = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    if not named or call.func.id != entry:  # type: ignore[attr-defined]
        return None
    arguments, value = _literals(call), _literal(expected)  # type: ignore[arg-type]
    plain = isinstance(test.ops[0], ast.Eq) or (
        isinstance(test.ops[0], ast.Is) and value == (None,)
    )
    if arguments is None or value is None or not plain:
        return None
    return Example(arguments, value[0])


def program(asserts: Sequence[str], helpers: str = "") -> str:
    """Test code that runs the asserts in order, with `math` and the prompt's helpers in scope."""
    return PREAMBLE + helpers + "\n".join(asserts) + "\n"


def with_math(code: str) -> str:
    """A candidate as visible checks run it: with `math` in scope, whether it imports it or not."""
    return code + "\n" + PREAMBLE if "__future__" in code else PREAMBLE + code


def helpers(prompt: str, entry: str, code: str) -> str:
    """The other functions that a prompt defines, as far as the candidate has kept them.

    Asserts may call them. A candidate that dropped one fails such a check, as it does where the
    asserts run behind it; the text is the prompt's, so that nothing of the candidate's runs here.
    """
    body = _body(prompt)
    own = {node.name for node in _body(code) if isinstance(node, ast.FunctionDef)} - {entry}
    others = [node for node in body if isinstance(node, ast.FunctionDef) and node.name in own]
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    return "".join(ast.unparse(node) + "\n" for node in (*imports, *others)) if others else ""


def _body(code: str) -> list[ast.stmt]:
    try:
        return ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


_SHOWN = re.compile(r"\s*(?:==+>?|=>|->|\u279e|\u2192|\u27f9|should return|returns?|=)\s*")
_VALUE = re.compile(r"[\w.+-]+|'[^'\n]*'|\"[^\"\n]*\"")


def _in_prose(prompt: str, entry: str) -> list[tuple[str, str]]:
    """(call, result) wherever a line shows what a call gives."""
    found = []
    for start in re.finditer(rf"\b{re.escape(entry)}\(", prompt):
        end = _closing(prompt, start.end() - 1)
        arrow = _SHOWN.match(prompt, end) if end else None
        if end and arrow:
            found.append((prompt[start.start() : end], _value(prompt, arrow.end())))
    return found


def _closing(text: str, start: int) -> int | None:
    """The place behind the bracket that closes the one at `start`; None if none does."""
    depth = 0
    for place in range(start, min(len(text), start + 1000)):
        depth += (text[place] in "([{") - (text[place] in ")]}")
        if not depth:
            return place + 1
    return None


def _value(text: str, start: int) -> str:
    """A bracketed or a simple value that begins at `start`; empty if none does."""
    if text[start : start + 1] in ("(", "[", "{"):
        end = _closing(text, start)
        return text[start:end] if end else ""
    simple = _VALUE.match(text, start)
    return simple.group().rstrip(".,") if simple else ""


def _is_assert(text: str) -> bool:
    return _test(text) is not None


def _test(text: str) -> ast.expr | None:
    body = _body(text)
    return body[0].test if len(body) == 1 and isinstance(body[0], ast.Assert) else None


def _calls(text: str, entry: str) -> list[ast.Call]:
    test = _test(text)
    return [
        node
        for node in (ast.walk(test) if test else ())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == entry
    ]


def _literals(call: ast.Call) -> Arguments | None:
    if call.keywords:
        return None
    values = [_literal(arg) for arg in call.args]
    return None if None in values else tuple(value[0] for value in values if value is not None)


def _literal(node: ast.expr) -> tuple[object] | None:
    """The value of a literal in a tuple, so that None can be told from no literal."""
    try:
        return (ast.literal_eval(node),)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None

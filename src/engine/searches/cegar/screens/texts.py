"""The screens for answers that are no programs: an operator must read them to say anything.

Searching a text is no leak there; searching it for what only the training samples can have taught
is. Three of the four screens remain: fitting to samples, a fault's constant, a prompt's keyword.
"""

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from .fitting import CONSTANT, SYNTAX, Leak, prompt_leaks
from .literals import parsed

SHORTEST = 3
"""Letters or digits of a constant that can point at a sample."""
_WORD = re.compile(r"\w+")


def screen_texts(
    operator: str,
    entry: str,
    *,
    texts: Mapping[str, Sequence[str]],
    faulty: Collection[str],
    clean: Collection[str],
    fields: Collection[str],
) -> list[Leak]:
    """All leaks that the operator's own text shows, by line.

    `texts` are what the author was shown of each training task (prompt and samples), `faulty` and
    `clean` the wrong and the right samples, `fields` the names of a task's fields. An operator that
    does not parse has none: it fails when it is run.
    """
    tree = parsed(operator)
    if tree is None:
        return []
    shown = [" ".join(_words(" ".join(own))) for own in texts.values()]
    wrong = [" ".join(_words(text)) for text in faulty]
    right = [" ".join(_words(text)) for text in clean]
    found = {
        leak for constant in _constants(tree) for leak in _of(constant, shown, wrong, right, fields)
    }
    return sorted(
        found | set(prompt_leaks(operator, entry, fields)),
        key=lambda leak: (leak.line, leak.screen),
    )


def _of(
    constant: ast.Constant,
    shown: Sequence[str],
    wrong: Sequence[str],
    right: Sequence[str],
    fields: Collection[str],
) -> Iterator[Leak]:
    phrase = " ".join(_words(str(constant.value)))
    if len(phrase) < SHORTEST or constant.value in fields:
        return
    if sum(_stands(phrase, text) for text in shown) == 1:
        yield Leak(SYNTAX, constant.lineno, f"{constant.value!r} stands in one training task only")
    told = any(_stands(phrase, text) for text in wrong)
    if told and not any(_stands(phrase, text) for text in right):
        yield Leak(CONSTANT, constant.lineno, f"{constant.value!r} stands in faulty samples only")


def _constants(tree: ast.Module) -> Iterator[ast.Constant]:
    """Texts and numbers of the program, without docstrings and its three answers."""
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and type(node.value) in (str, int, float)
            and id(node) not in told
            and node.value not in ("flag", "pass", "abstain")
        ):
            yield node


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _stands(phrase: str, text: str) -> bool:
    """Whether a phrase stands in a text as whole words."""
    return f" {phrase} " in f" {text} "

"""The offline author: a grammar whose operators are programs that the screens and levels accept."""

import random

import pytest

from evoscope.engine.errors import MalformedReply
from evoscope.engine.providers.offline.author import author
from evoscope.engine.providers.offline.author_level1 import level1
from evoscope.engine.providers.offline.author_level2 import level2
from evoscope.engine.searches.cegar.authoring import Authored, check_source
from evoscope.engine.searches.cegar.screens.fitting import screen_tree


def drawn(level: int, count: int = 300) -> list[tuple[str, str, str]]:
    make = level1 if level == 1 else level2
    return [make(random.Random(seed), ["result", "values"]) for seed in range(count)]


@pytest.mark.parametrize("level", [1, 2])
def test_every_operator_of_the_grammar_fits_its_interface(level: int) -> None:
    for name, rationale, source in drawn(level):
        check_source(source, level)
        Authored(name=name, rationale=rationale, source=source)
    assert len({source for _, _, source in drawn(level)}) > 30


def test_level_2_never_leaks_and_level_1_sometimes_does() -> None:
    leaks = [bool(screen_tree(source, "op", training={"result"})) for _, _, source in drawn(1)]
    assert 0.05 < sum(leaks) / len(leaks) < 0.4
    assert not any(screen_tree(source, "op") for _, _, source in drawn(2))


def test_an_answer_depends_on_the_request_alone_and_repeats_no_failed_source() -> None:
    data = {"level": 2, "incorrect": [{"code": "def f(x): return x"}], "failed_attempts": []}
    first = author(data, b"k")
    assert author(data, b"k") == first
    assert isinstance(first, dict)
    told = data | {"failed_attempts": [{"source": first["source"]}]}
    again = author(told, b"k")
    assert isinstance(again, dict) and again["source"] != first["source"]


@pytest.mark.parametrize(
    ("source", "level", "said"),
    [
        ("def op(task, code:", 1, "does not parse"),
        ("def other(task, code): return 'pass'", 1, "no function op"),
        ("def op(task, code): return 'pass'", 2, "takes 2 arguments, level 2 gives 3"),
    ],
)
def test_a_source_that_is_no_operator_of_its_level_is_malformed(
    source: str, level: int, said: str
) -> None:
    with pytest.raises(MalformedReply, match=said):
        check_source(source, level)

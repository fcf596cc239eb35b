"""The leakage screens: each fires on its own kind of leak, none on an honest operator."""

import ast
import gzip
import json
import random
from typing import Any

import pytest

from evoscope.engine.benchmarks.code_tasks.rewriting import rewritten
from evoscope.engine.benchmarks.code_tasks.suite import own_tasks
from evoscope.engine.searches.cegar.operators import COMPARATOR, starting_pool
from evoscope.engine.searches.cegar.screens.fitting import (
    CONSTANT,
    PROMPT,
    SYNTAX,
    TEXT_MATCH,
    screen_tree,
)
from evoscope.engine.searches.cegar.screens.literals import (
    emitted_constants,
    literals_of,
    training_literals,
)
from evoscope.engine.searches.cegar.screens.variants import behaviour_screen, renamed, variants
from evoscope.engine.searches.cegar.verdicts import Verdict
from tests.shared import shared_data

LEAKS = [
    (SYNTAX, "return 'flag' if 'sorted(' in code else 'pass'"),
    (SYNTAX, "return 'flag' if code.find('while') > 0 else 'pass'"),
    (SYNTAX, "import re\n    return 'flag' if re.search('x+', code) else 'pass'"),
    (SYNTAX, "lines = code.splitlines()\n    return 'flag' if lines[0] == lines[1] else 'pass'"),
    (
        SYNTAX,
        "t = ast.parse(code)\n    s = ast.dump(t)\n    return 'flag' if 'Sub' in s else 'pass'",
    ),
    (
        SYNTAX,
        "for n in ast.walk(ast.parse(code)):\n"
        "        if isinstance(n, ast.Name) and n.id in WORDS:\n            return 'flag'\n"
        "    return 'pass'",
    ),
    (
        SYNTAX,
        "for n in ast.walk(ast.parse(code)):\n"
        "        if isinstance(n, ast.Constant) and n.value == 26:\n            return 'flag'\n"
        "    return 'pass'",
    ),
    (
        SYNTAX,
        "return helper(code)\n\ndef helper(text):\n    return 'flag' if 'x' in text else 'pass'",
    ),
    (
        CONSTANT,
        "r = ctx.run(ctx.own, ctx.inputs[0])\n    return 'flag' if r.value == 777 else 'pass'",
    ),
    (PROMPT, "return 'flag' if 'prime' in task['prompt'] else 'pass'"),
    (PROMPT, "return 'flag' if task['entry_point'].startswith('is_') else 'pass'"),
    (PROMPT, "p = task['prompt'].lower()\n    return 'flag' if p.count('list') else 'pass'"),
    (PROMPT, "kind = {'f': 'flag'}\n    return kind[task['entry_point']]"),
    (PROMPT, "kind = {'f': 'flag'}\n    return kind.get(task['entry_point'], 'pass')"),
    (PROMPT, "return 'flag' if 'f' in ctx.asserts[0] else 'pass'"),
    (SYNTAX, "seen = {'x = 1': 'flag'}\n    return seen.get(code, 'abstain')"),
    (SYNTAX, "seen = {1: 'flag'}\n    return seen[hash(code)]"),
    (SYNTAX, "return 'flag' if code.__contains__('x') else 'pass'"),
    (SYNTAX, "return 'flag' if {'x'}.isdisjoint([code]) else 'pass'"),
    (SYNTAX, "c = ctx\n    return 'flag' if 'x' in c.sources[0] else 'pass'"),
    (SYNTAX, "return 'flag' if 'x' in getattr(ctx, 'sources')[0] else 'pass'"),
    (SYNTAX, "return eval(\"'flag' if 'x' in c else 'pass'\", {'c': code})"),
    (
        TEXT_MATCH,
        "r = ctx.run_many(ctx.own, ctx.inputs)\n    if 'abs(' in code:\n        return 'flag'\n"
        "    return 'pass'",
    ),
]


def operator(body: str) -> str:
    return (
        f"import ast\nWORDS = ('bisect_it', 'other')\ndef op(task, code, ctx=None):\n    {body}\n"
    )


@pytest.mark.parametrize(("screen", "body"), LEAKS)
def test_a_leak_is_seen_by_its_screen(screen: str, body: str) -> None:
    found = screen_tree(operator(body), "op", training={"bisect_it", 26}, faults={777})
    assert screen in {leak.screen for leak in found}, found


HONEST = [
    "return 'flag' if any(isinstance(n, ast.While) for n in ast.walk(ast.parse(code))) else 'pass'",
    "return 'flag' if sum(1 for n in ast.walk(ast.parse(code))) > 40 else 'pass'",
    "return 'flag' if any(getattr(n, 'id', '') == 'print' for n in ast.walk(ast.parse(code)))"
    " else 'pass'",
    "r = [repr(s.value) for s in ctx.run_many(ctx.own, ctx.inputs)]\n"
    "    return 'flag' if r.count('None') > 2 else 'pass'",
    "e = [v for _, v in task['examples']]\n    return 'flag' if e == [] else 'pass'",
    "word = {True: 'flag', False: 'pass'}\n    return word[len(code) > 400]",
    "names = {}\n    exec(code, names)\n    return 'flag' if len(names) > 9 else 'pass'",
]


@pytest.mark.parametrize("body", HONEST)
def test_an_honest_operator_passes_all_screens(body: str) -> None:
    assert screen_tree(operator(body), "op", training={"bisect_it", 26}, faults={777}) == []


def own_programs() -> list[str]:
    return [rewritten(task.reference, random.Random(task.id)) for task in own_tasks()]


def test_no_screen_fires_on_the_hand_written_pool() -> None:
    pool = starting_pool()
    assert [one.level for one in pool] == [1] * 10 + [2] * 5
    assert COMPARATOR in {one.name for one in pool}
    words = training_literals(own_programs())
    assert len(words) > 50
    for one in pool:
        assert screen_tree(one.source, "op", training=words, faults=words) == [], one.name


@pytest.mark.shared
def test_no_screen_fires_on_the_hand_written_pool_with_real_samples() -> None:
    path = shared_data("mbpp", "mbpp_samples.jsonl.gz")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][::6]
    right = [r["solution"] for r in rows if r["base_status"] == r["plus_status"] == "pass"]
    wrong = [r["solution"] for r in rows if r["solution"] not in set(right)]
    words, faults = training_literals([*right, *wrong]), emitted_constants(wrong, right)
    assert len(words) > 1000 and len(faults) > 20
    for one in starting_pool():
        assert screen_tree(one.source, "op", training=words, faults=faults) == [], one.name


def test_literals_leave_out_the_languages_own_words() -> None:
    found = literals_of("def f(xs):\n    return sorted(xs, key=len)[26] + my_table['row']")
    assert found == {"f", "xs", 26, "my_table", "row"}
    assert literals_of("def (") == frozenset()


def test_fault_constants_are_those_that_no_clean_sample_has() -> None:
    assert emitted_constants(["x = 12345; y = 77"], ["y = 77"]) == {12345}


CANDIDATE = """
LIMIT = 3  # module name
def helper(number):
    return number * 2
def f(values, total=0):  # comment with a "quote"
    for value in values:  # it's one
        total = total + helper(number=value)
    def inner(step): return [v + step for v in values if v > LIMIT]
    text = "# no comment"
    return total, inner(1), text
"""


def test_variants_change_the_text_and_nothing_else() -> None:
    made = variants(CANDIDATE)
    assert set(made) == {"reformatted", "without comments", "locals renamed"}
    assert "# it" not in made["without comments"] and "# no comment" in made["without comments"]
    assert "total" not in made["locals renamed"] and "number=" in made["locals renamed"]
    expected = (20, [5, 7], "# no comment")
    for text in (CANDIDATE, *made.values()):
        names: dict[str, Any] = {}
        exec(text, names)
        assert names["f"]([4, 6]) == expected


def test_every_variant_of_our_own_suite_computes_what_the_original_does() -> None:
    for task, text in zip(own_tasks(), own_programs(), strict=True):
        original: dict[str, Any] = {}
        exec(task.reference, original)
        for name, variant in {"candidate": text, **variants(text)}.items():
            names: dict[str, Any] = {}
            exec(variant, names)
            for arguments in task.base:
                given = [ast.literal_eval(repr(arguments)) for _ in range(2)]
                got, want = (
                    n[task.entry](*a) for n, a in zip((names, original), given, strict=True)
                )
                assert got == want, (task.id, name, arguments)


def test_programs_that_look_names_up_by_text_are_not_renamed() -> None:
    code = "def f(a):\n    b = a\n    return locals()['b']\n"
    assert renamed(code) == code
    assert variants("def (") == {}


async def test_a_verdict_that_follows_the_formatting_is_a_leak() -> None:
    async def by_comment(text: str) -> Verdict:
        return Verdict.FLAG if "#" in text.replace('"# no comment"', "") else Verdict.PASS

    leak = await behaviour_screen(Verdict.FLAG, variants(CANDIDATE).items(), by_comment)
    assert leak is not None and leak.screen == SYNTAX and "F became P" in leak.what

    async def sometimes_told(text: str) -> Verdict | None:
        return None if "local_" in text else Verdict.FLAG

    assert await behaviour_screen(Verdict.FLAG, variants(CANDIDATE).items(), sometimes_told) is None

    async def by_table(text: str) -> Verdict:
        return Verdict.FLAG if text == CANDIDATE else Verdict.ABSTAIN

    leak = await behaviour_screen(Verdict.FLAG, variants(CANDIDATE).items(), by_table)
    assert leak is not None and "F became A" in leak.what

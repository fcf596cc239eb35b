"""Data tests, checkers and operators: honest programs, and hostile ones between processes."""

import gzip
import json

import pytest

from evoscope.engine.sandbox import operators
from evoscope.engine.sandbox.inside import library
from evoscope.engine.sandbox.jobs import (
    Budget,
    Calls,
    Check,
    Job,
    Limits,
    Operate,
    Outcome,
    Program,
    Tolerance,
    encoded,
    encoded_one,
    key,
)
from evoscope.engine.sandbox.memo import Memo
from evoscope.engine.sandbox.pool import Pool
from evoscope.engine.sandbox.zygotes import Zygote
from tests.engine.sandbox.hostile import EQUAL_TO_ALL, FRAME
from tests.shared import shared_data

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUICK = Limits(cpu_s=0.1, memory_mb=32)
ADD = Program("def add(a, b):\n    print('adding', a)\n    return a + b\n", "add")
OPENING = "import os, struct, sys\n"


# -- data tests


async def test_values_come_back_with_output_and_cost(pool: Pool) -> None:
    outcome = await pool.run(Calls(ADD, encoded([(1, 2), ("a", "b")]), encoded([3, "ab"])))
    assert (outcome.verdict, outcome.label, outcome.level) == ("pass", "pass", pool.level)
    assert [case.plain() for case in outcome.cases] == [3, "ab"]
    assert outcome.stdout == "adding 1\nadding a\n"
    assert 0 < outcome.cpu_s < 1 and outcome.wall_s > 0 and outcome.memory_mb > 1
    assert outcome.limit_share == outcome.cpu_s / 2


async def test_the_first_wrong_case_is_named(pool: Pool) -> None:
    outcome = await pool.run(Calls(ADD, encoded([(1, 2), (1, 1)]), encoded([3, 3])))
    assert (outcome.verdict, outcome.message) == ("fail", "case 1: another value")


async def test_an_exception_leaves_the_other_cases(pool: Pool) -> None:
    outcome = await pool.run(Calls(ADD, encoded([(1, "x"), (1, 1)])))
    assert outcome.label == "error(TypeError)" and outcome.message.startswith("case 0: unsupp")
    assert outcome.cases[0].value is None and outcome.cases[1].plain() == 2


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("def f(:", "SyntaxError"), ("import numpy", "ModuleNotFoundError"),
        ("g = 1", "NameError"),
        ("1 / 0\ndef f(): pass", "ZeroDivisionError"), ("f = 3", "TypeError"),
        ("def f(): raise KeyboardInterrupt", "KeyboardInterrupt"), ("\0", "SyntaxError"),
        ("def f(): assert False", "AssertionError"),
    ],
)  # fmt: skip
async def test_what_cannot_run_is_an_error_of_its_kind(pool: Pool, source: str, error: str) -> None:
    outcome = await pool.run(Calls(Program(source, "f"), encoded([()]), encoded([1])))
    assert outcome.label == f"error({error})"


async def test_a_tolerance_applies_to_numbers_only_when_it_is_given(pool: Pool) -> None:
    inputs, expected = encoded([(0.1, 0.2)]), encoded([0.3])
    assert (await pool.run(Calls(ADD, inputs, expected))).verdict == "fail"
    near = Calls(ADD, inputs, expected, Tolerance(absolute=1e-9))
    assert (await pool.run(near)).verdict == "pass"


async def test_big_values_are_compared_in_a_job_of_their_own(pool: Pool) -> None:
    program = Program("def f(n): return [{i: i for i in range(n)}, 'x' * n]", "f")
    limits = Limits(output_bytes=1 << 20)
    wanted = [{i: i for i in range(9000)}, "x" * 9000]
    inputs = encoded([(9000,)])
    right = await pool.run(Calls(program, inputs, encoded([wanted]), limits=limits))
    wrong = await pool.run(Calls(program, inputs, encoded([wanted[:1]]), limits=limits))
    assert (right.verdict, wrong.verdict) == ("pass", "fail")


async def test_state_is_shared_between_cases_unless_they_are_fresh(pool: Pool) -> None:
    program = Program("def f(seen=[]):\n    seen.append(1)\n    return len(seen)", "f")
    shared = await pool.run(Calls(program, encoded([(), ()])))
    fresh = await pool.run(Calls(program, encoded([(), ()]), fresh=True))
    assert [case.plain() for case in shared.cases] == [1, 2]
    assert [case.plain() for case in fresh.cases] == [1, 1]


async def test_hashes_and_chance_are_the_same_in_every_process(pool: Pool) -> None:
    program = Program(
        "import random, time\ndef f(): return [hash('x'), random.random(), time.tzname[0]]", "f"
    )
    runs = [await pool.run(Calls(program, encoded([()])), worker) for worker in (0, 1, 0)]
    assert len({run.fact for run in runs}) == 1 and runs[0].verdict == "pass"


async def test_usual_modules_are_there_and_work(pool: Pool) -> None:
    program = Program(
        "import collections, dataclasses, datetime, decimal, hashlib, heapq, itertools, json\n"
        "import math, re, statistics, string, typing, unicodedata, functools, random, argparse\n"
        "@dataclasses.dataclass\nclass A:\n    x: typing.List[int]\n"
        "def f():\n"
        "    datetime.datetime.strptime('2020-01-02', '%Y-%m-%d')\n"
        "    'é'.encode('utf-16').decode('utf-16'), 'x'.encode('idna'), f'{1:n}'\n"
        "    re.compile(r'\\w+', re.I).findall('a b'), json.dumps({'a': [1.5]})\n"
        "    random.SystemRandom().random(), hashlib.sha256(b'x').hexdigest()\n"
        "    return [A([1]).x, str(decimal.Decimal(1) / 3)[:4], statistics.mean([1, 2])]\n",
        "f",
    )
    outcome = await pool.run(Calls(program, encoded([()]), encoded([[[1], "0.33", 1.5]])))
    assert outcome.verdict == "pass", outcome


async def test_every_module_of_the_library_can_be_imported(pool: Pool) -> None:
    program = Program("import importlib\ndef f(name):\n    importlib.import_module(name)", "f")
    names = [*library.LOADED, *library.SHELVED]
    outcome = await pool.run(Calls(program, encoded((name,) for name in names)))
    failed = [
        (name, case.message) for name, case in zip(names, outcome.cases, strict=True) if case.error
    ]
    assert outcome.verdict == "pass" and not failed, failed


# -- checkers


@pytest.mark.shared
async def test_the_reference_solutions_of_humaneval_pass(pool: Pool) -> None:
    data = gzip.decompress(shared_data("humaneval", "HumanEval.jsonl.gz").read_bytes())
    lines = data.decode().splitlines()
    failed = []
    for task in map(json.loads, lines):
        code = task["prompt"] + task["canonical_solution"]
        checker = f"{code}\n{task['test']}"  # some tests use the prompt's helpers
        limits = Limits(cpu_s=20)
        check = Check(Program(code, task["entry_point"]), checker, "check", limits, limits)
        outcome = await pool.run(check)
        if outcome.verdict != "pass":
            failed.append((task["task_id"], outcome.label, outcome.message))
    assert len(lines) == 164 and not failed, failed


@pytest.mark.parametrize(
    ("checker", "label"),
    [
        ("def check(candidate):\n    assert candidate(1, b=2) == 3", "pass"),
        ("def check(candidate):\n    assert candidate(1, 2) == 4, 'no'", "fail"),
        ("assert add(1, 2) == 3", "pass"),
        ("assert add([1], [2]) == [1, 2] and add((1,), (2,)) == (1, 2)", "pass"),
        ("import math\nassert math.isclose(add(0.1, 0.2), 0.3)", "pass"),
        ("add(1, 'x')", "error(TypeError)"),
        ("try:\n    add(1, 'x')\nexcept TypeError:\n    pass\nelse:\n    assert False", "pass"),
        ("def check(candidate):\n    return undefined", "fail"),
        ("def check(:", "abstain(checker)"),
        ("add(len, 1)", "abstain(checker)"),
        ("while True: pass", "timeout(cpu)"),
    ],
)
async def test_a_checker_decides(pool: Pool, checker: str, label: str) -> None:
    outcome = await pool.run(Check(ADD, checker, limits=QUICK, check_limits=QUICK))
    assert outcome.label == label, outcome


@pytest.mark.parametrize(
    ("source", "label"),
    [
        (f"class A:\n{EQUAL_TO_ALL}def f(x): return A()", "fail"),
        ("def f(x): os._exit(0)", "no_result"),
        ("def f(x): sys.exit(0)", "error(SystemExit)"),
        ("def f(x):\n    while True: pass", "timeout(cpu)"),
        ("def f(x): return bytearray(10**12)", "memory"),
        ("def f(x): return 'x' * 10**7", "output_limit"),
        ("def f(x): print('x' * 10**7)", "output_limit"),
        (FRAME + "def f(x):\n    frame('r', b't\\2TN')\n    return 2", "bad_output"),
        (FRAME + "def f(x):\n    frame('q', b'N')\n    return 2", "bad_output"),
        (FRAME + "def f(x):\n    frame('r', b'garbage')", "bad_output"),
        ("class E(AssertionError): pass\ndef f(x): raise E", "error(E)"),
        ("def f(x: raise", "error(SyntaxError)"),
        ("os._exit(0)", "no_result"),
        ("def f(x): return f", "fail"),
    ],
)
async def test_a_candidate_cannot_decide_its_check(pool: Pool, source: str, label: str) -> None:
    checker = "def check(candidate):\n    candidate(1)\n    assert candidate(1) == 1"
    program = Program(OPENING + source, "f")
    outcome = await pool.run(Check(program, checker, limits=QUICK, check_limits=QUICK))
    assert outcome.label == label, outcome


async def test_an_opaque_value_handed_back_is_the_candidates_fault(pool: Pool) -> None:
    outcome = await pool.run(Check(Program("def f(x): return f", "f"), "f(f(1))"))
    assert outcome.verdict == "fail"


async def test_an_opaque_value_keeps_its_truth_for_the_checker(pool: Pool) -> None:
    program = Program("import re\ndef f(x): return re.match('a', x)", "f")
    outcome = await pool.run(Check(program, "assert f('a') and not f('b')"))
    assert outcome.verdict == "pass"


@pytest.mark.parametrize(
    ("then", "label"), [("while True: pass", "timeout(cpu)"), ("os._exit(0)", "bad_output")]
)
async def test_half_a_frame_is_bad_output_unless_the_job_was_killed_there(
    pool: Pool, then: str, label: str
) -> None:
    half = "os.write(3, struct.pack('!IB', 100, ord('r')) + b'x')"
    program = Program(f"{OPENING}def f():\n    {half}\n    {then}\n", "f")
    assert (await pool.run(Calls(program, encoded([()]), limits=QUICK))).label == label


# -- operators


def operate(body: str, peers: tuple[Program, ...] = (ADD,), **options: object) -> Operate:
    """An operator with a context."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    program = Program(f"{OPENING}def op(task, ctx):\n{lines}", "op")
    limits = {"limits": QUICK, "peer_limits": QUICK, **options}
    given = encoded_one(("the task",)), encoded_one({"asserts": ["assert True"]})
    return Operate(program, *given, peers, **limits)  # type: ignore[arg-type]


async def test_an_operator_sees_what_it_is_given_and_runs_peers(pool: Pool) -> None:
    body = (
        "one = ctx.run(0, (1, 2))\n"
        "many = ctx.run_many(0, [(1, 'x'), (2, 2), (1, 2)])\n"
        "return [task, ctx.asserts, one.ok, one.value, [(o.ok, o.value, o.error) for o in many]]"
    )
    outcome = await pool.run(operate(body))
    assert outcome.verdict == "pass", outcome
    assert outcome.cases[0].plain() == [
        "the task", ["assert True"], True, 3,
        [(False, None, "error(TypeError)"), (True, 4, ""), (True, 3, "")],
    ]  # fmt: skip


async def test_an_operator_without_context_gets_its_arguments_only(pool: Pool) -> None:
    program = Program("def op(task, code): return len(task) + len(code)", "op")
    outcome = await pool.run(Operate(program, encoded_one(("ab", "c"))))
    assert outcome.cases[0].plain() == 3


SLOW = Program("def f(x):\n    while x == 2: pass\n    return x", "f")
ASKED = "[o.value if o.ok else o.error for o in ctx.run_many(%s, %s)]"


@pytest.mark.parametrize("asked_before", ["", "[(3,), (4,)]", "[(4,), (2,)]", "[(1,), (2,), (3,)]"])
async def test_a_peer_that_times_out_is_not_run_again_whatever_is_remembered(
    pool: Pool, asked_before: str
) -> None:
    pool.memo = Memo()
    if asked_before:
        await pool.run(operate(f"return {ASKED % (0, asked_before)}", (SLOW,)))
    body = (
        f"first = {ASKED % (0, '[(1,), (2,), (3,)]')}\n"
        f"return [first, {ASKED % (0, '[(3,), (4,)]')}, {ASKED % (1, '[(3,)]')}]"
    )
    outcome = await pool.run(operate(body, (SLOW, SLOW)))
    late = "timeout"
    assert outcome.cases[0].plain() == [[1, late, late], [late, late], [3]]


async def test_a_peer_that_idled_is_run_once_more(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine under load may have left it no processor; what it gives must not depend on that."""
    real, starved = operators.run_calls, [Outcome("timeout", "wall")]

    async def run_calls(zygote: Zygote, job: Calls) -> Outcome:
        return starved.pop() if starved else await real(zygote, job)

    monkeypatch.setattr(operators, "run_calls", run_calls)
    pool.memo = Memo()
    outcome = await pool.run(operate(f"return {ASKED % (0, '[(1,), (3,)]')}", (SLOW,)))
    assert outcome.cases[0].plain() == [1, 3]
    assert not starved


async def test_what_stands_behind_a_time_out_is_not_remembered_as_one(pool: Pool) -> None:
    pool.memo = Memo()
    await pool.run(operate(f"return {ASKED % (0, '[(2,), (5,)]')}", (SLOW,)))
    outcome = await pool.run(operate(f"return {ASKED % (0, '[(5,)]')}", (SLOW,)))
    assert outcome.cases[0].plain() == [5]


@pytest.mark.parametrize(
    ("body", "budget"),
    [
        ("return len([ctx.run(0, (i, i)) for i in range(4)])", Budget(observations=3)),
        ("ctx.run_many(0, [(1, 1)] * 4)", Budget(observations=3)),
        ("ctx.run(0, (1, 1)); ctx.run(1, (1, 1))", Budget(peers=1)),
        ("ctx.run_many(0, [(i, i) for i in range(9)])", Budget(cpu_s=1e-6)),
        (
            "try:\n    ctx.run_many(0, [(1, 1)] * 4)\nexcept BaseException:\n    return 'flag'",
            Budget(observations=3),
        ),
    ],
)
async def test_over_budget_ends_the_operator_whatever_it_catches(
    pool: Pool, body: str, budget: Budget
) -> None:
    outcome = await pool.run(operate(body, (ADD, ADD), budget=budget))
    assert outcome.label == "error(OverBudget)", outcome


@pytest.mark.parametrize("remembered", [True, False])
async def test_the_memo_changes_no_result_and_saves_no_budget(pool: Pool, remembered: bool) -> None:
    body = "return [o.value for o in ctx.run_many(0, [(1, 1), (2, 2)])]"
    exact, short = Budget(observations=2), Budget(observations=1)
    for _ in range(2):
        pool.memo = pool.memo if remembered else Memo()
        assert (await pool.run(operate(body, budget=exact))).cases[0].plain() == [2, 4]
        assert (await pool.run(operate(body, budget=short))).label == "error(OverBudget)"


@pytest.mark.parametrize(
    ("body", "label"),
    [
        ("return ctx.run(5, (1,))", "error(IndexError)"),
        ("return ctx.run('x', (1,))", "error(IndexError)"),
        ("return ctx.run(0, 3)", "error(TypeError)"),
        ("os.write(3, struct.pack('!IB', 1, ord('q')) + b'N')", "bad_output"),
        ("os.write(3, struct.pack('!IB', 7, ord('q')) + b't\\2i\\1\\0t\\1N')", "bad_output"),
        ("while True: pass", "timeout(cpu)"),
        ("return open('/etc/passwd').read()", "error(PermissionError)"),
        ("os._exit(0)", "no_result"),
        ("return bytearray(10**12)", "memory"),
    ],
)
async def test_a_bad_operator_gets_its_verdict(pool: Pool, body: str, label: str) -> None:
    if "'q')" in body:
        body += "\nos._exit(0)"
    outcome = await pool.run(operate(body))
    assert outcome.label == label, outcome


async def test_a_hostile_peer_cannot_break_its_operator(pool: Pool) -> None:
    peers = (
        Program(f"class A:\n{EQUAL_TO_ALL}def f(x): return A()", "f"),
        Program("import os\ndef f(x): os._exit(0)", "f"),
        Program("def f(x): return 'x' * 10**7", "f"),
        Program(OPENING + FRAME + "def f(x): frame('r', b'junk')", "f"),
        Program("def f(x: 1", "f"),
    )
    body = "return [(o.value == 1, o.error) for p in range(5) for o in ctx.run_many(p, [(1,)])]"
    outcome = await pool.run(operate(body, peers))
    assert outcome.cases[0].plain() == [
        (False, ""), (False, "no_result"), (False, "output_limit"), (False, "bad_output"),
        (False, "error(SyntaxError)"),
    ]  # fmt: skip


async def test_two_equal_workers_or_one_give_the_same_facts() -> None:
    body = "return [o.value for p in (0, 1) for o in ctx.run_many(p, [(1, 1), (2, 2)])]"
    jobs: list[Job] = [
        Calls(ADD, encoded([(1, 2)]), encoded([3])), Check(ADD, "assert add(1, 2) == 3"),
        Calls(ADD, encoded([(1, "x")])), operate(body, (ADD, ADD)), operate("return open('/')"),
        Calls(Program("def f():\n    while True: pass", "f"), encoded([()]), limits=QUICK),
    ]  # fmt: skip
    facts = []
    for workers in (1, 2):
        async with await Pool.open(workers) as pool:
            facts.append([(await pool.settle(job)).fact for job in jobs])
    assert facts[0] == facts[1]


async def test_a_jobs_key_changes_with_everything_that_it_depends_on() -> None:
    jobs: list[Job] = [
        Calls(ADD, encoded([(1, 2)])), Calls(ADD, encoded([(1, 3)])),
        Calls(Program("x", "add"), encoded([(1, 2)])), Check(ADD, ""), operate("return 1"),
        Calls(ADD, encoded([(1, 2)]), limits=QUICK), Calls(ADD, encoded([(1, 2)]), encoded([3])),
    ]  # fmt: skip
    assert len({key(job) for job in jobs}) == len(jobs)
    assert key(jobs[0]) == key(Calls(ADD, encoded([(1, 2)])))

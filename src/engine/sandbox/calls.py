"""Data tests: inputs go in, values come out, and the engine compares."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from .ending import Ending, converse
from .inside import codec, compare
from .inside.worker import LOAD_FAILED, LOADED
from .jobs import MAX_HASHED, Calls, Case, Limits, Outcome, Tolerance, payload
from .zygotes import Zygote

INLINE = 1 << 16
"""Bytes of values that the engine decodes itself; more are compared in a job of their own."""
COMPARE = Limits(cpu_s=10.0, memory_mb=1024)


async def run_calls(zygote: Zygote, job: Calls, done: Callable[[], None] | None = None) -> Outcome:
    """One run of a data test; `done` is called when the program has computed its values."""
    content = {
        "code": job.program.code, "entry": job.program.entry, "inputs": list(job.inputs),
        "fresh": job.fresh,
    }  # fmt: skip
    child = await zygote.start(job.limits, job.limits.wall_s)
    ending = await converse(child, job.limits, payload("calls", job.limits, content), done=done)
    if ending.result is None:
        return ending.outcome()
    read = read_result(ending, ending.result, partial(_cases, len(job.inputs)))
    if read.verdict != "pass" or job.expected is None:
        return read
    return await _judged(zygote, job, read)


Reader = Callable[[bool, list[bytes]], tuple[Case, ...]]


def read_result(ending: Ending, body: bytes, reader: Reader) -> Outcome:
    """A result (state, exception, text, stdout, rest...), checked before anything is believed.

    `reader` makes cases of the rest; it raises codec.Malformed for another count than asked for.
    """
    base = ending.outcome()
    try:
        head, rest = (found := codec.parts(body))[:4], found[4:]
        state, error, message, stdout = (codec.decode(part, 0) for part in head)
        if not all(type(word) is str for word in (state, error, message, stdout)):
            raise codec.Malformed("not a result")
        if state not in (LOADED, LOAD_FAILED):
            raise codec.Malformed("not a state")
        cases = reader(state == LOADED, rest)
    except ValueError as problem:
        return replace(base, verdict="bad_output", message=str(problem))
    base = replace(base, stdout=stdout, cases=cases)
    if state == LOAD_FAILED:
        return replace(base, verdict="error", detail=error, message=message)
    for number, case in enumerate(cases):
        if case.value is None:
            text = f"case {number}: {case.message}"
            return replace(base, verdict="error", detail=case.error, message=text)
    return base


def _cases(count: int, loaded: bool, rest: list[bytes]) -> tuple[Case, ...]:
    if len(rest) != (count if loaded else 0):
        raise codec.Malformed("another number of cases than asked for")
    return tuple(map(_case, rest))


def _case(body: bytes) -> Case:
    fields = codec.parts(body)
    flag = codec.decode(fields[0], 0) if fields else None
    if flag is True and len(fields) == 2:
        return Case(fields[1])
    if flag is False and len(fields) == 3:
        error, message = (codec.decode(part, 0) for part in fields[1:])
        if type(error) is str and type(message) is str:
            return Case(None, error, message)
    raise codec.Malformed("not a case")


async def _judged(zygote: Zygote, job: Calls, read: Outcome) -> Outcome:
    """Compare values with what was expected; `fail` names the first case that differs."""
    assert job.expected is not None
    got = [case.value or b"" for case in read.cases]
    verdicts: tuple[bool, ...] | None = None
    if sum(map(len, got)) <= INLINE:
        verdicts = _compared_here(got, job.expected, job.tolerance)
    if verdicts is None:
        there = await _compared_there(zygote, got, job.expected, job.tolerance)
        if isinstance(there, Ending):
            return _incomparable(read, there)
        verdicts = there
    for number, equal in enumerate(verdicts):
        if not equal:
            return replace(read, verdict="fail", message=f"case {number}: another value")
    return read


def _incomparable(read: Outcome, ending: Ending) -> Outcome:
    """Values too costly to compare are wrong ones; a job that could not be had says nothing."""
    if ending.verdict == "abstain":
        return replace(read, verdict="abstain", detail=ending.detail, message=ending.message)
    return replace(read, verdict="fail", message=f"comparing the values: {ending.message}")


def _compared_here(
    got: list[bytes], expected: tuple[bytes, ...], tolerance: Tolerance
) -> tuple[bool, ...] | None:
    """None where decoding would build hashed containers that hostile keys make slow."""
    nearly = tolerance.relative, tolerance.absolute
    try:
        values = [codec.decode(one, MAX_HASHED) for one in got]
    except codec.TooCostly:
        return None
    return tuple(
        compare.equal(value, codec.decode(wanted), *nearly)
        for value, wanted in zip(values, expected, strict=True)
    )


async def _compared_there(
    zygote: Zygote, got: list[bytes], expected: tuple[bytes, ...], tolerance: Tolerance
) -> tuple[bool, ...] | Ending:
    """Compare in a throw-away job; its ending where it gives no answer."""
    content = {
        "got": got, "expected": list(expected),
        "relative": tolerance.relative, "absolute": tolerance.absolute,
    }  # fmt: skip
    limits = replace(COMPARE, output_bytes=INLINE + 2 * len(got))
    child = await zygote.start(limits, limits.wall_s)
    ending = await converse(child, limits, payload("compare", limits, content))
    if ending.result is None:
        return ending
    verdicts = codec.decode(ending.result, MAX_HASHED)
    assert len(verdicts) == len(got)
    return tuple(verdicts)

"""Labelling candidates: visible checks and the hidden suite, run in the sandbox.

The oracle. Only the labeller reads it: on the training split during a search, on held-out tasks
by the scoring command. A candidate gets inputs and gives values; expected outputs stay here.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ...errors import DataError
from ...sandbox.inside import codec
from ...sandbox.jobs import Calls, Case, Check, Job, Limits, Outcome, Program, encoded
from . import compare, visible
from .tasks import Arguments, Candidate, Label, Task

Run: TypeAlias = Callable[[Job], Awaitable[Outcome]]
"""The sandbox: a pool's `settle`, or its `run` where one run is enough."""

MEMORY_MB = 1024
LEAST_CPU_S = {"own": 0.25}
USUAL_CPU_S = 1.0
CPU_FACTOR = 4
"""A candidate may use four times the reference's time for a portion, and never less than 1 s; our
own tasks are small, and many of their faults never end."""
ONE_INPUT_CPU_S = 1.0
"""Where that is too little, each input is run alone with as much time as EvalPlus gives it: four
times the reference's for it and its neighbours, and never less than this."""
VISIBLE_CPU_S = 1.0
REFERENCE = Limits(cpu_s=60.0, memory_mb=4096, output_bytes=1 << 26)
LARGEST = 1 << 24
"""Bytes of one expected value. One MBPP+ task has inputs whose values take a gigabyte; such inputs
are left out of its suite and counted."""
SLOW = 20
"""Inputs that run alone may take so many times their portion's time together. The slowest program
that is right by its official verdict takes ten times."""
PIECES, LEAST_PIECE = 8, 8
"""The reference runs a half in so many jobs, of at least so many inputs: so it is known where the
time goes."""
PORTION = 1 << 21
"""Bytes of expected values a job: what a candidate gives stays within a small multiple of it."""
_INEXACT = (b"f", b"c", b"o")
"""Tags of floats, complex numbers and opaque values: equal bytes may be unequal values."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Some inputs of one half of a hidden suite, with what the reference gives on them.

    `limits` are for all of them together, `alone` are the processor seconds of each by itself.
    """

    half: str
    arguments: tuple[Arguments, ...]
    inputs: tuple[bytes, ...]
    expected: tuple[bytes, ...]
    limits: Limits
    alone: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Suite:
    """A task's checks, ready to run: asserts that the reference passes, and hidden portions.

    `left_out` counts hidden inputs whose expected value is too big to pass from process to process.
    """

    task: Task
    portions: tuple[Portion, ...]
    left_out: int = 0


async def prepare(task: Task, run: Run) -> Suite:
    """Run the reference on the hidden inputs and on the visible asserts.

    Visible asserts that the reference fails are dropped. Raises DataError where the reference
    gives no value on some hidden input, or one that is no plain data.
    """
    program = Program(task.reference, task.entry)
    kept = [text for text in task.visible if (await _visible(task, program, [text], run))]
    portions: list[Portion] = []
    for half, arguments in (("base", task.base), ("plus", task.plus)):
        portions += await _portions(task, program, half, arguments, run)
    missing = len(task.base) + len(task.plus) - sum(len(p.arguments) for p in portions)
    return Suite(replace(task, visible=tuple(kept)), tuple(portions), missing)


async def label(suite: Suite, text: str, run: Run, *, thorough: bool = True) -> Label:
    """What the checks say of one program. Raises DataError where the sandbox could not run it.

    Without `thorough` what is no member of V(t) counts as wrong and meets no hidden input, and
    the second half is not run where the first one has failed: enough to say which members are
    right.
    """
    task, program = suite.task, Program(text, suite.task.entry)
    seen = await _visible(task, program, task.visible, run)
    if not seen and not thorough:
        return Label(visible=False, base=False, plus=False, detail="visible checks")
    passes = {"base": True, "plus": True}
    details: list[str] = []
    near = False
    for portion in suite.portions:
        if passes[portion.half] and (thorough or passes["base"]):
            detail, close = await _failure(task, portion, program, run)
            near = near or close
            if detail is not None:
                passes[portion.half] = False
                details.append(f"{portion.half}: {detail}")
    if not thorough and not passes["base"]:
        passes["plus"] = False
    return Label(seen, passes["base"], passes["plus"], "; ".join(details), near)


async def label_all(suite: Suite, candidates: Sequence[Candidate], run: Run) -> list[Label]:
    """The labels of a task's candidates in their order; equal programs are run once."""
    known: dict[str, Label] = {}
    for candidate in candidates:
        if candidate.text not in known:
            known[candidate.text] = await label(suite, candidate.text, run)
    return [known[candidate.text] for candidate in candidates]


async def _failure(
    task: Task, portion: Portion, program: Program, run: Run
) -> tuple[str | None, bool]:
    """Why a candidate fails a portion, None where it passes; and whether time was short."""
    outcome = await run(Calls(program, portion.inputs, limits=portion.limits))
    if outcome.verdict != "timeout" or len(portion.inputs) == 1 or task.dataset == "own":
        return _judge(task, portion, outcome), outcome.near_limit
    near, used, most = False, 0.0, SLOW * portion.limits.cpu_s
    for place in range(len(portion.inputs)):
        piece = _piece(portion, place)
        outcome = await run(Calls(program, piece.inputs, limits=piece.limits))
        used += outcome.cpu_s
        near = near or outcome.near_limit or used >= most / 2
        if used > most:
            return "timeout(all)", near
        detail = _judge(task, piece, outcome)
        if detail is not None:
            return detail, near
    return None, near


def _piece(portion: Portion, place: int) -> Portion:
    """One input of a portion, with time of its own."""
    part = slice(place, place + 1)
    return replace(
        portion,
        arguments=portion.arguments[part],
        inputs=portion.inputs[part],
        expected=portion.expected[part],
        limits=replace(portion.limits, cpu_s=portion.alone[place]),
        alone=portion.alone[part],
    )


async def _portions(
    task: Task, program: Program, half: str, arguments: Sequence[Arguments], run: Run
) -> list[Portion]:
    """One half of the hidden suite, cut where expected values or the time would fill a job."""
    if not arguments:
        return []
    everything = encoded(arguments)
    size = max(LEAST_PIECE, -(-len(everything) // PIECES))
    cases: list[Case | None] = []
    times: list[tuple[float, float]] = []
    for at in range(0, len(everything), size):
        piece = everything[at : at + size]
        found, cpu_s = await _reference(task, program, piece, half, run)
        cases += found
        times += [(cpu_s, cpu_s / len(piece))] * len(piece)
    kept = [n for n, case in enumerate(cases) if case is not None]
    whole = Portion(
        half,
        tuple(arguments[n] for n in kept),
        tuple(everything[n] for n in kept),
        tuple(_kept(task, case) for case in cases if case is not None),
        REFERENCE,
        tuple(max(ONE_INPUT_CPU_S, CPU_FACTOR * times[n][0]) for n in kept),
    )
    shares = [CPU_FACTOR * times[n][1] for n in kept]
    least, start, portions = LEAST_CPU_S.get(task.dataset, USUAL_CPU_S), 0, []
    for end in _cuts([len(value) for value in whole.expected], shares, size):
        portions.append(_part(whole, slice(start, end), max(least, sum(shares[start:end]))))
        start = end
    return portions


def _cuts(sizes: Sequence[int], shares: Sequence[float], piece: int) -> list[int]:
    """Where portions end: values and time of one stay small, so that a candidate that never ends
    costs as little in a suite that takes long as elsewhere."""
    cuts, size, taken = [], 0, 0.0
    for end, (more, longer) in enumerate(zip(sizes, shares, strict=True), 1):
        size, taken = size + more, taken + longer
        slow = taken >= USUAL_CPU_S and end % piece == 0
        if size >= PORTION or slow or end == len(sizes):
            cuts.append(end)
            size, taken = 0, 0.0
    return cuts


def _part(whole: Portion, part: slice, cpu_s: float) -> Portion:
    """Some inputs of a half, with the room that a candidate gets for them."""
    expected = whole.expected[part]
    limits = Limits(cpu_s, MEMORY_MB, output_bytes=(1 << 16) + 4 * sum(map(len, expected)))
    return Portion(
        whole.half, whole.arguments[part], whole.inputs[part], expected, limits, whole.alone[part]
    )


async def _reference(
    task: Task, program: Program, inputs: tuple[bytes, ...], half: str, run: Run
) -> tuple[list[Case | None], float]:
    """What the reference gives on each input (None: too big), and its processor seconds for those
    that are not.

    Where values together exceed a job's output each input is run alone.
    """
    outcome = await run(Calls(program, inputs, limits=REFERENCE))
    if outcome.verdict == "output_limit" and len(inputs) == 1:
        return [None], 0.0
    if outcome.verdict == "output_limit":
        apart = [await _reference(task, program, (one,), half, run) for one in inputs]
        return [case for found, _ in apart for case in found], sum(cpu_s for _, cpu_s in apart)
    if outcome.verdict != "pass":
        raise DataError(
            f"task {task.id}: its reference ends with {outcome.label} on the {half} inputs "
            f"({outcome.message}); correct the task or leave it out"
        )
    fitting = [None if len(case.value or b"") > LARGEST else case for case in outcome.cases]
    return fitting, outcome.cpu_s


def _kept(task: Task, case: Case) -> bytes:
    """What is kept of the reference's output, as bytes."""
    assert case.value is not None
    if task.dataset == "mbpp" and task.entry in compare.NOT_NONE:
        return codec.encode(compare.expected_output(task, codec.decode(case.value)))
    return case.value


def _judge(task: Task, portion: Portion, outcome: Outcome) -> str | None:
    """Why a candidate fails a portion; None where it passes."""
    if outcome.verdict == "abstain":
        raise DataError(
            f"task {task.id}: the sandbox could not run a candidate ({outcome.message}); "
            "run `evoscope doctor`"
        )
    if outcome.verdict != "pass":
        return outcome.label
    got = [case.value or b"" for case in outcome.cases]
    if _equal_bytes(task, got, portion.expected):
        return None
    try:
        outputs = [
            _decoded(case, want) for case, want in zip(outcome.cases, portion.expected, strict=True)
        ]
    except codec.TooCostly:
        return "values that cost too much to compare"
    expected = [codec.decode(value) for value in portion.expected]
    place = compare.first_difference(task, portion.arguments, outputs, expected)
    return None if place is None else f"another value on input {place}"


def _equal_bytes(task: Task, got: Sequence[bytes], expected: Sequence[bytes]) -> bool:
    """Whether all values are byte for byte the expected ones and nothing in them is inexact."""
    if task.dataset == "humaneval" and task.entry == "find_zero":
        return False
    exact = all(a == b for a, b in zip(got, expected, strict=True))
    return exact and not any(tag in value for value in expected for tag in _INEXACT)


def _decoded(case: Case, want: bytes) -> Any:
    """A candidate's value; big hashed containers only where the bytes are the expected ones."""
    assert case.value is not None
    return codec.decode(case.value) if case.value == want else case.plain()


async def _visible(task: Task, program: Program, asserts: Sequence[str], run: Run) -> bool:
    """Whether all these asserts hold; those that are plain data need no checker."""
    limits = Limits(cpu_s=LEAST_CPU_S.get(task.dataset, VISIBLE_CPU_S), memory_mb=MEMORY_MB)
    seen = Program(visible.with_math(program.code), task.entry)
    shown = visible.examples(asserts, task.entry)
    if len(shown) == len(asserts):
        if not shown:
            return True
        inputs = encoded(example.arguments for example in shown)
        expected = encoded(example.expected for example in shown)
        outcome = await run(Calls(seen, inputs, expected, limits=limits))
    else:
        text = visible.program(asserts, visible.helpers(task.prompt, task.entry, program.code))
        outcome = await run(Check(seen, text, limits=limits))
    return outcome.verdict == "pass"

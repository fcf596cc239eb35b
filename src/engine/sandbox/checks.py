"""Test code: the checker and the program in two processes, the engine between them."""

from dataclasses import replace

from .child import Child
from .ending import Ending, Stop, converse, ending_of, not_ready
from .inside import codec, frames
from .jobs import MAX_HASHED, Check, Outcome, Word, payload
from .zygotes import Zygote

MAX_CALLS = 100_000
VERDICTS: dict[str, Word] = {"pass": "pass", "fail": "fail", "error": "error", "broken": "abstain"}


async def run_check(zygote: Zygote, job: Check) -> Outcome:
    """One run of a checker; the verdict is the checker's unless the program's process broke."""
    wall = job.limits.wall_s + job.check_limits.wall_s
    candidate = await zygote.start(job.limits, wall)
    checker = await zygote.start(job.check_limits, wall)
    relay = Relay(candidate, job)
    content = {"code": job.code, "check": job.check, "entry": job.program.entry}
    ending = await converse(
        checker, job.check_limits, payload("check", job.check_limits, content), relay.answer
    )
    unasked = await relay.close()
    outcome = unasked.outcome() if unasked else _read(ending)
    used = await candidate.exit
    return replace(
        outcome,
        cpu_s=ending.exit.cpu_s + used.cpu_s,
        wall_s=max(ending.exit.wall_s, used.wall_s),
        memory_mb=max(ending.exit.memory_mb, used.memory_mb),
        limit_share=max(ending.outcome().limit_share, used.cpu_s / job.limits.cpu_s),
    )


class Relay:
    """Passes one call at a time to the program's process, and its answer back."""

    def __init__(self, candidate: Child, job: Check) -> None:
        self._candidate, self._job = candidate, job
        self._started = False
        self._calls = 0

    async def answer(self, body: bytes) -> bytes:
        """The program's answer to one call; raises Stop when it gives none."""
        self._calls += 1
        if self._calls > MAX_CALLS:
            raise Stop("output_limit", "", f"more than {MAX_CALLS} calls")
        _well_formed(body, (2,))
        if not self._started:
            await self._start()
        await self._candidate.send(frames.ANSWER, body)
        frame = await self._candidate.receive()
        if frame is None or frame[0] != frames.RESULT:
            raise await self._broken(frame)
        _well_formed(frame[1], (2, 3))
        return frame[1]

    async def close(self) -> Ending | None:
        """End the program's process; its ending if it has said something unasked."""
        unasked = self._started and self._candidate.pending()
        how = await self._candidate.stop()
        why = "an answer that nobody asked for"
        return Ending(how, self._job.limits, None, "bad_output", "", why) if unasked else None

    async def _start(self) -> None:
        program = self._job.program
        content = {"code": program.code, "entry": program.entry}
        await self._candidate.send(frames.JOB, payload("serve", self._job.limits, content))
        if end := await not_ready(self._candidate, self._job.limits):
            raise Stop(end.verdict, end.detail, end.message)
        self._started = True

    async def _broken(self, frame: tuple[int, bytes] | None) -> Stop:
        """Why the program's process gave no answer."""
        if frame is not None and frame[0] not in (frames.OUTPUT_LIMIT, frames.MEMORY):
            self._candidate.break_off("bad_output", "a frame of a kind that is not its to send")
        how = await self._candidate.exit
        end = ending_of(self._candidate, self._job.limits, how, frame, started=True)
        return Stop(end.verdict, end.detail, end.message)


def _well_formed(body: bytes, counts: tuple[int, ...]) -> None:
    """Raise Stop unless the body is an encoded tuple of that many elements."""
    try:
        plain = len(codec.parts(body)) in counts
    except ValueError:
        plain = False
    if not plain:
        raise Stop("bad_output", "", "an answer that is no plain data")


def _read(ending: Ending) -> Outcome:
    """The checker's own verdict."""
    base = ending.outcome()
    if ending.result is None:
        return base
    try:
        word, error, message, stdout = codec.decode(ending.result, MAX_HASHED)
        verdict = VERDICTS[word]
        if not all(type(text) is str for text in (error, message, stdout)):
            raise codec.Malformed("not a verdict")
    except (ValueError, TypeError, KeyError):
        return replace(base, verdict="bad_output", message="the checker's verdict is malformed")
    detail = {"error": error, "abstain": "checker"}.get(verdict, "")
    message = message if verdict == "error" else f"{error}: {message}" if error else ""
    return replace(base, verdict=verdict, detail=detail, message=message, stdout=stdout)

"""Talking to one job until it ends, and the verdict that its end alone decides.

A job may send READY once, requests where its kind has some (one at a time, each answered), and
exactly one result. Whatever else it does is `bad_output`, whatever it claims.
"""

import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

from .child import Child, Exit
from .inside import frames
from .jobs import Limits, Outcome, Word

CPU_SLACK = 0.98
"""A killed job that used this share of its limit was killed by its timer."""
_WITHOUT_RESULT: dict[int, tuple[Word, str]] = {
    frames.OUTPUT_LIMIT: ("output_limit", "it printed or returned too much"),
    frames.MEMORY: ("memory", "MemoryError"),
}


class Stop(Exception):
    """Raised while a request is answered: the whole job ends with this verdict."""

    def __init__(self, verdict: Word, detail: str = "", message: str = "") -> None:
        super().__init__(message)
        self.verdict, self.detail, self.message = verdict, detail, message


@dataclass(frozen=True, slots=True)
class Ending:
    """A job's end: its result, or the verdict that stands in its place."""

    exit: Exit
    limits: Limits
    result: bytes | None = None
    verdict: Word = "pass"
    detail: str = ""
    message: str = ""

    def outcome(self) -> Outcome:
        """The verdict with its measures."""
        return Outcome(
            self.verdict, self.detail, self.message,
            cpu_s=self.exit.cpu_s, wall_s=self.exit.wall_s, memory_mb=self.exit.memory_mb,
            limit_share=self.exit.cpu_s / self.limits.cpu_s,
        )  # fmt: skip


Answerer = Callable[[bytes], Awaitable[bytes]]


async def converse(
    child: Child,
    limits: Limits,
    payload: bytes,
    answer: Answerer | None = None,
    done: Callable[[], None] | None = None,
) -> Ending:
    """Give the job its payload, answer what it asks, wait for its end.

    `done` is called when the result is there and only the process's end is awaited.
    The payload waits in the socket until the job is locked: it says READY before it reads.
    """
    await child.send(frames.JOB, payload)
    if unready := await not_ready(child, limits):
        return unready
    last: tuple[int, bytes] | None = None
    try:
        while (frame := await child.receive()) is not None:
            if last is not None:
                child.break_off("bad_output", "an answer after the last one")
            elif frame[0] == frames.REQUEST and answer is not None:
                await child.send(frames.ANSWER, await answer(frame[1]))
            elif frame[0] in (frames.RESULT, *_WITHOUT_RESULT):
                last = frame
                child.rest()
                if done is not None:
                    done()
            else:
                child.break_off("bad_output", "a frame of a kind that is not its to send")
    except Stop as stop:
        child.break_off(stop.verdict, stop.message)
        return Ending(await child.exit, limits, None, stop.verdict, stop.detail, stop.message)
    return ending_of(child, limits, await child.exit, last, started=True)


async def not_ready(child: Child, limits: Limits) -> Ending | None:
    """None once the job has said that it is locked; else how it ended instead."""
    if await child.receive() == (frames.READY, b""):
        return None
    return ending_of(child, limits, await child.stop(), None, started=False)


def ending_of(
    child: Child, limits: Limits, how: Exit, last: tuple[int, bytes] | None, *, started: bool
) -> Ending:
    """What a finished process has to show: its one result, or the verdict in its place."""
    if how.status is not None and child.broken:
        verdict, why = child.broken
        return Ending(how, limits, None, cast(Word, verdict), "", why)
    if how.status is None or not started:
        return Ending(
            how, limits, None, "abstain", "infrastructure", "the job's process could not be had"
        )
    if found := death(how, limits):
        return Ending(how, limits, None, *found)
    if child.cut_off:
        return Ending(how, limits, None, "bad_output", "", "half a frame")
    if last is None:
        return Ending(how, limits, None, "no_result", "", "the process ended without an answer")
    if last[0] in _WITHOUT_RESULT:
        verdict, why = _WITHOUT_RESULT[last[0]]
        return Ending(how, limits, None, verdict, "", why)
    return Ending(how, limits, last[1])


def death(how: Exit, limits: Limits) -> tuple[Word, str, str] | None:
    """The verdict of a process that did not exit by itself with 0; None if it did."""
    assert how.status is not None
    if how.by_wall:
        return "timeout", "wall", f"idle or starved for {how.wall_s:.2f} s"
    number = how.status & 0x7F
    if not number:
        return None if how.status == 0 else ("no_result", "", "the process ended early")
    if number == signal.SIGXCPU or (
        number == signal.SIGKILL and how.cpu_s >= limits.cpu_s * CPU_SLACK
    ):
        return "timeout", "cpu", f"more than {limits.cpu_s:g} s of processor time"
    if number == signal.SIGKILL:
        return "abstain", "infrastructure", "killed from outside, perhaps for want of memory"
    return "crash", signal.Signals(number).name, "the process died"

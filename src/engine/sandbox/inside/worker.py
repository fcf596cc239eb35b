"""What a locked job does: it reads its one task, runs it and answers with plain data.

The untrusted code shares this process, so nothing here is believed by the engine: a job can
spoil only its own answer.
"""

import builtins
import io
import os
import random
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

from . import codec, compare, frames

CRASHED = 71
"""Exit status where this module itself failed."""
MODULE = "candidate"
MESSAGE = 300
WARM = 20
"""Rounds after which the interpreter has specialised the code that every job runs."""
LOADED, LOAD_FAILED = "loaded", "load failed"


def run(channel: int) -> NoReturn:
    """Read the job, do it, exit with 0."""
    received = frames.read(channel)
    if received is None:
        os._exit(CRASHED)
    job = codec.decode(received[1])
    try:
        MODES[job["mode"]](job, Channel(channel, job["output_bytes"]))
    except MemoryError:
        frames.write(channel, frames.MEMORY)
    os._exit(0)


def warm_up() -> None:
    """Do what every job does some times, so that a fork finds it done; leaves no trace."""
    code = "import math\ndef f(x):\n    print(x)\n    return [x]\n"
    job = {
        "mode": "calls", "code": code, "entry": "f", "inputs": [codec.encode((1,))] * 2,
        "fresh": True, "stdout_bytes": 100,
    }  # fmt: skip
    streams = sys.stdout, sys.stderr
    for _ in range(WARM):
        _calls(codec.decode(codec.encode(job)), _Nowhere(-1, 1000))
    sys.stdout, sys.stderr = streams
    del sys.modules[MODULE]


class Channel:
    """The job's side of its socket."""

    def __init__(self, descriptor: int, cap: int) -> None:
        self._descriptor, self.cap = descriptor, cap

    def result(self, body: bytes) -> None:
        """Send a result, or that it is too big, which ends the job."""
        if len(body) > self.cap:
            self.too_much()
        frames.write(self._descriptor, frames.RESULT, body)

    def encoded(self, value: object) -> bytes:
        """A value within the cap; a bigger one ends the job."""
        try:
            return codec.encode(value, self.cap)
        except codec.TooBig:
            self.too_much()

    def ask(self, value: object) -> Any:
        """Send a request and wait for the engine's answer."""
        frames.write(self._descriptor, frames.REQUEST, self.encoded(value))
        answer = self.receive()
        if answer is None:
            os._exit(0)
        return answer

    def receive(self) -> Any:
        """The next answer, None when the engine has closed the socket."""
        received = frames.read(self._descriptor)
        return None if received is None else codec.decode(received[1])

    def too_much(self) -> NoReturn:
        """End the job: it printed or returned more than it may."""
        frames.write(self._descriptor, frames.OUTPUT_LIMIT)
        os._exit(0)


class _Nowhere(Channel):
    def result(self, body: bytes) -> None:
        codec.parts(body)


class Output(io.TextIOBase):
    """Standard output and error of a job: kept up to a limit, then the job ends."""

    def __init__(self, channel: Channel, limit: int) -> None:
        self._channel, self._left, self._kept = channel, limit, list[str]()

    def write(self, text: str) -> int:
        """Keep the text."""
        self._left -= len(text)
        if self._left < 0:
            self._channel.too_much()
        self._kept.append(str(text))
        return len(text)

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def text(self) -> str:
        """What was written."""
        return "".join(self._kept)


def _capture(job: dict[str, Any], channel: Channel) -> Output:
    output = Output(channel, job["stdout_bytes"])
    sys.stdout = output
    sys.stderr = Output(channel, job["stdout_bytes"])
    return output


def _load(code: types.CodeType) -> dict[str, Any]:
    """Run a program's top level in a module of its own; its names."""
    module = types.ModuleType(MODULE)
    sys.modules[MODULE] = module
    random.seed(0)
    exec(code, module.__dict__)
    return module.__dict__


def _entry(names: dict[str, Any], entry: str) -> Any:
    if entry not in names:
        raise NameError(f"name '{entry}' is not defined")
    return names[entry]


def _described(error: BaseException) -> tuple[str, str]:
    """An exception's class and text; both are only words."""
    name = codec._class_name(type(error))
    try:
        text = str(error)[:MESSAGE]
    except MemoryError:
        raise
    except BaseException:
        text = ""
    return name, text if type(text) is str else ""


def _case(channel: Channel, function: Callable[[], object]) -> bytes:
    """One call as bytes: (True, value) or (False, exception, text)."""
    try:
        value = function()
        return codec.joined([codec.encode(True), channel.encoded(value)])
    except MemoryError:
        raise
    except BaseException as error:
        return codec.encode((False, *_described(error)))


def _calls(job: dict[str, Any], channel: Channel) -> None:
    """Call one function on each input: a result (state, exception, text, stdout, case...)."""
    output = _capture(job, channel)
    cases: list[bytes] = []
    failure = ("", "")
    try:
        code = compile(job["code"], "<candidate>", "exec")
        function = _entry(_load(code), job["entry"])
        for encoded in job["inputs"]:
            if job["fresh"] and cases:
                function = _entry(_load(code), job["entry"])
            arguments = codec.decode(encoded)
            cases.append(_case(channel, lambda f=function, a=arguments: f(*a)))  # type: ignore[misc]
    except MemoryError:
        raise
    except BaseException as error:
        failure, cases = _described(error), []
    head = (LOAD_FAILED if failure[0] else LOADED, *failure, output.text())
    channel.result(codec.joined([codec.encode(part) for part in head] + cases))


def _serve(job: dict[str, Any], channel: Channel) -> None:
    """Answer calls until the socket closes; a load failure is the answer to each."""
    _capture(job, channel)
    try:
        function = _entry(_load(compile(job["code"], "<candidate>", "exec")), job["entry"])
    except MemoryError:
        raise
    except BaseException as error:
        described = _described(error)
        while channel.receive() is not None:
            channel.result(codec.encode((False, *described)))
        return
    while (request := channel.receive()) is not None:
        arguments, named = request
        channel.result(_case(channel, lambda a=arguments, n=named: function(*a, **n)))  # type: ignore[misc]


# -- checkers


class CandidateError(Exception):
    """An exception that the candidate raised and that has no builtin class."""


class Proxy:
    """The candidate as its checker sees it: plain data goes out, plain data comes back."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.raised: BaseException | None = None
        self.unportable = self.got_opaque = False

    def __call__(self, *arguments: object, **named: object) -> Any:
        """What the candidate returns or raises, by way of the engine."""
        if _opaque(codec.decode(self._channel.encoded((arguments, named)))):
            self.unportable = not self.got_opaque
            raise TypeError("only plain data can be passed to the candidate")
        answer = self._channel.ask((arguments, named))
        if answer[0]:
            self.got_opaque = self.got_opaque or _opaque(answer[1])
            return answer[1]
        known = getattr(builtins, answer[1], None)
        usable = isinstance(known, type) and issubclass(known, Exception)
        self.raised = (
            known(answer[2]) if usable and known is not None else CandidateError(answer[1])
        )
        self.name = answer[1]
        raise self.raised


def _opaque(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_opaque(key) or _opaque(part) for key, part in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(_opaque, value))
    return type(value) is codec.Opaque


def _check(job: dict[str, Any], channel: Channel) -> None:
    """Run test code against the proxy: a result (verdict, exception, text, stdout)."""
    output = _capture(job, channel)
    proxy = Proxy(channel)
    names: dict[str, Any] = {"__name__": "checker", "candidate": proxy, job["entry"]: proxy}
    verdict, described = "pass", ("", "")
    try:
        code = compile(job["code"], "<checker>", "exec")
    except (SyntaxError, ValueError) as error:
        verdict, described = "broken", _described(error)
    else:
        try:
            exec(code, names)
            if job["check"] in names:
                names[job["check"]](proxy)
        except MemoryError:
            raise
        except BaseException as error:
            verdict, described = _blame(proxy, error)
    channel.result(codec.encode((verdict, *described, output.text())))


def _blame(proxy: Proxy, error: BaseException) -> tuple[str, tuple[str, str]]:
    """Whose exception ended the check: the candidate's, an assertion's or the checker's own."""
    if proxy.unportable:
        return "broken", _described(error)
    if error is proxy.raised:
        return "error", (proxy.name, _described(error)[1])
    return "fail", _described(error)


# -- operators


class Observation:
    """What one run of a peer gave: `ok` with its `value`, or the word of its `error`."""

    __slots__ = ("error", "ok", "value")

    def __init__(self, ok: bool, value: Any, error: str) -> None:
        self.ok, self.value, self.error = ok, value, error

    def __repr__(self) -> str:
        return f"Observation({self.value!r})" if self.ok else f"Observation(error={self.error!r})"


class Context:
    """The second half of a level 2 operator's view; given data stand as attributes."""

    def __init__(self, channel: Channel, data: dict[str, Any]) -> None:
        self._channel = channel
        for name, value in data.items():
            setattr(self, name, value)

    def run(self, peer: int, arguments: Any) -> Observation:
        """Run peer number `peer` on one tuple of arguments."""
        return self.run_many(peer, [arguments])[0]

    def run_many(self, peer: int, inputs: Any) -> list[Observation]:
        """Run a peer on each tuple of arguments, every one in a fresh module."""
        answers = self._channel.ask((peer, tuple(tuple(arguments) for arguments in inputs)))
        return [
            Observation(ok, value if ok else None, "" if ok else value) for ok, value in answers
        ]


def _operate(job: dict[str, Any], channel: Channel) -> None:
    """Run an operator: a result (state, exception, text, stdout, value)."""
    output = _capture(job, channel)
    arguments = list(codec.decode(job["arguments"]))
    if job["context"] is not None:
        arguments.append(Context(channel, codec.decode(job["context"])))
    state, described, value = LOADED, ("", ""), codec.encode(None)
    try:
        function = _entry(_load(compile(job["code"], "<operator>", "exec")), job["entry"])
        value = channel.encoded(function(*arguments))
    except MemoryError:
        raise
    except BaseException as error:
        state, described = LOAD_FAILED, _described(error)
    head = [codec.encode(part) for part in (state, *described, output.text())]
    channel.result(codec.joined([*head, value]))


def _compare(job: dict[str, Any], channel: Channel) -> None:
    """Compare values that cost too much to decode in the engine: a tuple of bools."""
    pairs = zip(job["got"], job["expected"], strict=True)
    tolerance = job["relative"], job["absolute"]
    equal = [compare.equal(codec.decode(a), codec.decode(b), *tolerance) for a, b in pairs]
    channel.result(codec.encode(tuple(equal)))


MODES: dict[str, Callable[[dict[str, Any], Channel], None]] = {
    "calls": _calls, "serve": _serve, "check": _check, "operate": _operate, "compare": _compare,
}  # fmt: skip

"""A pool of operators that Evoscope has admitted: scores a candidate without any model call.

Candidates and operators run in processes of their own with limited time and memory, and otherwise
with your rights. Score code that you don't trust inside a container, or with Evoscope itself.
"""

import ast
import importlib
import json
import marshal
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from ..inputs import inputs

_HERE = files(__package__)
_CODEC = importlib.import_module(f"{__package__}.codec")
POOL: dict[str, Any] = json.loads((_HERE / "pool.json").read_text(encoding="utf-8"))
ELECTORATE: dict[str, Any] = json.loads((_HERE / "electorate.json").read_text(encoding="utf-8"))
CERTIFICATE: Any = json.loads((_HERE / "certificate.json").read_text(encoding="utf-8"))
TEXTS = POOL["answers"] == "texts"
"""Whether the pool judges answers that are no programs: then there is nothing to run."""
BUDGET = 600
PEERS = 16
Told = tuple[bool, Any]
"""What an input gave: (True, encoded value) or (False, word)."""
TIMEOUT: Told = (False, "timeout")
_PYTHON = (sys.executable, "-s", "-S", "-P", "-B")
_TIMED_OUT = {-signal.SIGPROF, -signal.SIGXCPU, -signal.SIGKILL}


class OverBudget(Exception):
    """An operator asked for more runs than it may, or for longer ones."""


class Context:
    """What a level-2 operator sees besides, and who runs what it asks for."""

    def __init__(self, task: Mapping[str, Any], programs: Sequence[str]) -> None:
        if TEXTS:
            task = {"id": task["id"], "visible": [], "entry_point": ""}
        known = known_arguments(task["visible"], task["entry_point"])
        made = inputs(task["id"], known)
        self.own, self.peers = 0, list(range(1, len(programs)))
        self.sources, self.asserts = list(programs), list(task["visible"])
        self.examples = [(tuple(args), want) for args, want in examples(task)]
        self.inputs, self.unperturbed = list(made.arguments), made.unperturbed
        self._entry, self._runs, self._cpu_s = task["entry_point"], 0, 0.0
        self._endless: set[int] = set()

    def given(self) -> bytes:
        """What the operator's own process gets, encoded: all but the means to run anything."""
        shown = {name: one for name, one in vars(self).items() if not name.startswith("_")}
        return bytes(_CODEC.encode(shown))

    def observe(self, peer: int, asked: list[bytes]) -> list[Told]:
        """What a program gives for each encoded tuple of arguments. Raises OverBudget.

        Behind its first time-out a program is not run any more; all else counts as timed out.
        Raises IndexError where there is no such program, or answers are none.
        """
        if TEXTS or type(peer) is not int or not 0 <= peer < len(self.sources):
            raise IndexError(f"there is no peer {peer}")
        self._runs += len(asked)
        if self._runs > BUDGET:
            raise OverBudget
        seen: list[Told] = []
        if peer not in self._endless:
            seen, cpu_s = _observed(self.sources[peer], self._entry, asked)
            self._cpu_s += cpu_s
        if len(seen) < len(asked) or (seen and seen[-1] == TIMEOUT):
            self._endless.add(peer)
        if self._cpu_s > POOL["cpu_s"]["observations"]:
            raise OverBudget
        return [*seen, *[TIMEOUT] * (len(asked) - len(seen))]


def score(task: Mapping[str, Any], code: str, peers: Sequence[str]) -> dict[str, Any]:
    """Whether the pool flags a candidate, and what each operator says.

    `task` has id, prompt, entry_point and visible (assert statements), or the fields of a domain's
    own task; `peers` are the other samples for it, in order.
    """
    said = {one["name"]: verdict(one, task, code, peers) for one in POOL["operators"]}
    flags = sum(word == "flag" for word in said.values())
    return {"flagged": flags >= POOL["least_votes"], "verdicts": said}


def verdict(
    operator: Mapping[str, Any], task: Mapping[str, Any], code: str, peers: Sequence[str]
) -> str:
    """flag, pass or abstain; an operator that fails or takes too long abstains."""
    source = (_HERE / operator["file"]).read_text(encoding="utf-8")
    context = None
    if operator["level"] == 2:
        context = Context(task, [code, *others(peers, code)])
    limits = POOL["cpu_s"]
    patience = 3 * (limits["operator"] + (limits["observations"] if context else 0))
    try:
        found = _said(source, _CODEC.encode((view(task), code)), context, patience)
    except (OverBudget, IndexError, ValueError, EOFError, TypeError, OSError):
        return "abstain"
    return found if found in ("flag", "pass") else "abstain"


def _said(source: str, arguments: bytes, context: Context | None, patience: float) -> Any:
    """What a process of its own says; what it asks for is run here, until it gives its verdict.

    Raises EOFError or OSError where the process ends before.
    """
    given = None if context is None else context.given()
    cpu_s, memory_mb = (POOL[limit]["operator"] for limit in ("cpu_s", "memory_mb"))
    message: Any = (source, arguments, given, cpu_s, memory_mb)
    with subprocess.Popen(
        [*_PYTHON, str(_HERE / "operate.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=_environment(),
    ) as process:  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        watch = threading.Timer(patience, process.kill)
        watch.start()
        try:
            while True:
                marshal.dump(message, process.stdin)
                process.stdin.flush()
                told = marshal.load(process.stdout)
                if context is None or type(told) is not tuple:
                    return told
                peer, asked = told
                message = context.observe(_CODEC.decode(peer), asked)
        finally:
            watch.cancel()
            process.kill()


def view(task: Mapping[str, Any]) -> dict[str, Any]:
    """The task as an operator sees it."""
    if TEXTS:
        return {name: value for name, value in task.items() if name not in ("hidden", "peers")}
    return {
        "prompt": task["prompt"], "entry_point": task["entry_point"],
        "visible": list(task["visible"]), "examples": examples(task),
    }  # fmt: skip


def others(peers: Sequence[str], code: str) -> list[str]:
    """The first 16 peers, one copy of the candidate's own code dropped."""
    rest = list(peers)
    if code in rest:
        rest.remove(code)
    return rest[:PEERS]


def examples(task: Mapping[str, Any]) -> list[list[Any]]:
    """[arguments, expected] of every visible check of the form `assert f(literals) == literal`."""
    found = []
    for text in task["visible"]:
        test = _test(text)
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Call):
            arguments, want = _literals(test.left), _literal(test.comparators[0])
            exact = isinstance(test.ops[0], ast.Eq) or want == (None,)
            named = getattr(test.left.func, "id", "") == task["entry_point"]
            if exact and named and arguments is not None and want is not None:
                found.append([list(arguments), want[0]])
    return found


def known_arguments(asserts: Sequence[str], entry: str) -> list[tuple[Any, ...]]:
    """The literal arguments of every call of the entry point in the asserts."""
    calls = [
        node
        for text in asserts
        for node in ast.walk(_test(text) or ast.Constant(None))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == entry
    ]
    return [found for call in calls if (found := _literals(call)) is not None]


def _test(text: str) -> ast.expr | None:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return None
    return body[0].test if len(body) == 1 and isinstance(body[0], ast.Assert) else None


def _literals(call: ast.Call) -> tuple[Any, ...] | None:
    values = [_literal(arg) for arg in call.args]
    if call.keywords or None in values:
        return None
    return tuple(value[0] for value in values if value is not None)


def _literal(node: ast.expr) -> tuple[Any] | None:
    try:
        return (ast.literal_eval(node),)
    except (ValueError, TypeError, SyntaxError):
        return None


def _observed(code: str, entry: str, asked: list[bytes]) -> tuple[list[Told], float]:
    """What each input gave, up to the first that times out, with the processor time it took;
    where the process comes to no end, each gets one of its own."""
    found, cpu_s = _process(code, entry, asked)
    if isinstance(found, list):
        return found, cpu_s
    if len(asked) == 1:
        return [(False, found)], cpu_s
    seen: list[Told] = []
    for one in asked:
        own, more = _observed(code, entry, [one])
        seen, cpu_s = seen + own, cpu_s + more
        if seen[-1] == TIMEOUT:
            break
    return seen, cpu_s


def _process(code: str, entry: str, asked: list[bytes]) -> tuple[list[Told] | str, float]:
    """What a process of its own answers, the word for its end where it does not; and seconds."""
    limit, memory_mb = (POOL[name]["peer"] for name in ("cpu_s", "memory_mb"))
    began = time.monotonic()
    try:
        done = subprocess.run(
            [*_PYTHON, str(_HERE / "worker.py")], capture_output=True, timeout=3 * limit + 1,
            input=marshal.dumps((code, entry, asked, limit, memory_mb)), env=_environment(),
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return TIMEOUT[1], limit
    found = _unpacked(done.stdout)
    took = min(limit, time.monotonic() - began)
    if found is not None:
        return (found, took) if isinstance(found, str) else found
    if done.returncode in _TIMED_OUT:
        return TIMEOUT[1], took
    ended = f"crash({signal.Signals(-done.returncode).name})" if done.returncode < 0 else ""
    return ended or "no_result", took


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONHASHSEED": "0"}


def _unpacked(data: bytes) -> tuple[list[Told], float] | str | None:
    """What the process wrote; None where it ended before it could."""
    try:
        found: tuple[list[Told], float] | str = marshal.loads(data)
    except (ValueError, EOFError, TypeError):
        return None
    return found

"""Operators: a job whose `ctx.run` are requests that the engine charges and runs elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .calls import read_result, run_calls
from .ending import Stop, converse
from .inside import codec
from .jobs import Calls, Case, Limits, Operate, Outcome, Program, payload
from .memo import Memo, Observed, key_of, prefix
from .zygotes import Zygote

OVER_BUDGET = "OverBudget"
TIMEOUT = "timeout"
NOT_RUN = Observed(None, TIMEOUT, 0.0)
"""What a peer that has timed out before is taken to give."""


async def run_operator(zygote: Zygote, job: Operate, memo: Memo) -> Outcome:
    """One run of an operator; its value is the only case."""
    bench = Bench(zygote, job, memo)
    content = {
        "code": job.program.code, "entry": job.program.entry, "arguments": job.arguments,
        "context": job.context,
    }  # fmt: skip
    patience = job.limits.wall_s + job.budget.cpu_s * 3
    child = await zygote.start(job.limits, patience)
    answer = bench.answer if job.context is not None else None
    text = payload("operate", job.limits, content)
    ending = await converse(child, job.limits, text, answer)
    if ending.result is None:
        return ending.outcome()
    return read_result(ending, ending.result, _value)


def _value(loaded: bool, rest: list[bytes]) -> tuple[Case, ...]:
    if len(rest) != 1:
        raise codec.Malformed("not exactly one value")
    return (Case(rest[0]),) if loaded else ()


@dataclass
class Spent:
    """What an operator's observations have cost so far."""

    observations: int = 0
    cpu_s: float = 0.0


class Bench:
    """Runs peers for one operator, within its budget."""

    def __init__(self, zygote: Zygote, job: Operate, memo: Memo) -> None:
        self._zygote, self._job, self._memo = zygote, job, memo
        self._peers: set[int] = set()
        self._endless: set[int] = set()
        self.spent = Spent()

    async def answer(self, body: bytes) -> bytes:
        """What a peer gave for each input: (True, value) or (False, word).

        Behind its first time-out in this call a peer is not run any more, and all that is asked
        of it counts as timed out.
        """
        peer, inputs = self._request(body)
        self._charge(peer, len(inputs))
        seen = [NOT_RUN] * len(inputs)
        if peer not in self._endless:
            program, limits = self._job.peers[peer], self._job.peer_limits
            seen = await observe(self._zygote, program, inputs, limits, self._memo)
        if any(one.word == TIMEOUT for one in seen):
            self._endless.add(peer)
        self.spent.cpu_s += sum(one.cpu_s for one in seen)
        if self.spent.cpu_s > self._job.budget.cpu_s:
            raise _over(f"more than {self._job.budget.cpu_s:g} s of processor time")
        return codec.joined([_told(one) for one in seen])

    def _request(self, body: bytes) -> tuple[int, list[bytes]]:
        try:
            number, inputs = codec.parts(body)
            peer, arguments = codec.decode(number, 0), codec.parts(inputs)
        except ValueError:
            raise Stop("bad_output", "", "a request that is none") from None
        if not all(codec.is_tuple(one) for one in arguments):
            raise Stop("bad_output", "", "a request that is none")
        if type(peer) is not int or not 0 <= peer < len(self._job.peers):
            raise Stop("error", "IndexError", f"there is no peer {str(peer)[:20]}")
        return peer, arguments

    def _charge(self, peer: int, count: int) -> None:
        budget = self._job.budget
        self._peers.add(peer)
        self.spent.observations += count
        if len(self._peers) > budget.peers:
            raise _over(f"more than {budget.peers} peers")
        if self.spent.observations > budget.observations:
            raise _over(f"more than {budget.observations} observations")


def _over(why: str) -> Stop:
    return Stop("error", OVER_BUDGET, why)


def _told(one: Observed) -> bytes:
    told = codec.encode(one.word) if one.value is None else one.value
    return codec.joined([codec.encode(one.value is not None), told])


async def observe(
    zygote: Zygote, program: Program, inputs: Sequence[bytes], limits: Limits, memo: Memo
) -> list[Observed]:
    """What the program gives for each input, each in a fresh module; raises Stop("abstain").

    All inputs that are not remembered share one process; where that comes to no end, each gets
    its own, so that no input suffers from another one. Behind the first input that times out, in
    the order asked, nothing is run: NOT_RUN stands there, and is not remembered. So what is given
    depends on the inputs and their order alone, whatever is remembered.
    """
    start = prefix(program, limits)
    keys = [key_of(start, one) for one in inputs]
    seen = {key: found for key in keys if (found := memo.get(key)) is not None}
    missing: dict[bytes, bytes] = {}
    for key, one in zip(keys, inputs, strict=True):
        if key in seen and seen[key].word == TIMEOUT:
            break
        if key not in seen:
            missing[key] = one
    fresh = await _run(zygote, program, missing, limits) if missing else {}
    for key, observed in fresh.items():
        memo.put(key, observed)
    return _until_timeout([(fresh.get(key) or seen.get(key, NOT_RUN)) for key in keys])


def _until_timeout(seen: Sequence[Observed]) -> list[Observed]:
    """The observations up to the first time-out; NOT_RUN in the place of those behind it."""
    first = next((at for at, one in enumerate(seen) if one.word == TIMEOUT), len(seen))
    return [one if at <= first else NOT_RUN for at, one in enumerate(seen)]


async def _run(
    zygote: Zygote, program: Program, inputs: dict[bytes, bytes], limits: Limits
) -> dict[bytes, Observed]:
    """Observations by key, at least up to the first input that times out."""
    job = Calls(program, tuple(inputs.values()), fresh=True, limits=limits)
    outcome = await run_calls(zygote, job)
    if outcome.label == "timeout(wall)":  # on a loaded machine it may have had no processor at all
        outcome = await run_calls(zygote, job)
    if outcome.verdict == "abstain":
        raise Stop("abstain", "infrastructure", outcome.message)
    share = outcome.cpu_s / len(inputs)
    if outcome.cases:
        return dict(zip(inputs, (_observed(c, share) for c in outcome.cases), strict=True))
    if len(inputs) > 1 and outcome.verdict != "error":
        return await _apart(zygote, program, inputs, limits)
    return dict.fromkeys(inputs, Observed(None, _word(outcome), share))


async def _apart(
    zygote: Zygote, program: Program, inputs: dict[bytes, bytes], limits: Limits
) -> dict[bytes, Observed]:
    found: dict[bytes, Observed] = {}
    for key, one in inputs.items():
        found |= await _run(zygote, program, {key: one}, limits)
        if found[key].word == TIMEOUT:
            break
    return found


def _observed(case: Case, cpu_s: float) -> Observed:
    word = "" if case.value is not None else f"error({case.error})"
    return Observed(case.value, word, cpu_s)


def _word(outcome: Outcome) -> str:
    """The verdict without what load may change: a timeout is one, by whichever clock."""
    return replace(outcome, detail="").verdict if outcome.verdict == "timeout" else outcome.label

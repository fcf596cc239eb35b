"""The agent loop: a model with native tool calling, a harness around it, one task (chase.md, 3).

Limits end a rollout with score 0: a fact like any other, since turns are counted and seconds are
those recorded with each call. Prompts, tool calls, tool results and notes of the control policy all
stand in the last request, so the calls in the file are the whole trajectory.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from ...benchmarks.environment import AgentTask, CanonicalCall, Environment
from ...errors import CallFailed
from ...model.chase import Harness, Rule
from ...model.core import Slot
from ...model.llm import Completion, Finish, Json, Message, Request
from ...prompts import render
from ..harden.setup import Profile
from .toolbox import READ, SEARCH, Toolbox

End = Literal["answered", "no answer", "step limit", "time limit"]
Complete: TypeAlias = Callable[[Slot, Request], Awaitable[Completion]]
"""Who answers a turn: the context, or for a rollout that is read again what it has recorded."""
REFUSED = (Finish.REFUSAL, Finish.CONTENT_FILTER)
SHOWN = 1_500
"""Characters of each text of a rollout that the history shows."""
TURN_ACTIONS = ("remind_budget", "remind_guidance", "answer_now")
ASKS = {
    "review": "Before this counts: check the answer against every condition of the question, then "
    "give it once more.",
    "calculate": "Compute the answer with the calculator from the amounts that you read, then give "
    "it once more.",
}


@dataclass(frozen=True, slots=True)
class Trajectory:
    """How a rollout went. `calls` are in the released benchmark's words; `slot` its last call;
    `steps` the turns before the answer, as `Loop` notes them."""

    answer: str
    end: End
    calls: tuple[CanonicalCall, ...]
    turns: int
    slot: str
    steps: tuple[Mapping[str, Json], ...] = ()

    def plain(self) -> dict[str, Json]:
        """What the state keeps of it: no times, no costs, no texts of the tools."""
        calls: list[Json] = [_plain(call) for call in self.calls]
        return {"answer": self.answer, "end": self.end, "calls": calls, "turns": self.turns}

    def shown(self) -> dict[str, Json]:
        """As the history shows it: every turn, its texts cut to `SHOWN`; no times, no costs."""
        steps: list[Json] = [dict(step) for step in self.steps]
        answer = cut(self.answer)
        return {"answer": answer, "end": self.end, "turns": self.turns, "steps": steps}


def cut(text: str) -> str:
    """A text as the history shows it."""
    more = len(text) - SHOWN
    return text if more <= 0 else f"{text[:SHOWN]} [{more} more characters]"


def _bounded(arguments: Mapping[str, Json] | None) -> Json:
    """A call's arguments, long texts cut; None where they were no JSON object."""
    if arguments is None:
        return None
    return {name: cut(v) if isinstance(v, str) else v for name, v in arguments.items()}


def _plain(call: CanonicalCall) -> Json:
    return [call.kind, dict(call.arguments)]


def opening(profile: Profile, harness: Harness, env: Environment, task: AgentTask) -> Request:
    """The first request of a rollout."""
    system, user = render(
        "chase/agent",
        prompt=harness.system_prompt,
        memory=harness.memory,
        guidance=[module.model_dump() for module in harness.guidance],
        tools=harness.tools,
        question=task.question,
    )
    return Request(
        role="agent",
        provider=profile.provider,
        model=profile.model,
        messages=(Message("user", user),),
        system=system,
        params=profile.params,
        tools=env.tools(),
        route=profile.route,
    )


class Loop:
    """One rollout. Built for one task and one sample; `run` may be awaited once."""

    def __init__(
        self, complete: Complete, slot: Slot, first: Request, harness: Harness, env: Environment,
        task: AgentTask,
    ) -> None:  # fmt: skip
        self._complete, self._slot, self._env = complete, slot, env
        self._harness = harness
        self._request = first
        self._box = Toolbox(harness, env, task.id)
        self._asked: set[str] = set()
        self._steps: list[Mapping[str, Json]] = []
        self._turn = 0
        self._seconds = 0.0

    async def run(self) -> Trajectory:
        """Play to the end. Raises CallFailed where a turn cannot be had or is refused: then the
        rollout is missing, no score of 0. Raises CallOpen to park."""
        while self._turn < self._env.limits.steps:
            slot = replace(self._slot, step=self._turn)
            completion = await self._complete(slot, self._request)
            self._turn += 1
            if completion.finish in REFUSED:
                raise CallFailed(slot.key, completion.finish.value, "no answer")
            self._seconds += completion.latency_s
            if self._seconds > self._env.limits.seconds:
                return self._end("", "time limit", slot)
            if completion.tool_calls:
                self._use_tools(completion)
            elif (ask := self._before_answer()) is not None:
                self._say(completion, ask)
            else:
                end: End = "answered" if completion.finish is Finish.STOP else "no answer"
                return self._end(completion.text, end, slot)
        return self._end("", "step limit", replace(self._slot, step=self._turn - 1))

    def _end(self, answer: str, end: End, slot: Slot) -> Trajectory:
        calls, steps = tuple(self._box.calls), tuple(self._steps)
        return Trajectory(answer, end, calls, self._turn, slot.key, steps)

    def _use_tools(self, completion: Completion) -> None:
        turn = Message("assistant", completion.text, raw=completion.raw_turn)
        before = len(self._box.calls)
        replies = [
            Message("tool", self._box.call(call.name, call.arguments), tool_call_id=call.id)
            for call in completion.tool_calls
        ]
        notes = self._notes()
        self._keep(completion, replies, before, notes)
        said = (Message("user", "\n".join(notes)),) if notes else ()
        messages = (*self._request.messages, turn, *replies, *said)
        self._request = replace(self._request, messages=messages)

    def _keep(
        self, completion: Completion, replies: Sequence[Message], before: int, notes: Sequence[str]
    ) -> None:
        """Note a turn: what the model said and called, what the host ran for it and answered, what
        is left of the budgets, and what the control policy said."""
        called: list[Json] = [
            {"tool": call.name, "arguments": _bounded(call.arguments), "result": cut(reply.text)}
            for call, reply in zip(completion.tool_calls, replies, strict=True)
        ]
        ran: list[Json] = [
            [call.kind, _bounded(call.arguments)] for call in self._box.calls[before:]
        ]
        step: dict[str, Json] = {"model": cut(completion.text), "calls": called, "ran": ran}
        step |= {"left": dict(self._box.left), "notes": [*notes]}
        self._steps.append(step)

    def _say(self, completion: Completion, text: str) -> None:
        turn = Message("assistant", completion.text, raw=completion.raw_turn)
        messages = (*self._request.messages, turn, Message("user", text))
        self._steps.append({"model": cut(completion.text), "notes": [text]})
        self._request = replace(self._request, messages=messages)

    def _before_answer(self) -> str | None:
        """What a rule asks for before the answer counts; each action asks once."""
        for rule in self._harness.control:
            if rule.do not in ASKS or rule.do in self._asked:
                continue
            if rule.when == "not_calculated" and self._box.calculated:
                continue
            self._asked.add(rule.do)
            return ASKS[rule.do]
        return None

    def _notes(self) -> list[str]:
        return [
            self._note(rule)
            for rule in self._harness.control
            if rule.do in TURN_ACTIONS and self._applies(rule)
        ]

    def _applies(self, rule: Rule) -> bool:
        left: Mapping[str, int] = {
            "searches_left_below": self._box.left.get(SEARCH, 0),
            "reads_left_below": self._box.left.get(READ, 0),
            "steps_left_below": self._env.limits.steps - self._turn,
        }
        if rule.when == "tool_error":
            return self._box.failed
        return rule.when == "always" or left[rule.when] < (rule.n or 0)

    def _note(self, rule: Rule) -> str:
        if rule.do == "answer_now":
            return "Give your answer now."
        if rule.do == "remind_budget":
            left = ", ".join(f"{name} {n}" for name, n in self._box.left.items())
            return f"Calls that are left: {left}."
        return "\n".join(f"{g.applies_when}: {g.instruction}" for g in self._harness.guidance)

"""What an agent lives in: tasks, tools with budgets, grading, under one benchmark protocol.

An `Environment` is one benchmark variant. The released one, and every counterfactual made from it,
share tasks, answers, limits and scoring; they differ in `protocol` alone.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from ..model.llm import Json, Tool
from .base import Grade

Arguments: TypeAlias = Mapping[str, Json]


class ToolError(Exception):
    """A tool call that cannot be answered; its text is what the agent reads."""


@dataclass(frozen=True, slots=True)
class AgentTask:
    """What the agent is given: the question. Answer, evidence and split stay in the environment."""

    id: str
    question: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What one rollout may use: calls by tool group, model turns, seconds of recorded latency."""

    groups: tuple[tuple[str, int], ...]
    steps: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Operation:
    """One tool: what the model is told about it, the budget group it draws on, what it does."""

    tool: Tool
    group: str
    run: Callable[[Arguments], Json]


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a tool answered. `ok` is false for errors, `counted` says that it used budget."""

    content: Json
    ok: bool
    counted: bool

    @property
    def text(self) -> str:
        """The reply as the agent reads it: JSON with keys in the tool's own order."""
        return json.dumps(self.content, ensure_ascii=False, indent=1)


class Session:
    """One rollout's tools: runs calls and keeps the budget.

    A call of a known tool counts whatever its arguments are; one whose group is used up is answered
    with an error and changes nothing.
    """

    def __init__(self, operations: Sequence[Operation], limits: Limits) -> None:
        self._operations = {operation.tool.name: operation for operation in operations}
        self._left = dict(limits.groups)

    @property
    def left(self) -> Mapping[str, int]:
        """Calls that remain, by group."""
        return dict(self._left)

    def group(self, name: str) -> str | None:
        """The budget group of a tool, None where there is no such tool."""
        operation = self._operations.get(name)
        return None if operation is None else operation.group

    def call(self, name: str, arguments: Arguments | None) -> ToolReply:
        """Run one tool call; errors come back as `{"error": ...}`, never as exceptions."""
        operation = self._operations.get(name)
        if operation is None:
            return _error(f"no tool {name!r}; use {', '.join(self._operations)}", False)
        if self._left[operation.group] < 1:
            return _error(f"no {operation.group} calls are left", False)
        self._left[operation.group] -= 1
        if arguments is None:
            return _error("the arguments are no JSON object", True)
        try:
            return ToolReply(operation.run(arguments), True, True)
        except ToolError as error:
            return _error(str(error), True)


def _error(message: str, counted: bool) -> ToolReply:
    return ToolReply({"error": message}, False, counted)


def text_argument(arguments: Arguments, name: str) -> str:
    """A non-empty text argument; raises ToolError."""
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ToolError(f"{name}: a text is needed")
    return value.strip()


def whole_argument(arguments: Arguments, name: str, default: int, low: int, high: int) -> int:
    """An integer argument within its bounds; raises ToolError. Digits in a text are taken too."""
    value = arguments.get(name)
    if value is None:
        return default
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ToolError(f"{name}: a whole number from {low} to {high} is needed")
    return value


def choice_argument(arguments: Arguments, name: str, choices: Sequence[str]) -> str:
    """One of the given words, the first where it is missing; raises ToolError."""
    value = arguments.get(name)
    if value is None:
        return choices[0]
    if not isinstance(value, str) or value not in choices:
        raise ToolError(f"{name}: one of {', '.join(choices)} is needed")
    return value


@dataclass(frozen=True, slots=True)
class CanonicalCall:
    """A tool call in the released benchmark's own words: kind, and arguments with document keys."""

    kind: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the firewall compares (design: chase.md, section 5), each part plain JSON.

    `tasks`: questions and answers as recomputed; `information`: every document's content by key,
    identifier maps undone; `access`: operations, documents and limits, aliases undone; `scoring`:
    verdicts on fixed outputs; `outputs`: what the agent would see, by fixture; `restored`: the same
    outputs with every presentation undone.
    """

    tasks: Json
    information: Json
    access: Json
    scoring: Json
    outputs: Mapping[str, Json]
    restored: Mapping[str, Json]


class Environment(Protocol):
    """One benchmark variant. All methods are pure; sessions alone keep a state."""

    @property
    def name(self) -> str:
        """Which benchmark: syn_ledger or corpus_qa."""
        ...

    @property
    def protocol(self) -> Any:
        """What distinguishes this variant: a frozen value that transformations replace."""
        ...

    @property
    def limits(self) -> Limits:
        """What one rollout may use."""
        ...

    @property
    def tasks(self) -> Sequence[AgentTask]:
        """All tasks in order."""
        ...

    @property
    def splits(self) -> Mapping[str, tuple[str, ...]]:
        """Task ids by split: evo, disc, conf1.., cert."""
        ...

    def tools(self) -> tuple[Tool, ...]:
        """The tools as the model is told about them."""
        ...

    def session(self, task: str) -> Session:
        """A fresh set of tools with full budgets for one rollout."""
        ...

    def grade(self, task: str, response: str) -> Grade:
        """The official verdict on a final answer."""
        ...

    def with_protocol(self, protocol: Any) -> "Environment":
        """The same benchmark under another protocol."""
        ...

    def changed_features(self, protocol: Any) -> frozenset[str]:
        """Which protocol features differ between this variant and `protocol`."""
        ...

    def rest(self) -> object:
        """Everything but the protocol, to compare: tasks, answers, documents, limits, splits."""
        ...

    def without_tasks(self, seed: int | None) -> "Environment":
        """The same documents with questions, answers and splits blanked, or shuffled by `seed`."""
        ...

    def snapshot(self) -> Snapshot:
        """What the firewall compares."""
        ...

    def canonical_call(self, task: str, name: str, arguments: Arguments) -> CanonicalCall | None:
        """This variant's call in the released one's words; None where it names nothing known."""
        ...

    def presented_call(self, task: str, call: CanonicalCall) -> tuple[str, dict[str, Json]]:
        """A canonical call as (tool name, arguments) of this variant."""
        ...

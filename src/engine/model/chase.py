"""A harness: the declarative spec of how an agent works, with six surfaces (CHASE; chase.md, 3).

Advice lives in the prompt, the memory and the guidance modules, which the model reads; capability
in the policies, which the host carries out. Model, sampling, tools, budgets and limits are no part
of it.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .llm import Json

Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=4_000)]
Count: TypeAlias = Annotated[int, Field(ge=1, le=100)]

CONDITIONS = {
    "always": "at every turn",
    "results_below": "a search gave fewer than n results",
    "searches_left_below": "fewer than n search or list calls are left",
    "reads_left_below": "fewer than n document reads are left",
    "steps_left_below": "fewer than n turns are left",
    "half_read": "a document has been read in part only",
    "tool_error": "the last tool call was answered with an error",
    "not_calculated": "an answer is given and the calculator was never used",
    "answering": "an answer is given",
}
"""When a control rule applies; the ones that say n need one."""

ACTIONS = {
    "search_any": "repeat the search asking for any of its terms",
    "read_on": "read the next part of the document at once, on its own read",
    "remind_budget": "tell the agent what is left of its calls",
    "remind_guidance": "show the guidance modules once more",
    "review": "ask once to check the answer against the question before it counts",
    "calculate": "ask once to compute the answer with the calculator",
    "answer_now": "ask for the answer at once",
}
"""What a control rule does."""

Condition: TypeAlias = Literal[
    "always", "results_below", "searches_left_below", "reads_left_below", "steps_left_below",
    "half_read", "tool_error", "not_calculated", "answering",
]  # fmt: skip
Action: TypeAlias = Literal[
    "search_any", "read_on", "remind_budget", "remind_guidance", "review", "calculate",
    "answer_now",
]  # fmt: skip


class Surface(BaseModel):
    """A part of a harness; unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Retrieval(Surface):
    """What the host does with a search before it runs, and with its results.

    Terms are rewritten only where `rewrite_while` is given and at least so many search calls are
    left: `stop_words` and terms shorter than `shortest_term` go, the first `most_terms` stay.
    """

    term_mode: Literal["all", "any"] = "all"
    stop_words: Annotated[list[Text], Field(max_length=200)] = []
    shortest_term: Count = 1
    most_terms: Count | None = None
    top_k: Annotated[int, Field(ge=1, le=12)] | None = None
    any_below: Count | None = None
    """Search again for any of the terms where fewer results than this came back."""
    rewrite_while: Count | None = None
    by_period: bool = False
    """A query that names several periods becomes one search for each."""
    merge: Literal["in_turn", "one_after_another"] = "one_after_another"
    """How the results of several searches are joined."""
    spread: bool = False
    """At most one result of each document first, further ones behind."""


class ToolPolicy(Surface):
    """Rules about tools. `reserved_reads` is enforced: so many reads only continue documents that
    were begun. The stop rule and the retries are told to the agent."""

    reserved_reads: Annotated[int, Field(ge=0, le=20)] = 0
    stop_rule: Literal["none", "when_found", "when_verified"] = "none"
    retries: Annotated[int, Field(ge=0, le=5)] = 1


COUNTED = frozenset(
    {"results_below", "searches_left_below", "reads_left_below", "steps_left_below"}
)
ONLY_WITH: Mapping[str, frozenset[str]] = {
    "search_any": frozenset({"results_below"}),
    "read_on": frozenset({"half_read"}),
    "review": frozenset({"answering", "not_calculated"}),
    "calculate": frozenset({"answering", "not_calculated"}),
}
"""The conditions that an action can follow; the other actions follow a turn's conditions."""
OF_A_TURN = frozenset({"always", "tool_error", *COUNTED}) - {"results_below"}


class Rule(Surface):
    """One step of the control policy: ordered, each looked at in turn. `n` is the condition's."""

    when: Condition
    n: Annotated[int, Field(ge=0, le=100)] | None = None
    do: Action

    @model_validator(mode="after")
    def _fits(self) -> "Rule":
        if (self.n is None) == (self.when in COUNTED):
            raise ValueError(f"{self.when}: {'n is missing' if self.n is None else 'takes no n'}")
        conditions = ONLY_WITH.get(self.do, OF_A_TURN)
        if self.when not in conditions:
            raise ValueError(f"{self.do} follows {', '.join(sorted(conditions))} only")
        return self


class Guidance(Surface):
    """A piece of advice with its condition of use."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    applies_when: Text
    instruction: Text


class Harness(Surface):
    """The whole spec. Its defaults are H_0: generic prompt, empty memory, no guidance, all terms
    required, no rewriting."""

    system_prompt: Annotated[str, Field(min_length=1, max_length=12_000)] = (
        "You answer one question from a collection of documents that you reach through tools. "
        "Find the documents that hold the answer, read them, and give the answer in the form that "
        "the question asks for."
    )
    memory: Annotated[list[Text], Field(max_length=50)] = []
    retrieval: Retrieval = Retrieval()
    tools: ToolPolicy = ToolPolicy()
    control: Annotated[list[Rule], Field(max_length=20)] = []
    guidance: Annotated[list[Guidance], Field(max_length=20)] = []

    def plain(self) -> dict[str, Json]:
        """The spec as plain JSON."""
        return cast("dict[str, Json]", self.model_dump(mode="json"))


ADVICE = ("system_prompt", "memory", "guidance")
"""The surfaces that the model reads."""

CAPABILITY = ("retrieval", "tools", "control")
"""The surfaces that the host carries out."""


def changed_fields(before: Harness, after: Harness) -> dict[str, tuple[Json, Json]]:
    """The diff of two harnesses: field path to (old, new), in the order of the spec.

    `retrieval.top_k` is a path; memory, control and guidance are compared as wholes.
    """
    old, new = dict(_fields(before)), dict(_fields(after))
    return {path: (old[path], new[path]) for path in old if old[path] != new[path]}


def _fields(harness: Harness) -> Iterator[tuple[str, Json]]:
    for surface, value in harness.plain().items():
        if isinstance(value, dict):
            yield from ((f"{surface}.{name}", inner) for name, inner in value.items())
        else:
            yield surface, value


def harness_schema() -> Mapping[str, Any]:
    """The JSON Schema of a harness, as a proposer reads it."""
    return Harness.model_json_schema()

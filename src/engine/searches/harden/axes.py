"""The catalogue of complexity axes and its deterministic validation (HARDEN, A.5.3)."""

import re
from collections import Counter
from typing import Annotated

from pydantic import Field, ValidationError

from ...gates.reply import Reply, Text, problems
from ...model.harden import REALISM_AXIS, Axis, Priority
from ...model.llm import Json
from .ranking import normalised

INPUTS = re.compile(r"\binputs?\b", re.IGNORECASE)
OUTPUTS = re.compile(r"\b(expected|gold|outputs?|answers?|labels?|results?)\b", re.IGNORECASE)


class AxisReply(Reply):
    """One axis as a model or a file writes it."""

    axis_name: Text
    definition: Text
    goal: Text
    distinctive_focus: Text
    target_artifact_types: Annotated[list[Text], Field(min_length=1)]
    subtypes: Annotated[list[Text], Field(min_length=3)]
    prompt_guidance: Annotated[list[Text], Field(min_length=5)]
    priority: Priority = "normal"

    def axis(self) -> Axis:
        """The axis as the search uses it."""
        return Axis(
            axis_name=self.axis_name,
            definition=self.definition,
            goal=self.goal,
            distinctive_focus=self.distinctive_focus,
            target_artifact_types=tuple(self.target_artifact_types),
            subtypes=tuple(self.subtypes),
            prompt_guidance=tuple(self.prompt_guidance),
            priority=self.priority,
        )


class AxesReply(Reply):
    """A whole catalogue."""

    axes: Annotated[list[AxisReply], Field(min_length=1)]


def read_catalogue(value: Json) -> tuple[tuple[Axis, ...], list[str]]:
    """The axes of a catalogue in its order, and all that is wrong with it.

    Wrong is: a missing or empty part, fewer than 3 subtypes or 5 pieces of guidance, a name given
    twice, not exactly one axis named `domain_specific_realism`, an axis that leaves unsaid that
    only inputs change and outputs stay correct. There is no cap on their number.
    """
    try:
        reply = AxesReply.model_validate(value)
    except ValidationError as error:
        return (), problems(error)
    axes = tuple(entry.axis() for entry in reply.axes)
    return axes, _name_problems(axes) + _promise_problems(axes)


def _name_problems(axes: tuple[Axis, ...]) -> list[str]:
    counts = Counter(normalised(axis.axis_name) for axis in axes)
    found = [f"axis name {name} is given {n} times" for name, n in counts.items() if n > 1]
    if sum(axis.axis_name == REALISM_AXIS for axis in axes) != 1:
        found.append(f"exactly one axis must be named {REALISM_AXIS}")
    return found


def _promise_problems(axes: tuple[Axis, ...]) -> list[str]:
    found = []
    for axis in axes:
        text = " ".join((axis.definition, axis.goal, axis.distinctive_focus, *axis.prompt_guidance))
        if not INPUTS.search(text):
            found.append(f"axis {axis.axis_name}: say that it changes case inputs only")
        if not OUTPUTS.search(text):
            found.append(f"axis {axis.axis_name}: say that the expected output stays correct")
    return found

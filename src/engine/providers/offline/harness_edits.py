"""Edits that the offline proposer knows: changes of a harness spec, honest ones and shortcuts.

Each names the surfaces that it changes and the protocol features that it leans on: advice to open
short names first is worth something only while names tell evidence from the rest.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass

from ...model.llm import Json

Spec = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Edit:
    """A change: `set` gives fields of one policy, `rule` and `module` are added once.

    `covers` are the protocol features whose change it makes harmless.
    """

    name: str
    track: str
    leans_on: frozenset[str] = frozenset()
    set: tuple[str, Mapping[str, Json]] | None = None
    rule: Mapping[str, Json] | None = None
    module: tuple[str, str] | None = None
    covers: frozenset[str] = frozenset()

    def apply(self, spec: Spec) -> Spec:
        """The spec with this change; unchanged where it holds it already."""
        changed = deepcopy(spec)
        if self.set is not None:
            surface, values = self.set
            own = changed[surface]
            if isinstance(own, dict):
                own.update(values)
        _add(changed, "control", None if self.rule is None else dict(self.rule))
        if self.module is not None:
            when, instruction = self.module
            module: Spec = {"name": self.name, "applies_when": when, "instruction": instruction}
            _add(changed, "guidance", module)
        return changed

    def remove(self, spec: Spec) -> Spec:
        """The spec without this edit's guidance."""
        changed = deepcopy(spec)
        modules = changed.get("guidance")
        if isinstance(modules, list):
            changed["guidance"] = [
                m for m in modules if not (isinstance(m, dict) and m.get("name") == self.name)
            ]
        return changed


def _add(spec: Spec, surface: str, part: Spec | None) -> None:
    parts = spec.get(surface)
    if part is not None and isinstance(parts, list) and part not in parts:
        parts.append(part)


STRUCTURAL = (
    Edit("wide results", "structural", set=("retrieval", {"top_k": 8})),
    Edit("any on few", "structural", set=("retrieval", {"any_below": 3})),
    Edit(
        "any terms", "structural", frozenset({"rank"}),
        set=("retrieval", {"term_mode": "any", "rewrite_while": 2, "shortest_term": 3}),
    ),
    Edit("by period", "structural", set=("retrieval", {"by_period": True, "merge": "in_turn"})),
    Edit(
        "calculate first", "structural", rule={"when": "not_calculated", "n": None,
                                               "do": "calculate"},
    ),
    Edit("verify", "structural", set=("tools", {"stop_rule": "when_verified"})),
    Edit("keep reads", "structural", set=("tools", {"reserved_reads": 1})),
    Edit(
        "read whole files", "structural", rule={"when": "half_read", "n": None, "do": "read_on"},
    ),
)  # fmt: skip
GUIDANCE = (
    Edit(
        "conditions of a record", "guidance",
        module=("before an amount is used", "check its status, its version and its basis; "
                "an approved, current, enacted record is meant unless the question says otherwise"),
    ),
    Edit(
        "one search per amount", "guidance",
        module=("several amounts are needed", "make a separate search for each amount with its "
                "owner, period and category"),
    ),
    Edit(
        "second parts", "guidance",
        module=("the first part of a file shows no candidate", "read the second part before "
                "another file is opened"),
        covers=frozenset({"position"}),
    ),
    Edit(
        "forms", "guidance",
        module=("records are no table", "read CSV and key-value records by their field names, as "
                "carefully as a table"),
        covers=frozenset({"format"}),
    ),
    Edit(
        "exact arithmetic", "guidance",
        module=("amounts are found", "use the calculator, then copy its value"),
    ),
    Edit(
        "short names first", "guidance", frozenset({"name", "depth"}),
        module=("files are chosen", "open shallow files with short names first: they hold the "
                "answer more often"),
    ),
    Edit(
        "nested text", "guidance",
        module=("a result has no text of its own", "look for its text in any field, nested ones "
                "and table context included"),
    ),
)  # fmt: skip
BY_TRACK = {"structural": STRUCTURAL, "guidance": GUIDANCE}


def held(spec: Spec) -> list[Edit]:
    """The known edits that a spec holds already."""
    return [edit for edit in (*STRUCTURAL, *GUIDANCE) if edit.apply(spec) == spec]

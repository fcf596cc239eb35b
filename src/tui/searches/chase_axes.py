"""What chase has tried to change: the harness's surfaces, and the transformations' families."""

import json
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ...engine.store.reader import Reader
from ...engine.store.views import NodeRow
from ..glyphs import Glyphs
from ..lines import Column, Span, tidy
from ..widgets.bars import bar
from .chase import Facts, Trial, read_facts

SURFACES = ("retrieval", "tools", "control", "system_prompt", "memory", "guidance")
FAMILIES = ("identifiers", "layout", "tool schema", "order", "serialisation")
"""What the engine has; its modules would load far more than their names."""
COLUMNS = (
    Column("", 0),
    Column("", 8, "right"),
    Column("", 6, "right"),
    Column("", 6, "right"),
    Column("", 10, "right"),
    Column("", 9, "right"),
    Column("", 12, least=76),
)


@dataclass(frozen=True, slots=True)
class Count:
    """A surface or a family with its five counts, None where one does not apply; or a heading.

    `kept` of `tried` is what the bar shows.
    """

    key: str
    name: str
    counts: tuple[int | None, ...] = ()
    heads: tuple[str, ...] = ()

    @property
    def kept(self) -> float:
        """The share that was adopted or confirmed."""
        first, last = (self.counts[0] or 0, self.counts[-1] or 0) if self.counts else (0, 0)
        return last / first if first else 0.0


SURFACE_HEADS = ("changed", "passed", "", "scored", "adopted")
FAMILY_HEADS = ("proposed", "valid", "active", "discovered", "confirmed")


def read_counts(reader: Reader, method: str | None) -> tuple[list[Count], list[str]]:
    """The rows over all methods, or of one; and the methods. Raises StoreError."""
    facts = read_facts(reader)
    changed = _changed(reader, facts)
    rows = [Count("surfaces", "harness surfaces", heads=SURFACE_HEADS)]
    rows += [_surface(facts, name, changed, method) for name in SURFACES]
    rows.append(Count("families", "transformations", heads=FAMILY_HEADS))
    names = [*FAMILIES, ""]
    found = [_family(facts, name, method) for name in names]
    rows += [row for row in found if row.name in FAMILIES or row.counts[0]]
    return rows, facts.methods


def _changed(reader: Reader, facts: Facts) -> dict[str, frozenset[str]]:
    """Which surfaces each candidate changes against its parent."""
    specs = {
        node.id: _spec(reader.text(node.content_hash))
        for node in facts.nodes.values()
        if node.kind == "harness"
    }
    return {
        node.id: changed_surfaces(specs.get(node.parents[0], {}), specs[node.id])
        for node in facts.nodes.values()
        if node.id in specs and node.parents
    }


def _spec(text: str) -> Mapping[str, object]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def changed_surfaces(before: Mapping[str, object], after: Mapping[str, object]) -> frozenset[str]:
    """The surfaces in which two specs differ."""
    return frozenset(name for name in SURFACES if before.get(name) != after.get(name))


def _surface(
    facts: Facts, name: str, changed: Mapping[str, AbstractSet[str]], method: str | None
) -> Count:
    own = [
        facts.nodes[node]
        for node, surfaces in changed.items()
        if name in surfaces and _of(facts.nodes[node], method)
    ]
    passed = [node for node in own if node.state != "rejected"]
    scored = [node for node in passed if node.score is not None]
    adopted = facts.adopted()
    kept = [node for node in own if node.id in adopted and not node.vetoed]
    counts = (len(own), len(passed), None, len(scored), len(kept))
    return Count(f"surface {name}", name.replace("_", " "), counts)


def _of(node: NodeRow, method: str | None) -> bool:
    return method is None or node.unit.partition("/")[0] == method


def _family(facts: Facts, name: str, method: str | None) -> Count:
    """A family's proposals; without a name those that could not be read."""
    own = [
        node
        for node in facts.nodes.values()
        if node.kind == "counterfactual" and _of(node, method) and _touches(node, name)
    ]
    valid = [node for node in own if _passed(facts, node, ("firewall", "activity"))]
    active = [node for node in valid if _passed(facts, node, ("firewall",))]
    tried = [facts.trials.get(node.id, Trial()) for node in active if not node.vetoed]
    counts = (
        len(own), len(valid), len(active), sum(trial.tried for trial in tried),
        sum(trial.archived for trial in tried),
    )  # fmt: skip
    return Count(f"family {name}", name or "none, or unread", counts)


def _touches(node: NodeRow, name: str) -> bool:
    families: Iterable[object] = node.origin.get("family") or ()
    return name in families if name else not families


def _passed(facts: Facts, node: NodeRow, gates: Iterable[str]) -> bool:
    """Whether the proposal got past the firewall's seven checks; activity is judged after them."""
    own = facts.gates.get(node.id, {})
    return own.get("firewall") == "pass" or ("activity" in own and "activity" in gates)


def count_cells(row: Count, glyphs: Glyphs) -> list[Span]:
    """Name, five counts, and how much of it stood; a heading has the counts' names."""
    if row.heads:
        return [(f" {row.name}", "accent"), *((head, "dim") for head in row.heads), ("", "")]
    numbers = ["" if number is None else f"{number:,}" for number in row.counts]
    stood = "ok" if row.counts[-1] else "dim"
    return [
        (f"  {tidy(row.name)}", ""),
        *((number, "") for number in numbers[:-1]),
        (numbers[-1], stood),
        (bar(row.kept, 12, glyphs), "dim"),
    ]

"""What each case of a harden run has kept: survivors and the promoted variant."""

from dataclasses import dataclass

from .listings import NODES
from .reader import Reader
from .views import NodeRow


@dataclass(frozen=True, slots=True)
class KeptCase:
    """One case. `survivors` holds its population, hardest first, the promoted one included."""

    case: str
    survivors: tuple[NodeRow, ...]
    promoted: str | None


def kept_cases(reader: Reader, case: str | None = None) -> list[KeptCase]:
    """The cases that have a population by now, in the order in which they began."""
    only, values = (" AND grp = ?", [case]) if case is not None else ("", [])
    rows = reader.rows(
        f"SELECT {NODES.columns} FROM node "
        f"WHERE state IN ('parent', 'survivor', 'promoted') AND kind = 'case'{only} ORDER BY seq",
        values,
    )
    found: dict[str, list[NodeRow]] = {}
    for row in rows:
        node = NODES.make(row)
        found.setdefault(node.group, []).append(node)
    return [KeptCase(name, _ranked(nodes), _promoted(nodes)) for name, nodes in found.items()]


def _ranked(nodes: list[NodeRow]) -> tuple[NodeRow, ...]:
    scored = [node for node in nodes if node.score is not None]
    return tuple(sorted(scored, key=lambda node: (node.score, -(node.entropy or 0.0), node.seq)))


def _promoted(nodes: list[NodeRow]) -> str | None:
    return next((n.id for n in nodes if n.state == "promoted" and not n.vetoed), None)

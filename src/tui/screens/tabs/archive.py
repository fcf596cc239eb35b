"""Archive: the survivors of each case and what was promoted."""

from dataclasses import dataclass

from ....engine.store.listings import NODES
from ....engine.store.reader import Reader
from ....engine.store.views import NodeRow
from ...lines import Column, Line, Span, tidy
from ...searches.harden import STATE_STYLE, score_text
from ..still import StillView


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept node, and whether it is the first of its case."""

    node: NodeRow
    first: bool


class ArchiveView(StillView[Kept]):
    """Promoted first, then survivors by score; vetoed ones stay, marked."""

    name = "archive"
    every = 2
    columns = (
        Column("case", 24, middle=True),
        Column("", 1),
        Column("node", 8),
        Column("state", 9),
        Column("score", 6, "right"),
        Column("entropy", 7, "right"),
        Column("axis", 24, least=96),
        Column("what changed", 0),
    )

    def read(self, reader: Reader) -> list[Kept]:
        """Kept nodes by case."""
        sql = (
            f"SELECT {NODES.columns} FROM node JOIN (SELECT id AS u, ord FROM unit) ON u = unit "
            "WHERE generation > 0 AND (state IN ('survivor', 'parent', 'promoted') "
            "OR vetoed = 1 AND id IN (SELECT json_extract(args, '$.node') FROM command "
            "WHERE kind = 'veto' AND outcome = 'done')) "
            "ORDER BY ord, vetoed, state <> 'promoted', CAST(num AS REAL) / den, "
            "generation DESC, idx"
        )
        nodes = [NODES.make(row) for row in reader.rows(sql)]
        seen: set[str] = set()
        kept = []
        for node in nodes:
            kept.append(Kept(node, node.unit not in seen))
            seen.add(node.unit)
        return kept

    def key_of(self, row: Kept) -> str:
        """The node."""
        return row.node.id

    def cells(self, row: Kept) -> list[Span]:
        """Case, sign, node, state, score, entropy, axis, description."""
        node = row.node
        state = "vetoed" if node.vetoed else node.state
        return [
            (tidy(node.group) if row.first else "", "accent"),
            (self.host.glyphs.of(state), STATE_STYLE.get(state, "")),
            (f"g{node.generation}.{node.index}", ""),
            (state, STATE_STYLE.get(state, "")),
            (score_text(node), ""),
            ("" if node.entropy is None else f"{node.entropy:.3f}", "dim"),
            (tidy(str(node.origin.get("axis") or "")), "dim"),
            (tidy(node.description), "dim"),
        ]

    def head(self, width: int) -> list[Line]:
        """How many."""
        promoted = sum(row.node.state == "promoted" for row in self.rows.values())
        cases = len({row.node.unit for row in self.rows.values()})
        text = f" {promoted} promoted, {len(self.rows)} kept nodes in {cases} cases"
        return [((text, "dim"),)]

    def node(self) -> str | None:
        """The node under the cursor."""
        return self.list.cursor

    def siblings(self) -> list[str]:
        """All kept nodes."""
        return list(self.list.keys)

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("open", "veto", "search", "export")

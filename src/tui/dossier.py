"""Everything that is known of one node, read in one go for the inspect page."""

from dataclasses import dataclass

from ..engine.store.lineage import lineage
from ..engine.store.listings import CALLS, DECISIONS, ROLLOUTS, VERDICTS
from ..engine.store.reader import Reader
from ..engine.store.views import CallRow, DecisionRow, NodeRow, RolloutRow, VerdictRow

CALLS_SHOWN = 500


@dataclass(frozen=True)
class Dossier:
    """A node with its ancestors (oldest first, itself last) and all that was said of it.

    `details` holds the text behind each verdict's hash.
    """

    node: NodeRow
    chain: tuple[NodeRow, ...]
    contents: dict[str, str]
    verdicts: tuple[VerdictRow, ...]
    details: dict[str, str]
    rollouts: tuple[RolloutRow, ...]
    calls: tuple[CallRow, ...]
    decisions: tuple[DecisionRow, ...]

    @property
    def parent(self) -> NodeRow | None:
        """The node that this one was made from."""
        return self.chain[-2] if len(self.chain) > 1 else None

    @property
    def original(self) -> NodeRow:
        """The first of the chain."""
        return self.chain[0]


def read_dossier(reader: Reader, node: str) -> Dossier | None:
    """All about a node; None if there is no such node. Vanished ancestors stay in the chain."""
    chain = lineage(reader, node)
    if not chain or chain[-1].id != node:
        return None
    verdicts = [
        VERDICTS.make(row)
        for row in reader.rows(
            f"SELECT {VERDICTS.columns} FROM verdict WHERE node = ? ORDER BY seq LIMIT 500", (node,)
        )
    ]
    hashes = {row.detail_hash for row in verdicts if row.detail_hash}
    return Dossier(
        node=chain[-1],
        chain=tuple(chain),
        contents={row.id: reader.text(row.content_hash) for row in chain},
        verdicts=tuple(verdicts),
        details={digest: reader.text(digest) for digest in hashes},
        rollouts=tuple(_rollouts(reader, node)),
        calls=tuple(_calls(reader, chain[-1])),
        decisions=tuple(_decisions(reader, chain[-1])),
    )


def _rollouts(reader: Reader, node: str) -> list[RolloutRow]:
    sql = f"SELECT {ROLLOUTS.columns} FROM rollout WHERE node = ? ORDER BY context, item, sample"
    return [ROLLOUTS.make(row) for row in reader.rows(sql, (node,))]


def _calls(reader: Reader, node: NodeRow) -> list[CallRow]:
    """The calls for a node; an operator is authored by calls that come before it has an id."""
    sql = (
        f"SELECT {CALLS.columns} FROM call WHERE node = ? "
        "OR (unit = ? AND purpose = 'author' AND number = ?) "
        f"ORDER BY seq LIMIT {CALLS_SHOWN}"
    )
    return [CALLS.make(row) for row in reader.rows(sql, (node.id, node.unit, node.index))]


def _decisions(reader: Reader, node: NodeRow) -> list[DecisionRow]:
    sql = f"SELECT {DECISIONS.columns} FROM decision WHERE unit = ? ORDER BY seq"
    rows = [DECISIONS.make(row) for row in reader.rows(sql, (node.unit,))]
    return [row for row in rows if _concerns(row, node.id)]


def _concerns(row: DecisionRow, node: str) -> bool:
    return node in (*row.chosen, *row.vetoes) or any(
        entry.get("node") == node for entry in row.considered
    )


def read_call(reader: Reader, row: CallRow) -> tuple[str, str | None]:
    """Request and raw reply of a call."""
    return reader.text(row.request_blob), reader.text(row.reply_blob) if row.reply_blob else None


def call_by_slot(reader: Reader, slot: str) -> CallRow | None:
    """The call of a slot."""
    row = reader.row(f"SELECT {CALLS.columns} FROM call WHERE slot = ?", (slot,))
    return None if row is None else CALLS.make(row)

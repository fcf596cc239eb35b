"""Chains of nodes: where one came from, and what came from it."""

import json

from .listings import NODES
from .reader import Reader
from .views import NodeRow

_UP = (
    "WITH RECURSIVE up(id, depth) AS (SELECT ?, 0 UNION "
    "SELECT p.parent, depth + 1 FROM parent p JOIN up ON p.node = up.id) "
    "SELECT id FROM up GROUP BY id ORDER BY min(depth) DESC, id"
)
_DOWN = (
    "WITH RECURSIVE down(id) AS (SELECT ? UNION "
    "SELECT p.node FROM parent p JOIN down ON p.parent = down.id) "
    "SELECT id FROM down WHERE id <> ?"
)


def find_node(reader: Reader, node: str) -> NodeRow | None:
    """The node with this id."""
    rows = nodes_by_id(reader, [node])
    return rows[0] if rows else None


def nodes_by_id(reader: Reader, ids: list[str]) -> list[NodeRow]:
    """The nodes with these ids, in the order of the ids; unknown ids are left out."""
    sql = f"SELECT {NODES.columns} FROM node WHERE id IN (SELECT value FROM json_each(?))"
    found = {row[1]: NODES.make(row) for row in reader.rows(sql, [json.dumps(ids)])}
    return [found[node] for node in ids if node in found]


def lineage(reader: Reader, node: str) -> list[NodeRow]:
    """The node's ancestors from the oldest on, ending with the node itself."""
    return nodes_by_id(reader, [row[0] for row in reader.rows(_UP, [node])])


def descendants(reader: Reader, node: str) -> list[str]:
    """Ids of everything that came from the node: what a veto of it takes along."""
    return sorted(row[0] for row in reader.rows(_DOWN, [node, node]))

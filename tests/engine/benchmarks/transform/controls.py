"""Transformations that must not pass: each breaks one thing that the firewall looks at."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from evoscope.engine.benchmarks.environment import Environment


@dataclass
class Control:
    """A transformation that is no composition: it may do anything to the environment."""

    change: Callable[[Any], Any]
    declared: frozenset[str] = frozenset()
    listed: bool = True

    def apply(self, env: Environment) -> Environment:
        changed: Environment = self.change(env)
        return changed


def swap_first_folder(env: Any, wanted: Callable[[int, int], bool]) -> Any:
    """Syn-Ledger: deepen the files for which `wanted(task place, document place)` holds."""
    rows = [
        tuple(replace(p, folder="ledgers/odd") if wanted(i, j) else p for j, p in enumerate(row))
        for i, row in enumerate(env.protocol.placements)
    ]
    return env.with_protocol(replace(env.protocol, placements=tuple(rows)))


def with_first_task(env: Any, change: Callable[[Any], Any]) -> Any:
    """Syn-Ledger: the first task changed."""
    return replace(env, ledger=(change(env.ledger[0]), *env.ledger[1:]))


def with_document(task: Any, place: int, change: Callable[[Any], Any]) -> Any:
    """A task with one document changed."""
    documents = list(task.documents)
    documents[place] = change(documents[place])
    return replace(task, documents=tuple(documents))


def amount_changed(document: Any) -> Any:
    first = replace(document.block[0], amount=document.block[0].amount + 1)
    return replace(document, block=(first, *document.block[1:]))


def rows_moved(task: Any) -> Any:
    """A context row of the first document exchanged with one of the second."""
    a, b = task.documents[0], task.documents[1]
    one = replace(a, context=(b.context[0], *a.context[1:]))
    two = replace(b, context=(a.context[0], *b.context[1:]))
    return replace(task, documents=(one, two, *task.documents[2:]))

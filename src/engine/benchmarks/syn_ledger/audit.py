"""What the firewall compares of a Syn-Ledger variant, read through the agent's own tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...model.llm import Json
from ..environment import CanonicalCall, Limits, Operation, Session, Snapshot
from . import tools
from .families import legal_answer
from .manifest import Placement
from .model import RECORDS, WINDOW, Record, Request, Task, generator
from .parse import parse_records, register
from .render import cells

if TYPE_CHECKING:
    from .environment import SynLedger

UNLIMITED = Limits((("search", 1 << 30), ("open", 1 << 30), ("calculator", 1 << 30)), 0, 0)
FIXTURE_TASKS = 5
WRONG_OUTPUTS = ("", "0", "the answer is {answer}", "{answer}.0", "{answer} {answer}", "{other}")
RIGHT_OUTPUTS = ("{answer}", " +{answer}\n")


def snapshot(env: SynLedger) -> Snapshot:
    """Every task's documents as read through list_files and open_file, and fixed outputs.

    Raises nothing: a document that cannot be reached or parsed is so in the snapshot.
    """
    read = {task.id: _documents(env, task) for task in env.ledger}
    outputs = dict(_outputs(env))
    return Snapshot(
        tasks={task.id: _facts(task, read[task.id]) for task in env.ledger},
        information={task: _sorted(documents) for task, documents in read.items()},
        access=_access(env),
        scoring={task.id: _verdicts(env, task) for task in env.ledger[:FIXTURE_TASKS]},
        outputs={name: reply for name, (_, reply) in outputs.items()},
        restored={name: _restored(env, task, reply) for name, (task, reply) in outputs.items()},
    )


def rest(env: SynLedger) -> object:
    """Everything of a variant but its manifest, to compare."""
    return env.ledger, dict(env.splits), env.limits, env.answers, env.name


def without_tasks(env: SynLedger, seed: int | None) -> SynLedger:
    """The variant with everything that a transformation must not read blanked or shuffled."""
    if seed is None:
        ledger = tuple(_blank(task) for task in env.ledger)
        return replace(env, ledger=ledger, splits={}, answers={t.id: 0 for t in ledger})
    rng = generator("firewall", seed)
    others = rng.sample(env.ledger, len(env.ledger))
    ids = [task.id for task in env.ledger]
    ledger = tuple(
        replace(task, id=other.id, question=other.question, request=other.request,
                answer=other.answer, evidence=(other.evidence[1], other.evidence[0]))
        for task, other in zip(env.ledger, others, strict=True)
    )  # fmt: skip
    mixed = rng.sample(ids, len(ids))
    splits = {"evo": tuple(mixed[::2]), "cert": tuple(mixed[1::2])}
    return replace(env, ledger=ledger, splits=splits)


def _blank(task: Task) -> Task:
    documents = tuple(replace(document, kind="") for document in task.documents)
    request = Request(task.request.family, "", {})
    return replace(
        task, question="", request=request, answer=0, evidence=(0, 0), documents=documents
    )


Contents = Mapping[str, "list[Record] | None"]


def _documents(env: SynLedger, task: Task) -> dict[str, list[Record] | None]:
    """Records by document code, by what the text itself says; None where it cannot be read."""
    session = _session(env, task.id)
    listing = session.call("list_files", {}).content
    paths = listing["files"] if isinstance(listing, dict) else []
    found: dict[str, list[Record] | None] = {}
    for path in paths if isinstance(paths, list) else []:
        windows = [
            session.call("open_file", {"path": path, "start": start}).content
            for start in (1, 1 + WINDOW)
        ]
        code, records = _read(windows)
        found[code or f"unreadable {path}"] = records
    return found


def _read(windows: list[Json]) -> tuple[str | None, list[Record] | None]:
    records: list[Record] = []
    code: str | None = None
    for window in windows:
        text = window.get("text") if isinstance(window, dict) else None
        if not isinstance(text, str):
            return code, None
        code = register(text)
        records += parse_records(text)
    return code, records if len(records) == RECORDS else None


def _facts(task: Task, documents: Contents) -> Json:
    records = [record for found in documents.values() for record in found or ()]
    return {
        "question": task.question,
        "target": repr(
            (task.request.family, task.request.entity, sorted(task.request.roles.items()))
        ),
        "answer": legal_answer(task.request, records),
        "stated": task.answer,
    }


def _sorted(documents: Contents) -> Json:
    """Contents that don't depend on how a document is laid out: its records as a set."""
    return {
        code: None if records is None else [list(row) for row in sorted(map(cells, records))]
        for code, records in sorted(documents.items())
    }


def _access(env: SynLedger) -> Json:
    return {
        "limits": repr(env.limits),
        "tools": [repr((tool.name, tool.description, tool.schema)) for tool in env.tools()],
        "documents": {
            task.id: _codes(row)
            for task, row in zip(env.ledger, env.protocol.placements, strict=True)
        },
    }


def _verdicts(env: SynLedger, task: Task) -> Json:
    names = {"answer": task.answer, "other": task.answer + 1}
    texts = [form.format(**names) for form in (*RIGHT_OUTPUTS, *WRONG_OUTPUTS)]
    return [str(env.grade(task.id, text).score) for text in texts]


def _outputs(env: SynLedger) -> Iterator[tuple[str, tuple[Task, Json]]]:
    """(fixture, (task, reply)): the listing, three searches, every window of a few tasks."""
    for task in env.ledger[:FIXTURE_TASKS]:
        session = _session(env, task.id)
        for name, call in fixture_calls(task):
            reply = session.call(*env.presented_call(task.id, call)).content
            yield f"{task.documents[0].code}/{name}", (task, reply)


def fixture_calls(task: Task) -> Iterator[tuple[str, CanonicalCall]]:
    """The fixed calls of the validator on one task, in the released benchmark's words.

    They are made from the documents alone, never from the question.
    """
    first = task.documents[0].block[0]
    yield "list", CanonicalCall("list_files", {})
    for query in ("approved enacted current", f"{first.entity} {first.period}", first.category):
        arguments: dict[str, Json] = {"query": query, "limit": 12, "mode": "any"}
        yield f"search {query}", CanonicalCall("search", arguments)
    for document in task.documents:
        for start in (1, 1 + WINDOW):
            window: dict[str, Json] = {"path": document.code, "start": start}
            yield f"open {document.code} {start}", CanonicalCall("open_file", window)


def _codes(row: Sequence[Placement]) -> Json:
    return list[Json](sorted(placement.code for placement in row))


def _restored(env: SynLedger, task: Task, reply: Json) -> Json:
    """A reply with paths mapped back to codes, rows as a set: free of how things are shown."""
    codes = {p.path: p.code for p in env.task(task.id)[1]}
    if not isinstance(reply, dict):
        return reply
    if isinstance(files := reply.get("files"), list):
        return list[Json](sorted(codes.get(str(path), str(path)) for path in files))
    if isinstance(results := reply.get("results"), list):
        paths = [str(hit.get("path")) for hit in results if isinstance(hit, dict)]
        return list[Json](sorted(codes.get(path, path) for path in paths))
    return codes.get(str(reply.get("path")))


def _session(env: SynLedger, task: str) -> Session:
    found, placements = env.task(task)
    operations: tuple[Operation, ...] = tools.operations(found, placements, env.protocol.style)
    return Session(operations, UNLIMITED)

"""What the firewall compares of a corpus variant, read through the agent's own tools."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...model.llm import Json
from ..environment import CanonicalCall, Limits, Session, Snapshot
from .corpus import Document
from .index import words
from .passages import cut
from .protocol import FIELD_NAMES, TOOL_NAMES, plain_fields
from .tools import MOST_LINES

if TYPE_CHECKING:
    from .environment import CorpusQA

UNLIMITED = Limits((("search", 1 << 30), ("open", 1 << 30), ("calculator", 1 << 30)), 0, 0)
FIXTURE_DOCUMENTS = 8
FIXTURE_QUESTIONS = 8
SEARCHES = 6


def snapshot(env: CorpusQA) -> Snapshot:
    """All questions, the fixture documents read whole, and fixed calls."""
    outputs = {name: _reply(env, call) for name, call in fixture_calls(env.documents)}
    outputs["tools"] = [[tool.name, dict(tool.schema)] for tool in env.tools()]
    return Snapshot(
        tasks=[[q.id, q.question, q.answer] for q in env.questions],
        information=_information(env),
        access=_access(env),
        scoring={q.id: _verdicts(env, q.id, q.answer) for q in env.questions[:FIXTURE_QUESTIONS]},
        outputs=outputs,
        restored={name: _restored(env, reply) for name, reply in outputs.items()},
    )


def fixtures(documents: Sequence[Document]) -> list[Document]:
    """The documents that are read whole: all of a few, else some chosen by their hash."""
    by_hash = sorted(documents, key=lambda d: hashlib.sha256(d.id.encode()).hexdigest())
    return by_hash[:FIXTURE_DOCUMENTS]


def fixture_calls(documents: Sequence[Document]) -> Iterator[tuple[str, CanonicalCall]]:
    """The validator's fixed calls, made from the documents alone, never from questions."""
    yield "list", CanonicalCall("list", {})
    chosen = fixtures(documents)
    for number in range(SEARCHES):
        document = chosen[number % len(chosen)]
        query = _query(document, number)
        if query:
            arguments: dict[str, Json] = {"query": query, "mode": "any", "limit": 10}
            yield f"search {query}", CanonicalCall("search", arguments)
    for document in chosen:
        for start in (1, 1 + len(document.lines) // 2):
            window: dict[str, Json] = {"doc_id": document.id, "start": start, "count": 40}
            yield f"open {document.id} {start}", CanonicalCall("open", window)


def _query(document: Document, number: int) -> str:
    """Three long words of a line in the document's middle."""
    place = len(document.lines) * (number + 1) // (SEARCHES + 1)
    for line in (*document.lines[place:], *document.lines[:place]):
        found = [word for word in words(line) if len(word) > 4 and word.isalpha()]
        if found:
            return " ".join(found[:3])
    return ""


def _reply(env: CorpusQA, call: CanonicalCall) -> Json:
    return _session(env).call(*env.presented_call("", call)).content


def _session(env: CorpusQA) -> Session:
    return Session(env.desk.operations(), UNLIMITED)


def _information(env: CorpusQA) -> Json:
    """Every document's length by its own id, the fixture documents' texts, whole passages."""
    session = _session(env)
    name, arguments = env.presented_call("", CanonicalCall("list", {}))
    listed = plain_fields(session.call(name, arguments).content, env.protocol.fields)
    entries = listed.get("documents") if isinstance(listed, dict) else None
    lengths: dict[str, Json] = {}
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict):
            shown = str(entry.get("doc_id"))
            lengths[env.desk.known.get(shown, f"unknown {shown}")] = entry.get("total")
    texts: dict[str, Json] = {d.id: _text(env, session, d) for d in fixtures(env.documents)}
    whole = all(_covers(len(d.lines), env.protocol.boundaries) for d in env.documents)
    return {"lengths": dict(sorted(lengths.items())), "texts": texts, "passages whole": whole}


def _text(env: CorpusQA, session: Session, document: Document) -> Json:
    """The hash of a document's text as read window by window; None where it cannot be read."""
    digest, start = hashlib.sha256(), 1
    while start <= len(document.lines):
        arguments: dict[str, Json] = {"doc_id": document.id, "start": start, "count": MOST_LINES}
        call = CanonicalCall("open", arguments)
        reply = session.call(*env.presented_call("", call)).content
        plain = plain_fields(reply, env.protocol.fields)
        text = plain.get("text") if isinstance(plain, dict) else None
        if not isinstance(text, str):
            return None
        digest.update(f"{text}\n".encode("utf-8", "surrogatepass"))
        start += MOST_LINES
    return digest.hexdigest()


def _covers(lines: int, shift: int) -> bool:
    """Whether the passages hold every line once, in order."""
    spans = cut(lines, shift)
    return [n for first, last in spans for n in range(first, last + 1)] == list(range(1, lines + 1))


def _access(env: CorpusQA) -> Json:
    """Tools with aliases undone, limits, the documents' own ids."""
    kinds = {alias: kind for kind, alias in TOOL_NAMES[env.protocol.tools].items()}
    names = {alias: name for name, alias in FIELD_NAMES[env.protocol.fields].items()}
    tools: list[Json] = []
    for tool in env.tools():
        properties = tool.schema["properties"]
        assert isinstance(properties, dict)
        plain = {names.get(key, key): value for key, value in properties.items()}
        tools.append([kinds.get(tool.name, tool.name), tool.description, plain])
    return {
        "tools": tools,
        "limits": repr(env.limits),
        "documents": list[Json](sorted(env.desk.shown)),
    }


def _verdicts(env: CorpusQA, task: str, answer: str) -> Json:
    outputs = (answer, f"<FINAL_ANSWER>{answer}</FINAL_ANSWER>", "", "unable to determine",
               f"{answer}\n{answer}", f"1{answer}", "none of these")  # fmt: skip
    return [str(env.grade(task, output).score) for output in outputs]


def _restored(env: CorpusQA, reply: Json) -> Json:
    """Whether a search's results, presentation undone, are the documents' own lines.

    Other replies are compared under `information`. Which passages come up may differ, since their
    boundaries may; what they hold may not.
    """
    results = env.desk.restored(reply)
    if not isinstance(results, list):
        return None
    lines = {document.id: document.lines for document in env.documents}
    return all(_faithful(result, lines) for result in results)


def _faithful(result: Json, lines: dict[str, tuple[str, ...]]) -> bool:
    if not isinstance(result, dict) or set(result) != {"doc_id", "lines", "text"}:
        return False
    span, name = result["lines"], str(result["doc_id"])
    if not isinstance(span, list) or name not in lines:
        return False
    first, last = (int(str(number)) for number in span)
    return result["text"] == "\n".join(lines[name][first - 1 : last])


def without_tasks(env: CorpusQA, seed: int | None) -> CorpusQA:
    """The variant with everything that a transformation must not read blanked or shuffled."""
    if seed is None:
        blank = tuple(replace(q, question="", answer="", sources=()) for q in env.questions)
        return replace(env, questions=blank, splits={})
    rng = random.Random(f"firewall {seed}")
    others = rng.sample(env.questions, len(env.questions))
    questions = tuple(
        replace(other, id=q.id) for q, other in zip(env.questions, others, strict=True)
    )
    ids = rng.sample([q.id for q in questions], len(questions))
    return replace(
        env, questions=questions, splits={"evo": tuple(ids[::2]), "cert": tuple(ids[1::2])}
    )

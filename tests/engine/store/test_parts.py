"""Conversations are kept message by message: the same bytes and hashes, each message once."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.canonical import canonical_json, request_body, request_parts, sha256
from evoscope.engine.model.llm import Message, Params, Request, Tool
from evoscope.engine.store.database import claim, create
from evoscope.engine.store.reader import Reader
from evoscope.engine.store.writer import Writer
from evoscope.engine.verify import damaged_blobs

TEXT = st.text(st.characters(codec=None), max_size=30)
MESSAGES = st.lists(st.builds(Message, st.sampled_from(["user", "assistant", "tool"]), TEXT))
TURNS = 12


def conversation(texts: list[str]) -> Request:
    tool = Tool("search", "Look for words.", {"type": "object"})
    messages = tuple(Message("user" if n % 2 else "tool", text) for n, text in enumerate(texts))
    return Request("agent", "p", "m", messages, system="Do it.", tools=(tool,))


@given(MESSAGES, TEXT)
def test_the_pieces_of_a_request_are_its_canonical_json(messages: list[Message], s: str) -> None:
    request = Request(
        "agent", "p", "m", tuple(messages), system=s, params=Params(temperature=1.0, seed=3)
    )
    whole = canonical_json(
        {
            "role": "agent", "provider": "p", "model": "m", "system": s,
            "messages": [[m.role, m.text, m.raw, m.tool_call_id] for m in messages],
            "params": {k: v for k in Params.__slots__
                       if (v := getattr(request.params, k)) is not None},
            "tools": [], "route": None,
        }
    )  # fmt: skip
    assert request_body(request) == b"".join(request_parts(request)) == whole.encode()


def test_a_turn_shares_every_piece_but_its_own_with_the_turn_before() -> None:
    texts = [f"turn {n}" for n in range(6)]
    before, after = (request_parts(conversation(texts[:n])) for n in (4, 6))
    assert after[:4] == before[:4] and after[-1] == before[-1]


def test_a_lone_surrogate_keeps_the_request_in_one_piece() -> None:
    request = conversation(["one", "two \ud800", "three"])
    assert len(request_parts(request)) == 1
    assert request_body(request).isascii()


async def stored(path: Path, requests: list[Request]) -> list[str]:
    """Write the requests; gives their hashes."""
    create(path)

    def quiet(message: str) -> None:
        raise AssertionError(message)

    writer = await Writer.open(path, claim(path), quiet)
    digests = []
    for request in requests:
        digest, writes = writer.joined(request_parts(request))
        await writer.commit(*writes)
        digests.append(digest)
    await writer.close()
    return digests


def turns() -> list[Request]:
    texts = [sha256(str(n).encode()) * 20 for n in range(TURNS)]
    return [conversation(texts[: n + 1]) for n in range(TURNS)]


async def test_every_turn_comes_back_whole_and_each_message_is_kept_once(tmp_path: Path) -> None:
    path = tmp_path / "run.evo"
    requests = turns()
    digests = await stored(path, requests)
    assert digests == [sha256(request_body(request)) for request in requests]
    with Reader(path) as reader:
        assert [reader.blob(digest) for digest in digests] == [*map(request_body, requests)]
        (kept, whole), *_ = reader.rows(
            "SELECT sum(length(data)), sum(CASE codec WHEN 'parts' THEN size END) FROM blob"
        )
    assert kept * 8 < whole
    assert damaged_blobs(path) == []


async def test_a_request_of_one_message_is_one_text_as_before(tmp_path: Path) -> None:
    path = tmp_path / "run.evo"
    request = replace(conversation(["only"]), tools=())
    (digest,) = await stored(path, [request])
    with Reader(path) as reader:
        assert reader.rows("SELECT hash, codec FROM blob") == [(digest, "zlib")]
        assert reader.blob(digest) == request_body(request)


async def test_a_damaged_or_missing_piece_is_found(tmp_path: Path) -> None:
    path = tmp_path / "run.evo"
    requests = turns()[:3]
    digests = await stored(path, requests)
    pieces = [sha256(part) for part in request_parts(requests[-1])]
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE blob SET data = x'00', codec = 'raw' WHERE hash = ?", (pieces[2],))
    assert {one.id for one in damaged_blobs(path)} == {pieces[2], digests[2]}
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM blob WHERE hash = ?", (pieces[2],))
    (found,) = damaged_blobs(path)
    assert found.id == digests[2] and "unreadable" in found.derived

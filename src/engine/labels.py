"""People's labels inside the engine: no decision reads them, so that no digest changes by them.

Where no engine works on a run, a short life of one takes the labels that wait and nothing else:
the search is not replayed, the run's state stays, no key is needed.
"""

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Never

from .commands import Book, Command, Inbox, Outcome, Refused
from .errors import StoreError
from .model.labels import ANSWERS, QUESTIONS
from .run_files import inbox
from .store.database import claim
from .store.lock import RunLock
from .store.memory import read_only
from .store.rows import clean
from .store.writer import Write, Writer

KIND = "label"
_KEEP = (
    "INSERT INTO label(node, author, question, answer, reason, command) "
    "SELECT ?, ?, ?, ?, ?, seq FROM command WHERE id = ? "
    "ON CONFLICT(node, author, question) DO UPDATE SET "
    "answer = excluded.answer, reason = excluded.reason, command = excluded.command"
)


def label(path: Path, command: Command) -> Outcome:
    """Keep an answer; the author's later one replaces it. Raises Refused."""
    args = {name: clean(str(command.args.get(name, ""))) for name in ("node", "question", "answer")}
    node, question, answer = args.values()
    if question not in QUESTIONS:
        raise Refused(f"no question {question!r}; only {', '.join(QUESTIONS)}")
    if answer not in ANSWERS:
        raise Refused(f"no answer {answer!r}; only {', '.join(ANSWERS)}")
    with closing(read_only(path)) as db:
        (search,) = db.execute("SELECT value FROM meta WHERE key = 'search'").fetchone() or ("?",)
        known = db.execute("SELECT 1 FROM node WHERE id = ?", (node,)).fetchone()
    if search != "harden":
        raise Refused(f"labelling is for harden runs; this is a {search} run")
    if known is None:
        raise Refused(f"no node {node!r}; `evoscope label RUN --items` lists them")
    values = (node, command.author, question, answer, command.reason, command.id)
    return "labelled", args, (Write(_KEEP, values),)


async def take_labels(path: Path) -> int:
    """Store the labels that wait in a run's inbox; returns how many.

    Raises Locked where an engine works on the run (it takes them itself), StoreError where the
    file cannot be written; the labels wait on.
    """
    lock = RunLock.take(path)
    try:
        writer = await Writer.open(path, claim(path), _give_up)
        try:
            act = partial(label, path)
            return await Inbox(inbox(path), writer, Book.load(path), act, frozenset([KIND])).take()
        finally:
            await writer.close(finished=_finished(path))
    finally:
        lock.release()


def _give_up(message: str) -> Never:
    raise StoreError(f"{message}; the labels wait in the inbox")


def _finished(path: Path) -> bool:
    with closing(read_only(path)) as db:
        row = db.execute("SELECT value FROM meta WHERE key = 'state'").fetchone()
    return row is not None and row[0] == "finished"

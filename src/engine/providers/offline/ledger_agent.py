"""An agent for Syn-Ledger's tasks that does what a harness advises, and no more.

It links a question to amounts, looks for documents, reads them, and computes. Left to itself it
forgets conditions, reads only the first part of a file, and stumbles over unusual formats; advice
that it understands changes that, shortcuts included: opening short names first pays only where the
protocol puts evidence there.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ...model.llm import Json
from .agent_talk import Call, Talk
from .ledger_question import Wanted, wanted
from .ledger_reading import Row, rows_of

CARELESS, SLIPS, MISREADS, CALCULATES = 0.6, 0.12, 0.4, 0.5
BATCH = 3
CONDITIONS = ("status", "version", "basis")
CUES = {
    "early": r"short(er)? (file )?names?|shallow|early[- ]ranked",
    "status": r"\bstatus\b|\bapproved\b|\bdraft",
    "version": r"\bversion\b|supersed",
    "basis": r"\bbasis\b|\benacted\b",
    "reads on": r"continu\w+ (window|part)|second part|rest of (the|a) (file|document)",
    "separate": r"for each amount|search separately|separate search",
    "forms": r"\bcsv\b|key-value|whatever (the )?(form|format)",
    "calculates": r"use the calculator|with the calculator",
}
"""What advice must say, in whatever sentence, to be understood."""
Said = str | list[tuple[str, Mapping[str, Json]]]


@dataclass(frozen=True, slots=True)
class Habits:
    """What the advice, or the agent's own luck, makes it do."""

    early: bool
    checks: frozenset[str]
    reads_on: bool
    separate: bool
    forms: bool
    calculates: bool


def understands(talk: Talk) -> bool:
    """Whether the question is one of Syn-Ledger's."""
    return wanted(talk.question) is not None


@lru_cache(maxsize=1024)
def _told(advice: str) -> frozenset[str]:
    return frozenset(name for name, cue in CUES.items() if re.search(cue, advice))


def habits(talk: Talk) -> Habits:
    """The habits that this conversation's advice leads to."""
    told, careful = _told(talk.advice), talk.luck("careful") >= CARELESS
    return Habits(
        early="early" in told,
        checks=frozenset(name for name in CONDITIONS if careful or name in told),
        reads_on="reads on" in told,
        separate="separate" in told,
        forms="forms" in told,
        calculates="calculates" in told or talk.luck("calculates") < CALCULATES,
    )


def play(talk: Talk) -> Said:
    """The next turn: tool calls, or the answer."""
    task = wanted(talk.question)
    assert task is not None
    own = habits(talk)
    opened = [call for call in talk.calls if call.name == "open_file"]
    if not talk.calls:
        return _searches(task, own)
    rows = _read_rows(talk, own, opened)
    amounts = _amounts(task, own, rows)
    if len(amounts) < len(task.roles) and "answer now" not in talk.note:
        missing = set(task.roles) - set(amounts)
        following = _next_reads(talk, task, own, opened, missing)
        if following:
            return following
    return _answer(talk, task, own, amounts)


def _searches(task: Wanted, own: Habits) -> Said:
    if own.separate:
        queries = [f"{task.entity} {period} {category}" for period, category in task.roles.values()]
    else:
        periods = list(dict.fromkeys(period for period, _ in task.roles.values()))
        words = list(dict.fromkeys(category for _, category in task.roles.values()))
        queries = [" ".join([task.entity, *periods, *words])]
    return [("search", {"query": query}) for query in dict.fromkeys(queries)]


def _read_rows(talk: Talk, own: Habits, opened: list[Call]) -> list[tuple[str, list[Row]]]:
    """What was read, document by document, in reading order; other forms than tables may be lost
    on the agent."""
    found: list[tuple[str, list[Row]]] = []
    for call in opened:
        for part in call.parts:
            path, text = str(part.get("path")), str(part.get("text", ""))
            rows, plain = rows_of(text)
            code = path.rsplit("-", 1)[-1]
            if plain or own.forms or talk.luck("misreads", code) >= MISREADS:
                found.append((path, rows))
    return found


def _matches(task: Wanted, role: str, row: Row) -> bool:
    period, category = task.roles[role]
    return (row.entity, row.period, row.category) == (task.entity, period, category)


def _valid(own: Habits, row: Row) -> bool:
    good = {"status": row.status == "approved", "version": row.version == "current",
            "basis": row.basis == "enacted"}  # fmt: skip
    return all(good[name] for name in own.checks)


def _amounts(task: Wanted, own: Habits, rows: list[tuple[str, list[Row]]]) -> dict[str, int]:
    """The first fitting amount of each role."""
    amounts: dict[str, int] = {}
    for _, many in rows:
        for row in many:
            for role in task.roles:
                if role not in amounts and _matches(task, role, row) and _valid(own, row):
                    amounts[role] = row.amount
    return amounts


def _next_reads(
    talk: Talk, task: Wanted, own: Habits, opened: list[Call], missing: set[str]
) -> Said | None:
    """What to read next; None where nothing is left to read.

    One that reads on goes from file to file and leaves those alone that only a found amount's
    search gave; the others open several files at once.
    """
    if any(not call.parts and "are left" in str(call.reply) for call in opened):
        return None
    paths = _candidates(talk, task, own, missing)
    tried = {str(call.arguments.get("path")) for call in opened}
    reads: list[tuple[str, Mapping[str, Json]]] = []
    if own.reads_on:
        rest = [path for path in _half_read(task, opened) if path in paths]
        reads = [("open_file", {"path": path, "start": 4}) for path in rest]
    fresh = [path for path in paths if path not in tried]
    reads += [("open_file", {"path": path}) for path in fresh]
    if not reads and not any(call.name == "list_files" for call in talk.calls):
        return [("list_files", {})]
    return reads[: 1 if own.reads_on else BATCH] or None


def _half_read(task: Wanted, opened: list[Call]) -> list[str]:
    """Files whose first part showed no candidate, so that it must stand in the rest."""
    first: dict[str, bool] = {}
    for call in opened:
        for part in call.parts:
            path = str(part.get("path"))
            rows, _ = rows_of(str(part.get("text", "")))
            telling = any(_matches(task, role, row) for row in rows for role in task.roles)
            rest = part.get("continues_at") is not None
            first[path] = (first.get(path, True) and rest and not telling) if rest else False
    return [path for path, open_ in first.items() if open_]


def _candidates(talk: Talk, task: Wanted, own: Habits, missing: set[str]) -> list[str]:
    """Files in the order in which they will be opened: results in turn, then the list.

    Only the results of searches for amounts that are still missing, where each had its own.
    """
    found: list[list[str]] = []
    listed: list[str] = []
    for call in talk.calls:
        for part in call.parts:
            results, files = part.get("results"), part.get("files")
            if isinstance(results, list) and _concerns(task, call, missing):
                paths = [r.get("path") for r in results if isinstance(r, dict)]
                found.append([path for path in paths if isinstance(path, str)])
            elif isinstance(files, list):
                listed = [path for path in files if isinstance(path, str)]
    longest = max(map(len, found), default=0)
    in_turn = [many[k] for k in range(longest) for many in found if k < len(many)]
    order = list(dict.fromkeys([*in_turn, *listed]))
    if own.early:
        order.sort(key=lambda path: (path.count("/"), len(path.rsplit("/", 1)[-1])))
    return order


def _concerns(task: Wanted, call: Call, missing: set[str]) -> bool:
    query = str(call.arguments.get("query"))
    asked = {r for r, (period, category) in task.roles.items() if f"{period} {category}" in query}
    return not asked or bool(asked & missing)


def _answer(talk: Talk, task: Wanted, own: Habits, amounts: dict[str, int]) -> Said:
    if len(amounts) < len(task.roles):
        return "The documents that I could read do not settle it."
    expression = task.formula.format(**{role: f"({value})" for role, value in amounts.items()})
    computed = [call for call in talk.calls if call.name == "calculator"]
    asked = "calculator" in talk.note
    if (own.calculates or asked) and not computed:
        return [("calculator", {"expression": expression})]
    for call in computed:
        for part in call.parts:
            return str(part.get("value"))
    value = task.value(amounts)
    return str(value + 10 if talk.luck("slips") < SLIPS else value)

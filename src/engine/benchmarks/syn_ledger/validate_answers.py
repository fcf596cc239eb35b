"""Answers from records and from rendered text under all twelve renderings, and what they need."""

from collections.abc import Iterable
from dataclasses import replace

from ..checks import Check
from .environment import Ledger, SynLedger
from .families import legal_answer
from .generate import redrawn
from .manifest import Placement, Style
from .model import WINDOW, Document, Record, Task
from .parse import parse_records, register
from .render import window_text
from .tokens import integer_tokens


def answer_checks(ledger: Ledger) -> list[Check]:
    """Recomputed answers, hidden answers, necessity of both evidence documents."""
    tasks, reader = ledger.released.ledger, _Reader()
    from_records = [task for task in tasks if _from_records(task) != task.answer]
    checks = [Check("answers from records", not from_records, _wrong(len(from_records)))]
    shown, told = [], []
    for name, env in ledger.renderings().items():
        texts = [reader.texts(env, i) for i in range(len(tasks))]
        shown += [name for i, t in enumerate(tasks) if reader.answer(t, texts[i]) != t.answer]
        told += [name for i, task in enumerate(tasks) if reader.tells(env, task, texts[i])]
    count = len(ledger.renderings())
    checks.append(
        Check("answers from text", not shown, f"{count} renderings, {_wrong(len(shown))}")
    )
    checks.append(Check("answers hidden", not told, f"{count} renderings, {len(told)} show it"))
    return [*checks, _necessity(ledger)]


def _wrong(count: int) -> str:
    return f"{count} wrong"


def _from_records(task: Task) -> int | None:
    return legal_answer(task.request, (r for d in task.documents for r in d.records))


class _Reader:
    """Renders and parses each text once, however many renderings share it."""

    def __init__(self) -> None:
        self._texts: dict[tuple[object, ...], tuple[str, str]] = {}
        self._parsed: dict[str, tuple[Record, ...]] = {}
        self._numbers: dict[str, set[int]] = {}

    def texts(self, env: SynLedger, place: int) -> list[str]:
        """Both windows of each of a task's documents."""
        task, style = env.ledger[place], env.protocol.style
        row = env.protocol.placements[place]
        return [
            text
            for document, placement in zip(task.documents, row, strict=True)
            for text in self._windows(document, placement, style)
        ]

    def _windows(self, document: Document, placement: Placement, style: Style) -> tuple[str, str]:
        key = (document.code, placement.start, placement.format, style)
        if key not in self._texts:
            first, second = (window_text(document, placement, style, i) for i in (0, WINDOW))
            self._texts[key] = (first, second)
        return self._texts[key]

    def answer(self, task: Task, texts: Iterable[str]) -> int | None:
        """The legal answer of what the texts say; None also where documents are mixed up."""
        records: list[Record] = []
        codes = set()
        for text in texts:
            if text not in self._parsed:
                self._parsed[text] = parse_records(text)
            codes.add(register(text))
            records += self._parsed[text]
        same = codes == {document.code for document in task.documents}
        return legal_answer(task.request, records) if same else None

    def tells(self, env: SynLedger, task: Task, texts: Iterable[str]) -> bool:
        """Whether the answer stands as a whole integer in anything that the agent can see."""
        paths = (placement.path for placement in env.task(task.id)[1])
        return any(task.answer in self._integers(text) for text in (task.question, *paths, *texts))

    def _integers(self, text: str) -> set[int]:
        if text not in self._numbers:
            self._numbers[text] = integer_tokens(text)
        return self._numbers[text]


def _necessity(ledger: Ledger) -> Check:
    """Without either evidence document there is no answer, with another in its place another."""
    unneeded = 0
    for task in ledger.released.ledger:
        for which in (0, 1):
            place = task.evidence[which]
            kept = [d for i, d in enumerate(task.documents) if i != place]
            other = [*kept, redrawn(ledger.seed, task, which)]
            without = _from_records(replace(task, documents=tuple(kept)))
            changed = _from_records(replace(task, documents=tuple(other)))
            unneeded += without is not None or changed == task.answer
    return Check("evidence necessary", not unneeded, f"{unneeded} documents not needed")

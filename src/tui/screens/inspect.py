"""Inspect: one node from every side."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...engine.model.llm import Json
from ...engine.store.content import fields_of, prompt_of, reply_text
from ...engine.store.views import NodeRow
from ..dossier import Dossier, call_by_slot, read_call, read_dossier
from ..keymap import INSPECT
from ..lines import Line, Span, fit_line, one, tidy
from ..page import Host, Page, Shown
from ..run_model import RunModel
from ..searches.harden import score_text
from ..text import clean_lines, cut
from ..widgets.diff import compare_documents, render, wrap_spans
from ..widgets.folding import FoldPane
from ..widgets.text import TextPane
from . import inspect_lines as lines_
from .dialogs import Prompt
from .orders import Orders
from .own import Own, Side, own_of

DIFF, VERDICTS, ROLLOUTS, LINEAGE, CALLS, RAW = (
    "Diff", "Verdicts", "Rollouts", "Lineage", "Calls", "Raw",
)  # fmt: skip
SHARED = (VERDICTS, ROLLOUTS, LINEAGE, CALLS, RAW)
EVERY = 3
Read = tuple[Dossier, Own, tuple[Side, ...], list[Any]]
"""A node, its search's own part, its sides and what they read."""


class InspectPage(Page):
    """A node; `siblings` are the nodes of the list it came from, for next and previous."""

    keys = INSPECT

    def __init__(self, host: Host, run: RunModel, node: str, siblings: Sequence[str] = ()) -> None:
        super().__init__(host)
        self.run, self.node_id = run, node
        self.siblings = list(siblings) or [node]
        self.orders = Orders(host, run)
        self.tab = ""
        self.sides: dict[str, Side] = {}
        self.side_data: dict[str, Any] = {}
        self.tabs: tuple[str, ...] = ()
        self.fields: Callable[[str], Mapping[str, Json]] = fields_of
        self.score: Callable[[NodeRow], str] = score_text
        self.dossier: Dossier | None = None
        self.texts: dict[str, str] = {}
        self.texts_pane = TextPane()
        self.folds = {tab: FoldPane() for tab in (VERDICTS, ROLLOUTS, LINEAGE, CALLS)}
        self.original, self.unfolded = False, False
        self._wanted = ""
        self._missing = False
        self._built: tuple[object, ...] | None = None
        self._ticks = 0
        self._read_node()

    def tick(self) -> None:
        """Read the node and the run's state again, at every third update."""
        self._ticks += 1
        if self._ticks % EVERY == 1 and self.run.changed():
            self.run.load(self.host, self.run.read, self.run.take)
            self._read_node()

    def _read_node(self) -> None:
        node, reader = self.node_id, self.run.reader

        def read() -> Read | None:
            dossier = read_dossier(reader, node)
            if dossier is None:
                return None
            own = own_of(reader.meta()["search"])
            sides = own.sides(dossier.node)
            return dossier, own, sides, [side.read(reader, dossier) for side in sides]

        def take(found: Read | None) -> None:
            if node == self.node_id:
                self._take(found)

        self.run.load(self.host, read, take)

    def _take(self, found: Read | None) -> None:
        dossier = found[0] if found is not None else None
        if found is not None:
            _, own, sides, data = found
            told = {side.name: told for side, told in zip(sides, data, strict=True)}
            if dossier == self.dossier and told == self.side_data:
                return
            self.sides, self.side_data = {side.name: side for side in sides}, told
            diff = (DIFF,) if own.diff(found[0].node) else ()
            shared = (tab for tab in SHARED if own.rollouts or tab != ROLLOUTS)
            self.fields, self.score = own.fields, own.score
            self.tabs = (*self.sides, *diff, *shared)
            self.tab = self.tab if self.tab in self.tabs else self.tabs[0]
        first = self.dossier is None or self.dossier.node.id != self.node_id
        self.dossier, self._missing, self._built = dossier, dossier is None, None
        if dossier is not None and first:
            self.texts_pane.top = 0
            verdicts, lineage = self.folds[VERDICTS], self.folds[LINEAGE]
            verdicts.open = {f"v{v.seq}" for v in dossier.verdicts if v.outcome != "pass"}
            lineage.open = {f"n{row.id}" for row in dossier.chain}
            for pane in self.folds.values():
                pane.at = 0

    # drawing

    def lines(self, width: int, height: int) -> list[Line]:
        """Title, tabs, body."""
        if self.dossier is None:
            text = "no such node any more" if self._missing else "reading ..."
            title = one(f" {cut(tidy(self.node_id), 40)}  {text}", "bar")
            return [fit_line(title, width, "bar"), self._tabs(width)]
        self._build(width)
        body = height - 2
        if self.tab in self.folds:
            glyphs = self.host.glyphs
            rows = self.folds[self.tab].view(width, body, glyphs.open, glyphs.closed)
        else:
            rows = self.texts_pane.view(width, body)
        head = fit_line(
            lines_.title_line(self.dossier, self.host.glyphs, width, self.score), width, "bar"
        )
        return [head, self._tabs(width), *rows]

    def _tabs(self, width: int) -> Line:
        against = f"  vs {'original' if self.original else 'parent'}" if self.tab == DIFF else ""
        long = sum(len(name) + 4 for name in self.tabs) + 1 + len(against) > width
        spans: list[Span] = [(" ", "")]
        for place, name in enumerate(self.tabs):
            shown = name[:4] if against and long and name != self.tab else name
            spans.append((f" {place + 1} {shown} ", "cursor" if name == self.tab else "dim"))
        return fit_line((*spans, (against, "dim")), width)

    def _build(self, width: int) -> None:
        dossier = self.dossier
        state = (self.tab, width, self.original, self.unfolded, len(self.texts), id(dossier))
        if dossier is None or self._built == state:
            return
        self._built = state
        glyphs = self.host.glyphs
        if self.tab in self.sides:
            data = self.side_data[self.tab]
            self.texts_pane.content = self.sides[self.tab].lines(data, width, glyphs)
        elif self.tab == DIFF:
            self.texts_pane.content = self._diff(dossier, width)
        elif self.tab == RAW:
            text = clean_lines(lines_.raw_text(dossier))
            self.texts_pane.content = [p for t in text for p in wrap_spans(one(t), width)]
        elif self.tab == VERDICTS:
            self.folds[VERDICTS].entries = lines_.verdict_entries(dossier, glyphs)
        elif self.tab == ROLLOUTS:
            self.folds[ROLLOUTS].entries = lines_.rollout_entries(
                dossier, self.texts, glyphs, self.run.rollouts
            )
        elif self.tab == LINEAGE:
            self.folds[LINEAGE].entries = lines_.lineage_entries(dossier, glyphs, self.score)
        else:
            self.folds[CALLS].entries = lines_.call_entries(dossier, self.texts)

    def _diff(self, dossier: Dossier, width: int) -> list[Line]:
        base = dossier.original if self.original else dossier.parent
        new = self.fields(dossier.contents[dossier.node.id])
        old = new if base is None else self.fields(dossier.contents[base.id])
        head: list[Line] = []
        if base is None:
            head = [one("the original", "dim"), ()]
        elif dossier.node.description:
            text = one(tidy(dossier.node.description), "accent")
            head = [*wrap_spans(text, width), ()]
        fields = compare_documents(old, new, self.host.glyphs)
        return head + render(
            fields, width, self.host.glyphs, unfolded=self.unfolded or base is None
        )

    # keys

    def act(self, action: str) -> bool:
        """Tabs, neighbours, folds, orders."""
        if action in ("next_pane", "right", "last_pane", "left"):
            self._step(1 if action in ("next_pane", "right") else -1)
        elif action.startswith("tab") and action[3:].isdigit():
            self._show(int(action[3:]) - 1)
        elif action in ("next", "last"):
            self._neighbour(1 if action == "next" else -1)
        elif action == "base":
            self.original = not self.original
        elif action == "unfold":
            self.unfolded = not self.unfolded
        elif action == "open":
            self._open()
        elif action == "search":
            self.host.push(Prompt(self.host, "search", self._search, self._wanted))
        elif action in ("veto", "unveto"):
            getattr(self.orders, action)(self.node_id)
        else:
            return self._pane_act(action) or self.orders.act(action)
        return True

    def _pane_act(self, action: str) -> bool:
        pane = self.folds.get(self.tab)
        return pane.act(action) if pane is not None else self.texts_pane.act(action)

    def _step(self, step: int) -> None:
        if self.tabs:
            self._show((self.tabs.index(self.tab) + step) % len(self.tabs))

    def _show(self, place: int) -> None:
        if place < len(self.tabs):
            self.tab = self.tabs[place]
            self.texts_pane.top = 0

    def _neighbour(self, step: int) -> None:
        if self.node_id not in self.siblings:
            return
        place = self.siblings.index(self.node_id) + step
        if 0 <= place < len(self.siblings):
            self.node_id, self.texts = self.siblings[place], {}
            self._read_node()
        else:
            self.host.say("no further node in this list", "warn")

    def _open(self) -> None:
        pane = self.folds.get(self.tab)
        key = pane.toggle() if pane is not None else None
        if key is not None and key.startswith("slot:"):
            self._read(key.removeprefix("slot:"))

    def _read(self, slot: str) -> None:
        name = f"call:{slot}" if self.tab == CALLS else slot
        if name in self.texts:
            return
        reader, whole = self.run.reader, self.tab == CALLS

        def job() -> str:
            row = call_by_slot(reader, slot)
            if row is None:
                return "this call is not in the file"
            request, reply = read_call(reader, row)
            answer = reply_text(reply) if reply is not None else row.failure or "no reply yet"
            if not whole:
                return answer
            parts = [*prompt_of(request), ("response", answer)]
            return "\n".join(f"-- {role}\n{text}" for role, text in parts)

        self.run.load(self.host, job, lambda text: self.texts.__setitem__(name, text))

    def _search(self, text: str) -> str | None:
        self._wanted = text
        pane = self.folds.get(self.tab)
        found = pane.search(text) if pane is not None else self.texts_pane.search(text)
        return None if found else f"no {text!r} here"

    def wheel(self, lines: int) -> None:
        """Scroll."""
        pane = self.folds.get(self.tab)
        if pane is not None:
            pane.move(lines)
        else:
            self.texts_pane.move(lines)

    def click(self, x: int, y: int) -> None:
        """Choose a line; a second press opens it."""
        pane = self.folds.get(self.tab)
        if pane is not None and y >= 2:
            place = pane.top + y - 2
            if place == pane.at:
                self._open()
            pane.at = place

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        folding = ("open",) if self.tab in self.folds else ()
        per_tab = ("base", "unfold") if self.tab == DIFF else folding
        return ("back", "next_pane", *per_tab, "next", "last", "veto", "unveto", "search", "copy")

    def shown(self) -> Shown | None:
        """The tab as text."""
        pane = self.folds.get(self.tab)
        text = pane.text() if pane is not None else self.texts_pane.text()
        name = f"{self.node_id.replace('/', '-')}-{self.tab.lower()}.txt"
        return Shown(name, text)

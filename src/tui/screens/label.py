"""Label: blind answers about the inputs of a harden run.

Nothing on this page tells where an item comes from or what a gate said of it. Each answer leaves at
once; whoever comes back goes on where they were.
"""

import threading
from dataclasses import replace

from ...engine.control import person
from ...engine.errors import EvoscopeError
from ...engine.label_set import Answer, LabelSet, read_set, waiting_labels
from ...engine.model.labels import QUESTIONS, SAMPLE
from ...engine.report.labels import label_table, labelled
from ...engine.store.labels import Candidate, Item, read_item
from ...engine.store.reader import Reader
from ..keymap import LABEL
from ..lines import Line, fit_line, one
from ..page import Host, Page, Shown
from ..run_model import RunModel
from ..widgets.text import TextPane
from . import label_lines as lines_
from .dialogs import Prompt

EVERY = 3
NOTHING = "nothing to label yet: the run has no cases in its file"


def open_label(host: Host, run: RunModel) -> None:
    """Show the page on a harden run, or say why not."""
    if host.read_only:
        host.say("read-only: this app cannot label (attach without --read-only)", "warn")
    elif run.status is None:
        host.say("the run is being read", "warn")
    elif run.status.search != "harden":
        host.say(f"labelling is for harden runs; this is a {run.status.search} run", "warn")
    else:
        host.push(LabelPage(host, run))


class LabelPage(Page):
    """One item after another, two questions each; at the end the agreement with the gates."""

    keys = LABEL

    def __init__(
        self, host: Host, run: RunModel, sample: int = SAMPLE, seed: int | None = None
    ) -> None:
        super().__init__(host)
        self.run, self.sample, self.seed, self.author = run, sample, seed, person()
        self.set: LabelSet | None = None
        self.node, self.question = "", QUESTIONS[0]
        self.item: Item | None = None
        self.reason = ""
        self.compared = False
        self.pane = TextPane()
        self._said: dict[tuple[str, str], Answer] = {}
        self._built: tuple[object, ...] | None = None
        self._ticks = 0
        self._stored = -1
        self._read()

    # reading

    def tick(self) -> None:
        """Read the run's state, and the set as long as it may grow."""
        self._ticks += 1
        if self._ticks % EVERY == 1 and self.run.changed():
            self.run.load(self.host, self.run.read, self.run.take)
            if self.set is None or len(self.set.order) < self.sample:
                self._read()
        if self.set is not None and self.set.finished:
            self._store()

    def _read(self) -> None:
        self.run.load(self.host, lambda: self._found(self.run.reader), self._take)

    def _found(self, reader: Reader) -> LabelSet:
        return read_set(reader, self.author, self.sample, self.seed)

    def _take(self, found: LabelSet) -> None:
        self.set = replace(found, given={**found.given, **self._said})
        if self.node not in [item.node for item in self.set.order]:
            self._go_on()

    def _go_on(self, *, past: bool = False) -> None:
        """To the next open question from here on, around the end; `past` leaves this item."""
        nodes = self._nodes()
        start = nodes.index(self.node) + past if self.node in nodes else 0
        for node in (*nodes[start:], *nodes[:start]):
            if open_ := self.set.open_questions(node) if self.set else []:
                self._show(node, open_[0])
                return
        self._show("", QUESTIONS[0])

    def _show(self, node: str, question: str) -> None:
        said = self.set.given.get((node, question)) if self.set is not None else None
        self.question, self.reason = question, said.reason if said is not None else ""
        if node == self.node:
            return
        self.node, self.item, self.pane.top = node, None, 0
        candidate = next((each for each in self._order() if each.node == node), None)
        if candidate is not None:
            reader, wanted = self.run.reader, candidate
            self.run.load(self.host, lambda: read_item(reader, wanted), self._take_item)

    def _take_item(self, item: Item) -> None:
        if item.node == self.node:
            self.item = item

    def _order(self) -> tuple[Candidate, ...]:
        return self.set.order if self.set is not None else ()

    def _nodes(self) -> list[str]:
        return [each.node for each in self._order()]

    # drawing

    def lines(self, width: int, height: int) -> list[Line]:
        """Progress, the item, the questions."""
        foot = self._foot(width)
        self._build(width)
        body = self.pane.view(width, max(height - 1 - len(foot), 0))
        body += [()] * (height - 1 - len(foot) - len(body))
        return [self._head(width), *body, *foot]

    def _head(self, width: int) -> Line:
        done = f"  {self.set.done} of {len(self.set.order)} answered" if self.set else ""
        long = "blind: where items come from is hidden "
        note = "" if self.compared else long if width >= 76 else "blind "
        head: Line = ((" Label", "bar bold"), (done, "bar"))
        return (*fit_line(head, max(width - len(note), 0), "bar"), *one(note, "bar"))

    def _build(self, width: int) -> None:
        state = (width, self.item, self.compared, self.set if self.compared else self._stage())
        if self._built == state:
            return
        self._built = state
        if self.compared and self.set is not None:
            answers = [(*key, said.answer) for key, said in self.set.given.items()]
            table = label_table(labelled(self.set.order, answers))
            self.pane.content = lines_.agreement_lines(table, self.author, width)
        elif self.item is not None:
            self.pane.content = lines_.item_lines(self.item, width, self.host.glyphs)
        else:
            self.pane.content = lines_.words(self._stage(), width)

    def _stage(self) -> str:
        """What is to be said where no item stands."""
        if self.set is None or (self.node and self.item is None):
            return "reading ..."
        if not self.set.order:
            return NOTHING
        enter, back = (self.keymap.label(name) for name in ("agreement", "again"))
        return (
            f"Every item is answered. {enter} shows how far your answers agree with the gates; "
            f"from then on they stand. {back} goes back to the last question."
        )

    def _foot(self, width: int) -> list[Line]:
        if self.item is None or self.set is None or self.compared:
            return []
        given = {q: self.set.given.get((self.node, q)) for q in QUESTIONS}
        keys = tuple(self.keymap.label(name) for name in ("yes", "no"))
        return lines_.question_lines(self.question, given, self.reason, keys, width)

    # keys

    def act(self, action: str) -> bool:
        """Answers, steps, scrolling."""
        deed = {
            "yes": lambda: self._answer("yes"),
            "no": lambda: self._answer("no"),
            "reason": self._ask_reason,
            "later": lambda: self._go_on(past=True),
            "again": self._step_back,
            "agreement": self._compare,
        }.get(action)
        if deed is None:
            return self.pane.act(action)
        deed()
        return True

    def _answer(self, answer: str) -> None:
        """Only what stands on the screen can be answered."""
        if self.item is None or self.set is None or self.compared:
            return
        key, said = (self.node, self.question), Answer(answer, self.reason)
        args = {"node": self.node, "question": self.question, "answer": answer}
        self.host.send(self.run.path, "label", args, self.reason)
        self._said[key] = said
        self.set = replace(self.set, given={**self.set.given, key: said})
        self._go_on()

    def _ask_reason(self) -> None:
        def submit(text: str) -> str | None:
            self.reason = text
            return None

        if self.item is not None and not self.compared:
            self.host.push(Prompt(self.host, "reason for the next answer", submit, self.reason))

    def _step_back(self) -> None:
        """To the question before this one; answering it again replaces the answer."""
        nodes = self._nodes()
        if self.compared:
            self.host.say("the set is finished and compared; its answers stand", "warn")
        elif self.question != QUESTIONS[0]:
            self._show(self.node, QUESTIONS[0])
        else:
            place = (nodes.index(self.node) if self.node in nodes else len(nodes)) - 1
            if place >= 0:
                self._show(nodes[place], QUESTIONS[-1])

    def _compare(self) -> None:
        """Show the agreement, with the verdicts that the file holds now."""
        if self.set is None or not self.set.finished:
            self.host.say("the agreement is shown once every item is answered", "warn")
        elif not self.compared:
            self.compared, self.item, self.node = True, None, ""
            self._read()

    def wheel(self, lines: int) -> None:
        """Scroll."""
        self.pane.move(lines)

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        if self.item is not None:
            return ("yes", "no", "reason", "later", "again", "half_down", "back")
        return ("back",) if self.compared else ("agreement", "again", "back")

    def shown(self) -> Shown | None:
        """The item, or the table."""
        return Shown(f"{self.run.path.stem}-label.txt", self.pane.text())

    # storing where no engine works

    def close(self) -> None:
        """Have what was answered stored; the labels wait on in the inbox if that fails."""
        self._store()

    def _store(self) -> None:
        status = self.run.status
        if status is None or status.alive or self._stored == len(self._said):
            return
        if self.host.read_only or not waiting_labels(self.run.path):
            return
        from ...engine.launch import store_labels  # loads what no screen needs

        self._stored = len(self._said)
        try:
            engine = store_labels(self.run.path)
        except EvoscopeError as error:
            self.host.say(str(error), "warn")
            return
        threading.Thread(target=engine.wait, daemon=True).start()

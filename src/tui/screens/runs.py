"""Every run of the folder, newest first."""

from pathlib import Path
from typing import Any

from ...engine.errors import EvoscopeError
from ...engine.store.status import RunStatus, read_status
from ..format import age, local_time, money
from ..glyphs import Glyphs
from ..keymap import RUNS
from ..lines import Column, Line, Span, fit_line, plain, table_head, table_row, tidy
from ..page import Host, Page, Shown
from ..run_model import RunModel, stamp_of
from ..widgets.bars import bar
from ..widgets.listing import Listing
from .dialogs import Prompt
from .header import STYLE, spent
from .orders import Orders
from .run import RunPage

COLUMNS = (
    Column("run", 0),
    Column("search", 7, least=76),
    Column("state", 10),
    Column("progress", 17),
    Column("effect", 15, least=70),
    Column("cost", 9, "right"),
    Column("heartbeat", 9, "right", least=90),
    Column("updated", 19, least=110),
)
SORTS = ("newest first", "name", "state")


def effect_of(row: RunStatus, glyphs: Glyphs) -> str:
    """A run's effect in 15 cells: accuracies, the training Delta, or Delta_BS and before that
    Gamma; a dash where there is none yet."""
    effect, found = row.effect, row.found
    if found.get("delta") is not None:
        return f"Delta {float(found['delta']):+.4f}"
    for name, key in (("Delta_BS", "delta_bs"), ("Gamma", "gamma")):
        if found.get(key) is not None:
            return f"{name} {100 * float(found[key]):+.1f}"
    before = effect.fresh_before if effect.scored else effect.selection_before
    after = effect.fresh_after if effect.scored else effect.selection_after
    if before is None or after is None:
        return glyphs.dash
    return f"{100 * float(before):.1f}{glyphs.arrow}{100 * float(after):.1f}%"


class RunsPage(Page):
    """The list; Enter opens a run."""

    keys = RUNS

    def __init__(self, host: Host, folder: Path) -> None:
        super().__init__(host)
        self.folder = folder
        self.list: Listing[str, RunStatus] = Listing()
        self._rows: dict[str, RunStatus] = {}
        self._broken: dict[str, str] = {}
        self._stamps: dict[str, tuple[float, float]] = {}
        self._reading = self._known = False
        self._order, self._wanted, self._filter = 0, "", ""

    def tick(self) -> None:
        """Read the state of every run."""
        if not self._reading:
            self._reading = True
            self.host.load(self._read, self._take)

    def _read(self) -> tuple[dict[str, RunStatus], dict[str, str]]:
        rows: dict[str, RunStatus] = {}
        broken: dict[str, str] = {}
        for path in sorted(self.folder.glob("*.evo")):
            stamp, known = stamp_of(path), self._rows.get(path.name)
            if known is not None and not known.alive and self._stamps.get(path.name) == stamp:
                rows[path.name] = known
                continue
            self._stamps[path.name] = stamp
            try:
                rows[path.name] = read_status(path)
            except EvoscopeError as error:
                broken[path.name] = str(error)
        return rows, broken

    def _take(self, found: tuple[dict[str, RunStatus], dict[str, str]]) -> None:
        self._reading, self._known = False, True
        self._rows, self._broken = found
        self._arrange()

    def _arrange(self) -> None:
        rows = [pair for pair in self._rows.items() if self._passes(pair[1])]
        if self._order == 1:
            rows.sort(key=lambda pair: pair[0])
        elif self._order == 2:
            rows.sort(key=lambda pair: pair[1].state)
        else:
            rows.sort(key=lambda pair: pair[1].started or "", reverse=True)
        self.list.forget()
        self.list.put(rows)
        self.list.set_keys([name for name, _ in rows])

    def _passes(self, row: RunStatus) -> bool:
        return self._filter.casefold() in f"{row.name} {row.state} {row.search}".casefold()

    def lines(self, width: int, height: int) -> list[Line]:
        """Title, list, runs that cannot be read."""
        title = f" Runs in {tidy(str(self.folder))}  {SORTS[self._order]}"
        lines = [fit_line(((title, "bar"),), width, "bar"), table_head(COLUMNS, width)]
        broken = [fit_line(((f" {tidy(text)}", "bad"),), width) for text in self._broken.values()]
        if not self._rows and not broken:
            text = " no runs here; `evoscope demo` makes one" if self._known else " reading ..."
            return [*lines, ((text, "dim"),)]
        room = max(height - 2 - len(broken[:3]), 1)
        self.list.resize(room)
        self.list.put((key, self._rows[key]) for key in self.list.missing())
        return [*lines, *self.list.view(width, room, self._line), *broken[:3]]

    def _line(self, row: RunStatus, width: int) -> Line:
        return table_row(COLUMNS, self._cells(row), width)

    def _cells(self, row: RunStatus) -> list[Span]:
        glyphs = self.host.glyphs
        share = row.done / row.total if row.total else 0.0
        beat = row.heartbeat if row.alive or row.state == "lost" else None
        cost = spent(row)
        return [
            (tidy(row.name), ""),
            (row.search, "dim"),
            (tidy(row.state), STYLE.get(row.state, "")),
            (f"{bar(share, 8, glyphs)} {row.done}/{row.total or '?'}", ""),
            (effect_of(row, glyphs), "accent"),
            ("?" if cost is None else money(cost), ""),
            (age(beat.age_s()) if beat is not None else "", "dim"),
            (local_time(row.updated, date=True), "dim"),
        ]

    def act(self, action: str) -> bool:
        """Open, sort, search, filter, restart."""
        if action in ("open", "right"):
            self._open()
        elif action == "sort":
            self._order = (self._order + 1) % len(SORTS)
            self._arrange()
        elif action == "search":
            self.host.push(Prompt(self.host, "search", self._search, self._wanted))
        elif action == "filter":
            self.host.push(Prompt(self.host, "filter", self._set_filter, self._filter))
        elif action in ("next", "last"):
            self._hit(1 if action == "next" else -1)
        elif action == "restart":
            self._restart()
        else:
            return self.list.act(action)
        return True

    def _path(self) -> Path | None:
        return None if self.list.cursor is None else self.folder / self.list.cursor

    def _open(self) -> None:
        path = self._path()
        if path is not None:
            self.host.push(RunPage(self.host, RunModel(path)))

    def _restart(self) -> None:
        path = self._path()
        if path is not None:
            run = RunModel(path)
            run.status = self.list.row()
            Orders(self.host, run).restart()

    def _set_filter(self, text: str) -> str | None:
        self._filter = text
        self._arrange()
        return None

    def _search(self, text: str) -> str | None:
        self._wanted = text
        self._hit(1)
        return None

    def _hit(self, step: int) -> None:
        keys: Any = self.list.keys
        for offset in range(1, len(keys) + 1):
            place = (self.list.at + offset * step) % len(keys)
            if self._wanted and self._wanted.casefold() in keys[place].casefold():
                self.list.go(place)
                return

    def click(self, x: int, y: int) -> None:
        """Choose; a second press opens."""
        if self.list.click(y - 2):
            self._open()

    def wheel(self, lines: int) -> None:
        """Move the cursor."""
        self.list.move(lines)

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("open", "sort", "filter", "search", "restart", "palette")

    def shown(self) -> Shown | None:
        """The list as text."""
        lines = [table_head(COLUMNS, 140), *(self._line(row, 140) for row in self._rows.values())]
        return Shown("evoscope-runs.txt", "\n".join(plain(line).rstrip() for line in lines) + "\n")

"""What each command does inside the engine. A refusal is an answer, never a crash."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Protocol

from .commands import Book, Command, Outcome, Refused, descendants
from .labels import label
from .pause import Pause
from .store.memory import read_only
from .store.rows import meta_write
from .store.writer import Write
from .units import UnitBoard


class Knobs(Protocol):
    """What `set` may turn: nothing that a decision reads."""

    def set_concurrency(self, provider: str | None, value: int) -> None: ...
    def set_budget(self, value: Decimal | None) -> None: ...
    def set_price(self, role: str, value: Mapping[str, Any]) -> None: ...


@dataclass(slots=True)
class Actions:
    """The commands of one session. `stop` is called with the reason of an asked-for end."""

    path: Path
    book: Book
    board: UnitBoard
    pause: Pause
    knobs: Knobs
    hold_now: Callable[[], None]
    stop: Callable[[str], None]

    def __call__(self, command: Command) -> Outcome:
        """Carry a command out: its answer, the arguments to keep, and the writes it causes.

        Raises Refused, with the answer.
        """
        action = getattr(self, f"_do_{command.kind}", None)
        if action is None:
            raise Refused(f"unknown command {command.kind!r}")
        result: Outcome = action(command)
        return result

    def _do_pause(self, command: Command) -> Outcome:
        self.pause.hold(command.reason or f"paused by {command.author}")
        if command.args.get("now"):
            self.hold_now()
        return "pausing: no new call leaves", {"now": bool(command.args.get("now"))}, ()

    def _do_resume(self, command: Command) -> Outcome:
        if not self.pause.held:
            return "was not paused", {}, ()
        self.pause.lift()
        return "running", {}, ()

    def _do_stop(self, command: Command) -> Outcome:
        self.stop(command.reason or f"stopped by {command.author}")
        return "stopping", {}, ()

    def _do_veto(self, command: Command) -> Outcome:
        node = str(command.args.get("node", ""))
        if not command.reason:
            raise Refused("a veto needs a reason: --reason TEXT")
        if node in self.book.vetoed():
            raise Refused(f"{node} is vetoed already")
        with closing(read_only(self.path)) as db:
            row = db.execute("SELECT unit, generation FROM node WHERE id = ?", (node,)).fetchone()
            if row is None:
                raise Refused(f"no node {node!r}; `evoscope show RUN nodes` lists them")
            made = db.execute("SELECT 1 FROM parent WHERE node = ?", (node,)).fetchone()
            if made is None and row[1] == 0:
                raise Refused(f"{node} is an original and cannot be vetoed")
            family = [node, *descendants(db, node)]
        writes = (_mark_vetoed(family, 1), *self._reopen_done(row[0], f"veto of {node}"))
        return f"vetoed, with {len(family) - 1} descendants", {"node": node}, writes

    def _reopen_done(self, unit: str, reason: str) -> tuple[Write, ...]:
        return self.board.reopen(unit, reason) if self.board.state(unit) == "done" else ()

    def _do_unveto(self, command: Command) -> Outcome:
        node = str(command.args.get("node", ""))
        if node not in self.book.vetoed():
            raise Refused(f"{node} is not vetoed")
        others = self.book.vetoed() - {node}
        with closing(read_only(self.path)) as db:
            family = [node, *descendants(db, node)]
            used = db.execute(
                "SELECT d.unit, d.step FROM decision d, json_each(d.vetoes) v "
                f"WHERE v.value IN ({', '.join('?' * len(family))})",
                family,
            ).fetchone()
            still = {name for other in others for name in [other, *descendants(db, other)]}
        if used is not None:
            raise Refused(f"decision {used[1]} of {used[0]} has used this veto; it stands")
        freed = [name for name in family if name not in still]
        return "veto undone", {"node": node}, (_mark_vetoed(freed, 0),)

    def _do_skip(self, command: Command) -> Outcome:
        unit = self._unit(command.args.get("case"))
        if self.board.state(unit) == "done":
            raise Refused(f"{unit} is finished already")
        return "ends at its next decision point", {"unit": unit}, ()

    def _do_retry(self, command: Command) -> Outcome:
        wanted = command.args.get("case")
        units = [self._unit(wanted)] if wanted else self.board.parked()
        parked = [unit for unit in units if self.board.state(unit) == "parked"]
        if not parked:
            raise Refused("nothing is parked" if not wanted else f"{wanted} is not parked")
        writes = tuple(w for unit in parked for w in self.board.reopen(unit, "retry"))
        return f"{len(parked)} reopened", {"units": parked}, writes

    def _do_label(self, command: Command) -> Outcome:
        return label(self.path, command)

    def _unit(self, case: object) -> str:
        for unit in (str(case), f"case:{case}"):
            if self.board.state(unit) is not None:
                return unit
        raise Refused(f"no case {case!r} in this run")

    def _do_set(self, command: Command) -> Outcome:
        key, value = str(command.args.get("key", "")), command.args.get("value")
        name, _, rest = key.partition(".")
        try:
            match name:
                case "concurrency":
                    self.knobs.set_concurrency(rest or None, _positive(value))
                case "parallel_cases":
                    self.board.change_parallel(_positive(value))
                case "budget":
                    self.knobs.set_budget(None if value in (None, "none") else _money(value))
                case "price":
                    if not isinstance(value, Mapping):
                        raise Refused("a price is {input, output} in dollars a million tokens")
                    self.knobs.set_price(rest, value)
                case _:
                    raise Refused(f"{key!r} cannot be set; only {', '.join(SETTABLE)}")
        except (ValueError, InvalidOperation, TypeError) as error:
            raise Refused(f"{key} does not take {value!r} ({error})") from None
        return (
            f"{key} is {value} now",
            {"key": key, "value": value},
            meta_write({f"set:{key}": str(value)}),
        )


SETTABLE = ("concurrency[.PROVIDER]", "parallel_cases", "budget", "price.ROLE")


def _positive(value: object) -> int:
    number = int(str(value))
    if number < 1:
        raise ValueError("must be 1 or more")
    return number


def _money(value: object) -> Decimal:
    amount = Decimal(str(value))
    if not amount.is_finite() or amount <= 0:
        raise ValueError("must be a positive amount")
    return amount


def _mark_vetoed(nodes: list[str], vetoed: int) -> Write:
    marks = ", ".join("?" * len(nodes))
    return Write(f"UPDATE node SET vetoed = ? WHERE id IN ({marks})", (vetoed, *nodes))

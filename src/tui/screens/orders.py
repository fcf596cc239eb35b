"""What a person may tell the engine: pause, veto, limits, stop; each through its dialog."""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from ...engine.store.lineage import descendants, find_node
from ...engine.store.reader import Reader
from ...engine.store.views import NodeRow
from ..lines import tidy
from ..page import Host
from ..run_model import RunModel
from ..searches.harden import score_text
from .dialogs import Confirm, Prompt
from .own import leaves, origin_text, own_of
from .veto import VetoDialog

_REASONS = (
    "SELECT reason FROM command WHERE kind = 'veto' AND reason <> '' ORDER BY seq DESC LIMIT 30"
)


class Orders:
    """Orders to one run's engine."""

    def __init__(self, host: Host, run: RunModel) -> None:
        self.host, self.run = host, run

    def act(self, action: str) -> bool:
        """Give the order that a key means; False if it means none."""
        deed = {
            "pause": self.pause,
            "faster": lambda: self.tune(1),
            "slower": lambda: self.tune(-1),
            "budget": self.budget,
            "stop": self.stop,
            "restart": self.restart,
        }.get(action)
        if deed is None:
            return False
        deed()
        return True

    def _send(self, kind: str, args: dict[str, Any] | None = None, reason: str = "") -> None:
        self.host.send(self.run.path, kind, args or {}, reason)

    def _living(self) -> bool:
        status = self.run.status
        if status is not None and status.alive:
            return True
        key = self.host.settings.keys.label("restart")
        self.host.say(f"no engine works on this run; {key} starts one", "warn")
        return False

    def pause(self) -> None:
        """Pause a running run, resume a paused one."""
        status = self.run.status
        if self._living() and status is not None:
            held = status.state in ("paused", "pausing")
            self._send("resume" if held else "pause")

    def tune(self, direction: int) -> None:
        """More or fewer calls at once: a quarter of the limit, at least one."""
        status = self.run.status
        if not self._living() or status is None or status.heartbeat is None:
            return
        ceilings = [int(lane.get("ceiling", 0)) for lane in status.heartbeat.lanes]
        now = max(ceilings, default=0)
        if not now:
            self.host.say("no calls yet, so no limit to change", "warn")
            return
        value = max(now + direction * max(now // 4, 1), 1)
        self._send("set", {"key": "concurrency", "value": value})

    def budget(self) -> None:
        """Ask for another budget in US dollars."""

        def submit(text: str) -> str | None:
            try:
                if text != "none" and Decimal(text) <= 0:
                    raise InvalidOperation
            except InvalidOperation:
                return "a budget is an amount in US dollars like 12.50, or none"
            self._send("set", {"key": "budget", "value": text})
            return None

        now = self.run.status.budget if self.run.status is not None else None
        text = "" if now is None else str(now)
        self.host.push(Prompt(self.host, "budget in US dollars", submit, text))

    def stop(self) -> None:
        """Stop the run, after asking."""
        if self._living():
            text = (
                "Calls in flight are waited for, then the engine ends.",
                "`evoscope resume` goes on from there; nothing is lost.",
            )
            self.host.push(
                Confirm(self.host, "Stop the run", text, "Stop the run", lambda: self._send("stop"))
            )

    def skip(self, unit: str | None) -> None:
        """Finish a case or a target with what it has, after asking."""
        if unit is not None and self._living():
            case = unit.removeprefix("case:")
            text = (f"{tidy(case)} ends at its next decision with what it has.",)
            self.host.push(
                Confirm(
                    self.host, f"Skip {tidy(case)}", text, "Skip it",
                    lambda: self._send("skip", {"case": case}),
                )
            )  # fmt: skip

    def restart(self) -> None:
        """Start the engine of a run that has none, after asking."""
        status = self.run.status
        if self.host.read_only:
            self.host.say("read-only: this app starts no engine", "warn")
        elif status is None or status.alive or status.state == "finished":
            self.host.say("nothing to start: the run is finished or its engine works", "warn")
        else:
            text = (
                f"The run is {status.state}. Its engine goes on where it was.",
                "New calls may cost money.",
                "What is recorded is not bought again.",
            )
            self.host.push(
                Confirm(self.host, "Start the engine", text, "Start it", self._start_soon)
            )

    def _start_soon(self) -> None:
        def started(_: None) -> None:
            self.host.say("the engine works", "ok")

        self.host.say("starting the engine ...")
        self.run.load(self.host, self._start, started, slow=True)

    def _start(self) -> None:
        from ...engine.launch import start_engine

        start_engine(self.run.path)

    def veto(self, node: str | None) -> None:
        """Ask for a reason and veto a node."""
        if node is None:
            self.host.say("no node here to veto", "warn")
            return
        reader = self.run.reader
        self.run.load(
            self.host, lambda: _facts(reader, node), lambda facts: self._ask(node, *facts)
        )

    def _ask(self, node: str, row: NodeRow | None, down: int, reasons: Sequence[str]) -> None:
        if row is None:
            self.host.say(f"{node} is not in the file", "warn")
        elif row.vetoed:
            key = self.host.settings.keys.label("unveto")
            self.host.say(f"{node} is vetoed already; {key} undoes it", "warn")
        elif not row.parents and row.generation == 0:
            self.host.say(f"{node} is an original and cannot be vetoed", "warn")
        else:
            status = self.run.status
            own = own_of(status.search) if status is not None else None
            takes, score = (own.leaves, own.score) if own is not None else (leaves, score_text)
            line = f"{row.state}  {score(row)}  {origin_text(row)}  {row.description}"
            self.host.push(
                VetoDialog(
                    self.host, node, line, takes(row, down), reasons,
                    lambda reason: self._send("veto", {"node": node}, reason),
                )
            )  # fmt: skip

    def unveto(self, node: str | None) -> None:
        """Undo a veto while that is possible."""
        if node is not None:
            self._send("unveto", {"node": node})


def _facts(reader: Reader, node: str) -> tuple[NodeRow | None, int, list[str]]:
    reasons = [str(row[0]) for row in reader.rows(_REASONS)]
    return find_node(reader, node), len(descendants(reader, node)), reasons

"""`verify --rerun`: code that a run has settled is run again, and differences are listed.

The recorded outcomes stay the facts: decisions are derived from them, and a difference here says
that a program is flaky, never that the file is wrong (engine-decisions, item 12).
"""

import zlib
from collections.abc import Iterator

from .context import Work
from .errors import EvoscopeError
from .executor import Executor
from .model.llm import Json
from .model.outcomes import Outcomes, Place
from .sandbox.jobs import Job, Outcome
from .searches.cegar.training import LABELS
from .verify import Mismatch

VERDICTS = ("flag", "abstain", "pass", "not run")
LABEL_WORDS = (
    "fails visible and hidden checks", "passes the visible checks alone",
    "passes the hidden checks alone", "passes visible and hidden checks",
)  # fmt: skip


class NotRun(EvoscopeError):
    """The sandbox could not run a program now."""


class Rerun:
    """Runs the work behind each recorded place once; `flaky` are the cells that came out
    otherwise, `places` and `jobs` how much was run."""

    def __init__(self, executor: Executor) -> None:
        self.flaky: list[Mismatch] = []
        self.places = self.jobs = 0
        self._executor = executor
        self._known: set[Place] = set()

    async def compare(self, place: Place, recorded: Outcomes, work: Work) -> None:
        """Run a place's programs again and note every cell that differs."""
        if place in self._known:
            return
        self._known.add(place)
        try:
            found = await work(self._run)
        except NotRun as problem:
            self.flaky.append(Mismatch("outcomes", place.key, "recorded", str(problem)))
            return
        self.places += 1
        self.flaky += differences(place, recorded, found)

    async def _run(self, job: Job) -> Outcome:
        self.jobs += 1
        outcome = await self._executor.settle(job)
        if outcome.verdict == "abstain":
            raise NotRun(f"the sandbox could not run it ({outcome.message})")
        return outcome


def differences(place: Place, recorded: Outcomes, found: Outcomes) -> list[Mismatch]:
    """The cells of a place that differ; those near a limit of time are marked as such."""
    words = LABEL_WORDS if place.node == LABELS else VERDICTS
    near = {*_near(recorded), *_near(found)}
    return [
        Mismatch(
            "outcome", f"{place.key}#{number}", words[before],
            words[now] + (" (near a limit)" if number in near else ""),
        )
        for number, (before, now) in enumerate(
            zip(_cells(recorded.planes), _cells(found.planes), strict=True)
        )
        if before != now
    ]  # fmt: skip


def _near(outcomes: Outcomes) -> list[Json]:
    listed = outcomes.reasons.get("near", [])
    return listed if isinstance(listed, list) else []


def _cells(planes: bytes) -> Iterator[int]:
    """The two-bit cells of deflated planes, those that fill the last bytes included."""
    raw = zlib.decompress(planes)
    half = len(raw) // 2
    for low, high in zip(raw[:half], raw[half:], strict=True):
        for bit in range(7, -1, -1):
            yield (low >> bit & 1) + 2 * (high >> bit & 1)

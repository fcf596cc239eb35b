"""Syn-Ledger as an environment: one object a benchmark variant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from ...errors import DataError
from ...model.llm import Json, Tool
from ..base import Grade
from ..environment import AgentTask, Arguments, CanonicalCall, Limits, Session, Snapshot
from . import audit, score, tools
from .allocation import allocate
from .assignment import neutral_levels, released_levels
from .generate import generate
from .manifest import Manifest, Placement, changed_features, place
from .model import Task
from .reference import neutralisations, placebos


@dataclass(frozen=True)
class SynLedger:
    """One variant: tasks, splits, limits, and the rendering manifest as its protocol."""

    ledger: tuple[Task, ...]
    protocol: Manifest
    splits: Mapping[str, tuple[str, ...]]
    limits: Limits = tools.LIMITS
    answers: Mapping[str, int] | None = None
    """Answers by task where they are not the tasks' own (blanked or shuffled for the firewall)."""
    name: str = "syn_ledger"

    @cached_property
    def tasks(self) -> Sequence[AgentTask]:
        """All tasks in order, without answers."""
        return tuple(AgentTask(task.id, task.question) for task in self.ledger)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {task.id: i for i, task in enumerate(self.ledger)}

    def task(self, task: str) -> tuple[Task, tuple[Placement, ...]]:
        """A task with its placements; raises DataError where there is none of that id."""
        if task not in self._places:
            raise DataError(f"syn_ledger: no task {task!r}; tasks are L000 to L319")
        place_ = self._places[task]
        return self.ledger[place_], self.protocol.placements[place_]

    def tools(self) -> tuple[Tool, ...]:
        """The four tools; the same under every manifest."""
        return tools.TOOLS

    def session(self, task: str) -> Session:
        """Fresh tools with full budgets for one rollout."""
        return Session(tools.operations(*self.task(task), self.protocol.style), self.limits)

    def grade(self, task: str, response: str) -> Grade:
        """Normalised integer exact match."""
        own = self.task(task)[0].answer
        return score.grade(own if self.answers is None else self.answers[task], response)

    def with_protocol(self, protocol: Manifest) -> "SynLedger":
        """The same tasks shown by another manifest."""
        return replace(self, protocol=protocol)

    def subset(self, ids: Sequence[str]) -> "SynLedger":
        """Only the given tasks, in order; for audits of a few tasks."""
        kept = [i for i, task in enumerate(self.ledger) if task.id in ids]
        rows = tuple(self.protocol.placements[i] for i in kept)
        return replace(
            self,
            ledger=tuple(self.ledger[i] for i in kept),
            protocol=replace(self.protocol, placements=rows),
        )

    def changed_features(self, protocol: Manifest) -> frozenset[str]:
        """Which of name, depth, rank, position, format, style, document differ."""
        return changed_features(self.protocol, protocol)

    def rest(self) -> object:
        """Everything but the manifest."""
        return audit.rest(self)

    def without_tasks(self, seed: int | None) -> "SynLedger":
        """Questions, answers, evidence, kinds and splits blanked, or shuffled by `seed`."""
        return audit.without_tasks(self, seed)

    def snapshot(self) -> Snapshot:
        """What the firewall compares."""
        return self._snapshot

    @cached_property
    def _snapshot(self) -> Snapshot:
        return audit.snapshot(self)

    def canonical_call(self, task: str, name: str, arguments: Arguments) -> CanonicalCall | None:
        """This variant's call with document codes in place of paths."""
        if name not in {tool.name for tool in tools.TOOLS}:
            return None
        plain = dict(arguments)
        if name == "open_file":
            codes = {p.path: p.code for p in self.task(task)[1]}
            path = plain.get("path")
            if not isinstance(path, str) or path.strip() not in codes:
                return None
            plain["path"] = codes[path.strip()]
        return CanonicalCall(name, plain)

    def presented_call(self, task: str, call: CanonicalCall) -> tuple[str, dict[str, Json]]:
        """A canonical call with this variant's paths."""
        arguments = dict(call.arguments)
        if call.kind == "open_file":
            paths = {p.code: p.path for p in self.task(task)[1]}
            arguments["path"] = paths[str(arguments["path"])]
        return call.kind, arguments


@dataclass(frozen=True)
class Ledger:
    """The whole benchmark of one seed: the released variant, B_0, and the reference variants."""

    seed: int
    released: SynLedger
    neutral: SynLedger
    neutralised: Mapping[str, SynLedger]
    """B_rel with one feature neutralised, by feature: Phi_1 to Phi_5. For audits only."""
    placebos: Mapping[str, SynLedger]
    """B_rel with one placebo, by name. For audits only."""

    def renderings(self) -> Mapping[str, SynLedger]:
        """The twelve variants that the validation renders."""
        neutralised = {f"neutral {name}": env for name, env in self.neutralised.items()}
        return {"B_rel": self.released, "B_0": self.neutral, **neutralised, **self.placebos}


@lru_cache(maxsize=2)
def build(seed: int = 0) -> Ledger:
    """The benchmark of a seed; the same bytes for the same seed, everywhere."""
    return assemble(seed, generate(seed))


def assemble(seed: int, tasks: tuple[Task, ...]) -> Ledger:
    """Allocation and all variants over generated tasks."""
    released_grid = released_levels(seed, tasks)
    splits = allocate(seed, tasks, released_grid)
    released = SynLedger(tasks, place(tasks, released_grid), splits)
    neutral = released.with_protocol(place(tasks, neutral_levels(seed, tasks)))
    phi = neutralisations(neutral.protocol)
    return Ledger(
        seed,
        released,
        neutral,
        {name: released.with_protocol(f(released.protocol)) for name, f in phi.items()},
        {
            name: released.with_protocol(change(released.protocol))
            for name, change in placebos(tasks).items()
        },
    )

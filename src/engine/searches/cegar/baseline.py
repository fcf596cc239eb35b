"""The first unit: the labelled training split and the starting pool on it."""

from ...benchmarks.code_tasks.bundle import shown_fields
from ...canonical import canonical_json
from ...context import Context, UnitSpec
from ...model.core import Item, Node, NodeState
from ...model.llm import Json
from .arms import Arm
from .attempts import Progress
from .bench import Bench, Operator
from .operators import starting_pool
from .pool import ROOT, Desk
from .setup import CegarSetup
from .training import labelled

UNIT = "baseline"
STAGE = 1


def starting(setup: CegarSetup) -> tuple[Operator, ...]:
    """The hand-written operators of the starting pool; none where it is switched off, or the
    candidates are no programs."""
    if not setup.settings.starting_pool or setup.training.checker:
        return ()
    return tuple(Operator(f"hand/{o.name}", o.level, o.source, o.name) for o in starting_pool())


async def open_desk(ctx: Context, setup: CegarSetup) -> Desk:
    """The desk with labels and the starting pool's columns; everything served where recorded.

    Raises CallOpen and DataError.
    """
    training = await labelled(setup.training, ctx.settle)
    bench = Bench(training, ctx.settle)
    operators = starting(setup)
    columns = {}
    for operator in operators:
        verdicts = await bench.complete(operator, {}, STAGE)
        columns[operator.node] = training.column(verdicts)
    progress, arm = Progress(setup.limits), Arm(setup.limits)
    return Desk(ctx, setup, training, bench, operators, columns, progress, arm)


async def baseline(ctx: Context, setup: CegarSetup, unit: UnitSpec) -> None:
    """Label, run the starting pool, record its nodes with their training scores."""
    desk = await open_desk(ctx, setup)
    root = Node(ROOT, unit.id, "operator", "start", 0, 0, "{}", {"kind": "root"}, (), "the pool")
    await ctx.record(root, effects=[NodeState(ROOT, "parent")])
    for index, operator in enumerate(desk.starting):
        alone = desk.alone(desk.columns[operator.node])
        await ctx.record(
            node_of(operator, unit.id, "start", 0, index + 1, {"kind": "hand-written"}),
            effects=[NodeState(operator.node, "scored", alone.delta)],
        )
    nothing = desk.alone({})
    await ctx.finish_unit(
        unit.id,
        {
            "electorate": desk.training.electorate,
            "tasks": nothing.tasks,
            "decidable": nothing.decidable,
            "nothing": str(nothing.nothing),
            "perfect": str(nothing.perfect),
            "empty": nothing.empty,
            "near_limit": list(desk.training.near_limit),
        },
    )


def node_of(
    operator: Operator, unit: str, group: str, generation: int, index: int, origin: dict[str, Json]
) -> Node:
    """An operator's node; authored ones descend from the pool's root, so they can be vetoed."""
    content = {
        "name": operator.name, "level": operator.level, "rationale": operator.rationale,
        "source": operator.source,
    }  # fmt: skip
    parents = () if group == "start" else ((ROOT, "pool"),)
    return Node(
        operator.node, unit, "operator", group, generation, index, canonical_json(content),
        {"level": operator.level, **origin}, parents, operator.name,
    )  # fmt: skip


def items(setup: CegarSetup) -> list[Item]:
    """The training tasks with their samples, as the run's file keeps them."""
    split = setup.training
    return [
        Item(
            task.id,
            "training",
            canonical_json(
                {
                    "prompt": task.prompt,
                    "entry": task.entry,
                    "visible": list(task.visible),
                    "samples": list(split.samples[task.id]),
                    **({"fields": shown_fields(task)} if split.checker else {}),
                }
            ),
            place,
        )
        for place, task in enumerate(split.tasks)
    ]

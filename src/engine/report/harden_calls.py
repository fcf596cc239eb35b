"""What a harden run bought, per role and per hardened case, and what it did not have to buy."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from .harden import Candidate, HardenRun, Spend
from .tables import Cell, Table, columns

VOTED = ("correctness", "realism", "final_audit")


def total(values: Iterable[int | Decimal | None]) -> int | Decimal | None:
    """Sum of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known[1:], start=known[0]) if known else None


def spend_table(run: HardenRun) -> Table:
    """Calls, tokens and cost by role, in all, and per hardened case."""
    everything = _spend_row("all", "", run.spend)
    rows = [_spend_row(spend.role, spend.model, [spend]) for spend in run.spend]
    hardened = len(run.hardened)
    shares: tuple[Cell, ...] = tuple(_per(cell, hardened) for cell in everything[2:-1])
    return Table(
        "Calls, tokens and cost",
        columns(
            "role", "model", ("calls", 1), ("failed", 1), ("input tokens", 1),
            ("of which cached", 1), ("output tokens", 1), ("cost, US dollars", 4),
            "calls of unknown cost",
        ),
        (*rows, everything, ("per hardened case", "", *shares, None)),
        (
            "Sums over what is known: a call of unknown cost is never counted as 0.",
            f"Per hardened case: all calls of the run over {hardened} hardened cases.",
        ),
    )  # fmt: skip


def _spend_row(role: str, model: str, spend: Sequence[Spend]) -> tuple[Cell, ...]:
    sums: list[Callable[[Spend], int | Decimal | None]] = [
        lambda s: s.calls, lambda s: s.failed, lambda s: s.input, lambda s: s.cached_input,
        lambda s: s.output, lambda s: s.cost, lambda s: s.unknown_cost,
    ]  # fmt: skip
    return (role, model, *(total(get(each) for each in spend) for get in sums))


def _per(cell: Cell, cases: int) -> Cell:
    if cell is None or isinstance(cell, str) or not cases:
        return None
    return cell / cases if isinstance(cell, Decimal) else float(cell) / cases


def savings_table(run: HardenRun) -> Table:
    """Calls that the paper's recipe would have bought besides, and ours that it has not."""
    saved: list[tuple[Cell, ...]] = [
        ("vote stopping", saved_votes(run), "votes left once the majority was decided"),
        ("racing", saved_rollouts(run), "rollouts of candidates that could not be kept"),
        ("greedy", saved_greedy(run), "greedy completions of candidates that were not promoted"),
        ("futility", saved_by_futility(run), _futility_note(run)),
    ]
    audits = run.purposes.get("final_audit", 0) + saved_votes(run, ("final_audit",))
    ours: list[tuple[Cell, ...]] = [
        ("fresh scoring", -run.purposes.get("fresh", 0), "ours, not in the recipe"),
        ("final audit", -audits, "ours, not in the recipe; votes left out included"),
    ]
    bought = sum(run.purposes.values())
    recipe = bought + sum(int(row[1]) for row in saved + ours if isinstance(row[1], int))
    ends: list[tuple[Cell, ...]] = [
        ("bought by this run", bought, "completed calls"),
        ("the paper's recipe", recipe, "the same search, savings undone"),
    ]
    return Table(
        "Calls saved",
        columns("saving", "calls", "counted from"),
        (*saved, *ours, *ends),
        ("Every saving leaves verdicts and selections as they were.",),
    )


def saved_votes(run: HardenRun, gates: Sequence[str] = VOTED) -> int:
    """K minus the votes cast, over the candidates of which these gates have decided."""
    return sum(
        run.recipe.votes - candidate.votes[gate]
        for candidate in run.candidates
        for gate in gates
        if candidate.votes.get(gate) and gate in candidate.gates
    )


def _rolled(run: HardenRun) -> list[Candidate]:
    return [candidate for candidate in run.candidates if candidate.rollouts]


def saved_rollouts(run: HardenRun) -> int:
    """T minus the rollouts bought, over candidates that were raced out."""
    stopped = [c for c in _rolled(run) if c.state == "raced_out"]
    return sum(run.recipe.rollouts - candidate.rollouts for candidate in stopped)


def saved_greedy(run: HardenRun) -> int:
    """Scored candidates without a greedy completion; the recipe buys one for each."""
    return sum(not candidate.greedy for candidate in _rolled(run))


def _unimprovable(run: HardenRun) -> int:
    return sum(case.outcome == "unimprovable" for case in run.done)


def saved_by_futility(run: HardenRun) -> int:
    """Mutation calls that unimprovable cases would have bought for certain: G each."""
    return run.recipe.generations * _unimprovable(run)


def _futility_note(run: HardenRun) -> str:
    """What is certain, and beside it the mean of the cases that were searched."""
    certain = f"mutation calls of {_unimprovable(run)} cases that were not searched"
    if not run.searched:
        return certain
    mean = sum(run.searched.values()) / len(run.searched)
    return f"{certain}; a searched case bought {mean:.0f} calls on average"

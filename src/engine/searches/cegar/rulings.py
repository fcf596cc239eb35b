"""What the gates of an arm say of an operator that has come through the screens."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from .gate import Ruling, decision_gate, novelty_gate, overlap_gate, recall_gate
from .metric import Score
from .pool import Desk
from .verdicts import Verdict


def rulings(
    desk: Desk, known: Mapping[int, Verdict], alone: Score, vetoed: AbstractSet[str]
) -> Iterator[tuple[str, Ruling]]:
    """What the arm's gates say of an operator, in their order; `known` are its verdicts by
    program, `alone` its score by itself."""
    if desk.arm.recall:
        missed = _missed(desk, vetoed)
        covered = [one for one, number in missed.items() if known[number] is Verdict.FLAG]
        yield "admission", recall_gate(missed, covered, alone)
    else:
        yield "admission", decision_gate(alone)
    if desk.arm.novel:
        flagged = desk.flag_set(desk.training.column(known))
        pool = {
            f"{one.name} ({one.node})": desk.flag_set(desk.columns[one.node])
            for one in desk.pool(vetoed)
        }
        yield "novelty", novelty_gate(flagged, pool)
    if desk.arm.apart:
        flagged = desk.flag_set(desk.training.column(known))
        taken = [desk.flag_set(desk.columns[one.node]) for one in desk.voting(vetoed)]
        yield "overlap", overlap_gate(flagged, set().union(*taken))


def _missed(desk: Desk, vetoed: AbstractSet[str]) -> dict[str, int]:
    """The faults that the pool flags nowhere, each with its program's number: a wrong program of
    V(t), with all its copies, is one class."""
    columns = [desk.columns[one.node] for one in desk.pool(vetoed)]
    return {
        f"{program.members[0].task}#{program.members[0].sample}": number
        for number, program in enumerate(desk.training.programs)
        if program.visible and not program.correct
        if all(column[program.members[0]] is not Verdict.FLAG for column in columns)
    }

"""Splits by source components: questions that share source files stay together (CHASE, C.1).

Only ids, difficulty labels and sources are read. The components of D_evo and of D_cert are closed:
no other split draws from them. Each confirmation set mixes questions from D_disc's components with
questions from new ones, and all have the same mixture of difficulties as far as numbers allow.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...errors import DataError
from .corpus import Question

EVO, DISC, CERT = 49, 49, 76
CONF_SHARED, CONF_NEW = 11, 13
"""The paper's sizes, of 246 questions with three rounds; ours are in these proportions."""


@dataclass(frozen=True, slots=True)
class Splits:
    """Question ids by split, and how they were made: `component`, or `question` as a fallback."""

    ids: Mapping[str, tuple[str, ...]]
    by: Literal["component", "question"]
    components: int


def components(questions: Sequence[Question]) -> list[tuple[Question, ...]]:
    """Questions joined by shared source files, each in file order; components by first question."""
    leader: dict[str, str] = {}

    def find(source: str) -> str:
        while leader.setdefault(source, source) != source:
            source = leader[source]
        return source

    for question in questions:
        for source in question.sources[1:]:
            leader[find(source)] = find(question.sources[0])
    groups: dict[str, list[Question]] = {}
    for question in questions:
        groups.setdefault(find(question.sources[0]), []).append(question)
    return [tuple(group) for group in groups.values()]


def split(
    questions: Sequence[Question],
    seed: int,
    rounds: int,
    by: Literal["component", "question"] = "component",
) -> Splits:
    """The splits evo, disc, conf1 to conf<rounds>, cert.

    Raises DataError where there are too few components; `by="question"` then ignores sources, which
    every report has to say.
    """
    groups = components(questions)
    if by == "question":
        chosen = _by_question(questions, seed, rounds)
    else:
        chosen = _by_component(groups, seed, rounds)
    ids = {
        name: tuple(q.id for q in questions if q.id in members) for name, members in chosen.items()
    }
    if any(not members for members in ids.values()):
        empty = ", ".join(name for name, members in ids.items() if not members)
        raise DataError(f"{_few(groups, questions)}: nothing is left for {empty}; {_ADVICE}")
    return Splits(ids, by, len(groups))


_ADVICE = 'bring more questions from other documents, or set splits = "question"'


def _few(groups: Sequence[object], questions: Sequence[object]) -> str:
    return f"splits: {len(questions)} questions in {len(groups)} source components are too few"


def _by_component(
    groups: Sequence[tuple[Question, ...]], seed: int, rounds: int
) -> dict[str, set[str]]:
    total = sum(map(len, groups))
    if len(groups) < 4:
        raise DataError(f"{_few(groups, range(total))}; {_ADVICE}")
    ordered = sorted(groups, key=lambda group: _hash(seed, group[0].id))
    cert, left = _take(ordered, _share(total, CERT, rounds), 3)
    evo, left = _take(left, _share(total, EVO, rounds), 2)
    shared, new = _take(left, _share(total, DISC + CONF_SHARED * rounds, rounds), 1)
    conf_shared = _lend(shared, seed, rounds, _share(total, CONF_SHARED, rounds))
    new_sets = _deal(_flat(new), seed, rounds)
    chosen = {"evo": _ids(_flat(evo)), "disc": _ids(_flat(shared)).difference(*conf_shared)}
    for t in range(rounds):
        chosen[f"conf{t + 1}"] = conf_shared[t] | new_sets[t]
    chosen["cert"] = _ids(_flat(cert))
    if any(not part for part in (*conf_shared, *new_sets)):
        raise DataError(f"{_few(groups, range(total))} to mix confirmation sets; {_ADVICE}")
    return chosen


def _share(total: int, part: int, rounds: int) -> int:
    """`part` of the paper's sizes scaled to `total` questions, rounded, at least 1."""
    whole = EVO + DISC + CERT + rounds * (CONF_SHARED + CONF_NEW)
    return max(1, (2 * total * part + whole) // (2 * whole))


Groups = Sequence[tuple[Question, ...]]


def _take(groups: Groups, target: int, leave: int) -> tuple[Groups, Groups]:
    """The components whose questions come nearest to `target`, and the rest.

    At least one is taken and at least `leave` are left; of equal choices the earlier components.
    """
    best: dict[tuple[int, int], tuple[int, ...]] = {(0, 0): ()}
    for place, group in enumerate(groups):
        for (size, count), picked in list(best.items()):
            key = (size + len(group), count + 1)
            if count + 1 <= len(groups) - leave and size < target:
                best.setdefault(key, (*picked, place))
    choices = [(abs(size - target), picked) for (size, _), picked in best.items() if picked]
    picked = min(choices)[1]
    taken = [groups[i] for i in picked]
    return taken, [group for i, group in enumerate(groups) if i not in picked]


def _lend(groups: Groups, seed: int, rounds: int, each: int) -> list[set[str]]:
    """Questions of D_disc's components for the confirmation sets; each component keeps one."""
    spare: list[Question] = []
    for group in groups:
        ordered = sorted(group, key=lambda question: _hash(seed, question.id))
        spare += ordered[1:]
    lent = _stratified(spare, seed)[: rounds * each]
    return _deal(lent, seed, rounds)


def _deal(questions: Sequence[Question], seed: int, rounds: int) -> list[set[str]]:
    """Questions dealt out by difficulty, one set after another, without starting anew."""
    sets: list[set[str]] = [set() for _ in range(rounds)]
    ordered = sorted(questions, key=lambda q: (q.difficulty, _hash(seed, q.id)))
    for i, question in enumerate(ordered):
        sets[i % rounds].add(question.id)
    return sets


def _stratified(questions: Sequence[Question], seed: int) -> list[Question]:
    """An order whose every beginning has the difficulties in the same proportions."""
    by_label: dict[str, list[Question]] = {}
    for question in sorted(questions, key=lambda q: _hash(seed, q.id)):
        by_label.setdefault(question.difficulty, []).append(question)
    placed = [
        ((2 * i + 1) * 10**6 // (2 * len(group)), label, i)
        for label, group in by_label.items()
        for i in range(len(group))
    ]
    return [by_label[label][i] for _, label, i in sorted(placed)]


def _by_question(questions: Sequence[Question], seed: int, rounds: int) -> dict[str, set[str]]:
    """Parts of one stratified order: sources are ignored."""
    ordered, total = _stratified(questions, seed), len(questions)
    names = ["evo", "disc", *(f"conf{t + 1}" for t in range(rounds))]
    parts = [EVO, DISC, *(CONF_SHARED + CONF_NEW,) * rounds]
    chosen, start = dict[str, set[str]](), 0
    for name, part in zip(names, parts, strict=True):
        size = _share(total, part, rounds)
        chosen[name] = _ids(ordered[start : start + size])
        start += size
    chosen["cert"] = _ids(ordered[start:])
    return chosen


def _flat(groups: Iterable[tuple[Question, ...]]) -> list[Question]:
    return [question for group in groups for question in group]


def _ids(questions: Iterable[Question]) -> set[str]:
    return {question.id for question in questions}


def _hash(seed: int, name: str) -> str:
    return hashlib.sha256(f"{seed}:{name}".encode()).hexdigest()

"""The 320 tasks: families, answers, evidence and decoys (CHASE, appendix D.1)."""

import random
from dataclasses import replace
from functools import lru_cache

from .families import BASIS, FAMILIES, STATUS, VERSION, Amounts, Family
from .model import (
    BLOCK_SIZE,
    BLOCKS,
    RECORDS,
    TASKS,
    Document,
    Record,
    Request,
    Task,
    generator,
)
from .tokens import grouped, integer_tokens
from .words import (
    BASES,
    CODE_LENGTH,
    CODE_LETTERS,
    ENTITIES,
    IRRELEVANT,
    STATUSES,
    VERSIONS,
    YEARS,
    period,
)

ANSWERS = 64
RULES = (
    " Count only approved records, in their current version and on the enacted basis."
    " Answer with one integer and nothing else."
)
PAIRED = ("wrong period", "wrong entity", "superseded", "cancelled or draft")
SINGLE = ("wrong basis", "irrelevant category")


@lru_cache(maxsize=4)
def generate(seed: int) -> tuple[Task, ...]:
    """All tasks in order of block and index; the same for the same seed, everywhere."""
    codes = _codes(seed)
    answers = _answers(seed)
    tasks = []
    for block in range(BLOCKS):
        for index, family in enumerate(_families(seed, block)):
            number = block * BLOCK_SIZE + index
            mine = codes[number * 12 : number * 12 + 12]
            tasks.append(_task(seed, number, family, answers[family.name].pop(), mine))
    return tuple(tasks)


def _codes(seed: int) -> list[str]:
    rng, codes = generator("syn-ledger", seed, "codes"), dict[str, None]()
    while len(codes) < TASKS * 12:
        codes["".join(rng.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))] = None
    return list(codes)


def _answers(seed: int) -> dict[str, list[int]]:
    """For each family the same 64 two-digit answers, in an order of its own."""
    pool = sorted(generator("syn-ledger", seed, "answers").sample(range(10, 100), ANSWERS))
    return {
        family.name: generator("syn-ledger", seed, "answers", family.name).sample(pool, ANSWERS)
        for family in FAMILIES
    }


def _families(seed: int, block: int) -> list[Family]:
    """Six tasks of each family, a seventh of two: those make the allocation's counts come out."""
    count = len(FAMILIES)
    extra = [FAMILIES[(2 * block) % count], FAMILIES[(2 * block + 1) % count]]
    families = [*FAMILIES * (BLOCK_SIZE // count), *extra]
    generator("syn-ledger", seed, "families", block).shuffle(families)
    return families


def _task(seed: int, number: int, family: Family, answer: int, codes: list[str]) -> Task:
    """The first draft whose answer stands nowhere in what the agent can see."""
    attempt = 0
    while True:
        rng = generator("syn-ledger", seed, "task", number, attempt)
        task = _Draft(rng, family, answer).task(number, codes)
        if not reveals(task):
            return task
        attempt += 1


def reveals(task: Task) -> bool:
    """Whether the answer stands as a whole integer token in the question or in a record."""
    cells = [task.question]
    for document in task.documents:
        cells += [f"{record.period} {grouped(record.amount)}" for record in document.records]
    return any(task.answer in integer_tokens(cell) for cell in cells)


class _Draft:
    """One draw of a task's facts."""

    def __init__(self, rng: random.Random, family: Family, answer: int) -> None:
        self._rng, self._family, self._answer = rng, family, answer
        self._entity = rng.choice(ENTITIES)
        self._year = rng.choice(YEARS[2:-2])
        self._requested = {self._year, *({self._year - 1} if family.previous else ())}
        self._other_years = [y for y in YEARS if y not in self._requested]
        # context of other categories, or a query for the requested one would find every document
        own = set(family.categories.values())
        used = {category for f in FAMILIES for category in f.categories.values()}
        self._elsewhere = sorted({*used, *IRRELEVANT} - own)
        self._signed = [category for category in self._elsewhere if "adjustment" in category]
        self._others = [name for name in ENTITIES if name != self._entity]
        # decoys' amounts end in as many zeros as the evidence's, or the zeros would tell
        ends = answer % 10 == 0
        self._decoys_for = [a for a in range(10, 100) if a != answer and (a % 10 == 0) == ends]

    def task(self, number: int, codes: list[str]) -> Task:
        bodies = [*self._evidence(), *self._decoys()]
        order = self._rng.sample(range(len(bodies)), len(bodies))
        documents = tuple(
            Document(code, *bodies[i], self._context(len(bodies[i][2])))
            for code, i in zip(codes, order, strict=True)
        )
        return Task(
            f"L{number:03}",
            number // BLOCK_SIZE,
            number % BLOCK_SIZE,
            self._request(),
            self._question(),
            self._answer,
            documents,
            (order.index(0), order.index(1)),
        )

    def _request(self) -> Request:
        family = self._family
        roles = {
            role: (self._period(role, self._year), family.categories[role])
            for role in family.categories
        }
        return Request(family.name, self._entity, roles)

    def _question(self) -> str:
        names = {
            "entity": f"the {self._entity}",
            "period": period(self._year),
            "previous": period(self._year - 1),
        }
        return self._family.phrase.format(**names) + RULES

    def _period(self, role: str, year: int) -> str:
        return period(year - 1 if role in self._family.previous else year)

    def _evidence(self) -> list[tuple[str, int, tuple[Record, ...]]]:
        amounts = self._family.sample(self._rng, self._answer)
        return [("evidence", side, self._block(side, amounts)) for side in (0, 1)]

    def _decoys(self) -> list[tuple[str, int, tuple[Record, ...]]]:
        found = []
        for kind in PAIRED:
            amounts = self._other_amounts()
            changes = [self._change(kind, side) for side in (0, 1)]
            if kind in ("wrong period", "wrong entity"):
                changes[1] = changes[0]
            for side in (0, 1):
                found.append((kind, side, self._block(side, amounts, **changes[side])))
        first = self._rng.randrange(2)
        for kind, side in zip(SINGLE, (first, 1 - first), strict=True):
            changed = self._change(kind, side)
            found.append((kind, side, self._block(side, self._other_amounts(), **changed)))
        return found

    def _change(self, kind: str, side: int) -> dict[str, str]:
        if kind == "wrong period":
            far = [y for y in YEARS[1:] if abs(y - self._year) >= 2]
            return {"year": str(self._rng.choice(far))}
        if kind == "wrong entity":
            return {"entity": self._other_entity()}
        if kind == "cancelled or draft":
            return {"status": STATUSES[1 + side]}
        if kind == "irrelevant category":
            return {"category": self._rng.choice(IRRELEVANT)}
        return {"version": VERSIONS[1]} if kind == "superseded" else {"basis": BASES[1]}

    def _block(self, side: int, amounts: Amounts, **changed: str) -> tuple[Record, ...]:
        """The side's records; the form and the amounts' last zeros are those of the evidence."""
        year = int(changed.get("year", self._year))
        return tuple(
            Record(
                changed.get("entity", self._entity),
                self._period(role, year),
                changed.get("category", self._family.categories[role]),
                changed.get("status", STATUS),
                changed.get("version", VERSION),
                changed.get("basis", BASIS),
                amounts[role],
            )
            for role in self._family.sides[side]
        )

    def _context(self, taken: int) -> tuple[Record, ...]:
        return tuple(self._context_row() for _ in range(RECORDS - taken))

    def _context_row(self) -> Record:
        """A row outside the requested entity, the requested periods, or both."""
        rng, role = self._rng, self._rng.choice(list(self._family.categories))
        kind = rng.choices(("both", "period", "entity"), (18, 1, 1))[0]
        entity = self._entity if kind == "period" else self._other_entity()
        years = sorted(self._requested) if kind == "entity" else self._other_years
        amount = self._other_amounts()[role]
        categories = self._signed if amount < 0 else self._elsewhere
        return Record(
            entity,
            period(rng.choice(years)),
            rng.choice(categories),
            rng.choices(STATUSES, (6, 2, 2))[0],
            rng.choices(VERSIONS, (3, 1))[0],
            rng.choices(BASES, (7, 3))[0],
            amount,
        )

    def _other_entity(self) -> str:
        return self._rng.choice(self._others)

    def _other_amounts(self) -> Amounts:
        """Amounts of the same program for another answer with the same last zeros."""
        return self._family.sample(self._rng, self._rng.choice(self._decoys_for))


def redrawn(seed: int, task: Task, which: int) -> Document:
    """The task's first or second evidence document with amounts that fit another answer.

    For the check that both are necessary: all but the block's amounts is the same.
    """
    family = next(f for f in FAMILIES if f.name == task.request.family)
    document = task.documents[task.evidence[which]]
    attempt = 0
    while True:
        rng = generator("syn-ledger", seed, "redraw", task.id, which, attempt)
        other = rng.choice([a for a in range(10, 100) if a != task.answer])
        amounts = family.sample(rng, other)
        roles = family.sides[document.shape]
        block = tuple(
            replace(record, amount=amounts[role])
            for record, role in zip(document.block, roles, strict=True)
        )
        if block != document.block:
            return replace(document, block=block)
        attempt += 1

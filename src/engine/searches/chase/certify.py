"""The end of a run: H*, the one opening of D_cert, and what it says (CHASE, sections 3.3 and 4)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ...canonical import canonical_json, sha256
from ...gates.together import together
from ...model.chase import Harness
from ...model.core import SEALED_SPLIT, Decision, NodeState
from ...model.llm import Json
from .evaluate import evaluate, evaluate_evo
from .gains import REL, Gains, Sheet
from .guarantees import (
    Composition,
    confirmation_width,
    margin,
    most_confirmations,
    search_width,
    shortest_composition,
    stopping_bound,
    theorem_1,
)
from .rounds import row
from .selection import select_final
from .setup import Desk
from .state import BASE, NEUTRAL, RELEASE, State

RAW = "raw"
MOST_PROTOCOLS = 300
"""Protocols visited in the search for a composition that gives B_0."""


@dataclass(frozen=True, slots=True)
class Certified:
    """What is fixed before the seal is opened: each method's harness, and the archive.

    `vetoes` are the vetoes that this heeds; `replaced` names, by method, the harness that one of
    them barred after it had been chosen.
    """

    methods: Mapping[str, tuple[str, Harness]]
    archive: tuple[str, ...]
    vetoes: tuple[str, ...] = ()
    replaced: Mapping[str, str] = field(default_factory=dict)


async def choose_final(
    desk: Desk, unit: str, state: State, vetoed: frozenset[str], before: str | None = None
) -> tuple[str, list[str]]:
    """Evaluate every missing pair of H_0 to H_T with the archive on D_evo, then take H*.

    Gives H* and the archive that counted. `before` is an earlier choice that a veto undid. Raises
    CallOpen.
    """
    archive = state.archived(vetoed)
    names = list(dict.fromkeys(state.chosen))
    await together(
        evaluate_evo(desk, unit, state, name, benchmark) for name in names for benchmark in archive
    )
    state.evo.demand(BASE, archive)
    epsilon = desk.settings.epsilon
    gone = state.barred(vetoed)
    alive = [name for name in names if name not in gone]
    pool = list(state.evo.compared(alive, BASE, archive).values())
    best = select_final(pool, epsilon)
    reason = f"highest released gain with no Delta above {epsilon}"
    rows = tuple(row(one, epsilon) for one in pool)
    used = state.used(vetoed)
    left = [] if before in (None, best.harness) else [NodeState(str(before), "discarded")]
    await desk.ctx.record(
        Decision(unit, "final", "promote", unit, rows, (best.harness,), reason, used),
        effects=[*left, NodeState(best.harness, "promoted")],
    )
    return best.harness, archive


async def fix(
    desk: Desk, unit: str, state: State, others: Mapping[str, State], chosen: str,
    archive: tuple[str, ...],
) -> Certified:  # fmt: skip
    """What will be certified, as people's vetoes stand right before the seal is opened.

    H* is chosen anew where it, or a counterfactual that it was chosen under, has been taken out
    since; a comparison method whose last harness has been taken out is left with H_0.
    """
    said = await desk.ctx.point(unit, "seal")
    replaced: dict[str, str] = {}
    if chosen in state.barred(said.vetoed) or not said.vetoed.isdisjoint(archive):
        best, left = await choose_final(desk, unit, state, said.vetoed, chosen)
        if best != chosen:
            replaced["chase"] = chosen
        chosen, archive = best, tuple(left)
    methods = {RAW: (BASE, state.harnesses[BASE])}
    vetoes = set(state.used(said.vetoed))
    for method, other in others.items():
        name, _ = other.eligible(said.vetoed, ())
        if name != other.current:
            replaced[method] = other.current
        methods[method] = (name, other.harnesses[name])
        vetoes.update(other.used(said.vetoed))
    methods["chase"] = (chosen, state.harnesses[chosen])
    return Certified(methods, archive, tuple(sorted(vetoes)), replaced)


async def open_seal(desk: Desk, unit: str, fixed: Certified) -> str:
    """Commit to what is certified before a single D_cert rollout; gives the hash."""
    methods: dict[str, Json] = {
        method: [name, harness.plain()] for method, (name, harness) in fixed.methods.items()
    }
    release = {} if desk.setup.release is None else desk.setup.release.splits
    placed = {**desk.setup.released.splits, **release}
    splits = {name: list(ids) for name, ids in placed.items()}
    body = canonical_json({"methods": methods, "archive": list(fixed.archive), "splits": splits})
    digest = sha256(body.encode())
    names = tuple(dict.fromkeys(name for name, _ in fixed.methods.values()))
    considered = tuple(
        {"method": m, "node": name}
        | ({"instead_of": fixed.replaced[m]} if m in fixed.replaced else {})
        for m, (name, _) in fixed.methods.items()
    )
    reason = f"certifies {digest}"
    await desk.ctx.record(
        Decision(unit, "seal", "open_seal", unit, considered, names, reason, fixed.vetoes)
    )
    return digest


async def certify(desk: Desk, unit: str, fixed: Certified) -> Sheet:
    """The whole certification matrix: every method under the archive, and B_0 where it is known."""
    await open_seal(desk, unit, fixed)
    sheet = Sheet(desk.tasks(SEALED_SPLIT))
    benchmarks = [*fixed.archive, *([NEUTRAL] if desk.setup.neutral is not None else [])]
    harnesses = dict(fixed.methods.values())
    for benchmark in benchmarks:
        await together(
            evaluate(desk, unit, sheet, one, benchmark, desk.settings.rollouts_cert)
            for one in harnesses.items()
        )
    return sheet


async def score_release(desk: Desk, unit: str, fixed: Certified) -> Mapping[str, Fraction]:
    """R of each harness on the separate release, once; empty where there is none (table 1)."""
    release = desk.setup.release
    if release is None:
        return {}
    sheet = Sheet(tuple(task.id for task in release.tasks))
    await together(
        evaluate(desk, unit, sheet, one, RELEASE, desk.settings.rollouts_cert)
        for one in dict(fixed.methods.values()).items()
    )
    names = {name for name, _ in fixed.methods.values()}
    return {name: sheet.rate(name, RELEASE) for name in names if sheet.scored(name, RELEASE)}


def results(
    desk: Desk, fixed: Certified, sheet: Sheet, release: Mapping[str, Fraction]
) -> dict[str, Json]:
    """Tables 1 and 2: scores, gains and Deltas of every method on D_cert, exact."""
    found: dict[str, Json] = {}
    for method, (name, _) in fixed.methods.items():
        if not sheet.measurable(name, BASE, fixed.archive):
            continue
        gains = sheet.gains(name, BASE, fixed.archive)
        rates = [sheet.rate(name, b) for b in fixed.archive]
        entry: dict[str, Json] = {
            "harness": name,
            "r_rel": str(rates[0]),
            "r_avg": str(sum(rates, Fraction(0)) / len(rates)),
            "r_min": str(min(rates)),
            **row(gains, desk.settings.epsilon),
            "g_min": str(gains.least),
        }
        if name in release:
            entry["r_release"] = str(release[name])
        if sheet.measurable(name, BASE, (REL, NEUTRAL)):
            known = sheet.gains(name, BASE, (REL, NEUTRAL))
            entry["r_0"] = str(sheet.rate(name, NEUTRAL))
            entry["g_0"] = str(known.gains[NEUTRAL])
            entry["delta_bs"] = str(known.destroyed(NEUTRAL))
        found[method] = entry
    return found


def composition_of(desk: Desk, state: State, archive: tuple[str, ...]) -> Composition | None:
    """K(A) by search over the protocols that the archive reaches; None where B_0 is not known."""
    if desk.setup.neutral is None:
        return None
    released = desk.setup.released

    def through(member: str) -> Callable[[Any], Any]:
        composition = next(m.composition for m in state.archive if m.id == member)
        return lambda p: composition.apply(released.with_protocol(p)).protocol

    steps = {m: through(m) for m in archive if m != REL}
    return shortest_composition(
        released.protocol,
        desk.setup.neutral.protocol,
        {REL: lambda p: p, **steps},
        most=MOST_PROTOCOLS,
    )


def guarantees(
    desk: Desk, state: State, archive: tuple[str, ...], gains: Gains | None
) -> dict[str, Json]:
    """The bounds with the run's own numbers, each with what it assumes.

    `gains` are H*'s on D_cert, None where no task has a score everywhere.
    """
    settings = desk.settings
    composition = composition_of(desk, state, archive)
    stated = settings.k if len(archive) > 1 else None
    k = stated if composition is None else composition.k
    n = 0 if gains is None else len(desk.tasks(SEALED_SPLIT)) - gains.missing
    found: dict[str, Json] = {
        "alpha": settings.alpha, "m": len(archive), "n": n, "rho": settings.rho, "k": k,
        "k_stated": composition is None and k is not None,
    }  # fmt: skip
    if gains is None:
        found["note"] = "no task of D_cert has a score under every benchmark; no bound"
    elif k is None:
        found["note"] = _why_unbounded(composition, archive)
    else:
        bounds = theorem_1(
            k=k, m=len(archive), n=n, alpha=settings.alpha, gamma=float(gains.gamma),
            least=float(gains.least), rho=settings.rho,
        )  # fmt: skip
        found |= {
            "s_delta": bounds.s_delta,
            "s_gain": bounds.s_gain,
            "delta_bs_at_most": bounds.destroyed,
            "g_0_at_least": bounds.gain,
            "vacuous_delta": bounds.vacuous_destroyed,
            "vacuous_gain": bounds.vacuous_gain,
        }
    return found | _search_guarantees(desk)


def _why_unbounded(composition: Composition | None, archive: Sequence[str]) -> str:
    if composition is None and len(archive) == 1:
        return "the archive holds B_rel alone, which composes to nothing else; no bound"
    if composition is None:
        return "B_0 is not known here and no k is stated; no bound"
    if not composition.complete:
        return f"{MOST_PROTOCOLS} protocols were searched for B_0 and not all; no bound"
    return "no composition of archived transformations gives B_0; no bound"


def _search_guarantees(desk: Desk) -> dict[str, Json]:
    """Theorems 2 and 3, where the searches' complexity is stated."""
    settings = desk.settings
    if settings.complexity is None:
        return {"stopping": "no complexity stated; no certificate"}
    sizes = {split: len(desk.tasks(split)) for split in ("evo", "disc")}
    r = search_width(sizes, settings.complexity, settings.alpha)
    fewest = min(len(desk.tasks(f"conf{t}")) for t in range(1, settings.rounds + 1))
    x = confirmation_width(settings.rounds, fewest, settings.alpha)
    epsilon = float(settings.epsilon)
    eta = epsilon + float(settings.gamma) + x if settings.eta == "theory" else float(settings.eta)
    bound = stopping_bound(eta, x, r)
    found: dict[str, Json] = {
        "r": r,
        "x": x,
        "stopping": bound,
        "stopping_vacuous": bound >= 2,
        "stopping_assumes": "H_t and b_t are empirical optima, which no search proves",
    }
    if settings.packing is not None:
        c, d = settings.packing
        gamma = margin(epsilon=epsilon, eta=eta, x=x)
        found["most_confirmations"] = most_confirmations(c=c, d=d, gamma=gamma, r=r)
    return found

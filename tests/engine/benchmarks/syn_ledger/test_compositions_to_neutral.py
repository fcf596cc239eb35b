"""K(A) over real manifests: how many archived transformations it takes to get to B_0."""

import pytest

from evoscope.engine.benchmarks.syn_ledger.environment import build
from evoscope.engine.benchmarks.syn_ledger.manifest import Manifest
from evoscope.engine.benchmarks.syn_ledger.model import FEATURES
from evoscope.engine.benchmarks.syn_ledger.operators import OPERATORS
from evoscope.engine.benchmarks.syn_ledger.reference import Change, neutralisations
from evoscope.engine.benchmarks.transform.composition import compose
from evoscope.engine.searches.chase.guarantees import shortest_composition

LEDGER = build(0)
FEW = LEDGER.released.splits["evo"][:4]
RELEASED = LEDGER.released.subset(FEW).protocol
NEUTRAL = LEDGER.neutral.subset(FEW).protocol
PHI = list(neutralisations(NEUTRAL).values())


def joint(*numbers: int) -> Change:
    def change(manifest: Manifest) -> Manifest:
        for number in numbers:
            manifest = PHI[number - 1](manifest)
        return manifest

    return change


def while_the_first_is_released(manifest: Manifest) -> Manifest:
    released = all(
        a.name == b.name
        for row, own in zip(manifest.placements, RELEASED.placements, strict=True)
        for a, b in zip(row, own, strict=True)
    )
    return PHI[1](manifest) if released else manifest


@pytest.mark.parametrize(
    ("archive", "k"),
    [
        ([joint(n) for n in range(1, 6)], 5),
        ([joint(1, 2), joint(3, 4, 5)], 2),
        ([joint(1, 2, 3), joint(3, 4, 5), joint(4, 5)], 2),
        ([joint(1), joint(2)], None),
        ([lambda manifest: NEUTRAL], 1),
        ([joint(1), while_the_first_is_released, joint(3, 4, 5)], 3),
    ],
)
def test_k_is_found_on_rendered_manifests(archive: list[Change], k: int | None) -> None:
    named = {"rel": lambda m: m, **{str(n): change for n, change in enumerate(archive)}}
    assert shortest_composition(RELEASED, NEUTRAL, named).k == k


def test_a_challengers_own_operators_never_give_the_neutral_benchmark() -> None:
    steps = [
        ("rename", {"style": "swap"}), ("set_depth", {"rule": "swap"}),
        ("reorder_results", {"order": "reverse"}), ("move_block", {"to": "swap"}),
        ("reserialise", {"to": "swap"}),
    ]  # fmt: skip
    found = [compose(OPERATORS, (name, dict(arguments))) for name, arguments in steps]
    assert {next(iter(step.declared)) for step in found} == set(FEATURES)

    def applied(number: int) -> Change:
        env = LEDGER.released.subset(FEW)
        return lambda m: found[number].apply(env.with_protocol(m)).protocol

    archive = {str(number): applied(number) for number in range(len(found))}
    assert shortest_composition(RELEASED, NEUTRAL, archive).k is None

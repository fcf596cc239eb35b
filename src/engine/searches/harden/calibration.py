"""How real records fare under a rubric: held-out ones that its author never saw (HARDEN, A.5.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...context import Context
from ...errors import CallFailed
from ...gates.realism import integer_scores, judge_realism, mean_score
from ...gates.ruling import Ruling
from ...gates.together import together
from ...model.core import Slot
from ...model.harden import Rubric
from ...model.llm import Json
from .registry import Source
from .requests import gate_request, numbered
from .research import UNIT
from .rubric import FrozenRubric
from .setup import HardenSetup

TARGET_RATE = Fraction(4, 5)
"""The share of a source's held-out records that should meet the rubric. It is reported, and
changes nothing: a rubric is never softened to reach it."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """One source: how many held-out records, how many met the rubric, the mean of their means."""

    source: str
    n: int
    met: int
    mean: Fraction | None

    def as_json(self) -> dict[str, Json]:
        """The row of a report."""
        rate = Fraction(self.met, self.n) if self.n else None
        return {
            "source": self.source,
            "n": self.n,
            "met": self.met,
            "met_rate": None if rate is None else str(rate),
            "mean_score": None if self.mean is None else str(self.mean),
            "target_met": rate is not None and rate >= TARGET_RATE,
        }


async def calibrate(
    ctx: Context, setup: HardenSetup, frozen: FrozenRubric, sources: Sequence[Source]
) -> list[Calibration]:
    """Audit every held-out record once, as a candidate would be. Raises CallOpen."""
    rubric = frozen.verified()[0]
    found = []
    for source in sources:
        asked = [
            _audit(ctx, setup, frozen, f"calibration/{source.id}", k, record)
            for k, record in enumerate(source.heldout)
        ]
        found.append(_summary(source.id, await together(asked), rubric))
    return found


async def _audit(
    ctx: Context, setup: HardenSetup, frozen: FrozenRubric, node: str, number: int, record: Json
) -> Ruling:
    rubric, rubric_json, profile = frozen.verified()
    data = {"rubric": rubric_json, "reference_profile": profile, "candidate": record}
    request = numbered(gate_request(setup.profiles["gates"], "harden/realism", data), number)
    try:
        completion = await ctx.complete(Slot(UNIT, "calibrate", node, number), request)
    except CallFailed as error:
        return Ruling("error", error.reason)
    return judge_realism(completion.text, rubric)


def _summary(source: str, rulings: Sequence[Ruling], rubric: Rubric) -> Calibration:
    means = []
    for ruling in rulings:
        detail = ruling.detail if isinstance(ruling.detail, dict) else {}
        raw = detail.get("scores")
        scores = integer_scores(rubric, raw if isinstance(raw, dict) else {})
        if not isinstance(scores, str):
            means.append(mean_score(scores))
    mean = sum(means, Fraction(0)) / len(means) if means else None
    return Calibration(source, len(rulings), sum(r.passed for r in rulings), mean)

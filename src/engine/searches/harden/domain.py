"""The domain analysis that all cases share: axes, frozen rubric, calibration (harden.md, 2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...benchmarks.base import Case
from ...canonical import canonical_json
from ...context import Context
from ...gates.together import together
from ...model.harden import Axis
from ...model.llm import Json
from .axes import read_catalogue
from .calibration import calibrate
from .registry import Source
from .research import find_axes, find_rubric
from .rubric import FrozenRubric, RubricReply, freeze
from .setup import HardenSetup


@dataclass(frozen=True, slots=True)
class Domain:
    """What the analysis found."""

    axes: tuple[Axis, ...]
    rubric: FrozenRubric


async def analyse(ctx: Context, setup: HardenSetup, cases: Sequence[Case]) -> dict[str, Json]:
    """Find axes and rubric, freeze and calibrate; the unit's result, for `restore`.

    Named texts of the run: axes, rubric, reference_profile, and corpus_digest where the corpus had
    to be shortened. Raises DataError with a clear reason, CallOpen.
    """
    axes: list[tuple[tuple[Axis, ...], str | None]] = []
    rubrics: list[tuple[RubricReply, Mapping[str, Json], tuple[Source, ...]]] = []

    async def first() -> None:
        axes.append(await find_axes(ctx, setup, cases))

    async def second() -> None:
        rubrics.append(await find_rubric(ctx, setup))

    await together([first(), second()])
    (catalogue, note), (rubric, profile, sources) = axes[0], rubrics[0]
    frozen = freeze(rubric, profile, calibrated=bool(sources))
    await ctx.save_text("axes", canonical_json({"axes": [axis.as_json() for axis in catalogue]}))
    await ctx.save_text("rubric", frozen.text)
    await ctx.save_text("reference_profile", frozen.profile_text)
    if note is not None:
        await ctx.save_text("corpus_digest", note)
    calibrations = await calibrate(ctx, setup, frozen, sources)
    return {
        "axes": [axis.as_json() for axis in catalogue],
        "rubric": frozen.text,
        "rubric_sha256": frozen.sha256,
        "reference_profile": frozen.profile_text,
        "reference_profile_sha256": frozen.profile_sha256,
        "rubric_status": "calibrated" if frozen.calibrated else "uncalibrated",
        "calibration": [entry.as_json() for entry in calibrations],
        "corpus_digest": note,
    }


def restore(result: Mapping[str, Json]) -> Domain:
    """The analysis back from its unit's result; raises DataError where a frozen text changed."""
    axes, _ = read_catalogue({"axes": result["axes"]})
    frozen = FrozenRubric(
        text=str(result["rubric"]),
        sha256=str(result["rubric_sha256"]),
        profile_text=str(result["reference_profile"]),
        profile_sha256=str(result["reference_profile_sha256"]),
        calibrated=result["rubric_status"] == "calibrated",
    )
    frozen.verified()
    return Domain(axes, frozen)

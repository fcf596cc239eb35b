"""Axis and rubric research: one call each, repaired with a program's findings (harden.md, 2)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ...benchmarks.base import Benchmark, Case
from ...context import Context
from ...errors import CallFailed, DataError, MalformedReply
from ...gates.reply import json_object, proposal
from ...model.core import Slot
from ...model.harden import Axis
from ...model.llm import Completion, Finish, Json, Message, Request
from ...prompts import load_template
from .axes import read_catalogue
from .corpus import corpus
from .registry import Source, read_registry, records_hash
from .requests import numbered, research_params, structured_request
from .rubric import RubricReply, read_profile, read_rubric
from .setup import HardenSetup

UNIT = "domain"
"""The unit that holds the analysis which all cases share."""
MAX_STEPS = 30
"""A turn that pauses more often than this is taken as it stands."""
T = TypeVar("T")
Reader = Callable[[Json], tuple[T, list[str]]]


async def research(
    ctx: Context, setup: HardenSetup, purpose: str, data: Mapping[str, Json], read: Reader[T]
) -> T:
    """Ask the analysis model until `read` finds no fault, at most `repair_attempts` more times.

    Each further request carries the faults of the reply before. Raises DataError where they run
    out or the model refuses, CallOpen where a call could not be had yet.
    """
    profile, settings = setup.profiles["analysis"], setup.settings
    blocked = (*settings.blocked_terms, setup.benchmark.name)
    params = research_params(profile.params, web=settings.web_research, blocked=blocked)
    errors: list[str] = []
    for attempt in range(settings.repair_attempts + 1):
        asked = dict(data)
        if errors:
            asked["errors"] = list(errors)
        first = structured_request(profile, f"harden/{purpose}", asked, params=params)
        request = numbered(first, attempt)
        try:
            completion = await whole_turn(ctx, Slot(UNIT, purpose, reask=attempt), request)
            if completion.finish in (Finish.REFUSAL, Finish.CONTENT_FILTER):
                raise DataError(_hopeless(purpose, "the model refused"))
            found, errors = read(proposal(completion)[0])
        except CallFailed as error:
            raise DataError(_hopeless(purpose, error.message or error.reason)) from error
        except MalformedReply as error:
            errors = [str(error)]
        if not errors:
            return found
    raise DataError(_hopeless(purpose, "; ".join(errors[:3])))


async def whole_turn(ctx: Context, slot: Slot, request: Request) -> Completion:
    """The completion of a turn that a provider may pause while it searches the web: each
    continuation is a further step of the same slot. Raises CallFailed, CallOpen."""
    for step in range(MAX_STEPS):
        completion = await ctx.complete(replace(slot, step=step), request)
        if completion.finish is not Finish.PAUSE:
            break
        turn = Message("assistant", completion.text, raw=completion.raw_turn)
        request = replace(request, messages=(*request.messages, turn))
    return completion


async def find_axes(
    ctx: Context, setup: HardenSetup, cases: Sequence[Case]
) -> tuple[tuple[Axis, ...], str | None]:
    """The catalogue of axes: the user's, or one call over the sampled corpus; and the note of the
    corpus's digest, if it had to be one. Raises DataError, CallOpen."""
    if setup.axes_text is not None:
        return read_file("harden.axes", setup.axes_text, read_catalogue), None
    entries, note = corpus(cases, setup.settings.corpus_limit)
    data: dict[str, Json] = {
        "task": dict(setup.benchmark.describe()),
        "grader": grader_of(setup.benchmark),
        "seeds": list(seeds()),
        "cases": entries,
    }
    if note is not None:
        data["corpus"] = note
    return await research(ctx, setup, "axes", data, read_catalogue), note


async def find_rubric(
    ctx: Context, setup: HardenSetup
) -> tuple[RubricReply, Mapping[str, Json], tuple[Source, ...]]:
    """The rubric, its reference profile, and the sources it rests on (none: uncalibrated).

    The user's files, or one call that sees the task's description and sources: never a case, a
    label, a mutation or a score. Raises DataError, CallOpen.
    """
    blocked = (*setup.settings.blocked_terms, setup.benchmark.name)
    sources: tuple[Source, ...] = ()
    if setup.sources_text is not None:
        read = lambda value: read_registry(value, blocked)  # noqa: E731
        sources = read_file("harden.sources", setup.sources_text, read)
    if setup.rubric_text is not None:
        rubric = read_file("harden.rubric", setup.rubric_text, lambda v: _rubric(v, sources))
        profile = setup.profile_text or '{"note": "no reference profile was given"}'
        return (
            rubric,
            read_file("harden.reference_profile", profile, lambda v: read_profile(v, ())),
            sources,
        )
    data: dict[str, Json] = {
        "task": dict(setup.benchmark.describe()),
        "sources": [source.for_research() for source in sources],
    }
    web = setup.settings.web_research and not sources
    return await research(
        ctx, setup, "rubric", data, lambda value: _whole_rubric(value, sources, web, blocked)
    )


def read_file(key: str, text: str, read: Reader[T]) -> T:
    """A user's JSON file by the same rules as a model's reply; raises DataError with all faults."""
    try:
        found, errors = read(json_object(text))
    except MalformedReply as error:
        raise DataError(f"{key}: {error}; correct the file") from None
    if errors:
        raise DataError(f"{key}: {'; '.join(errors)}; correct the file")
    return found


def seeds() -> list[str]:
    """The generic ideas that axis research reads before the cases."""
    text = load_template("harden/seeds").user
    return [line.removeprefix("- ") for line in text.split("\n") if line.startswith("- ")]


def grader_of(benchmark: Benchmark) -> str:
    """How answers are graded, in the benchmark's own words."""
    said = benchmark.describe().get("grader")
    return said if isinstance(said, str) else "Answers are compared with the expected output."


def _rubric(value: Json, sources: Sequence[Source]) -> tuple[RubricReply, list[str]]:
    rubric, errors = read_rubric(value, sources)
    return rubric, errors  # type: ignore[return-value]


def _whole_rubric(
    value: Json, sources: tuple[Source, ...], web: bool, blocked: Sequence[str]
) -> tuple[tuple[RubricReply, Mapping[str, Json], tuple[Source, ...]], list[str]]:
    """A rubric reply with its profile and, after a web search, the sources it found."""
    parts = value if isinstance(value, dict) else {}
    errors: list[str] = []
    if web:
        sources, errors = read_registry(_hashed(parts.get("sources")), blocked)
    profile, profile_errors = read_profile(parts.get("reference_profile"), sources)
    rubric, rubric_errors = _rubric(value, sources)
    return (rubric, profile, sources), [*errors, *rubric_errors, *profile_errors]


def _hashed(listed: Json) -> dict[str, Json]:
    """Sources that a model found, with the hash of their records: no model computes it."""
    sources: list[Json] = []
    for source in listed if isinstance(listed, list) else []:
        records = source.get("records") if isinstance(source, dict) else None
        if isinstance(source, dict) and isinstance(records, list):
            sources.append({**source, "sha256": records_hash(records)})
        else:
            sources.append(source)
    return {"sources": sources}


def _hopeless(purpose: str, why: str) -> str:
    what = "axes" if purpose == "axes" else "realism rubric"
    return (
        f"domain analysis: no usable {what}: {why}; give harden.{purpose} a file of your own, or "
        "another analysis model"
    )

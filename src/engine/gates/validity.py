"""Validity: a candidate is a well-formed case in which only mutable parts changed
(HARDEN, Eq. 1 and A.5.1)."""

from collections.abc import Collection, Mapping

from ..benchmarks.base import Benchmark, Case
from ..canonical import canonical_json
from ..errors import DataError
from ..model.llm import Json
from .ruling import Ruling


def build_candidate(
    benchmark: Benchmark, parent: Case, changes: Mapping[str, Json], siblings: Collection[str]
) -> tuple[Case | None, Ruling]:
    """The candidate that `changes` make of its parent, and the gate's verdict on it.

    `siblings` holds the fingerprints of the valid candidates before it. None where the candidate
    fails: an immutable part changed, a schema or type broke, the benchmark's own check complains,
    or it equals its parent or a sibling.
    """
    try:
        candidate = benchmark.with_fields(parent, changes)
    except DataError as error:
        return None, Ruling("fail", str(error))
    problem = (
        immutable_problem(benchmark, parent, candidate)
        or next(iter(benchmark.validate(candidate)), None)
        or repeat_problem(parent, candidate, siblings)
    )
    if problem:
        return None, Ruling("fail", problem)
    return candidate, Ruling("pass")


def fingerprint(case: Case) -> str:
    """A case's inputs as one canonical text: equal texts are equal candidates."""
    return canonical_json(dict(case.fields))


def immutable_problem(benchmark: Benchmark, parent: Case, candidate: Case) -> str | None:
    """Which immutable part differs from the parent's, byte for byte; None if none does."""
    for name, (old, new) in _immutable_parts(benchmark, parent, candidate).items():
        if old is not new and canonical_json(old) != canonical_json(new):
            return f"the immutable part {name} differs from the parent's"
    return None


def repeat_problem(parent: Case, candidate: Case, siblings: Collection[str]) -> str | None:
    """Whether the candidate repeats its parent or a sibling, in words; None if it is new."""
    own = fingerprint(candidate)
    if own == fingerprint(parent):
        return "identical to the parent"
    return "identical to a sibling" if own in siblings else None


def _immutable_parts(
    benchmark: Benchmark, parent: Case, candidate: Case
) -> dict[str, tuple[Json, Json]]:
    names = sorted({*parent.fields, *candidate.fields} - set(benchmark.mutable))
    parts = {name: (parent.fields.get(name), candidate.fields.get(name)) for name in names}
    parts["id"] = (parent.id, candidate.id)
    parts["expected output"] = (parent.expected, candidate.expected)
    parts["metadata"] = (dict(parent.metadata), dict(candidate.metadata))
    parts["source record"] = (parent.source, candidate.source)
    return parts

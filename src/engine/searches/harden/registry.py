"""The sources that a realism rubric rests on: external families and real records, never the target
(HARDEN, A.5.2)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from ...canonical import canonical_json
from ...gates.reply import Reply, Text, problems
from ...model.llm import Json

SAMPLE_SIZE = 5
"""At most so many probe and so many held-out records of one source are used."""


class SourceReply(Reply):
    """One source as a file or a researcher lists it; `records` are inputs without labels."""

    id: Text
    name: str = ""
    family: Text
    kind: Literal["benchmark", "primary_real_world"]
    is_target_family: Literal[False]
    url: Text
    revision: Text
    licence: Text
    lineage: Text
    sha256: Text
    records: Annotated[list[Any], Field(min_length=2)]


class RegistryReply(Reply):
    """The list of all sources."""

    sources: Annotated[list[SourceReply], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Source:
    """A validated source with its disjoint probe and held-out records."""

    id: str
    family: str
    kind: Literal["benchmark", "primary_real_world"]
    facts: dict[str, Json]
    probe: tuple[Json, ...]
    heldout: tuple[Json, ...]

    def for_research(self) -> dict[str, Json]:
        """What the rubric call sees of the source: never its held-out records."""
        return {**self.facts, "records": list(self.probe)}


def read_registry(value: Json, blocked: Sequence[str] = ()) -> tuple[tuple[Source, ...], list[str]]:
    """The sources of a registry in its order, and all that is wrong with it.

    Wrong is: a missing part, an id given twice, the target's family (one of the names in `blocked`
    in a source's id, name, family, URL or lineage), a hash that is not the SHA-256 of the records'
    canonical JSON, fewer than two benchmark families, no primary real-world source.
    """
    try:
        reply = RegistryReply.model_validate(value)
    except ValidationError as error:
        return (), problems(error)
    found = [problem for source in reply.sources for problem in _problems(source, blocked)]
    ids = [source.id for source in reply.sources]
    found += [
        f"source {name} is listed twice" for name in sorted({i for i in ids if ids.count(i) > 1})
    ]
    found += _coverage_problems(reply.sources)
    return tuple(_source(source) for source in reply.sources), found


def records_hash(records: Sequence[object]) -> str:
    """SHA-256 of the records' canonical JSON: what a registry states for its snapshot."""
    return hashlib.sha256(canonical_json(list(records)).encode()).hexdigest()


def evidenced(sources: Sequence[Source], cited: Sequence[str]) -> bool:
    """Whether a blocking flag's evidence is enough: two independent families, or a benchmark
    family and a primary source."""
    own = [source for source in sources if source.id in cited]
    kinds = {source.kind for source in own}
    return len({source.family for source in own}) >= 2 or len(kinds) == 2


def split_records(records: Sequence[Json]) -> tuple[tuple[Json, ...], tuple[Json, ...]]:
    """Disjoint probe and held-out records, by the order of their hashes: every second one."""
    unique = {records_hash([record]): record for record in records}
    ranked = [unique[key] for key in sorted(unique)]
    return tuple(ranked[0::2][:SAMPLE_SIZE]), tuple(ranked[1::2][:SAMPLE_SIZE])


def _problems(source: SourceReply, blocked: Sequence[str]) -> list[str]:
    found = []
    known = records_hash(source.records)
    if source.sha256.lower() != known:
        found.append(f"source {source.id}: sha256 is not that of its records, which is {known}")
    if len(split_records(source.records)[1]) == 0:
        found.append(f"source {source.id}: needs two different records, to probe and to hold out")
    texts = (source.id, source.name, source.family, source.url, source.lineage)
    for name in blocked:
        if any(name.casefold() in text.casefold() for text in texts):
            found.append(f"source {source.id}: belongs to the excluded family {name}")
    return found


def _coverage_problems(sources: Sequence[SourceReply]) -> list[str]:
    found = []
    if len({source.family for source in sources if source.kind == "benchmark"}) < 2:
        found.append("at least two independent benchmark families are needed")
    if not any(source.kind == "primary_real_world" for source in sources):
        found.append("at least one primary real-world source is needed")
    return found


def _source(reply: SourceReply) -> Source:
    facts: dict[str, Json] = reply.model_dump(exclude={"records"})
    probe, heldout = split_records(reply.records)
    return Source(reply.id, reply.family, reply.kind, facts, probe, heldout)

"""The operators that a Challenger may use on Syn-Ledger's protocol.

Each acts on the manifest alone, by one rule for all documents of all tasks. Which documents are
evidence is not in a manifest, so no operator can follow it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from ..transform.operators import Operator, OperatorArguments, catalogue
from .manifest import (
    FORMATS,
    Manifest,
    Placement,
    block_start,
    early_name,
    late_name,
    other_format,
)
from .model import WINDOW, rank_of
from .words import DEEP, SHALLOW

Seed: TypeAlias = Annotated[int, Field(ge=0, le=999)]
Row: TypeAlias = tuple[Placement, ...]
MAX_DEPTH = 5


class Rename(OperatorArguments):
    """`style`: early (short, sorts early), late (long, sorts late), swap, or mixed by a seed."""

    style: Literal["early", "late", "swap", "mixed"]
    seed: Seed = 0


class SetDepth(OperatorArguments):
    """`rule`: uniform puts all files `depth` folders deep, swap exchanges shallow and deep, mixed
    takes a depth up to `depth` by a seed."""

    rule: Literal["uniform", "swap", "mixed"]
    depth: Annotated[int, Field(ge=0, le=MAX_DEPTH)] = 2
    seed: Seed = 0


class ReorderResults(OperatorArguments):
    """`order`: reverse, by_name, or shuffled by a seed."""

    order: Literal["reverse", "by_name", "shuffled"]
    seed: Seed = 0


class MoveBlock(OperatorArguments):
    """`to`: the first window, the continuation, swap, or mixed by a seed."""

    to: Literal["first", "continuation", "swap", "mixed"]
    seed: Seed = 0


class Reserialise(OperatorArguments):
    """`to`: one form for all, swap (tables become text and text becomes tables), or mixed."""

    to: Literal["table", "csv", "keyvalue", "swap", "mixed"]
    seed: Seed = 0


def _each(manifest: Manifest, change: Callable[[Placement], Placement]) -> Manifest:
    return _rows(manifest, lambda row: tuple(change(placement) for placement in row))


def _rows(manifest: Manifest, change: Callable[[Row], Row]) -> Manifest:
    return replace(manifest, placements=tuple(change(row) for row in manifest.placements))


def _coin(kind: str, seed: int, code: str) -> bool:
    return bool(rank_of(kind, seed, code) & 1)


def rename(arguments: Rename, manifest: Manifest) -> Manifest:
    """Give every file a name of the chosen style; names stay unique, since codes are."""

    def renamed(p: Placement) -> Placement:
        early = {
            "early": True,
            "late": False,
            "swap": p.name != early_name(p.code),
            "mixed": _coin("rename", arguments.seed, p.code),
        }[arguments.style]
        return replace(p, name=early_name(p.code) if early else late_name(p.code))

    return _each(manifest, renamed)


def set_depth(arguments: SetDepth, manifest: Manifest) -> Manifest:
    """Put every file into a folder of the chosen depth."""

    def moved(p: Placement) -> Placement:
        if arguments.rule == "swap":
            return replace(p, folder=DEEP if p.folder == SHALLOW else SHALLOW)
        depth = arguments.depth
        if arguments.rule == "mixed":
            depth = rank_of("depth", arguments.seed, p.code) % (arguments.depth + 1)
        return replace(p, folder=_folder(depth))

    return _each(manifest, moved)


def _folder(depth: int) -> str:
    names = (*DEEP.split("/"), "closed", "sealed")
    return "/".join(names[: depth + 1])


def reorder_results(arguments: ReorderResults, manifest: Manifest) -> Manifest:
    """Give the documents of each task another order among equally good broad results."""

    def reordered(row: Row) -> Row:
        order = sorted(range(len(row)), key=lambda i: _order_key(arguments, row[i]))
        return tuple(replace(p, rank=order.index(i)) for i, p in enumerate(row))

    return _rows(manifest, reordered)


def _order_key(arguments: ReorderResults, placement: Placement) -> tuple[int, str]:
    if arguments.order == "reverse":
        return -placement.rank, ""
    if arguments.order == "by_name":
        return 0, placement.name
    return rank_of("shuffle", arguments.seed, placement.code), ""


def move_block(arguments: MoveBlock, manifest: Manifest) -> Manifest:
    """Put the candidate block of every document into the chosen window."""

    def moved(p: Placement) -> Placement:
        first = {
            "first": True,
            "continuation": False,
            "swap": p.start >= WINDOW,
            "mixed": _coin("block", arguments.seed, p.code),
        }[arguments.to]
        return replace(p, start=block_start(p.code, p.size, first))

    return _each(manifest, moved)


def reserialise(arguments: Reserialise, manifest: Manifest) -> Manifest:
    """Write the records of every document in the chosen form."""

    def written(p: Placement) -> Placement:
        if arguments.to == "swap":
            return replace(p, format=other_format(p.code) if p.format == "table" else "table")
        if arguments.to == "mixed":
            return replace(p, format=FORMATS[rank_of("form", arguments.seed, p.code) % 3])
        return replace(p, format=arguments.to)

    return _each(manifest, written)


OPERATORS = catalogue(
    Operator(
        "rename", "identifiers", frozenset({"name"}),
        "Rename all files by one rule.", Rename, rename,
    ),
    Operator(
        "set_depth", "layout", frozenset({"depth"}),
        "Move all files to folders of another depth.", SetDepth, set_depth,
    ),
    Operator(
        "reorder_results", "order", frozenset({"rank"}),
        "Change the order of equally good results of broad searches.",
        ReorderResults, reorder_results,
    ),
    Operator(
        "move_block", "layout", frozenset({"position"}),
        "Move the block of candidate records within all files.", MoveBlock, move_block,
    ),
    Operator(
        "reserialise", "serialisation", frozenset({"format"}),
        "Write the records of all files in another form.", Reserialise, reserialise,
    ),
)  # fmt: skip

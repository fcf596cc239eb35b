"""The operators that a Challenger may use on a corpus's protocol."""

from dataclasses import replace
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from ..transform.operators import Operator, OperatorArguments, catalogue
from .passages import LENGTH
from .protocol import Protocol

Seed: TypeAlias = Annotated[int, Field(ge=0, le=999)]


class AliasIdentifiers(OperatorArguments):
    """`style`: numbered (D0001 in an order by the seed) or hashed."""

    style: Literal["numbered", "hashed"]
    seed: Seed = 0


class ReencodeResults(OperatorArguments):
    """`field` that the text moves into, and the placement that stands beside it."""

    field: Literal["table_context", "passage", "body"] = "table_context"
    placement: Literal["before", "after", "inside"] = "before"


class ShiftBoundaries(OperatorArguments):
    """`lines` by which inner passage boundaries move."""

    lines: Annotated[int, Field(ge=1, lt=LENGTH)]


class AliasTools(OperatorArguments):
    """`style` of the names, and `what` gets them: the tools, their fields, or both."""

    style: Literal["verbose", "terse"]
    what: Literal["tools", "fields", "both"] = "both"


class ReorderEnumeration(OperatorArguments):
    """`what` is reordered: the list of documents, the results of a search, or both."""

    what: Literal["documents", "results", "both"]
    order: Literal["reverse", "shuffled"]
    seed: Seed = 0


class RelocateContext(OperatorArguments):
    """`to`: unit and note lines around tables are collected before or after a result's text."""

    to: Literal["before", "after"]


def alias_identifiers(arguments: AliasIdentifiers, protocol: Protocol) -> Protocol:
    """Show documents under other identifiers."""
    return replace(protocol, identifiers=(arguments.style, arguments.seed))


def reencode_results(arguments: ReencodeResults, protocol: Protocol) -> Protocol:
    """Nest each search result's text."""
    return replace(protocol, encoding=(arguments.field, arguments.placement))


def shift_boundaries(arguments: ShiftBoundaries, protocol: Protocol) -> Protocol:
    """Cut passages elsewhere."""
    return replace(protocol, boundaries=arguments.lines)


def alias_tools(arguments: AliasTools, protocol: Protocol) -> Protocol:
    """Give tools and fields other names."""
    if arguments.what != "fields":
        protocol = replace(protocol, tools=arguments.style)
    return protocol if arguments.what == "tools" else replace(protocol, fields=arguments.style)


def reorder_enumeration(arguments: ReorderEnumeration, protocol: Protocol) -> Protocol:
    """List documents, or results, in another order."""
    order = (arguments.order, arguments.seed)
    if arguments.what != "results":
        protocol = replace(protocol, documents=order)
    return protocol if arguments.what == "documents" else replace(protocol, results=order)


def relocate_context(arguments: RelocateContext, protocol: Protocol) -> Protocol:
    """Collect lines around tables."""
    return replace(protocol, context=arguments.to)


OPERATORS = catalogue(
    Operator(
        "alias_identifiers", "identifiers", frozenset({"identifiers"}),
        "Show all documents under other identifiers.", AliasIdentifiers, alias_identifiers,
    ),
    Operator(
        "reencode_results", "serialisation", frozenset({"encoding"}),
        "Move the text of every search result into a nested field.",
        ReencodeResults, reencode_results,
    ),
    Operator(
        "shift_boundaries", "layout", frozenset({"boundaries"}),
        "Move the boundaries between passages by some lines.", ShiftBoundaries, shift_boundaries,
    ),
    Operator(
        "alias_tools", "tool schema", frozenset({"tools", "fields"}),
        "Give the tools, their arguments and the fields of replies other names.",
        AliasTools, alias_tools,
    ),
    Operator(
        "reorder_enumeration", "order", frozenset({"documents", "results"}),
        "List documents, or the results of a search, in another order.",
        ReorderEnumeration, reorder_enumeration,
    ),
    Operator(
        "relocate_context", "layout", frozenset({"context"}),
        "Collect unit lines and notes around tables before or after a result's text.",
        RelocateContext, relocate_context,
    ),
)  # fmt: skip

"""Whether a reply came from where the request was pinned to."""

import re

from ..model.llm import RawReply, Request
from .wire_errors import WireErrors

_DATE = re.compile(r"[-@](\d{8}|\d{4}-\d{2}-\d{2})$")


def check_route(
    request: Request,
    served_model: str | None,
    served_provider: str | None,
    reply: RawReply,
    errors: WireErrors,
) -> None:
    """Raises ROUTE_MISMATCH where a pinned route was not kept or cannot be verified."""
    if request.route is None:
        return
    check_model(request, served_model, reply, errors)
    wanted = request.route.providers
    if not wanted:
        return
    if served_provider is None:
        raise errors.route_mismatch(
            f"asked for {', '.join(wanted)}, but the reply does not say who served it",
            reply.headers,
        )
    if _provider(served_provider) not in {_provider(name) for name in wanted}:
        raise errors.route_mismatch(
            f"asked for {', '.join(wanted)}, served by {served_provider}", reply.headers
        )


def check_model(request: Request, served: str | None, reply: RawReply, errors: WireErrors) -> None:
    """Raises ROUTE_MISMATCH where another model answered than the one asked for, or none named."""
    if served is None or not same_model(request.model, served):
        raise errors.route_mismatch(
            f"asked for model {request.model}, served by {served or 'an unnamed one'}",
            reply.headers,
        )


def same_model(asked: str, served: str) -> bool:
    """Equal but for case, a `:variant`, `-latest` and the date of a dated version of the same name.

    A router may name the words of a model in another order (claude-4-sonnet, claude-sonnet-4).
    """
    if _words(asked) == _words(served):
        return True
    return not _DATE.search(_bare(asked)) and _words(asked) == _words(_DATE.sub("", _bare(served)))


def _bare(model: str) -> str:
    return model.lower().split(":", 1)[0].removesuffix("-latest")


def _words(model: str) -> list[str]:
    return sorted(re.split(r"[-./@_]", _bare(model)))


def _provider(name: str) -> str:
    """One spelling for slugs and display names: `deepinfra/fp8`, `Z.AI` and `NovitaAI`."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower().split("/", 1)[0])
    return plain.removesuffix("ai") or plain

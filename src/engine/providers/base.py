"""The one protocol that every provider speaks."""

from typing import Protocol

from ..model.llm import Completion, RawReply, Request


class Provider(Protocol):
    """Sends one request once. Retries, limits and budgets belong to `engine.calls`."""

    name: str
    free: bool
    """True where a call costs nothing (offline): no intent is written ahead of it."""

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        """One attempt: the raw body of a whole answer.

        Raises ProviderError for everything else, an error inside a 200 included.
        """
        ...

    def parse(self, reply: RawReply, request: Request) -> Completion:
        """The completion in a stored reply; pure, the same for every replay.

        Raises ProviderError (PERMANENT, TRANSIENT or ROUTE_MISMATCH) where the body is no result.
        """
        ...

    def estimate_input_tokens(self, request: Request) -> int:
        """A rough upper estimate for budget reservations, without a request."""
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...

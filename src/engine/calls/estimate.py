"""What a request will use and cost, before it is sent."""

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from ..model.llm import Request, Usage
from .budget import Estimate
from .headers import Need
from .prices import Prices

DEFAULT_MAX_TOKENS = 16_384
"""Assumed where a request leaves the output open: the paper's own cap for gates."""

ENOUGH = 20
PERCENTILE = 95


@dataclass(frozen=True, slots=True)
class Forecast:
    """Tokens and money of one request."""

    need: Need
    estimate: Estimate


class Estimator:
    """Reserve = counted input + the role's 95th percentile of output so far.

    Until 20 outputs of the role and model are known, the output limit stands in. Percentiles are
    by nearest rank.
    """

    def __init__(self, prices: Prices) -> None:
        self._prices = prices
        self._outputs: defaultdict[tuple[str, str], list[int]] = defaultdict(list)

    def observe(self, role: str, model: str, outputs: Iterable[int]) -> None:
        """Learn output token counts: of a completion, or of a run's earlier calls."""
        known = self._outputs[role, model]
        for tokens in outputs:
            insort(known, tokens)

    def forecast(self, request: Request, input_tokens: int) -> Forecast:
        """Tokens and money that the request is expected to take, and at worst."""
        cap = request.params.max_tokens or DEFAULT_MAX_TOKENS
        output = self._expected_output(request, cap)
        return Forecast(
            Need(float(input_tokens), float(output)),
            Estimate(
                reserve=self._cost(request, input_tokens, output),
                worst=self._cost(request, input_tokens, cap),
            ),
        )

    def _expected_output(self, request: Request, cap: int) -> int:
        known = self._outputs[request.role, request.model]
        if len(known) < ENOUGH:
            return cap
        rank = -(-PERCENTILE * len(known) // 100)
        return min(cap, known[rank - 1])

    def _cost(self, request: Request, ingoing: int, outgoing: int) -> Decimal | None:
        return self._prices.cost(
            request.provider, request.model, Usage(input=ingoing, output=outgoing)
        )

"""The write-ahead ledger of calls: intent before the request, result before its use."""

import json
from decimal import Decimal

from .calls.ledger import AttemptRow
from .canonical import canonical_json, completion_hash, request_hash, request_parts
from .clock import utc_now
from .model.core import Slot
from .model.llm import Completion, ParamsReport, RawReply, Request
from .store.memory import KnownCall, UnitMemory
from .store.rows import clean
from .store.writer import Write, Writer

OPEN_CALL = (
    "INSERT INTO call(slot, unit, purpose, node, number, role, provider, model, request_hash, "
    "request_blob, status, estimate, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT(slot) DO UPDATE SET status = excluded.status, estimate = excluded.estimate"
)
SETTLE = (
    "UPDATE call SET status = 'completed', reply_blob = ?, fact = ?, finish = ?, served_model = ?, "
    "served_provider = ?, request_id = ?, input_tokens = ?, cached_input_tokens = ?, "
    "cache_write_tokens = ?, output_tokens = ?, reasoning_tokens = ?, cost = ?, cost_source = ?, "
    "params = ?, latency_s = ?, done = ? WHERE slot = ?"
)
FAIL = "UPDATE call SET status = 'failed', fact = ?, failure = ?, done = ? WHERE slot = ?"
STATUS = "UPDATE call SET status = ? WHERE slot = ? AND status NOT IN ('completed', 'failed')"
ATTEMPT = (
    "INSERT INTO attempt(slot, at, outcome, status, wait_s, maybe_paid, estimate, message) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)


class StoreLedger:
    """Implements `calls.ledger.CallLedger`; keeps the units' memories in step with the file."""

    def __init__(self, writer: Writer, memories: dict[str, UnitMemory]) -> None:
        self._writer, self._memories = writer, memories

    async def intend(self, slot: Slot, request: Request, estimate: Decimal | None) -> None:
        """Write the call ahead; durable on return."""
        await self._writer.commit(*self._open(slot, request, "intended", estimate))

    def sent(self, slot: Slot) -> None:
        """The request leaves now; goes with the next commit."""
        self._writer.later(Write(STATUS, ("sent", slot.key)))

    def attempt(self, slot: Slot, row: AttemptRow) -> None:
        """One attempt ended without a result."""
        estimate = None if row.estimate is None else str(row.estimate)
        values = (
            slot.key, utc_now(), row.outcome, row.status, row.wait_s, int(row.maybe_paid),
            estimate, clean(row.message),
        )  # fmt: skip
        self._writer.later(Write(ATTEMPT, values), Write(STATUS, ("intended", slot.key)))

    async def settle(
        self, slot: Slot, request: Request, reply: RawReply, completion: Completion
    ) -> None:
        """Keep the result; durable on return, and only then may anything depend on it."""
        reply_blob, blob_writes = self._writer.blob(reply.body)
        fact = completion_hash(completion)
        usage, served = completion.usage, completion
        writes_5m, writes_1h = usage.cache_write_5m, usage.cache_write_1h
        cache_writes = (
            None if writes_5m is None and writes_1h is None else (writes_5m or 0) + (writes_1h or 0)
        )
        params = _params(completion.params)
        values = (
            reply_blob, fact, completion.finish.value, served.served_model, served.served_provider,
            reply.request_id, usage.input, usage.cached_input, cache_writes, usage.output,
            usage.reasoning, None if completion.cost is None else str(completion.cost),
            completion.cost_source, params, reply.latency_s, utc_now(), slot.key,
        )  # fmt: skip
        opening = self._open(slot, request, "sent", None) if self._is_new(slot) else ()
        await self._writer.commit(*opening, *blob_writes, Write(SETTLE, values))
        self._remember(slot, request, "completed", fact, None, params, reply)

    async def fail(self, slot: Slot, request: Request, reason: str, message: str) -> None:
        """Keep a permanent failure: a fact, served on replay."""
        failure = canonical_json([reason, clean(message)])
        opening = self._open(slot, request, "sent", None) if self._is_new(slot) else ()
        values = (f"failed:{reason}", failure, utc_now(), slot.key)
        await self._writer.commit(*opening, Write(FAIL, values))
        self._remember(slot, request, "failed", f"failed:{reason}", failure, None, None)

    def leave_open(self, slot: Slot, message: str) -> None:
        """The call could not be had yet; it stays open for a retry."""
        self._writer.later(Write(STATUS, ("open", slot.key)))

    def _is_new(self, slot: Slot) -> bool:
        return slot.key not in self._memories[slot.unit].calls

    def _open(
        self, slot: Slot, request: Request, status: str, estimate: Decimal | None
    ) -> tuple[Write, ...]:
        body_hash, blob_writes = self._writer.joined(request_parts(request))
        identity = request_hash(body_hash, request.sample)
        self._memories[slot.unit].calls[slot.key] = KnownCall(
            identity, body_hash, status, None, None, None, None, None, None
        )
        values = (
            slot.key, slot.unit, slot.purpose, slot.node, slot.number, request.role,
            request.provider, request.model, identity, body_hash, status,
            None if estimate is None else str(estimate), utc_now(),
        )  # fmt: skip
        return (*blob_writes, Write(OPEN_CALL, values))

    def _remember(
        self,
        slot: Slot,
        request: Request,
        status: str,
        fact: str,
        failure: str | None,
        params: str | None,
        reply: RawReply | None,
    ) -> None:
        calls = self._memories[slot.unit].calls
        known = calls[slot.key]
        calls[slot.key] = KnownCall(
            known.request_hash, known.request_blob, status, fact, failure, params,
            None if reply is None else reply.request_id, None, None,
            0.0 if reply is None else reply.latency_s,
        )  # fmt: skip


def _params(report: ParamsReport) -> str:
    return json.dumps({name: list(getattr(report, name)) for name in report.__slots__})

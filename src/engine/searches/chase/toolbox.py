"""One rollout's tools behind a harness's policies: what the host does with each call.

Policies speak the released benchmark's words; the variant's own names are translated both ways, so
that a renamed tool or document changes nothing about what a policy does.
"""

import json
import re
from collections.abc import Mapping, Sequence

from ...benchmarks.environment import CanonicalCall, Environment, ToolReply
from ...model.chase import Harness
from ...model.llm import Json

_PERIOD = re.compile(r"\b(?:FY)?(?:19|20)\d\d\b")
_WORD = re.compile(r"[\w'-]+")
SEARCH, READ, CALCULATE = "search", "open", "calculator"
"""The budget groups that policies know."""


class Toolbox:
    """Runs an agent's tool calls under the retrieval, tool and control policies of a harness.

    `calls` are the calls that reached the environment, in the released benchmark's words;
    `results` the number of results of the last search, None before there was one.
    """

    def __init__(self, harness: Harness, env: Environment, task: str) -> None:
        self._harness, self._env, self._task = harness, env, task
        self._session = env.session(task)
        self.calls: list[CanonicalCall] = []
        self.calculated = False
        self.failed = False
        self._begun: set[str] = set()

    @property
    def left(self) -> Mapping[str, int]:
        """Calls that remain, by budget group."""
        return self._session.left

    def call(self, name: str, arguments: Mapping[str, Json] | None) -> str:
        """What the agent reads as the answer to its call."""
        canonical = self._env.canonical_call(self._task, name, arguments or {})
        group = self._session.group(name)
        if canonical is None or group is None or arguments is None:
            reply = self._session.call(name, arguments)
        elif group == SEARCH and isinstance(canonical.arguments.get("query"), str):
            reply = self._search(canonical)
        elif group == READ:
            reply = self._read(canonical)
        else:
            reply = self._run(canonical)
        self.calculated = self.calculated or group == CALCULATE
        self.failed = not reply.ok
        return reply.text

    def _run(self, call: CanonicalCall) -> ToolReply:
        self.calls.append(call)
        name, arguments = self._env.presented_call(self._task, call)
        return self._session.call(name, arguments)

    def _search(self, call: CanonicalCall) -> ToolReply:
        policy = self._harness.retrieval
        query = self._rewritten(str(call.arguments["query"]))
        queries = self._by_period(query) if policy.by_period else [query]
        replies = [self._ask(call, one, policy.term_mode) for one in queries]
        wider = [r.n for r in self._harness.control if r.do == "search_any" and r.n is not None]
        below = max([policy.any_below or 0, *wider])
        if policy.term_mode == "all" and results_in(replies) < below and self.left[SEARCH] > 0:
            replies.append(self._ask(call, query, "any"))
        return joined(replies, in_turn=policy.merge == "in_turn", spread=policy.spread)

    def _ask(self, call: CanonicalCall, query: str, mode: str) -> ToolReply:
        arguments = {**call.arguments, "query": query, "mode": mode}
        if self._harness.retrieval.top_k is not None:
            arguments["limit"] = self._harness.retrieval.top_k
        return self._run(CanonicalCall(call.kind, arguments))

    def _rewritten(self, query: str) -> str:
        policy = self._harness.retrieval
        if policy.rewrite_while is None or self.left[SEARCH] < policy.rewrite_while:
            return query
        stop = {word.lower() for word in policy.stop_words}
        terms = [word for word in _WORD.findall(query) if word.lower() not in stop]
        kept = [word for word in terms if len(word) >= policy.shortest_term][: policy.most_terms]
        return " ".join(kept) or query

    def _by_period(self, query: str) -> list[str]:
        """One query for each period that the query names, as far as the calls reach."""
        periods = list(dict.fromkeys(_PERIOD.findall(query)))[: max(self.left[SEARCH], 1)]
        if len(periods) < 2:
            return [query]
        rest = _PERIOD.sub("", query)
        return [" ".join([*rest.split(), period]) for period in periods]

    def _read(self, call: CanonicalCall) -> ToolReply:
        document = next((str(v) for v in call.arguments.values() if isinstance(v, str)), "")
        reserved = self._harness.tools.reserved_reads
        if document not in self._begun and self.left[READ] <= reserved:
            text = f"the last {reserved} reads are kept for documents that were begun"
            return ToolReply({"error": text}, False, False)
        self._begun.add(document)
        reply = self._run(call)
        follows = reply.content.get("continues_at") if isinstance(reply.content, dict) else None
        on = any(rule.do == "read_on" for rule in self._harness.control)
        if not on or not reply.ok or follows is None or self.left[READ] < 1:
            return reply
        rest = self._run(CanonicalCall(call.kind, {**call.arguments, "start": follows}))
        return ToolReply({"parts": [reply.content, rest.content]}, rest.ok, True)


def _listed(reply: ToolReply) -> tuple[str, list[Json]]:
    """The reply's list of results, with the name that it has in this variant."""
    if isinstance(reply.content, dict):
        for name, value in reply.content.items():
            if isinstance(value, list):
                return name, value
    return "", []


def results_in(replies: Sequence[ToolReply]) -> int:
    """How many results there are, together."""
    return sum(len(_listed(reply)[1]) for reply in replies)


def joined(replies: Sequence[ToolReply], *, in_turn: bool, spread: bool) -> ToolReply:
    """Several searches' replies as one: each result once, behind each other or in turn.

    `spread` puts further results of a document, which its first text names, behind all first ones.
    """
    lists = [_listed(reply)[1] for reply in replies if reply.ok]
    if not lists or (len(lists) == 1 and not spread):
        return replies[0]
    order = [one for many in lists for one in many]
    if in_turn:
        longest = max(map(len, lists))
        order = [many[k] for k in range(longest) for many in lists if k < len(many)]
    once = list({json.dumps(one, sort_keys=True): one for one in order}.values())
    first = next(reply for reply in replies if reply.ok)
    content = dict(first.content) if isinstance(first.content, dict) else {}
    content[_listed(first)[0] or "results"] = _spread(once) if spread else once
    return ToolReply(content, True, True)


def _spread(results: Sequence[Json]) -> list[Json]:
    seen: set[str] = set()
    first: list[Json] = []
    later: list[Json] = []
    for result in results:
        values = result.values() if isinstance(result, dict) else [result]
        document = next((value for value in values if isinstance(value, str)), "")
        (later if document in seen else first).append(result)
        seen.add(document)
    return first + later

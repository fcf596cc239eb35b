"""What the tabs of the inspect page say of a node: a dossier in, entries out."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from ...engine.store.content import pretty
from ...engine.store.views import CallRow, NodeRow, RolloutRow, VerdictRow
from ..dossier import Dossier
from ..format import local_time, money, short
from ..glyphs import Glyphs
from ..lines import Line, Span, brief_middle, line_width, one, tidy
from ..searches.harden import STATE_STYLE, change_text, score_text
from ..text import clean_lines, fit
from ..widgets.diff import wrap_spans
from ..widgets.folding import Body, Entry
from .own import origin_text
from .tabs.ledger import OUTCOME_STYLE

PURPOSE = 20
"""Cells for what a call was for, where that is more than a word."""
Texts = Mapping[str, str]
"""Whole texts that have been read, by slot."""


def body_of(text: str, style: str = "") -> Body:
    """A text as a body: cleaned, wrapped at the width."""
    lines = clean_lines(text)

    @lru_cache(maxsize=1)
    def make(width: int) -> list[Line]:
        return [part for line in lines for part in wrap_spans(one(line, style), width)]

    return make


def verdict_entries(dossier: Dossier, glyphs: Glyphs) -> list[Entry]:
    """Gate by gate, every vote, with scores, what is missing, and the rationale."""
    return [
        _verdict(row, dossier.details.get(row.detail_hash or ""), glyphs)
        for row in dossier.verdicts
    ]


def _verdict(row: VerdictRow, detail: str | None, glyphs: Glyphs) -> Entry:
    sign = {"pass": glyphs.passed, "fail": glyphs.failed}.get(row.outcome, glyphs.abstained)
    vote = "" if row.vote is None else f"vote {row.vote + 1}"
    head: Line = (
        (fit(tidy(row.gate), 12), f"gate.{row.gate}"),
        (fit(vote, 8), "dim"),
        (fit(f"{sign} {tidy(row.outcome)}", 10), OUTCOME_STYLE.get(row.outcome, "")),
        (f"{tidy(row.by)}  ", "dim"),
        (tidy(row.reason), ""),
    )
    key = f"v{row.seq}"
    return Entry(key, head, _detail(detail)) if detail else Entry(key, head, None, 1)


def _detail(text: str) -> Body:
    try:
        value = json.loads(text)
    except ValueError:
        return body_of(text)
    if not isinstance(value, dict):
        return body_of(pretty(text))
    parts = [
        f"{name}: {_inline(part)}" for name, part in value.items() if part not in (None, "", [])
    ]
    return body_of("\n".join(parts))


def _inline(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_inline(part)}" for name, part in value.items())
    if isinstance(value, list):
        return "; ".join(_inline(part) for part in value)
    return str(value)


def rollout_entries(dossier: Dossier, texts: Texts, glyphs: Glyphs, rollouts: int) -> list[Entry]:
    """Rollouts grouped by semantic class, the most frequent first; of several tasks, by task.

    Greedy ones stand apart, and fresh ones (number `rollouts` and up), which no selection saw.
    """
    entries: list[Entry] = []
    contexts = sorted(
        _by_context(dossier.rollouts, rollouts).items(), key=lambda pair: -len(pair[1])
    )
    for context, rows in contexts:
        entries.append(_context_head(context, rows))
        by_task = len({row.item for row in rows}) > 1
        for cls, group in _by_task(rows) if by_task else _by_class(rows):
            right = any(row.score for row in group)
            mark: Span = (f"{glyphs.passed if right else glyphs.failed} ", "ok" if right else "bad")
            name = "unparsed" if cls is None else tidy(cls)
            title: Line = (mark, (f"{len(group)}x  {name}", "bold"))
            entries.append(Entry(f"c{context}{cls}", title, None, 1))
            entries += [_rollout(row, texts, glyphs) for row in group]
    return entries


def _by_context(rows: Sequence[RolloutRow], rollouts: int) -> dict[str, list[RolloutRow]]:
    found: dict[str, list[RolloutRow]] = {}
    for row in rows:
        fresh = ", fresh" if row.sample >= rollouts else ""
        name = f"{row.context}, greedy" if row.greedy else f"{row.context}{fresh}"
        found.setdefault(name, []).append(row)
    return found


def _context_head(context: str, rows: Sequence[RolloutRow]) -> Entry:
    scores = [row.score for row in rows if row.score is not None]
    mean = f"  mean {float(sum(scores) / len(scores)):.2f}" if scores else ""
    return Entry(f"h{context}", ((tidy(context), "accent"), (f"  {len(rows)}{mean}", "dim")))


Group = tuple[str | None, list[RolloutRow]]


def _grouped(rows: Sequence[RolloutRow], name: Callable[[RolloutRow], str | None]) -> list[Group]:
    groups: dict[str | None, list[RolloutRow]] = {}
    for row in rows:
        groups.setdefault(name(row), []).append(row)
    return list(groups.items())


def _by_class(rows: Sequence[RolloutRow]) -> list[Group]:
    groups = _grouped(rows, lambda row: row.cls)
    return sorted(groups, key=lambda pair: (-len(pair[1]), str(pair[0])))


def _by_task(rows: Sequence[RolloutRow]) -> list[Group]:
    return _grouped(rows, lambda row: row.item)


def _rollout(row: RolloutRow, texts: Texts, glyphs: Glyphs) -> Entry:
    sample = "greedy" if row.greedy else f"#{row.sample}"
    score = "-" if row.score is None else f"{float(row.score):.2f}"
    tokens = "" if row.tokens is None else f"  {row.tokens} tokens"
    head: Line = (
        (fit(sample, 8), "dim"),
        (fit(score, 6), "ok" if row.score else "bad"),
        (tidy(row.parsed or row.outcome), ""),
        (tokens, "dim"),
    )
    if row.slot is None:
        return Entry(f"r{row.context}{row.item}{row.sample}", head, None, 3)
    return Entry(f"slot:{row.slot}", head, _response(texts.get(row.slot), row.parsed), 2)


def _response(text: str | None, parsed: str | None) -> Body:
    """A whole response, the line with the parsed answer marked."""
    if text is None:
        return lambda width: [one("reading ...", "dim")]
    lines = clean_lines(text)
    wanted = tidy(parsed).casefold() if parsed else ""
    hits = [place for place, line in enumerate(lines) if wanted and wanted in line.casefold()]

    @lru_cache(maxsize=1)
    def make(width: int) -> list[Line]:
        out: list[Line] = []
        for place, line in enumerate(lines):
            style = "pick" if hits and place == hits[-1] else ""
            out += wrap_spans(one(line, style), width)
        return out

    return make


def lineage_entries(
    dossier: Dossier, glyphs: Glyphs, score: Callable[[NodeRow], str] = score_text
) -> list[Entry]:
    """The chain of mutations, what each said it did, and the score after it; then decisions."""
    entries: list[Entry] = []
    before = None
    for row in dossier.chain:
        state = "vetoed" if row.vetoed else row.state
        style = STATE_STYLE.get(state, "")
        head: Line = (
            (f"{glyphs.of(state)} {tidy(row.id)}  ", style),
            (f"{state}  ", style),
            (f"{score(row)} {change_text(row.score, before)}  ", "accent"),
            (tidy(origin_text(row)), "dim"),
        )
        entries.append(
            Entry(f"n{row.id}", head, body_of(row.description) if row.description else None)
        )
        before = row.score
    for decision in dossier.decisions:
        head = (
            (f"{tidy(decision.kind)} {tidy(decision.step)}  ", "accent"),
            (f"chosen {len(decision.chosen)}", ""),
            (f"  without {len(decision.vetoes)} vetoed" if decision.vetoes else "", "bad"),
        )
        chosen, vetoed = ", ".join(decision.chosen), ", ".join(decision.vetoes)
        text = f"{decision.reason}\nchosen: {chosen}\nvetoed: {vetoed}"
        entries.append(Entry(f"d{decision.seq}", head, body_of(text)))
    return entries


def call_entries(dossier: Dossier, texts: Texts) -> list[Entry]:
    """Every call for the node: purpose, model, route, tokens, cost; opened: prompt and response."""
    wide = PURPOSE if any(len(row.purpose) > 10 for row in dossier.calls) else 10
    return [_call(row, texts, wide) for row in dossier.calls]


def _call(row: CallRow, texts: Texts, wide: int) -> Entry:
    served = "" if not row.served_provider else f" by {tidy(row.served_provider)}"
    cost = "" if row.cost is None else money(row.cost)
    head: Line = (
        (fit(brief_middle(tidy(row.purpose), wide - 1), wide), ""),
        (fit(str(row.number), 4), "dim"),
        (fit(tidy(row.status), 10), "ok" if row.status == "completed" else "warn"),
        (f"{tidy(row.served_model or row.model)}{served}  ", "dim"),
        (f"{short(row.input_tokens)} in {short(row.output_tokens)} out  {cost}", ""),
    )
    return Entry(f"slot:{row.slot}", head, _whole(texts.get(f"call:{row.slot}")))


def _whole(text: str | None) -> Body:
    return body_of(text) if text is not None else lambda width: [one("reading ...", "dim")]


def raw_text(dossier: Dossier) -> str:
    """The node as JSON."""
    row = dossier.node
    value = {
        "id": row.id, "unit": row.unit, "kind": row.kind, "group": row.group,
        "generation": row.generation, "index": row.index, "parents": list(row.parents),
        "origin": dict(row.origin), "state": row.state, "vetoed": row.vetoed,
        "score": None if row.score is None else str(row.score), "score_is_bound": row.bound,
        "entropy": row.entropy, "created": row.created, "description": row.description,
        "content": json.loads(pretty(dossier.contents[row.id]) or "null"),
    }  # fmt: skip
    return json.dumps(value, indent=2, ensure_ascii=False)


def title_line(
    dossier: Dossier, glyphs: Glyphs, width: int, score: Callable[[NodeRow], str] = score_text
) -> Line:
    """The node in one line; its time only where there is room for all of it."""
    row = dossier.node
    state = "vetoed" if row.vetoed else row.state
    entropy = "" if row.entropy is None else f"  entropy {row.entropy:.3f}"
    parent = dossier.parent
    line: Line = (
        (f" {glyphs.of(state)} {tidy(row.id)} ", "bar bold"),
        (f" {state} ", f"bar {STATE_STYLE.get(state, '')}".strip()),
        (f" {score(row)} {change_text(row.score, parent.score if parent else None)}", "bar"),
        (f"{entropy}  {tidy(origin_text(row))}", "bar"),
    )
    dated: Line = (*line, (f"  {local_time(row.created, date=True)}", "bar"))
    return dated if line_width(dated) <= width else line

"""What the overview says of a cegar run: the pool's effect, its targets and calls."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ...engine.store.reader import Reader
from ...engine.store.status import RunStatus
from ..format import percent
from ..glyphs import Glyphs
from ..lines import Line, Span, tidy
from .cegar import delta_text


@dataclass(frozen=True, slots=True)
class Effect:
    """What the overview says first. `pool` are the standing pool's figures on training data.

    `labelled` and `tried` count tasks and starting operators of a baseline that is under way, each
    with how many there are.
    """

    pool: Mapping[str, Any] = field(default_factory=dict)
    states: Mapping[str, int] = field(default_factory=dict)
    ending: str = ""
    calls: int = 0
    limit: int | None = None
    labelled: tuple[int, int] = (0, 0)
    held: Any = None


_OF_THE_SEARCH = "unit IN (SELECT id FROM unit WHERE kind = 'target')"
_ADMITTED = (
    f"SELECT considered FROM decision WHERE kind = 'admit' AND {_OF_THE_SEARCH} ORDER BY seq DESC"
)
_REVISED = (
    "SELECT considered FROM decision WHERE kind = 'fallback' "
    "AND unit IN (SELECT id FROM unit WHERE kind = 'revision') ORDER BY seq DESC"
)
_ENDED = "SELECT json_extract(result, '$.ended'), state FROM unit WHERE kind = 'target'"
_COUNTS = (
    "SELECT (SELECT count(*) FROM matrix WHERE node = 'labels'), (SELECT count(*) FROM item), "
    f"(SELECT count(*) FROM call WHERE status = 'completed' AND {_OF_THE_SEARCH}), "
    "(SELECT reason FROM decision WHERE kind = 'stop')"
)


def read_effect(reader: Reader) -> Effect:
    """The pool's figures, targets by state, calls, and the held-out score where there is one."""
    admitted, standing = _admitted(reader), _standing(reader)
    revised = [json.loads(row[0])[0] for row in reader.rows(_REVISED)]
    scored = [one["pool"] for one in (*admitted, *revised) if "pool" in one]
    pools = (pool for pool in scored if sorted(pool["members"]) == standing)
    states: dict[str, int] = {}
    for ended, state in reader.rows(_ENDED):
        word = ended or state
        states[word] = states.get(word, 0) + 1
    labelled, tasks, calls, ending = reader.row(_COUNTS) or (0, 0, 0, None)
    config = _config(reader)
    return Effect(
        next(pools, {}),
        states,
        ending or "",
        calls,
        (config.get("cegar") or {}).get("calls"),
        (labelled, tasks),
        _held(reader, standing, config),
    )


def _admitted(reader: Reader) -> list[dict[str, Any]]:
    """What each admission considered, the newest first."""
    return [json.loads(row[0])[0] for row in reader.rows(_ADMITTED)]


def _standing(reader: Reader) -> list[str]:
    vetoed = {node for (node,) in reader.rows("SELECT id FROM node WHERE vetoed = 1")}
    return sorted({one["node"] for one in _admitted(reader)} - vetoed)


def _config(reader: Reader) -> dict[str, Any]:
    config: dict[str, Any] = json.loads(reader.meta().get("config", "{}"))
    return config


def read_ahead(reader: Reader) -> bool:
    """Read the held-out score, which takes seconds; whether there is another one since."""
    standing, config = _standing(reader), _config(reader)
    before = _held(reader, standing, config)
    return bool(_held(reader, standing, config, read=True) != before)


def _held(
    reader: Reader, standing: Sequence[str], config: dict[str, Any], *, read: bool = False
) -> Any:
    """The held-out score; its module is big, so it is asked only where something was scored."""
    if not reader.path.with_name(f"{reader.path.name}.d").joinpath("heldout.jsonl").exists():
        return None
    from ...engine.report.cegar_live import facts_of

    facts = facts_of(reader)
    return None if facts is None else facts.held(standing, config, read=read)


def effect_lines(status: RunStatus, effect: Effect, glyphs: Glyphs) -> list[Line]:
    """Delta, pool, targets and calls of a run; its held-out figures where they are known."""
    found = status.found
    lines = [_delta_line(found, effect)]
    if effect.held is not None or status.state == "finished":
        lines.append(_held_line(effect.held))
    if found.get("pool"):
        lines.append(_pool_line(found, effect.pool))
    words = {"admitted": "split", "open": "open", "abandoned": "abandoned", "parked": "parked"}
    told = [f"{effect.states[key]} {word}" for key, word in words.items() if key in effect.states]
    lines.append(((" targets    ", "dim"), (", ".join(told) or "none yet", "")))
    of = "" if effect.limit is None else f" of {effect.limit}"
    lines.append(((" authoring  ", "dim"), (f"{effect.calls}{of} calls", "")))
    if effect.ending:
        lines.append(((" ending     ", "dim"), (tidy(effect.ending), "accent")))
    return lines


def _delta_line(found: Mapping[str, Any], effect: Effect) -> Line:
    delta = found.get("delta")
    if delta is not None:
        p = "" if found.get("p") is None else f", p {float(found['p']):.3f}"
        told = (found.get("headroom_share"), effect.pool.get("helped"), effect.pool.get("hurt"))
        rest = f"  {_change(*told)}{p}, training"
        return ((" Delta      ", "dim"), (delta_text(delta), "accent"), (rest, "dim"))
    if found.get("pool"):
        text = "not known since a veto; the run scores what is left at its end, or resumed"
    elif "admitted" in effect.states:
        text = "no operator is left in the pool since a veto"
    elif effect.states:
        text = "no operator is admitted yet"
    else:
        text = "{} of {} tasks are labelled, then the starting pool runs".format(*effect.labelled)
    return ((" Delta      ", "dim"), (text, "dim"))


def _held_line(held: Any) -> Line:
    if held is None:
        return ((" held out   ", "dim"), ("not read yet; `evoscope score RUN` scores it", "dim"))
    if held.score is None:
        text = tidy(held.trouble) or "not all of the pool is scored"
        return ((" held out   ", "dim"), (text, "warn"))
    told = _change(held.score.share, held.score.helped, held.score.hurt)
    delta: Span = (delta_text(held.score.delta), "accent")
    return ((" held out   ", "dim"), delta, (f"  {told}", "dim"))


def _change(share: Fraction | None, helped: object, hurt: object) -> str:
    part = "" if share is None else f"{percent(float(share))} of the headroom, "
    return f"{part}helped {helped}, hurt {hurt}"


def _pool_line(found: Mapping[str, Any], pool: Mapping[str, Any]) -> Line:
    count = found["pool"]
    votes = "1 operator, alone" if count == 1 else f"{count} operators, by two votes"
    caught = "" if not pool else f"  {pool['flags']} flags, {pool['caught']} on wrong programs"
    return ((" pool       ", "dim"), (votes, "accent"), (caught, "dim"))

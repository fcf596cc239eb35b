"""Which move an axis calls for, by the key words of its name."""

import re

from . import table_moves, text_moves
from .draft import Draft, Move

MOVES: tuple[tuple[re.Pattern[str], tuple[Move, ...]], ...] = tuple(
    (re.compile(pattern), moves)
    for pattern, moves in (
        (r"compress|abbrev|label|header|acronym", (table_moves.compress_labels,)),
        (r"lookup|row|column|table|near.?dup", (table_moves.distractor_rows,)),
        (r"number|numer|figure|format|notation", (table_moves.number_format,)),
        (r"unit|scale|round|currency", (text_moves.unit_notes,)),
        (r"term|synonym|jargon|paraphras|lexic|vocab|wording", (text_moves.substitute_terms,)),
        (r"cross|refer|pointer|citation|link", (text_moves.cross_reference,)),
        (r"tempor|period|year|date|time|chronolog", (text_moves.clutter_periods,)),
        (r"narrativ|structur|order|reorgan|position|discourse|scatter", (text_moves.restructure,)),
        (r"ocr|noise|scan|typo|transcri|corrupt|degrad", (text_moves.scan_noise,)),
        (r"hedg|uncertain|modal|tentativ|qualif|epistem", (text_moves.hedge,)),
        (r"nest|clause|syntac|proviso|embed|complex", (text_moves.nest,)),
        (r"distract|irrelevant|clutter|dense|density|redundan|verbos|dilut|length",
         (text_moves.distract,)),
        (r"realism|boiler|domain", (text_moves.boilerplate, text_moves.distract)),
    )
)  # fmt: skip


def move_for(axis_name: str) -> Move:
    """The first move that fits the axis's name and finds something to do; else a generic one."""
    name = axis_name.lower()
    fitting = [move for pattern, moves in MOVES if pattern.search(name) for move in moves]

    def apply(draft: Draft) -> str | None:
        for move in (*fitting, text_moves.distract, text_moves.boilerplate):
            done = move(draft)
            if done is not None:
                return done
        return None

    return apply

"""A report as one HTML page: no scripts, no links outwards, nothing to fetch."""

from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined

from ..model.llm import Json
from .render import fact
from .tables import Report, Table, is_numeric, shown
from .text import plain

PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
.banner { border-left: 4px solid #b58900; padding: .3rem .8rem; margin: .4rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid #8886; text-align: left; }
.number { text-align: right; }
.note { color: #777; margin: .2rem 0; }
svg { max-width: 100%; height: auto; }
.before { fill: #8888; } .after { fill: #268bd2; }
text { font: 11px system-ui, sans-serif; fill: currentColor; }
</style>
</head>
<body>
<h1>{{ title }}</h1>
{% for line in banner %}<p class="banner">{{ line }}</p>
{% endfor %}
{% if bars %}<h2>Cases by accuracy on fresh responses</h2>
<svg viewBox="0 0 660 180" width="660" height="180" role="img"
 aria-label="Cases by accuracy, before and after">
{% for bar in bars %}<rect class="{{ bar.side }}" x="{{ bar.x }}" y="{{ bar.y }}" width="24"
 height="{{ bar.height }}"><title>{{ bar.title }}</title></rect>
{% endfor %}{% for mark in marks %}<text x="{{ mark.x }}" y="172" text-anchor="middle">\
{{ mark.label }}</text>
{% endfor %}</svg>
<p class="note">Left bars: the originals. Right bars: after the search. Per cent correct.</p>
{% endif %}
{% for table in tables %}<h2>{{ table.title }}</h2>
<div class="wide"><table>
<thead><tr>{% for head in table.heads %}<th{% if head.number %} class="number"{% endif %}>\
{{ head.name }}</th>{% endfor %}</tr></thead>
<tbody>
{% for row in table.rows %}<tr>{% for cell in row %}<td{% if cell.number %} class="number"\
{% endif %}>{{ cell.text }}</td>{% endfor %}</tr>
{% endfor %}</tbody>
</table></div>
{% for note in table.notes %}<p class="note">{{ note }}</p>
{% endfor %}{% endfor %}
<h2>Provenance</h2>
<table>{% for name, value in provenance %}<tr><th>{{ name }}</th><td>{{ value }}</td></tr>
{% endfor %}</table>
</body>
</html>
"""
BINS = 11
HEIGHT = 150


def html(report: Report) -> str:
    """The page. Every text is cleaned and escaped; it needs no file beside it."""
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=DictLoader({"page": PAGE}),
        trim_blocks=False,
    )
    scores = report.figures.get("fresh_scores")
    before, after = _sides(scores)
    return environment.get_template("page").render(
        title=plain(report.title),
        banner=[plain(line) for line in report.banner],
        tables=[_view(table) for table in report.tables.values()],
        provenance=[(plain(name), plain(fact(v))) for name, v in report.provenance.items()],
        bars=_bars(before, after),
        marks=[{"x": 30 + 60 * i, "label": 10 * i} for i in range(BINS)],
    )


def _view(table: Table) -> Mapping[str, Any]:
    numeric = [is_numeric(table, i) for i in range(len(table.columns))]
    return {
        "title": plain(table.title),
        "heads": [
            {"name": plain(column.name), "number": number}
            for column, number in zip(table.columns, numeric, strict=True)
        ],
        "rows": [
            [
                {"text": plain(shown(cell, column)), "number": number}
                for cell, column, number in zip(row, table.columns, numeric, strict=True)
            ]
            for row in table.rows
        ],
        "notes": [plain(note) for note in table.notes],
    }


def _sides(scores: Json) -> tuple[list[float], list[float]]:
    if not isinstance(scores, dict):
        return [], []
    sides = [scores.get(name) for name in ("before", "after")]
    before, after = ([float(str(v)) for v in s] if isinstance(s, list) else [] for s in sides)
    return before, after


def _bars(before: Sequence[float], after: Sequence[float]) -> list[Mapping[str, Any]]:
    counts = [_histogram(before), _histogram(after)]
    top = max((count for side in counts for count in side), default=0)
    if not top:
        return []
    bars: list[Mapping[str, Any]] = []
    for side, name, shift in ((counts[0], "before", 4), (counts[1], "after", 31)):
        for i, count in enumerate(side):
            height = round(HEIGHT * count / top, 1)
            bars.append(
                {"side": name, "x": 60 * i + shift, "y": 156 - height, "height": height,
                 "title": f"{count} cases at {10 * i} per cent, {name}"}
            )  # fmt: skip
    return bars


def _histogram(values: Sequence[float]) -> list[int]:
    """Cases per tenth of accuracy, 0 to 100 per cent."""
    counts = [0] * BINS
    for value in values:
        counts[round(value / 100 * (BINS - 1))] += 1
    return counts

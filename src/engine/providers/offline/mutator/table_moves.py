"""Moves on tables: labels, rows and notation. Figures that are needed keep their values."""

import re

from ..words import NUMBER, value_of
from .draft import Draft

SHORT = {
    "operating": "oper.", "total": "tot.", "net": "nt.", "income": "inc.", "expense": "exp.",
    "expenses": "exp.", "balance": "bal.", "beginning": "beg.", "amount": "amt.",
    "amounts": "amts.", "average": "avg.", "year": "yr.", "years": "yrs.", "securities": "secs.",
    "depreciation": "depr.", "amortization": "amort.", "accumulated": "accum.",
    "consolidated": "cons.", "development": "dev.", "research": "r&d", "and": "&",
    "management": "mgmt.", "international": "intl.", "department": "dept.", "revenue": "rev.",
    "revenues": "revs.", "liabilities": "liabs.", "compensation": "comp.", "percentage": "pct.",
    "shares": "shs.", "december": "dec.", "september": "sept.", "january": "jan.",
}  # fmt: skip
LABEL_WORD = re.compile(r"[a-z]+")
PLAIN = re.compile(r"\d{4,12}(?:\.\d+)?")
VARIANTS = ("adjusted {}", "{} ( pro forma )", "{} of acquired businesses", "comparable {}")


def compress_labels(draft: Draft) -> str | None:
    """Shorten the words of row labels; labels that the gold program names stay."""
    named = {need.value for need in draft.needs if need.kind == "row"}
    done = 0
    for name, rows in draft.tables():
        labels = {row[0] for row in rows}
        for row in rows[1:]:
            short = LABEL_WORD.sub(lambda m: SHORT.get(m.group(), m.group()), row[0])
            if row[0] not in named and short != row[0] and short not in labels:
                labels.add(short)
                row[0] = short
                done += 1
        draft.put_table(name, rows)
    return f"{done} row labels were shortened to fit the page." if done else None


def distractor_rows(draft: Draft) -> str | None:
    """Rows for neighbouring measures beside rows that are there, with figures of their own."""
    tables = draft.tables()
    if not tables:
        return None
    name, rows = draft.rng.choice(tables)
    labels = {row[0] for row in rows}
    usable = [row for row in rows[1:] if row[0].strip() and any(map(_figure, row[1:]))]
    usable.sort(key=lambda row: not draft.is_held(" | ".join(row)))
    added = 0
    for row in usable[:3]:
        label = draft.rng.choice(VARIANTS).format(row[0])
        if label not in labels:
            labels.add(label)
            new = [label, *(_varied(draft, cell) for cell in row[1:])]
            rows.insert(rows.index(row) + draft.rng.randint(0, 1), new)
            added += 1
    draft.put_table(name, rows)
    return f"{added} rows on neighbouring measures stand in the table." if added else None


def _figure(cell: str) -> bool:
    return NUMBER.search(cell) is not None


def _varied(draft: Draft, cell: str) -> str:
    """Another figure of the same notation and about the same size."""
    match = NUMBER.search(cell)
    if match is None:
        return cell
    value = value_of(match.group()) * draft.rng.uniform(0.6, 1.4)
    decimals = len(match.group().partition(".")[2])
    sign = "$ " if "$" in cell else ""
    percent = "%" if "%" in cell else ""
    return f"{sign}{value:.{min(decimals, 6)}f}{percent}"


def number_format(draft: Draft) -> str | None:
    """Thousands commas in the figures of a table."""
    done = 0
    for name, rows in draft.tables():
        for row in rows[1:]:
            for c in range(1, len(row)):
                if re.fullmatch(r"\$?\s*\d{4,12}(?:\.\d+)?", row[c].strip()) and not _year(row[c]):
                    row[c] = PLAIN.sub(_commas, row[c], count=1)
                    done += 1
        draft.put_table(name, rows)
    return f"{done} figures carry thousands commas, as printed filings have." if done else None


def _year(cell: str) -> bool:
    return re.fullmatch(r"(?:19|20)\d\d", cell.strip()) is not None


def _commas(match: re.Match[str]) -> str:
    whole, point, rest = match.group().partition(".")
    return f"{int(whole):,}{point}{rest}"

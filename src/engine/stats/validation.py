"""Labels of people, and the gates held against them (HARDEN, A.11 and A.12)."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from .agreement import ratio

Label = TypeVar("Label", bound=Hashable)


def majority(labels: Sequence[Label]) -> Label | None:
    """The label that more than half of the raters gave; None where they split (left out)."""
    if not labels:
        return None
    label, count = Counter(labels).most_common(1)[0]
    return label if 2 * count > len(labels) else None


@dataclass(frozen=True, slots=True)
class Matches:
    """How often a check matched the agreed label; `split` pairs are in neither count."""

    matches: int
    agreed: int
    split: int

    @property
    def share(self) -> float | None:
        """matches / agreed; None where nothing was agreed."""
        return ratio(self.matches, self.agreed)


def agreement_by_construction(
    rows: Iterable[tuple[str, bool, bool | None]],
) -> Mapping[str, Matches]:
    """Matches per way of making the pairs (Table 13).

    Rows are (construction, the check's verdict, the agreed label or None where raters split);
    constructions keep the order in which they first stand.
    """
    seen: defaultdict[str, list[tuple[bool, bool | None]]] = defaultdict(list)
    for construction, check, label in rows:
        seen[construction].append((check, label))
    return {name: _matches(pairs) for name, pairs in seen.items()}


def _matches(pairs: Sequence[tuple[bool, bool | None]]) -> Matches:
    agreed = [(check, label) for check, label in pairs if label is not None]
    hits = sum(check == label for check, label in agreed)
    return Matches(hits, len(agreed), len(pairs) - len(agreed))


def provenance_accuracy(official: Sequence[bool], weak: Sequence[bool]) -> float | None:
    """Share of official cases accepted and weak synthetic ones rejected (A.11).

    Both are the check's verdicts; strong synthetic cases stay out. None for no cases.
    """
    right = sum(official) + sum(not accepted for accepted in weak)
    return ratio(right, len(official) + len(weak))


def acceptance_rates(rows: Iterable[tuple[str, bool]]) -> Mapping[str, tuple[int, int]]:
    """(accepted, n) per source, in the order in which sources first stand (Table 10)."""
    seen: defaultdict[str, list[bool]] = defaultdict(list)
    for source, accepted in rows:
        seen[source].append(accepted)
    return {source: (sum(verdicts), len(verdicts)) for source, verdicts in seen.items()}

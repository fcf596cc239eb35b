"""What the scoring command has kept of a run's held-out split."""

import base64
import json
from pathlib import Path
from typing import Any

from ..context import Work
from ..errors import DataError, UsageError
from ..model.outcomes import Outcomes, Place
from ..searches.cegar.bench import COMPLETE, Operator
from ..searches.cegar.plan import splits_of, suites_hash
from ..searches.cegar.settings import CegarSettings
from ..store.lock import side_folder
from .cegar_read import Judged, judge

SUITES = "suites"
"""The key of the first line of held-out outcomes, which says what labels rest on."""


def held_file(path: Path) -> Path:
    """Where held-out outcomes lie: in the run's folder."""
    return side_folder(path) / "heldout.jsonl"


def judge_file(path: Path) -> Path:
    """Where the judge's replies on held-out candidates lie: a small run's file of their own."""
    return side_folder(path) / "judge.evo"


def read_outcomes(path: Path) -> dict[Place, Outcomes]:
    """All whole lines of the file; a line that a crash cut short is passed over."""
    found: dict[Place, Outcomes] = {}
    if not path.exists():
        return found
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if SUITES in row:
            continue
        place = Place(row["node"], row["electorate"], row["shard"])
        found[place] = Outcomes(base64.b64decode(row["planes"]), row["reasons"])
    return found


def read_suites(path: Path) -> str | None:
    """The hash of the hidden suites that the file's labels rest on, its first whole line; None in
    a file that was begun before there was one."""
    if not path.exists():
        return None
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            try:
                found: str | None = json.loads(line).get(SUITES)
            except ValueError:
                continue
            return found
    return None


def same_suites(path: Path, suites: str) -> None:
    """Raise DataError where a run's held-out labels are those of other hidden suites than these:
    outcomes are kept by the electorate, which they are no part of."""
    file = held_file(path)
    if read_suites(file) not in (None, suites):
        raise DataError(
            f"{file}: the hidden tests of held-out tasks have changed since these labels were "
            "made; put the tests back, or move the file away and run `evoscope score` again"
        )


def held_out(
    path: Path,
    config: dict[str, Any],
    operators: tuple[Operator, ...],
    others: tuple[Operator, ...] = (),
) -> Judged | None:
    """The held-out split with these operators' verdicts; None where they have not been scored.

    Of the `others` there are those that have been. Raises DataError where the tasks' files cannot
    be read or their hidden tests have changed since.
    """
    kept = read_outcomes(held_file(path))
    if not kept:
        return None
    settings = CegarSettings.model_validate(config["cegar"])
    _, split = splits_of(settings, config["seed"])
    same_suites(path, suites_hash(split))

    async def settle(place: Place, work: Work) -> Outcomes:
        if place not in kept:
            raise NotScored(f"{path}: {place.key} is not scored; `evoscope score` goes on with it")
        return kept[place]

    done = {place.node for place in kept if place.shard == COMPLETE}
    known = tuple(operator for operator in others if operator.node in done)
    try:
        return judge(split, (*operators, *known), settle)
    except NotScored:
        return None


class NotScored(UsageError):
    """Something of the held-out split has not been run."""

"""A transformation's validator fixtures before and after, for the people who look at it."""

import json
import re
from collections.abc import Mapping

from ...model.llm import Json

LONGEST = 4_000
"""Characters kept of one fixture's output; a cut one is kept as text."""
_KIND = re.compile(r"(?:^|/)(list|search|open|tools)\b")


def changed_fixtures(before: Mapping[str, Json], after: Mapping[str, Json]) -> list[Json]:
    """The first changed fixture of each kind (list, search, open, tools), in the validator's order.

    Each is `{"fixture": name, "before": output, "after": output}`.
    """
    found: dict[str, Json] = {}
    for name, old in before.items():
        match = _KIND.search(name)
        kind = match[1] if match else name
        if kind not in found and after.get(name) != old:
            found[kind] = {
                "fixture": name,
                "before": shortened(old),
                "after": shortened(after.get(name)),
            }
    return list(found.values())


def shortened(output: Json) -> Json:
    """The output, or the start of its text where it is long."""
    text = json.dumps(output, ensure_ascii=False, indent=1)
    return output if len(text) <= LONGEST else f"{text[:LONGEST]} ..."

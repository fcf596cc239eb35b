"""A zygote's mappings after they were joined: the same memory, in fewer pieces."""

import json
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from evoscope.engine.sandbox.levels import HERE

JOINED = """
import json, sys
sys.path.insert(0, sys.argv[1])
from inside import library, mappings
library.load()
before = mappings.own()
mappings.merge()
after = mappings.own()
import decimal, socket, statistics
assert decimal.Decimal(1) / 4 == decimal.Decimal("0.25") and statistics.mean([1, 2]) == 1.5
print(json.dumps([before, after]))
"""


def libraries(found: list[Any]) -> list[Any]:
    return [mapping for mapping in found if ".so" in mapping[3]]


def pages(found: list[Any]) -> set[int]:
    return {page for start, end, *_ in libraries(found) for page in range(start, end, 4096)}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_joined_mappings_hold_the_same_memory_and_none_is_writable_code() -> None:
    done = subprocess.run(
        [sys.executable, "-c", JOINED, str(HERE)], capture_output=True, check=True
    )
    before, after = json.loads(done.stdout)
    assert pages(before) == pages(after)
    assert not [m for m in after if "w" in m[2] and "x" in m[2]]
    pieces = Counter(mapping[3] for mapping in libraries(after))
    assert set(pieces) == {mapping[3] for mapping in libraries(before)}
    assert len(libraries(after)) < 0.6 * len(libraries(before)), pieces

"""Tasks on dictionaries, intervals and small grids."""

from collections import Counter


def group_by_length(words: list[str]) -> dict[int, list[str]]:
    """Map each word length to the words of that length, in their order.

    assert group_by_length(["a", "bb", "c"]) == {1: ["a", "c"], 2: ["bb"]}
    """
    groups: dict[int, list[str]] = {}
    for word in words:
        if len(word) not in groups:
            groups[len(word)] = []
        groups[len(word)].append(word)
    return groups


def invert(table: dict[str, int]) -> dict[int, list[str]]:
    """Map each value to the sorted list of the keys that have it.

    assert invert({"a": 1, "b": 2}) == {1: ["a"], 2: ["b"]}
    """
    inverted: dict[int, list[str]] = {}
    for key in sorted(table):
        inverted.setdefault(table[key], []).append(key)
    return inverted


def merge_intervals(intervals: list[list[int]]) -> list[list[int]]:
    """Merge the intervals [start, end] that overlap or touch, ordered by their start.

    assert merge_intervals([[1, 3], [2, 6], [8, 10]]) == [[1, 6], [8, 10]]
    """
    merged: list[list[int]] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def most_frequent(words: list[str]) -> str:
    """Return the most frequent word; of several the first in the alphabet; "" for no words.

    assert most_frequent(["b", "a", "b"]) == "b"
    """
    counts = Counter(words)
    best = ""
    for word in sorted(counts):
        if best == "" or counts[word] > counts[best]:
            best = word
    return best


def free_slots(busy: list[list[int]], start: int, end: int) -> int:
    """Return the total free time between start and end, given busy [from, to] without overlaps.

    assert free_slots([[2, 4]], 0, 10) == 8
    """
    free = end - start
    for first, last in busy:
        covered = min(last, end) - max(first, start)
        if covered > 0:
            free -= covered
    return free


def count_neighbours(grid: list[list[int]], row: int, column: int) -> int:
    """Count the ones among the at most eight cells around a cell of a grid.

    assert count_neighbours([[1, 0, 1], [0, 1, 0], [0, 0, 1]], 1, 1) == 3
    """
    total = 0
    for r in range(max(0, row - 1), min(len(grid), row + 2)):
        for c in range(max(0, column - 1), min(len(grid[0]), column + 2)):
            if (r != row or c != column) and grid[r][c] == 1:
                total += 1
    return total


def apply_discounts(prices: dict[str, int], discounts: dict[str, int]) -> dict[str, int]:
    """Lower each price by its discount in percent, rounded down, never below 0.

    assert apply_discounts({"tea": 200}, {"tea": 10}) == {"tea": 180}
    """
    result = {}
    for name, price in prices.items():
        percent = discounts.get(name, 0)
        lowered = price - price * percent // 100
        result[name] = max(0, lowered)
    return result


def top_scores(scores: dict[str, int], count: int) -> list[str]:
    """Return the names with the count highest scores, equal scores in alphabetical order.

    assert top_scores({"ann": 3, "bob": 5, "cy": 4}, 2) == ["bob", "cy"]
    """
    ranked = sorted(scores, key=lambda name: (-scores[name], name))
    return ranked[:count]


def difference_of(old: dict[str, int], new: dict[str, int]) -> list[str]:
    """Return the sorted keys that were added, removed or given another value.

    assert difference_of({"a": 1, "b": 2}, {"a": 1, "b": 3}) == ["b"]
    """
    changed = []
    for key in sorted(set(old) | set(new)):
        if key not in old or key not in new or old[key] != new[key]:
            changed.append(key)
    return changed


def reachable(roads: dict[str, list[str]], start: str) -> list[str]:
    """Return the sorted places that roads lead to from start, start itself included.

    assert reachable({"a": ["b"], "b": ["c"]}, "a") == ["a", "b", "c"]
    """
    found = {start}
    waiting = [start]
    while waiting:
        place = waiting.pop()
        for neighbour in roads.get(place, []):
            if neighbour not in found:
                found.add(neighbour)
                waiting.append(neighbour)
    return sorted(found)


def parse_duration(text: str) -> int:
    """Return the seconds in a text such as "1h 30m 5s"; parts may be missing.

    assert parse_duration("1h 30m") == 5400
    """
    seconds = 0
    for part in text.split():
        amount = int(part[:-1])
        if part[-1] == "h":
            seconds += amount * 3600
        elif part[-1] == "m":
            seconds += amount * 60
        else:
            seconds += amount
    return seconds


def fits_schedule(meetings: list[list[int]]) -> bool:
    """Say whether one person can attend all meetings [start, end]; one may start as another ends.

    assert fits_schedule([[9, 10], [11, 12]]) == True
    assert fits_schedule([[9, 11], [10, 12]]) == False
    """
    ordered = sorted(meetings)
    latest = None
    for start, end in ordered:
        if latest is not None and start < latest:
            return False
        latest = end
    return True


HIDDEN = {
    "group_by_length": [
        (["a", "bb", "c"],), ([],), ([""],), (["aa", "aa"],), (["abc", "d", "ef", "g"],),
    ],
    "invert": [
        ({"a": 1, "b": 2},), ({},), ({"b": 1, "a": 1},), ({"z": 0, "y": 0, "x": 1},),
    ],
    "merge_intervals": [
        ([[1, 3], [2, 6], [8, 10]],), ([],), ([[1, 2]],), ([[1, 2], [2, 3]],), ([[5, 6], [1, 2]],),
        ([[1, 9], [2, 3]],), ([[1, 4], [0, 2], [3, 5]],), ([[1, 2], [3, 4]],),
    ],
    "most_frequent": [
        (["b", "a", "b"],), ([],), (["x"],), (["b", "a"],), (["a", "b", "b", "a"],),
        (["c", "b", "b", "c", "a"],),
    ],
    "free_slots": [
        ([[2, 4]], 0, 10), ([], 3, 5), ([[0, 10]], 2, 6), ([[0, 2]], 2, 4), ([[8, 12]], 0, 10),
        ([[1, 2], [4, 6]], 0, 5), ([[20, 30]], 0, 10), ([[0, 1]], 5, 8),
    ],
    "count_neighbours": [
        ([[1, 0, 1], [0, 1, 0], [0, 0, 1]], 1, 1), ([[1]], 0, 0), ([[1, 1], [1, 1]], 0, 0),
        ([[1, 1], [1, 1]], 1, 1), ([[0, 1, 1]], 0, 1), ([[1, 1, 1], [1, 1, 1], [1, 1, 1]], 2, 0),
        ([[1, 2], [0, 1]], 0, 0),
    ],
    "apply_discounts": [
        ({"tea": 200}, {"tea": 10}), ({}, {"x": 5}), ({"a": 99}, {}), ({"a": 99}, {"a": 33}),
        ({"a": 50}, {"a": 150}), ({"a": 10, "b": 7}, {"b": 50}), ({"a": 1}, {"a": 100}),
    ],
    "top_scores": [
        ({"ann": 3, "bob": 5, "cy": 4}, 2), ({}, 1), ({"b": 1, "a": 1}, 1), ({"a": 1}, 5),
        ({"a": 1, "b": 2}, 0), ({"c": 2, "b": 2, "a": 1}, 2),
    ],
    "difference_of": [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}), ({}, {}), ({"a": 1}, {}), ({}, {"b": 1}),
        ({"b": 1, "a": 0}, {"a": 1, "b": 1}), ({"x": 1}, {"y": 1}),
    ],
    "reachable": [
        ({"a": ["b"], "b": ["c"]}, "a"), ({}, "x"), ({"a": ["a"]}, "a"),
        ({"a": ["b"], "b": ["a"]}, "b"), ({"a": ["c", "b"], "d": ["a"]}, "a"),
        ({"a": ["b", "c"], "b": ["d"], "c": ["d"]}, "a"),
    ],
    "parse_duration": [
        ("1h 30m",), ("",), ("45s",), ("2m 5s",), ("1h 1m 1s",), ("10h",), ("90m",),
    ],
    "fits_schedule": [
        ([[9, 10], [11, 12]],), ([[9, 11], [10, 12]],), ([],), ([[1, 2]],), ([[2, 3], [1, 2]],),
        ([[1, 5], [2, 3]],), ([[1, 2], [2, 3], [3, 4]],), ([[5, 6], [1, 2], [1, 3]],),
    ],
}  # fmt: skip

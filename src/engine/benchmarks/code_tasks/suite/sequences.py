"""Tasks on lists."""

from typing import Any


def rotate_left(items: list[int], count: int) -> list[int]:
    """Return the items moved count places to the left, those that fall off added at the end.

    assert rotate_left([1, 2, 3, 4], 1) == [2, 3, 4, 1]
    """
    if not items:
        return []
    count = count % len(items)
    return items[count:] + items[:count]


def merge_sorted(first: list[int], second: list[int]) -> list[int]:
    """Merge two ascending lists into one ascending list.

    assert merge_sorted([1, 4], [2, 3]) == [1, 2, 3, 4]
    """
    merged = []
    i, j = 0, 0
    while i < len(first) and j < len(second):
        if first[i] <= second[j]:
            merged.append(first[i])
            i += 1
        else:
            merged.append(second[j])
            j += 1
    return merged + first[i:] + second[j:]


def unique_in_order(items: list[int]) -> list[int]:
    """Return the items without repeats, each at its first place.

    assert unique_in_order([1, 2, 1, 3]) == [1, 2, 3]
    """
    seen = set()
    kept = []
    for item in items:
        if item not in seen:
            seen.add(item)
            kept.append(item)
    return kept


def best_window(values: list[int], size: int) -> int:
    """Return the largest sum of size neighbouring values; 0 if there are fewer.

    assert best_window([1, 2, 5, 1], 2) == 7
    """
    if size <= 0 or len(values) < size:
        return 0
    total = sum(values[:size])
    best = total
    for end in range(size, len(values)):
        total += values[end] - values[end - size]
        if total > best:
            best = total
    return best


def count_peaks(values: list[int]) -> int:
    """Count the inner values that are larger than both of their neighbours.

    assert count_peaks([1, 3, 2, 4, 1]) == 2
    """
    peaks = 0
    for place in range(1, len(values) - 1):
        if values[place] > values[place - 1] and values[place] > values[place + 1]:
            peaks += 1
    return peaks


def pairs_with_sum(values: list[int], target: int) -> int:
    """Count the pairs of places i < j whose values add up to target.

    assert pairs_with_sum([1, 2, 3], 4) == 1
    """
    found = 0
    for i in range(len(values)):
        for j in range(i + 1, len(values)):
            if values[i] + values[j] == target:
                found += 1
    return found


def flatten(items: list[Any]) -> list[Any]:
    """Return all values of nested lists in one flat list, in order.

    assert flatten([1, [2, 3]]) == [1, 2, 3]
    """
    flat = []
    for item in items:
        if isinstance(item, list):
            flat.extend(flatten(item))
        else:
            flat.append(item)
    return flat


def chunk(items: list[int], size: int) -> list[list[int]]:
    """Cut a list into lists of size items; the last one may be shorter.

    assert chunk([1, 2, 3, 4], 2) == [[1, 2], [3, 4]]
    """
    chunks = []
    for start in range(0, len(items), size):
        chunks.append(items[start : start + size])
    return chunks


def longest_rise(values: list[int]) -> int:
    """Return the length of the longest stretch of strictly rising neighbours; 0 for no values.

    assert longest_rise([1, 2, 3, 1]) == 3
    """
    if not values:
        return 0
    best = 1
    current = 1
    for place in range(1, len(values)):
        if values[place] > values[place - 1]:
            current += 1
        else:
            current = 1
        best = max(best, current)
    return best


def second_largest(values: list[int]) -> int:
    """Return the second largest distinct value, or the only one there is.

    assert second_largest([4, 1, 3]) == 3
    """
    ordered = sorted(set(values))
    if len(ordered) == 1:
        return ordered[0]
    return ordered[-2]


def transpose(rows: list[list[int]]) -> list[list[int]]:
    """Swap the rows and columns of a table; all rows have the same length.

    assert transpose([[1, 2], [3, 4]]) == [[1, 3], [2, 4]]
    """
    if not rows:
        return []
    columns = []
    for place in range(len(rows[0])):
        columns.append([row[place] for row in rows])
    return columns


def insert_sorted(values: list[int], value: int) -> int:
    """Return the place where value goes into an ascending list, behind all equal ones.

    assert insert_sorted([1, 3, 5], 4) == 2
    """
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


HIDDEN = {
    "rotate_left": [
        ([1, 2, 3, 4], 1), ([], 3), ([1], 5), ([1, 2, 3], 0), ([1, 2, 3], 3), ([1, 2, 3], 4),
        ([1, 2, 3], -1), ([5, 6], 7),
    ],
    "merge_sorted": [
        ([1, 4], [2, 3]), ([], []), ([1], []), ([], [2]), ([1, 1], [1]), ([5], [1, 2]),
        ([1, 2], [9]), ([0, 3, 6], [3, 3]),
    ],
    "unique_in_order": [
        ([1, 2, 1, 3],), ([],), ([1],), ([2, 2, 2],), ([3, 1, 3, 1],), ([0, -1, 0],),
    ],
    "best_window": [
        ([1, 2, 5, 1], 2), ([], 1), ([3], 1), ([1, 2], 3), ([-3, -1, -2], 2), ([5, 1, 1], 1),
        ([1, 1, 9], 3), ([4, 4, 0], 0), ([9, 1, 1, 1], 2),
    ],
    "count_peaks": [
        ([1, 3, 2, 4, 1],), ([],), ([1],), ([1, 2],), ([2, 2, 1],), ([1, 2, 2, 1],), ([3, 1, 3],),
        ([0, 5, 0],), ([1, 2, 3],),
    ],
    "pairs_with_sum": [
        ([1, 2, 3], 4), ([], 0), ([2, 2, 2], 4), ([2], 4), ([0, 0], 0), ([-1, 1, 1], 0),
        ([5, 1], 7),
    ],
    "flatten": [
        ([1, [2, 3]],), ([],), ([[[1]], 2],), ([[], [[]]],), ([[1, [2, [3, [4]]]]],),
        (["a", ["b"]],),
    ],
    "chunk": [
        ([1, 2, 3, 4], 2), ([], 2), ([1, 2, 3], 2), ([1], 5), ([1, 2, 3], 1), ([1, 2, 3, 4, 5], 3),
    ],
    "longest_rise": [
        ([1, 2, 3, 1],), ([],), ([5],), ([3, 2, 1],), ([1, 1, 2],), ([1, 0, 1, 2, 3],), ([2, 2],),
    ],
    "second_largest": [
        ([4, 1, 3],), ([5],), ([5, 5, 4],), ([7, 7],), ([-1, -2],), ([1, 2, 2, 3, 3],),
    ],
    "transpose": [
        ([[1, 2], [3, 4]],), ([],), ([[1, 2, 3]],), ([[1], [2]],), ([[1, 2, 3], [4, 5, 6]],),
        ([[]],),
    ],
    "insert_sorted": [
        ([1, 3, 5], 4), ([], 1), ([2], 1), ([2], 2), ([1, 2, 2, 3], 2), ([1, 3], 9), ([1, 3], 0),
        ([4, 4, 4], 4),
    ],
}  # fmt: skip

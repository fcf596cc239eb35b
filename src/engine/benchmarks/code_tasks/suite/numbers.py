"""Tasks on numbers."""


def clamp_all(values: list[int], low: int, high: int) -> list[int]:
    """Return the values with everything below low raised to low and above high cut to high.

    assert clamp_all([1, 5, 9], 2, 7) == [2, 5, 7]
    """
    result = []
    for value in values:
        if value < low:
            result.append(low)
        elif value > high:
            result.append(high)
        else:
            result.append(value)
    return result


def digit_span(number: int) -> int:
    """Return the difference between the largest and the smallest decimal digit of an integer.

    assert digit_span(1749) == 8
    """
    digits = [int(letter) for letter in str(abs(number))]
    largest, smallest = digits[0], digits[0]
    for digit in digits[1:]:
        if digit > largest:
            largest = digit
        if digit < smallest:
            smallest = digit
    return largest - smallest


def count_primes_between(low: int, high: int) -> int:
    """Count the primes p with low <= p <= high.

    assert count_primes_between(4, 12) == 3
    """
    total = 0
    for number in range(max(low, 2), high + 1):
        divisor = 2
        prime = True
        while divisor * divisor <= number:
            if number % divisor == 0:
                prime = False
                break
            divisor += 1
        if prime:
            total += 1
    return total


def running_balance(start: int, changes: list[int]) -> int:
    """Return the lowest balance ever reached, the start included, as changes are added in turn.

    assert running_balance(10, [5, -8, -3, 4]) == 4
    """
    balance = start
    lowest = start
    for change in changes:
        balance += change
        if balance < lowest:
            lowest = balance
    return lowest


def round_to_step(value: int, step: int) -> int:
    """Return the multiple of step nearest to value; of two equally near ones the larger.

    assert round_to_step(17, 5) == 15
    assert round_to_step(18, 5) == 20
    """
    below = value // step * step
    above = below + step
    if value - below < above - value:
        return below
    return above


def leap_years(first: int, last: int) -> int:
    """Count the leap years of the Gregorian calendar from first to last, both included.

    assert leap_years(2001, 2012) == 3
    """
    total = 0
    for year in range(first, last + 1):
        if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0):
            total += 1
    return total


def collatz_peak(number: int) -> int:
    """Return the largest number met from number down to 1 when even numbers are halved and odd
    ones become three times themselves plus one.

    assert collatz_peak(6) == 16
    """
    peak = number
    while number > 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        if number > peak:
            peak = number
    return peak


def change_coins(amount: int, coins: list[int]) -> int:
    """Return the least number of coins that make up amount, or -1 if none do.

    assert change_coins(11, [1, 5, 10]) == 2
    """
    best = [0] + [amount + 1] * amount
    for total in range(1, amount + 1):
        for coin in coins:
            if coin <= total and best[total - coin] + 1 < best[total]:
                best[total] = best[total - coin] + 1
    if best[amount] > amount:
        return -1
    return best[amount]


def base_digits(number: int, base: int) -> list[int]:
    """Return the digits of a non-negative integer in a base, most significant first; 0 is [0].

    assert base_digits(10, 2) == [1, 0, 1, 0]
    """
    if number == 0:
        return [0]
    digits = []
    while number > 0:
        digits.append(number % base)
        number = number // base
    return digits[::-1]


def share_evenly(total: int, people: int) -> list[int]:
    """Split total into whole shares that differ by at most one, the larger shares first.

    assert share_evenly(9, 3) == [3, 3, 3]
    """
    share = total // people
    rest = total % people
    shares = []
    for place in range(people):
        if place < rest:
            shares.append(share + 1)
        else:
            shares.append(share)
    return shares


def perfect_kind(number: int) -> str:
    """Say whether the proper divisors of a positive number add up to it ("perfect"), to more
    ("abundant") or to less ("deficient").

    assert perfect_kind(12) == "abundant"
    """
    total = 0
    for divisor in range(1, number // 2 + 1):
        if number % divisor == 0:
            total += divisor
    if total == number:
        return "perfect"
    if total > number:
        return "abundant"
    return "deficient"


def median_of(values: list[int]) -> float:
    """Return the median as a float: the middle value, or the mean of the middle two.

    assert median_of([3, 1, 2]) == 2.0
    """
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2 == 1:
        return float(ordered[middle])
    return (ordered[middle - 1] + ordered[middle]) / 2


HIDDEN = {
    "clamp_all": [
        ([1, 5, 9], 2, 7), ([], 0, 1), ([2, 7], 2, 7), ([-5, 0, 5], -1, 1), ([3, 3], 3, 3),
        ([10, -10, 4], 0, 4), ([0], 1, 2), ([8], 1, 8),
    ],
    "digit_span": [
        (1749,), (0,), (7,), (-305,), (111,), (90,), (19,), (9081,), (-12,),
    ],
    "count_primes_between": [
        (4, 12), (1, 1), (2, 2), (0, 10), (-5, 3), (24, 28), (25, 25), (7, 7), (90, 100), (10, 4),
    ],
    "running_balance": [
        (10, [5, -8, -3, 4]), (0, []), (5, [1, 2]), (3, [-3]), (0, [-1, 5, -9]), (-2, [4, -1]),
        (7, [-7, -1, 8]),
    ],
    "round_to_step": [
        (17, 5), (18, 5), (15, 10), (0, 3), (-7, 5), (25, 10), (4, 4), (-5, 10),
    ],
    "leap_years": [
        (2001, 2012), (1900, 1900), (2000, 2000), (1896, 1904), (1999, 2001), (2020, 2020),
        (2021, 2023), (2100, 2104),
    ],
    "collatz_peak": [
        (6,), (1,), (2,), (3,), (7,), (8,), (27,), (16,),
    ],
    "change_coins": [
        (11, [1, 5, 10]), (0, [2]), (3, [2]), (6, [1, 3, 4]), (8, [1, 4, 5]), (7, [7]),
        (14, [3, 5]), (1, [5, 2]), (12, [1, 6, 10]),
    ],
    "base_digits": [
        (10, 2), (0, 7), (1, 2), (255, 16), (9, 10), (10, 10), (81, 3), (7, 8),
    ],
    "share_evenly": [
        (9, 3), (10, 3), (2, 5), (0, 2), (7, 1), (11, 4), (5, 5), (1, 3),
    ],
    "perfect_kind": [
        (12,), (6,), (1,), (28,), (7,), (18,), (10,), (496,), (945,),
    ],
    "median_of": [
        ([3, 1, 2],), ([4, 1],), ([5],), ([1, 2, 3, 4],), ([9, 1, 5, 3],), ([2, 2, 2],),
        ([-1, -5, 0],), ([10, 0, 3, 3],),
    ],
}  # fmt: skip

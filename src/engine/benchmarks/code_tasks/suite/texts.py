"""Tasks on texts."""


def title_words(text: str) -> str:
    """Return the text with the first letter of each word in upper case and the rest in lower
    case; words are parted by single spaces.

    assert title_words("hello big world") == "Hello Big World"
    """
    words = []
    for word in text.split(" "):
        words.append(word[:1].upper() + word[1:].lower())
    return " ".join(words)


def longest_run(text: str) -> int:
    """Return the length of the longest run of one repeated character; 0 for an empty text.

    assert longest_run("aabbbc") == 3
    """
    best = 0
    count = 0
    last = ""
    for letter in text:
        if letter == last:
            count += 1
        else:
            count = 1
            last = letter
        if count > best:
            best = count
    return best


def compress_runs(text: str) -> str:
    """Replace each run of a letter by the letter and the run's length; a single one stays as it is.

    assert compress_runs("aaabcc") == "a3bc2"
    """
    result = ""
    place = 0
    while place < len(text):
        end = place
        while end < len(text) and text[end] == text[place]:
            end += 1
        result += text[place]
        if end - place > 1:
            result += str(end - place)
        place = end
    return result


def balanced(text: str) -> bool:
    """Say whether the round, square and curly brackets in a text close in the right order.

    assert balanced("(a[b]c)") == True
    assert balanced("(a]") == False
    """
    pairs = {")": "(", "]": "[", "}": "{"}
    stack = []
    for letter in text:
        if letter in "([{":
            stack.append(letter)
        elif letter in pairs and (not stack or stack.pop() != pairs[letter]):
            return False
    return not stack


def caesar(text: str, shift: int) -> str:
    """Shift the letters a to z and A to Z by shift places, round the alphabet; keep the rest.

    assert caesar("abc", 2) == "cde"
    """
    result = []
    for letter in text:
        if "a" <= letter <= "z":
            result.append(chr((ord(letter) - 97 + shift) % 26 + 97))
        elif "A" <= letter <= "Z":
            result.append(chr((ord(letter) - 65 + shift) % 26 + 65))
        else:
            result.append(letter)
    return "".join(result)


def count_vowel_groups(word: str) -> int:
    """Count the groups of neighbouring vowels (a, e, i, o, u, in either case) in a word.

    assert count_vowel_groups("banana") == 3
    """
    groups = 0
    inside = False
    for letter in word.lower():
        if letter in "aeiou":
            if not inside:
                groups += 1
            inside = True
        else:
            inside = False
    return groups


def common_prefix(words: list[str]) -> str:
    """Return the longest text that all words begin with; empty for no words.

    assert common_prefix(["flower", "flow", "flight"]) == "fl"
    """
    if not words:
        return ""
    prefix = words[0]
    for word in words[1:]:
        size = 0
        while size < len(prefix) and size < len(word) and prefix[size] == word[size]:
            size += 1
        prefix = prefix[:size]
    return prefix


def is_palindrome(text: str) -> bool:
    """Say whether the letters and digits of a text read the same backwards, in either case.

    assert is_palindrome("Never odd or even") == True
    """
    kept = [letter.lower() for letter in text if letter.isalnum()]
    left, right = 0, len(kept) - 1
    while left < right:
        if kept[left] != kept[right]:
            return False
        left += 1
        right -= 1
    return True


def wrap_words(text: str, width: int) -> list[str]:
    """Break a text into lines of at most width characters between words; longer words stay whole.

    assert wrap_words("the quick brown fox", 10) == ["the quick", "brown fox"]
    """
    lines = []
    line = ""
    for word in text.split():
        if not line:
            line = word
        elif len(line) + 1 + len(word) <= width:
            line += " " + word
        else:
            lines.append(line)
            line = word
    if line:
        lines.append(line)
    return lines


def mask_middle(text: str, keep: int) -> str:
    """Replace by stars all but the first and last keep characters; short texts are all stars.

    assert mask_middle("1234567890", 2) == "12******90"
    """
    if len(text) <= 2 * keep:
        return "*" * len(text)
    hidden = len(text) - 2 * keep
    return text[:keep] + "*" * hidden + text[len(text) - keep :]


def first_unique(text: str) -> int:
    """Return the place of the first character that occurs once only, or -1.

    assert first_unique("aabcb") == 3
    """
    counts: dict[str, int] = {}
    for letter in text:
        counts[letter] = counts.get(letter, 0) + 1
    for place, letter in enumerate(text):
        if counts[letter] == 1:
            return place
    return -1


def snake_case(name: str) -> str:
    """Turn a name such as parseHttpFile into parse_http_file; a capital at the start adds nothing.

    assert snake_case("parseHttpFile") == "parse_http_file"
    """
    result = ""
    for place, letter in enumerate(name):
        if letter.isupper():
            if place > 0 and result[-1] != "_":
                result += "_"
            result += letter.lower()
        else:
            result += letter
    return result


HIDDEN = {
    "title_words": [
        ("hello big world",), ("",), ("hELLO",), ("a",), ("two  spaces",), ("mIxEd CaSe",),
        ("x1 Y2",),
    ],
    "longest_run": [
        ("aabbbc",), ("",), ("a",), ("abc",), ("aaa",), ("abbb",), ("aab",), ("  x",),
    ],
    "compress_runs": [
        ("aaabcc",), ("",), ("a",), ("abc",), ("zzzz",), ("aab",), ("abb",), ("aaaaaaaaaaaab",),
    ],
    "balanced": [
        ("(a[b]c)",), ("(a]",), ("",), ("(",), (")",), ("([)]",), ("{[()]}",), ("()()",), ("x",),
        ("((",),
    ],
    "caesar": [
        ("abc", 2), ("xyz", 3), ("XYZ", 1), ("Hello, World!", 5), ("a", 26), ("b", -2), ("", 4),
        ("A", -1), ("z", 0),
    ],
    "count_vowel_groups": [
        ("banana",), ("",), ("queue",), ("rhythm",), ("AEon",), ("Idea",), ("boat",), ("ex",),
    ],
    "common_prefix": [
        (["flower", "flow", "flight"],), ([],), (["one"],), (["a", "b"],), (["ab", "abc"],),
        (["abc", "ab"],), (["same", "same"],), (["", "x"],),
    ],
    "is_palindrome": [
        ("Never odd or even",), ("",), ("ab",), ("abca",), ("A1b1a",), ("No!",), ("aa",), ("x.",),
        ("abba",), ("abcba",), ("abcda",),
    ],
    "wrap_words": [
        ("the quick brown fox", 10), ("", 5), ("word", 2), ("a b c", 1), ("aa bb", 5),
        ("aa bb", 4), ("one two three", 7), ("longword a", 4),
    ],
    "mask_middle": [
        ("1234567890", 2), ("", 1), ("ab", 1), ("abc", 1), ("abcd", 2), ("abcde", 2), ("abc", 0),
        ("x", 3),
    ],
    "first_unique": [
        ("aabcb",), ("",), ("aabb",), ("a",), ("abab",), ("zza",), ("abcab",), ("xyx",),
    ],
    "snake_case": [
        ("parseHttpFile",), ("",), ("Name",), ("already_snake",), ("aB",), ("with_Cap",),
        ("HTTP",), ("x",),
    ],
}  # fmt: skip

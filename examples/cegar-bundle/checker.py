"""When a train arrives: the oracle of this domain, and what anybody could check."""

import re

TIME = re.compile(r"\d\d:\d\d")


def check(task, text):
    """Whether the answer names the time of arrival and no other time."""
    return TIME.findall(text) == [task["hidden"]["arrival"]]


def visible(task, text):
    """Whether the answer names a time at all."""
    return bool(TIME.search(text))

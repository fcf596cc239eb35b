"""Actions and their keys: one table, remappable by the user, checked whole.

A key is written as the character it types ("v", "?", "/") or by name ("enter", "ctrl+d", "tab").
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

RUNS, RUN, INSPECT, TEXT, LABEL = "runs", "run", "inspect", "text", "label"
READING = (RUNS, RUN, INSPECT, TEXT)
PAGES = (*READING, LABEL)
"""Pages with keys of their own; TEXT is the help and every other page of mere text."""


@dataclass(frozen=True, slots=True)
class Action:
    """What a key can do: on which pages, by default with which keys, in a few words."""

    name: str
    keys: tuple[str, ...]
    text: str
    pages: tuple[str, ...] = PAGES


_WORK = (RUN, INSPECT)
ACTIONS = (
    Action("up", ("up", "k"), "one line up"),
    Action("down", ("down", "j"), "one line down"),
    Action("left", ("left", "h"), "close, or one tab to the left", READING),
    Action("right", ("right", "l"), "open, or one tab to the right", READING),
    Action("top", ("g", "home"), "first line"),
    Action("bottom", ("G", "end"), "last line"),
    Action("half_down", ("ctrl+d", "pagedown"), "half a page down"),
    Action("half_up", ("ctrl+u", "pageup"), "half a page up"),
    Action("next_pane", ("tab",), "next pane or tab", _WORK),
    Action("last_pane", ("shift+tab",), "pane or tab before", _WORK),
    Action("open", ("enter",), "open or inspect", (RUNS, RUN, INSPECT)),
    Action("inspect", ("i",), "inspect the node", (RUN,)),
    Action("search", ("/",), "search", READING),
    Action("filter", ("f",), "filter the list", (RUNS, RUN)),
    Action("next", ("n",), "next hit, or next node", READING),
    Action("last", ("N",), "hit before, or node before", READING),
    Action("sort", ("s",), "change the order", (RUNS, RUN)),
    Action("follow", ("space",), "follow new lines, on or off", (RUN,)),
    Action("best", ("*",), "go to the best node", (RUN,)),
    Action("next_rejected", ("x",), "go to the next rejected node", (RUN,)),
    Action("next_vetoed", ("X",), "go to the next vetoed node", (RUN,)),
    Action("scope", ("a",), "over the run, or this case only", (RUN,)),
    Action("base", ("d",), "diff against parent or original", (INSPECT,)),
    Action("unfold", ("z",), "fold or show unchanged stretches", (INSPECT,)),
    Action("pause", ("p",), "pause or resume the run", _WORK),
    Action("veto", ("v",), "veto the node", _WORK),
    Action("unveto", ("u",), "undo the node's veto", _WORK),
    Action("faster", ("+",), "more calls at once", _WORK),
    Action("slower", ("-",), "fewer calls at once", _WORK),
    Action("budget", ("b",), "set the budget", _WORK),
    Action("skip", ("S",), "skip a case or a target: finish it with what it has", (RUN,)),
    Action("restart", ("R",), "start the engine again", (RUNS, RUN, INSPECT)),
    Action("label", ("L",), "label candidates blindly", (RUN,)),
    Action("yes", ("y",), "answer yes", (LABEL,)),
    Action("no", ("n",), "answer no", (LABEL,)),
    Action("reason", ("r",), "write a reason for the next answer", (LABEL,)),
    Action("later", ("s",), "leave this item for later", (LABEL,)),
    Action("again", ("u",), "back to the question before", (LABEL,)),
    Action("agreement", ("enter",), "compare with the gates, once all is answered", (LABEL,)),
    Action("copy", ("y",), "copy the line or text", READING),
    Action("export", ("e",), "write what is shown to a file"),
    Action("pager", ("o",), "open in $PAGER"),
    Action("theme", ("t",), "next theme"),
    Action("palette", (":", "ctrl+p"), "command palette"),
    Action("help", ("?",), "keys of this page"),
    Action("back", ("escape",), "back"),
    Action("detach", ("q",), "leave; the run goes on"),
    Action("stop", ("Q",), "stop the run", _WORK),
    *(
        Action(f"tab{number}", (str(number),), f"tab {number}", _WORK)
        for number in range(1, 9)
    ),
)  # fmt: skip
BY_NAME = {action.name: action for action in ACTIONS}
WORDS = frozenset(
    ("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "tab", "shift+tab",
     "enter", "escape", "space", "backspace", "delete", "insert",
     *(f"f{number}" for number in range(1, 13)),
     *(f"ctrl+{letter}" for letter in "abdefghjklnoprstuvwxyz"))
)  # fmt: skip


@dataclass(frozen=True)
class Keymap:
    """Which key does what on which page."""

    keys: Mapping[str, tuple[str, ...]]
    """The keys of each action."""

    def action(self, page: str, key: str) -> str | None:
        """The action of a key on a page, None if it has none there."""
        return self._table[page].get(key)

    def label(self, name: str) -> str:
        """The action's first key, as the footer shows it; empty if it has none."""
        keys = self.keys.get(name, ())
        return _SHORT.get(keys[0], keys[0].replace("ctrl+", "^")) if keys else ""

    @property
    def _table(self) -> Mapping[str, Mapping[str, str]]:
        return _tables(tuple(sorted(self.keys.items())))


_SHORT = {"enter": "Enter", "escape": "Esc", "tab": "Tab", "space": "Space", "shift+tab": "S-Tab"}
_CACHE: dict[tuple[tuple[str, tuple[str, ...]], ...], Mapping[str, Mapping[str, str]]] = {}


def _tables(keys: tuple[tuple[str, tuple[str, ...]], ...]) -> Mapping[str, Mapping[str, str]]:
    if keys not in _CACHE:
        _CACHE[keys] = {
            page: {key: name for name, own in keys if page in BY_NAME[name].pages for key in own}
            for page in PAGES
        }
    return _CACHE[keys]


DEFAULT = Keymap({action.name: action.keys for action in ACTIONS})


def build(own: object) -> tuple[Keymap, list[str]]:
    """The user's table [keys] over the defaults, and all that is wrong with it.

    A value is a key or a list of keys; an empty list takes the action's keys away. With any error
    the defaults stand.
    """
    if not isinstance(own, dict):
        return DEFAULT, ["keys must be a table of action = key"]
    errors: list[str] = []
    keys = dict(DEFAULT.keys)
    for name, value in own.items():
        wanted = [value] if isinstance(value, str) else value
        if name not in BY_NAME:
            errors.append(f"keys.{name}: no such action; see the help")
        elif not isinstance(wanted, list) or not all(isinstance(key, str) for key in wanted):
            errors.append(f"keys.{name} must be a key or a list of keys")
        else:
            errors += [f"keys.{name}: {key!r} is no key" for key in wanted if not _is_key(key)]
            keys[name] = tuple(wanted)
    errors += _clashes(keys)
    return (DEFAULT, errors) if errors else (Keymap(keys), [])


def _is_key(key: str) -> bool:
    return key in WORDS or (len(key) == 1 and key.isprintable() and not key.isspace())


def _clashes(keys: Mapping[str, Iterable[str]]) -> list[str]:
    errors: list[str] = []
    for page in PAGES:
        owner: dict[str, str] = {}
        for name, own in keys.items():
            for key in own if page in BY_NAME[name].pages else ():
                if key in owner:
                    errors.append(f"keys: {key!r} is both {owner[key]} and {name}")
                owner[key] = name
    if not list(keys["detach"]):
        errors.append("keys.detach needs a key")
    return list(dict.fromkeys(errors))

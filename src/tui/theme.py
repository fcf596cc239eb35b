"""Colour themes: TOML files, checked whole, all errors at once.

    name = "dusk"
    dark = true
    [palette]            every key of PALETTE; "#rrggbb", an ANSI name ("red") or "default"
    [gates]              one colour per gate; a gate without one takes the palette's accent

A theme only colours: state is always a sign or a word as well.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from ..resources import resource_dir

if TYPE_CHECKING:
    from rich.style import Style

PALETTE = (
    "background", "foreground", "dim", "accent", "ok", "warn", "bad", "bar", "bar_text",
    "cursor", "cursor_text", "mark", "added", "removed",
)  # fmt: skip
GATES = ("validity", "evidence", "correctness", "realism", "rollouts")
DEFAULT = "dusk"
ANSI = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_NAMES = {"default", *ANSI, *(f"bright_{name}" for name in ANSI)}
_HEX = re.compile(r"#[0-9a-fA-F]{6}")


class ThemeError(Exception):
    """A theme file that cannot be used; the text holds every error, one a line."""


@dataclass(frozen=True, eq=False)
class Theme:
    """A checked theme, equal to itself only.

    `palette` holds every key of PALETTE, `gates` a colour for some gates.
    """

    name: str
    dark: bool
    palette: Mapping[str, str]
    gates: Mapping[str, str] = field(default_factory=dict)

    def style(self, name: str) -> "Style":
        """The style of a span: one name, or a span's own and a mark joined by a space."""
        return _style(self, name)


def parse(text: str, where: str) -> Theme:
    """A theme from its TOML text. Raises ThemeError with all that is wrong."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"{where}: {error}") from None
    errors = list(_faults(table))
    if errors:
        raise ThemeError("\n".join(f"{where}: {error}" for error in errors))
    return Theme(table["name"], table["dark"], table["palette"], table.get("gates", {}))


def load_all(user_folder: Path | None) -> tuple[dict[str, Theme], list[str]]:
    """Shipped themes and the user's own by name, and what is wrong with files left out."""
    themes: dict[str, Theme] = {}
    errors: list[str] = []
    for file in _files(user_folder):
        try:
            theme = parse(file.read_text(encoding="utf-8"), file.name)
        except ThemeError as error:
            errors.extend(str(error).splitlines())
        except (OSError, UnicodeDecodeError) as error:
            errors.append(f"{file.name}: cannot be read ({error})")
        else:
            themes[theme.name] = theme
    return themes, errors


def _files(user_folder: Path | None) -> list[Traversable]:
    shipped = [file for file in resource_dir("themes").iterdir() if file.name.endswith(".toml")]
    own = user_folder.glob("*.toml") if user_folder and user_folder.is_dir() else ()
    return sorted(shipped, key=lambda file: file.name) + sorted(own)


def _faults(table: Mapping[str, object]) -> "list[str]":
    errors = [f"unknown key {key!r}" for key in table if key not in _KEYS]
    for key, kind, word in (("name", str, "a text"), ("dark", bool, "true or false")):
        if not isinstance(table.get(key), kind):
            errors.append(f"{key} must be {word}")
    palette = table.get("palette")
    if not isinstance(palette, dict):
        return [*errors, "table [palette] is missing"]
    errors += [f"palette.{key} is missing" for key in PALETTE if key not in palette]
    errors += [f"palette.{key} is unknown" for key in palette if key not in PALETTE]
    errors += _colour_faults("palette", palette)
    gates = table.get("gates", {})
    if not isinstance(gates, dict):
        return [*errors, "gates must be a table"]
    return errors + _colour_faults("gates", gates)


_KEYS = ("name", "dark", "palette", "gates")


def _colour_faults(table: str, colours: Mapping[str, object]) -> list[str]:
    return [
        f"{table}.{key} = {value!r} is no colour: use #rrggbb, default, or an ANSI name"
        for key, value in colours.items()
        if not (isinstance(value, str) and (value in _NAMES or _HEX.fullmatch(value)))
    ]


@lru_cache(maxsize=512)
def _style(theme: Theme, name: str) -> "Style":
    from rich.style import Style

    palette = theme.palette
    style = Style(color=palette["foreground"], bgcolor=palette["background"])
    for part in name.split():
        style += _part(theme, part)
    return style


def _part(theme: Theme, name: str) -> "Style":
    from rich.style import Style

    palette = theme.palette
    if name.startswith("gate."):
        return Style(color=theme.gates.get(name[5:], palette["accent"]))
    if name == "bold":
        return Style(bold=True)
    if name in ("bar", "cursor"):
        return Style(color=palette[f"{name}_text"], bgcolor=palette[name], bold=name == "cursor")
    if name == "pick":
        return Style(bgcolor=palette["mark"])
    if name == "key":
        return Style(color=palette["accent"], bold=True)
    if name in ("added", "removed"):
        return Style(color=palette[name])
    if name in ("added!", "removed!"):
        return Style(color=palette[name[:-1]], bold=True, underline=True)
    return Style(color=palette.get(name, palette["foreground"]), bold=name == "accent")

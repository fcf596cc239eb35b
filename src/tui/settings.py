"""The user's settings of the app: `tui.toml` in the configuration folder, checked whole.

theme = "paper"            a shipped theme or one of the folder's themes/*.toml
updates_per_second = 1     at most 4
ascii = false
mouse = true
[keys]                     action = "key" or ["key", ...]
"""

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from . import keymap
from . import theme as themes_

FILE = "tui.toml"


@dataclass
class Settings:
    """Checked settings; `errors` holds a line for each thing that was left out and why."""

    theme: themes_.Theme
    themes: dict[str, themes_.Theme]
    keys: keymap.Keymap = keymap.DEFAULT
    updates_per_second: float = 1.0
    ascii: bool = False
    mouse: bool = True
    errors: list[str] = field(default_factory=list)


def config_folder() -> Path:
    """Where the user's own settings lie: $XDG_CONFIG_HOME/evoscope or ~/.config/evoscope."""
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "evoscope"


def load(folder: Path | None = None) -> Settings:
    """Settings and themes; never fails: what is wrong is listed and the default stands."""
    folder = folder or config_folder()
    themes, errors = themes_.load_all(folder / "themes")
    table, faults = _table(folder / FILE)
    settings = Settings(themes[themes_.DEFAULT], themes, errors=errors + faults)
    for key, value in table.items():
        _apply(settings, key, value)
    return settings


def _table(file: Path) -> tuple[dict[str, object], list[str]]:
    if not file.exists():
        return {}, []
    try:
        return tomllib.loads(file.read_text(encoding="utf-8")), []
    except (OSError, ValueError) as error:
        return {}, [f"{file.name}: {error}"]


def _apply(settings: Settings, key: str, value: object) -> None:
    errors = settings.errors
    if key == "theme":
        if isinstance(value, str) and value in settings.themes:
            settings.theme = settings.themes[value]
        else:
            errors.append(
                f"{FILE}: theme {value!r} is none of {', '.join(sorted(settings.themes))}"
            )
    elif key == "updates_per_second":
        if isinstance(value, int | float) and not isinstance(value, bool) and 0.1 <= value <= 4:
            settings.updates_per_second = float(value)
        else:
            errors.append(f"{FILE}: updates_per_second must lie between 0.1 and 4")
    elif key in ("ascii", "mouse"):
        if isinstance(value, bool):
            setattr(settings, key, value)
        else:
            errors.append(f"{FILE}: {key} must be true or false")
    elif key == "keys":
        settings.keys, faults = keymap.build(value)
        errors += [f"{FILE}: {fault}" for fault in faults]
    else:
        errors.append(f"{FILE}: unknown key {key!r}")

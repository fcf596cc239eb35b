"""Themes: six shipped, read well, and wrong ones say everything at once."""

import tomllib
from pathlib import Path

import pytest

from evoscope.tui import theme
from evoscope.tui.settings import load

SHIPPED, ERRORS = theme.load_all(None)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_six_themes_are_shipped_light_contrast_and_colour_blind_among_them():
    assert not ERRORS
    assert len(SHIPPED) >= 6
    assert {"dusk", "paper", "contrast", "okabe"} <= set(SHIPPED)
    assert not SHIPPED["paper"].dark


@pytest.mark.parametrize("name", [name for name in SHIPPED if name != "terminal"])
def test_every_ink_reads_well_on_its_ground(name):
    palette = SHIPPED[name].palette
    least = 10 if name == "contrast" else 4.5
    for ink in ("foreground", "accent", "ok", "warn", "bad", "added", "removed"):
        assert contrast(palette[ink], palette["background"]) >= least, ink
    assert contrast(palette["dim"], palette["background"]) >= 4.5
    assert contrast(palette["bar_text"], palette["bar"]) >= 4.5
    assert contrast(palette["cursor_text"], palette["cursor"]) >= 4.5


def test_good_and_bad_differ_for_red_green_blindness_in_the_theme_that_says_so():
    palette = SHIPPED["okabe"].palette
    good, bad = palette["ok"], palette["bad"]
    assert int(good[5:7], 16) - int(bad[5:7], 16) > 100, "blue against orange"


def test_every_style_that_views_use_can_be_made():
    for one in SHIPPED.values():
        for name in ("", "dim", "bar bold", "gate.realism", "gate.other", "bad cursor", "added!"):
            assert one.style(name).color is not None


def test_a_broken_theme_names_all_its_faults_at_once():
    text = 'name = 3\nextra = 1\n[palette]\nbackground = "reddish"\nblue = "#000000"\n'
    with pytest.raises(theme.ThemeError) as caught:
        theme.parse(text, "mine.toml")
    lines = str(caught.value).splitlines()
    assert all(line.startswith("mine.toml: ") for line in lines)
    for part in (
        "extra",
        "name must be",
        "dark must be",
        "foreground is missing",
        "palette.blue is unknown",
        "reddish",
    ):
        assert any(part in line for line in lines), part


def test_a_users_theme_is_found_and_a_broken_one_leaves_the_default(tmp_path):
    folder = tmp_path / "themes"
    folder.mkdir()
    own = Path("themes/dusk.toml").read_text().replace('"dusk"', '"mine"')
    (folder / "mine.toml").write_text(own)
    (folder / "broken.toml").write_text("name = ")
    (tmp_path / "tui.toml").write_text('theme = "nope"\n')
    settings = load(tmp_path)
    assert "mine" in settings.themes
    assert settings.theme.name == theme.DEFAULT
    assert len(settings.errors) == 2
    assert "broken.toml" in settings.errors[0]


def test_shipped_files_are_named_after_their_themes():
    for path in Path("themes").glob("*.toml"):
        assert tomllib.loads(path.read_text())["name"] == path.stem

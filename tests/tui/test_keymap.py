"""Keys: every action has one, people may change them, mistakes are all told at once."""

import pytest

from evoscope.tui import keymap
from evoscope.tui.settings import load


def test_no_key_has_two_meanings_on_a_page():
    assert keymap.build({})[1] == []


def test_every_action_of_the_design_has_its_key():
    table = keymap.DEFAULT
    for key, action in {
        "j": "down", "k": "up", "h": "left", "l": "right", "g": "top", "G": "bottom",
        "ctrl+d": "half_down", "ctrl+u": "half_up", "tab": "next_pane", "enter": "open",
        "i": "inspect", "/": "search", "f": "filter", "n": "next", "N": "last", "s": "sort",
        "space": "follow", "p": "pause", "v": "veto", "u": "unveto", "+": "faster",
        "-": "slower", "b": "budget", "y": "copy", "e": "export", "o": "pager", "t": "theme",
        ":": "palette", "ctrl+p": "palette", "?": "help", "q": "detach", "Q": "stop", "8": "tab8",
    }.items():  # fmt: skip
        assert table.action(keymap.RUN, key) == action


def test_a_key_means_nothing_where_its_action_does_not_act():
    assert keymap.DEFAULT.action(keymap.RUNS, "v") is None


def test_people_change_keys_and_take_them_away():
    keys, errors = keymap.build({"veto": "V", "pause": ["P", "f5"], "theme": []})
    assert not errors
    assert keys.action(keymap.RUN, "V") == "veto"
    assert keys.action(keymap.RUN, "v") is None
    assert keys.action(keymap.RUN, "f5") == "pause"
    assert keys.action(keymap.RUN, "t") is None
    assert keys.label("theme") == ""


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"fly": "x"}, ["no such action"]),
        ({"veto": 3}, ["must be a key"]),
        ({"veto": "shift+ctrl+9"}, ["is no key"]),
        ({"veto": "p"}, ["both"]),
        ({"detach": []}, ["needs a key"]),
        ({"fly": "x", "veto": "p", "pause": "nokey"}, ["no such action", "is no key"]),
        (7, ["must be a table"]),
    ],
)
def test_all_mistakes_are_told_at_once_and_the_defaults_stand(table, words):
    keys, errors = keymap.build(table)
    assert keys is keymap.DEFAULT
    for word in words:
        assert any(word in error for error in errors), errors


def test_the_settings_file_is_checked_whole(tmp_path):
    (tmp_path / "tui.toml").write_text(
        'updates_per_second = 9\nascii = "yes"\ncolour = 1\n[keys]\nveto = "p"\nfly = "x"\n'
    )
    settings = load(tmp_path)
    assert len(settings.errors) == 5
    assert settings.updates_per_second == 1.0
    assert settings.keys is keymap.DEFAULT


def test_good_settings_are_taken(tmp_path):
    (tmp_path / "tui.toml").write_text(
        'theme = "paper"\nupdates_per_second = 2\nascii = true\nmouse = false\n[keys]\nveto = "V"\n'
    )
    settings = load(tmp_path)
    assert not settings.errors
    assert (settings.theme.name, settings.updates_per_second) == ("paper", 2.0)
    assert settings.ascii and not settings.mouse
    assert settings.keys.action("run", "V") == "veto"


def test_a_file_that_is_no_toml_gives_one_line(tmp_path):
    (tmp_path / "tui.toml").write_text("theme = [")
    assert len(load(tmp_path).errors) == 1

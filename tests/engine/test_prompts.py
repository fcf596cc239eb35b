"""The template loader: parts, strict inputs, one hash."""

import re
from pathlib import Path

import pytest
from jinja2 import Environment, meta

from evoscope.engine import prompts
from evoscope.engine.errors import ConfigError
from evoscope.engine.prompts import load_template, parse_template, render, template_hash
from evoscope.resources import resource_dir

HEAD = "---\nrole: audit\ninputs: a, b\noutput: Reply\n---\n"
PROMPTS = Path(str(resource_dir("prompts")))
NAMES = sorted(p.relative_to(PROMPTS).with_suffix("").as_posix() for p in PROMPTS.rglob("*.md"))


def test_a_body_with_the_user_mark_is_split_in_two() -> None:
    template = parse_template("x", HEAD + "Sys {{ a }}\n\n=== user ===\n\nUser {{ b }}\n")
    assert (template.system, template.user) == ("Sys {{ a }}", "User {{ b }}")
    assert (template.role, template.inputs, template.output) == ("audit", ("a", "b"), "Reply")


def test_a_body_without_the_mark_has_no_system_text() -> None:
    template = parse_template("x", HEAD + "User {{ b }}\n")
    assert (template.system, template.user) == (None, "User {{ b }}")


@pytest.mark.parametrize(
    "text", ["", "no front matter", "---\nrole: a\n---\n", "---\nrole a\n---\n"]
)
def test_a_malformed_head_is_refused_by_name(text: str) -> None:
    with pytest.raises(ConfigError, match="prompt some/name"):
        parse_template("some/name", text)


def test_data_is_neither_escaped_nor_read_as_a_template() -> None:
    hostile = "<b>&amp; {{ 7 * 7 }} {% raw %} \x00 \ud800 \u2028 end"
    system, user = render("task/pubmedqa", question=hostile, contexts="c")
    assert system is None
    assert f"<question>\n{hostile}\n</question>" in user


def test_missing_and_unknown_inputs_are_refused() -> None:
    with pytest.raises(ConfigError, match="question"):
        render("task/pubmedqa", contexts="c")
    with pytest.raises(ConfigError, match="gold"):
        render("task/pubmedqa", question="q", contexts="c", gold="g")
    with pytest.raises(ConfigError, match="no file"):
        render("task/nothing")


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_template_uses_exactly_the_inputs_it_names(name: str) -> None:
    template = load_template(name)
    tree = Environment().parse((template.system or "") + template.user)
    assert meta.find_undeclared_variables(tree) == set(template.inputs)


def test_the_hash_covers_a_folder_and_its_subfolders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompts, "resource_dir", lambda kind: tmp_path)
    (tmp_path / "task" / "deep").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    names = ("task/a.md", "task/deep/b.md", "other/c.md")
    for name in names:
        (tmp_path / name).write_text("text\n")
    before = _hash("task")
    (tmp_path / "other/c.md").write_text("another text\n")
    assert _hash("task") == before != _hash("")
    (tmp_path / "task/deep/b.md").write_text("another text\n")
    assert _hash("task") != before
    assert re.fullmatch(r"[0-9a-f]{64}", before)


def _hash(folder: str) -> str:
    template_hash.cache_clear()
    return template_hash(folder)

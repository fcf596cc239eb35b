"""Prompt templates: front matter, a system and a user part, strict Jinja2, one hash for all.

A template is a file `prompts/NAME.md`:

    ---
    role: audit
    inputs: data
    output: AuditReply
    ---
    system text
    === user ===
    user text with {{ data }}

Without the line `=== user ===` all of the body is the user text and there is no system text.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable

from jinja2 import Environment, StrictUndefined, TemplateError
from jinja2 import Template as CompiledTemplate

from ..resources import resource_dir
from .errors import ConfigError

USER_MARK = "=== user ==="


@dataclass(frozen=True, slots=True)
class Template:
    """One template: who asks, the names it wants, the reply's model, and its two texts."""

    name: str
    role: str
    inputs: tuple[str, ...]
    output: str
    system: str | None
    user: str


def render(name: str, /, **inputs: object) -> tuple[str | None, str]:
    """The system text (None if the template has none) and the user text of `prompts/NAME.md`.

    Raises ConfigError where the template is missing or malformed, or where `inputs` are not
    exactly those that its front matter names.
    """
    template = load_template(name)
    if set(inputs) != set(template.inputs):
        wanted, given = ", ".join(template.inputs), ", ".join(sorted(inputs))
        raise ConfigError(f"prompt {name}: wants the inputs {wanted}, got {given}")
    try:
        system = None if template.system is None else _fill(template.system, inputs)
        return system, _fill(template.user, inputs)
    except TemplateError as error:
        raise ConfigError(f"prompt {name}: {error}; correct prompts/{name}.md") from error


@cache
def load_template(name: str) -> Template:
    """The parsed template `prompts/NAME.md`; raises ConfigError where it cannot be read."""
    path = resource_dir("prompts").joinpath(*f"{name}.md".split("/"))
    if not path.is_file():
        raise ConfigError(f"prompt {name}: no file prompts/{name}.md; reinstall Evoscope")
    return parse_template(name, path.read_text(encoding="utf-8"))


def parse_template(name: str, text: str) -> Template:
    """The template in `text`; raises ConfigError where its front matter is malformed."""
    lines = text.replace("\r\n", "\n").split("\n")
    end = lines.index("---", 1) if lines[0] == "---" and "---" in lines[1:] else 0
    head = dict(_head_line(name, line) for line in lines[1:end] if line.strip())
    if set(head) != {"role", "inputs", "output"}:
        raise ConfigError(
            f"prompt {name}: the front matter must give role, inputs and output, one a line, "
            f"between two lines ---; correct prompts/{name}.md"
        )
    system, user = _split_body(lines[end + 1 :])
    inputs = tuple(part.strip() for part in head["inputs"].split(",") if part.strip())
    return Template(name, head["role"], inputs, head["output"], system, user)


@cache
def template_hash(folder: str = "") -> str:
    """SHA-256 over the names and bytes of all templates of `prompts/FOLDER`, subfolders included.

    Part of a run's identity: an edited prompt changes it, a moved checkout does not.
    """
    digest = hashlib.sha256()
    root = resource_dir("prompts")
    root = root.joinpath(*folder.split("/")) if folder else root
    for name, path in sorted(_templates(root, folder), key=lambda entry: entry[0]):
        body = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{name}\0{len(body)}\0".encode() + body)
    return digest.hexdigest()


def _templates(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        name = f"{prefix}/{entry.name}".lstrip("/")
        if entry.is_dir():
            yield from _templates(entry, name)
        elif entry.name.endswith(".md"):
            yield name, entry


def _head_line(name: str, line: str) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    if not colon:
        raise ConfigError(
            f"prompt {name}: front matter line {line!r} has no colon; write key: value"
        )
    return key.strip(), value.strip()


def _split_body(lines: list[str]) -> tuple[str | None, str]:
    if USER_MARK not in lines:
        return None, "\n".join(lines).strip("\n")
    at = lines.index(USER_MARK)
    return "\n".join(lines[:at]).strip("\n"), "\n".join(lines[at + 1 :]).strip("\n")


def _fill(source: str, inputs: Mapping[str, object]) -> str:
    return _compiled(source).render(inputs)


@cache
def _compiled(source: str) -> CompiledTemplate:
    # autoescape would change the data: what a prompt quotes is delimited, never HTML
    return Environment(undefined=StrictUndefined, autoescape=False).from_string(source)

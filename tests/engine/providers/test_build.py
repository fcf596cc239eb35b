"""Providers from a configuration and an environment."""

import subprocess
import sys
from typing import Any

import pytest

from evoscope.engine.config import ProviderSettings
from evoscope.engine.errors import ConfigError
from evoscope.engine.providers.build import build_provider, key_variable
from tests.engine.providers.wires import ENVIRON, KEY, ask, provider_at


def settings(**values: Any) -> ProviderSettings:
    return ProviderSettings.model_validate(values)


@pytest.mark.parametrize(
    ("values", "variable"),
    [
        ({"kind": "anthropic"}, "ANTHROPIC_API_KEY"),
        ({"kind": "chat_completions"}, "OPENROUTER_API_KEY"),
        ({"kind": "chat_completions", "dialect": "openai"}, "OPENAI_API_KEY"),
        ({"kind": "chat_completions", "dialect": "vllm", "key_env": "MY_KEY"}, "MY_KEY"),
        ({"kind": "anthropic", "key_env": "OTHER"}, "OTHER"),
    ],
)
@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_key_names_the_provider_and_the_variable(
    values: dict[str, str], variable: str, value: str | None
) -> None:
    environ = {} if value is None else {variable: value}
    with pytest.raises(ConfigError, match=rf"providers\.main.*{variable}"):
        build_provider("main", settings(**values), environ)


@pytest.mark.parametrize("key", ["sk-ä", "sk-a\nb", "sk-\x00"])
def test_a_key_with_strange_characters_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY") as caught:
        build_provider("main", settings(kind="anthropic"), {"ANTHROPIC_API_KEY": key})
    assert key not in str(caught.value)


@pytest.mark.parametrize("dialect", ["vllm", "llama.cpp", "ollama"])
def test_local_servers_need_no_key(dialect: str) -> None:
    made = build_provider("local", settings(kind="chat_completions", dialect=dialect), {})
    assert (made.name, made.free) == ("local", False)


@pytest.mark.parametrize("url", ["ftp://x", "host/v1", "http://", "http://ann:word@"])
@pytest.mark.parametrize("kind", ["anthropic", "chat_completions"])
def test_a_base_url_that_is_none_is_refused(kind: str, url: str) -> None:
    with pytest.raises(ConfigError, match=r"providers\.main\.base_url") as caught:
        build_provider("main", settings(kind=kind, base_url=url), ENVIRON)
    assert "ann:word" not in str(caught.value)


def test_offline_needs_nothing_and_costs_nothing() -> None:
    made = build_provider("rehearsal", settings(kind="offline"), {})
    assert (made.name, made.free) == ("rehearsal", True)
    assert key_variable(settings(kind="offline")) is None


def test_a_provider_never_shows_its_key() -> None:
    for wire in ("chat", "anthropic"):
        assert KEY not in repr(provider_at("http://127.0.0.1:9", wire))


def test_building_imports_only_what_the_kind_needs() -> None:
    code = (
        "import sys\n"
        "from evoscope.engine.providers.build import build_provider\n"
        "from evoscope.engine.config import ProviderSettings\n"
        "assert not {'anthropic', 'httpx', 'httpx2'} & set(sys.modules), 'too early'\n"
        "settings = ProviderSettings(kind='chat_completions', dialect='vllm')\n"
        "build_provider('a', settings, {})\n"
        "assert 'httpx' in sys.modules and 'anthropic' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("wire", ["chat", "anthropic"])
def test_the_estimate_grows_with_every_part_of_a_request(wire: str) -> None:
    provider = provider_at("http://127.0.0.1:9", wire)
    base = provider.estimate_input_tokens(ask(wire))
    schema = {"schema": ("s", {"type": "object"})}
    assert provider.estimate_input_tokens(ask(wire, "longer " * 100)) >= base + 7 * 100 // 4
    assert provider.estimate_input_tokens(ask(wire, system="Be brief.")) > base
    assert provider.estimate_input_tokens(ask(wire, params=schema)) > base

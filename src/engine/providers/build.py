"""Providers by name, from the configuration and the environment.

Each kind's libraries are imported when the first provider of that kind is built.
"""

from collections.abc import Mapping

from ..config import ProviderSettings
from ..errors import ConfigError
from .base import Provider

KEY_VARIABLES = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "openai": "OPENAI_API_KEY",
}


def key_variable(settings: ProviderSettings) -> str | None:
    """The environment variable that holds this provider's key; None where it needs no key."""
    if settings.kind == "offline":
        return None
    if settings.key_env is not None:
        return settings.key_env
    kind = settings.kind if settings.kind == "anthropic" else settings.dialect
    return KEY_VARIABLES.get(kind)


def build_provider(name: str, settings: ProviderSettings, environ: Mapping[str, str]) -> Provider:
    """The provider called `name`.

    Raises ConfigError, naming the variable or key, where an API key is missing, or a base URL,
    proxy or certificate bundle cannot be used.
    """
    if settings.kind == "offline":
        from .offline.provider import OfflineProvider

        return OfflineProvider(name, settings)
    key = _key(name, settings, environ)
    if settings.kind == "anthropic":
        from .anthropic import Anthropic

        return Anthropic(name, settings, key or "", environ)
    from .chat_completions import ChatCompletions

    return ChatCompletions(name, settings, key, environ)


def _key(name: str, settings: ProviderSettings, environ: Mapping[str, str]) -> str | None:
    variable = key_variable(settings)
    if variable is None:
        return None
    key = environ.get(variable, "").strip()
    if not key:
        raise ConfigError(
            f"providers.{name}: no key in the environment variable {variable}; "
            f"set it (export {variable}=...) and start again"
        )
    if not key.isascii() or not key.isprintable():
        raise ConfigError(
            f"providers.{name}: the key in {variable} holds characters that no key has; "
            "copy it again, without spaces or line breaks"
        )
    return key

"""Bounded sets of HTTP clients, with proxies and certificates chosen explicitly.

One httpx pool of many connections costs quadratic time (encode/httpcore#1035), so requests are
spread over clients of at most `CONNECTIONS` each. All of them share one SSLContext, since each
context costs 0.7 MB. Nothing is left to the HTTP library's own reading of the environment.
"""

import importlib.util
import ipaddress
import os
import ssl
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar
from urllib.parse import SplitResult, urlsplit

from ..errors import ConfigError

CONNECTIONS = 16
CONNECT_TIMEOUT_S = 10.0
KEEPALIVE_S = 30.0
PROXY_SCHEMES = ("http", "https", "socks5", "socks5h")

C = TypeVar("C")


class ClientSet(Generic[C]):
    """Clients made on demand, each carrying at most `CONNECTIONS` requests at a time.

    The least loaded client is taken; a new one is made only when all are full, so that no request
    ever queues inside a pool.
    """

    def __init__(self, make: Callable[[], C], close: Callable[[C], Awaitable[None]]) -> None:
        self._make, self._close = make, close
        self._seats: list[_Seat[C]] = []

    def __len__(self) -> int:
        return len(self._seats)

    @property
    def loads(self) -> tuple[int, ...]:
        """Requests in flight, per client."""
        return tuple(seat.load for seat in self._seats)

    @contextmanager
    def lease(self) -> Iterator[C]:
        """A client for one request."""
        seat = self._least_loaded()
        seat.load += 1
        try:
            yield seat.client
        finally:
            seat.load -= 1

    def _least_loaded(self) -> "_Seat[C]":
        seat = min(self._seats, key=_load, default=None)
        if seat is None or seat.load >= CONNECTIONS:
            seat = _Seat(self._make())
            self._seats.append(seat)
        return seat

    async def aclose(self) -> None:
        """Close every client; the set is empty afterwards."""
        seats, self._seats = self._seats, []
        for seat in seats:
            await self._close(seat.client)


@dataclass(slots=True)
class _Seat(Generic[C]):
    client: C
    load: int = 0


def _load(seat: "_Seat[C]") -> int:
    return seat.load


def connect_timeout(timeout_s: float) -> float:
    """Seconds to wait for a connection: less than the attempt's own limit.

    So a host that cannot be reached (not paid) is told from a model that does not answer.
    """
    return min(CONNECT_TIMEOUT_S, timeout_s * 0.9)


def base_url(configured: str | None, default: str, name: str) -> str:
    """The base URL without a trailing slash. Raises ConfigError where it is no http(s) URL."""
    url = (configured or default).rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(
            f"providers.{name}.base_url: {without_password(url)!r} is no http or https URL; "
            "give one such as https://host/v1"
        )
    return url


def ssl_context(environ: Mapping[str, str]) -> ssl.SSLContext:
    """The one context of a provider: SSL_CERT_FILE or SSL_CERT_DIR if set, else certifi's bundle.

    Raises ConfigError where the named bundle cannot be loaded.
    """
    for variable in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        if path := environ.get(variable):
            return _context_from(variable, path)
    return _default_context()


@lru_cache(maxsize=1)
def _default_context() -> ssl.SSLContext:
    import certifi

    return ssl.create_default_context(cafile=certifi.where())


def _context_from(variable: str, path: str) -> ssl.SSLContext:
    file, folder = (path, None) if variable == "SSL_CERT_FILE" else (None, path)
    try:
        if not os.path.exists(path):
            raise FileNotFoundError("no such file or folder")
        return ssl.create_default_context(cafile=file, capath=folder)
    except OSError as error:
        raise ConfigError(
            f"{variable}={path}: cannot load the certificates ({error}); "
            "name a readable PEM bundle or unset the variable"
        ) from None


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """The proxy that the environment names for `url`, None for a direct connection.

    Reads https_proxy or http_proxy by the URL's scheme, then all_proxy, in lower case first, and
    no_proxy (hosts, domains, host:port, networks, `*`). Only the variable that applies is looked
    at. Raises ConfigError where its value cannot be used.
    """
    parts = urlsplit(url)
    for variable in (f"{parts.scheme}_proxy", "all_proxy"):
        name = variable if environ.get(variable) else variable.upper()
        if value := environ.get(name):
            if _bypassed(parts, environ.get("no_proxy") or environ.get("NO_PROXY") or ""):
                return None
            return _checked_proxy(name, value, parts.hostname or "")
    return None


def _checked_proxy(variable: str, value: str, host: str) -> str:
    proxy = value if "://" in value else f"http://{value}"
    shown = f"{variable}={without_password(proxy)}"
    try:
        parts = urlsplit(proxy)
        usable = parts.scheme in PROXY_SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError(
            f"{shown}: no proxy that can be used; give an http://, https:// or socks5:// URL, "
            f"or add {host} to NO_PROXY"
        )
    if parts.scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
        raise ConfigError(
            f"{shown}: SOCKS proxies need the package socksio; install it, give an http:// proxy, "
            f"or add {host} to NO_PROXY"
        )
    return proxy


def _bypassed(url: SplitResult, no_proxy: str) -> bool:
    entries = [entry.strip().lower() for entry in no_proxy.split(",") if entry.strip()]
    return any(_matches(url, entry) for entry in entries)


def _matches(url: SplitResult, entry: str) -> bool:
    host = (url.hostname or "").lower()
    if entry == "*":
        return True
    entry = entry.split("://", 1)[-1]
    if _in_network(host, entry):
        return True
    name, _, port = entry.rpartition(":")
    if name and port.isdigit() and ":" not in name:
        default = {"http": 80, "https": 443}[url.scheme]
        if int(port) != (url.port or default):
            return False
        entry = name
    domain = entry.removeprefix("*").removeprefix(".").strip("[]")
    return host == domain or host.endswith(f".{domain}")


def _in_network(host: str, entry: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
    except ValueError:  # a name on either side
        return False


def without_password(url: str) -> str:
    """The URL with user and password replaced, fit for a message."""
    head, at, tail = url.rpartition("@")
    if not at:
        return url
    scheme, separator, _ = head.partition("://")
    return f"{scheme}{separator}***@{tail}" if separator else f"***@{tail}"

"""Connections: spread over bounded clients, through proxies and own certificates."""

import asyncio
import ssl
import subprocess
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.errors import ConfigError, ErrorClass
from evoscope.engine.providers.http import CONNECTIONS, ClientSet, proxy_for, ssl_context
from tests.engine.providers.wires import WIRES, ask, complete, failure, provider_at
from tests.servers.llm_faults import Rule
from tests.servers.llm_server import LlmServer

HOST = "http://llm.test"


@pytest.mark.parametrize("wire", WIRES)
async def test_four_hundred_requests_at_once_spread_over_clients_of_sixteen(wire: str) -> None:
    async with LlmServer([Rule("hold", args={"until": 400})]) as server:
        provider: Any = provider_at(server.url, wire)
        requests = [ask(wire, f"Question {k}") for k in range(400)]
        answers = [asyncio.ensure_future(complete(provider, each, 60)) for each in requests]
        await asyncio.gather(*answers)
        assert server.stats.peak == 400
        assert len(provider.clients) == 400 // CONNECTIONS
        assert set(provider.clients.loads) == {0}
        assert len({answer.result().text for answer in answers}) == 400
        await provider.aclose()
        assert len(provider.clients) == 0


async def test_the_least_loaded_client_is_taken_and_a_new_one_only_when_all_are_full() -> None:
    made: list[str] = []
    closed: list[str] = []

    def make() -> str:
        made.append(f"client {len(made)}")
        return made[-1]

    async def close(client: str) -> None:
        closed.append(client)

    clients = ClientSet(make, close)
    leases = [clients.lease() for _ in range(2 * CONNECTIONS + 1)]
    taken = [lease.__enter__() for lease in leases]
    assert taken == ["client 0"] * CONNECTIONS + ["client 1"] * CONNECTIONS + ["client 2"]
    for lease in leases[:3]:
        lease.__exit__(None, None, None)
    assert clients.loads == (CONNECTIONS - 3, CONNECTIONS, 1)
    with clients.lease() as client:
        assert client == "client 2"
    assert len(made) == 3
    await clients.aclose()
    assert closed == made


async def test_a_lease_ends_where_the_request_fails() -> None:
    async def close(client: object) -> None:
        return None

    clients: ClientSet[object] = ClientSet(object, close)
    with pytest.raises(RuntimeError), clients.lease():
        raise RuntimeError
    assert clients.loads == (0,)


def test_all_clients_of_a_provider_share_one_certificate_context() -> None:
    provider: Any = provider_at(HOST, "chat")
    pools = [provider._client()._transport._pool for _ in range(2)]
    assert pools[0]._ssl_context is pools[1]._ssl_context is provider._ssl


@pytest.mark.parametrize("wire", WIRES)
async def test_requests_go_through_the_proxy_of_the_environment(wire: str) -> None:
    async with LlmServer() as proxy:
        provider = provider_at(HOST, wire, environ={"http_proxy": f"127.0.0.1:{proxy.port}"})
        completion = await complete(provider, ask(wire))
        await provider.aclose()
        assert completion.text
        assert proxy.last.headers["host"] == "llm.test"


@pytest.mark.parametrize("wire", WIRES)
async def test_no_proxy_means_a_direct_connection(wire: str) -> None:
    async with LlmServer() as server:
        environ = {"HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}
        provider = provider_at(server.url, wire, environ=environ)
        assert (await complete(provider, ask(wire))).text
        await provider.aclose()


@pytest.mark.parametrize("wire", WIRES)
async def test_a_proxy_that_is_not_there_is_transient_and_hides_its_password(wire: str) -> None:
    environ = {"http_proxy": "http://ann:s3cretword@127.0.0.1:9"}
    provider = provider_at(HOST, wire, environ=environ)
    error = await failure(provider, ask(wire))
    await provider.aclose()
    assert error.kind is ErrorClass.TRANSIENT
    assert not error.maybe_paid
    assert "s3cretword" not in str(error)


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
@pytest.mark.parametrize(
    "proxy", ["socks://127.0.0.1:1080", "socks4://h:1", "http://", "ftp://h", "http://h:99999"]
)
@pytest.mark.parametrize("wire", WIRES)
def test_an_unusable_proxy_is_one_line_that_names_the_variable(
    wire: str, variable: str, proxy: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        provider_at(HOST, wire, environ={variable: proxy})
    assert str(caught.value).startswith(f"{variable}={proxy}: ")
    assert "NO_PROXY" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "environ", "proxy"),
    [
        ("http://a.test", {}, None),
        ("http://a.test", {"https_proxy": "http://p:1"}, None),
        ("https://a.test", {"https_proxy": "p:1"}, "http://p:1"),
        ("https://a.test", {"https_proxy": "http://p:1", "all_proxy": "socks://x"}, "http://p:1"),
        ("https://a.test", {"HTTP_PROXY": "socks://x"}, None),
        ("https://a.test", {"all_proxy": "http://p:1", "no_proxy": "a.test"}, None),
        ("https://b.a.test", {"all_proxy": "http://p:1", "no_proxy": ".a.test"}, None),
        ("https://b.a.test", {"all_proxy": "http://p:1", "no_proxy": "*.a.test, x"}, None),
        ("https://ba.test", {"all_proxy": "http://p:1", "no_proxy": "a.test"}, "http://p:1"),
        ("https://a.test", {"all_proxy": "socks://p:1", "no_proxy": "*"}, None),
        ("http://10.1.2.3:80", {"all_proxy": "http://p:1", "no_proxy": "10.0.0.0/8"}, None),
        ("http://11.1.2.3", {"all_proxy": "http://p:1", "no_proxy": "10.0.0.0/8"}, "http://p:1"),
        ("http://a.test:81", {"all_proxy": "http://p:1", "no_proxy": "a.test:80"}, "http://p:1"),
        ("http://a.test:80", {"all_proxy": "http://p:1", "no_proxy": "a.test:80"}, None),
        ("http://[::1]:80", {"all_proxy": "http://p:1", "no_proxy": "::1"}, None),
        ("http://a.test", {"http_proxy": "", "all_proxy": "http://p:1"}, "http://p:1"),
    ],
)
def test_which_proxy_a_url_gets(url: str, environ: dict[str, str], proxy: str | None) -> None:
    assert proxy_for(url, environ) == proxy


def test_a_socks5_proxy_without_its_package_says_what_to_install() -> None:
    with pytest.raises(ConfigError, match="socksio"):
        proxy_for(HOST, {"all_proxy": "socks5://ann:s3cretword@h:1"})
    with pytest.raises(ConfigError) as caught:
        proxy_for(HOST, {"all_proxy": "socks5://ann:s3cretword@h:1"})
    assert "s3cretword" not in str(caught.value)


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_a_missing_certificate_bundle_names_the_variable(variable: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"^{variable}=.*missing"):
        ssl_context({variable: str(tmp_path / "missing")})


def test_a_bundle_that_holds_no_certificate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing\n")
    with pytest.raises(ConfigError, match="PEM bundle"):
        ssl_context({"SSL_CERT_FILE": str(tmp_path / "empty.pem")})


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no openssl on this machine")
    return cert, key


@pytest.mark.parametrize("wire", WIRES)
async def test_the_named_certificate_bundle_is_trusted_and_no_other(
    wire: str, certificate: tuple[Path, Path]
) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*certificate)
    server = LlmServer()
    await server.start(tls=tls)
    try:
        base = f"https://127.0.0.1:{server.port}"
        trusting = provider_at(base, wire, environ={"SSL_CERT_FILE": str(certificate[0])})
        assert (await complete(trusting, ask(wire))).text
        await trusting.aclose()
        wary = provider_at(base, wire)
        error = await failure(wary, ask(wire))
        await wary.aclose()
        assert error.kind is ErrorClass.TRANSIENT
        assert not error.maybe_paid
        assert "CERTIFICATE" in error.message.upper()
    finally:
        await server.stop()

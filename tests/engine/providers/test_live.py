"""A real llama.cpp server, where one runs on this machine (or at EVOSCOPE_LLAMA_URL)."""

import os

import httpx
import pytest

from evoscope.engine.config import ProviderSettings
from evoscope.engine.model.llm import Finish
from evoscope.engine.providers.build import build_provider
from tests.engine.providers.wires import ask, complete

pytestmark = pytest.mark.live


@pytest.fixture
def llama() -> str:
    url = os.environ.get("EVOSCOPE_LLAMA_URL", "http://127.0.0.1:8080")
    try:
        health = httpx.get(f"{url}/health", timeout=1, trust_env=False)
    except httpx.HTTPError:
        pytest.skip(f"no llama.cpp server at {url}")
    if health.status_code != 200 or '"ok"' not in health.text:
        pytest.skip(f"what runs at {url} is no llama.cpp server that is ready")
    return url


async def test_a_real_server_gives_text_log_probs_and_the_same_again_for_a_seed(llama: str) -> None:
    settings = ProviderSettings(
        kind="chat_completions", dialect="llama.cpp", base_url=f"{llama}/v1"
    )
    provider = build_provider("llama", settings, {})
    params = {"temperature": 0.0, "seed": 1, "max_tokens": 24, "logprobs": True, "top_logprobs": 3}
    request = ask("chat", "Name three colours.", model="default", params=params)
    first, second = [await complete(provider, request, 120) for _ in range(2)]
    await provider.aclose()
    assert first.text == second.text != ""
    assert first.finish in (Finish.STOP, Finish.LENGTH)
    assert first.logprobs is not None
    assert 0 < first.logprobs.count <= 24
    assert first.logprobs.total <= 0
    assert first.usage.output

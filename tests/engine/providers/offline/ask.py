"""Requests to the offline models, and prompts as the benchmarks write them."""

import json
from collections.abc import Mapping

from evoscope.engine.config import Faults, ProviderSettings
from evoscope.engine.model.llm import Completion, Json, Message, Params, Request
from evoscope.engine.providers.offline import OfflineProvider

DRAWN = Params(temperature=1.0, logprobs=True)


def provider(careless: float = 0.15, **faults: float) -> OfflineProvider:
    """An offline provider with these dials."""
    settings = ProviderSettings(kind="offline", careless=careless, faults=Faults(**faults))
    return OfflineProvider("offline", settings)


def task(prompt: str, sample: int = 0, params: Params = DRAWN) -> Request:
    """A rollout's request."""
    return Request(
        "task", "offline", "reader", (Message("user", prompt),), params=params, sample=sample
    )


def structured(role: str, data: Mapping[str, Json], sample: int = 0) -> Request:
    """A structured role's request around one JSON document."""
    text = json.dumps(dict(data), ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")
    prompt = f"Work on this.\n<input>\n{text}\n</input>"
    return Request(role, "offline", role, (Message("user", prompt),), sample=sample)


async def complete(request: Request, by: OfflineProvider | None = None) -> Completion:
    """Send a request once and parse the answer."""
    model = by or provider()
    return model.parse(await model.send(request, 60.0), request)


async def answer(role: str, data: Mapping[str, Json], sample: int = 0) -> dict[str, Json]:
    """A structured role's JSON object."""
    value = json.loads((await complete(structured(role, data, sample))).text)
    assert isinstance(value, dict)
    return value


FINQA = """Write a program.

<pre_text>
the company reports results for its two segments .
</pre_text>

<table>
 | 2019 | 2018 | 2017
net sales | $ 4120 | $ 3800 | $ 3500
operating income | 610 | 540 | 505
interest expense | 75 | 81 | 90
</table>

<post_text>
capital expenditures were $ 210 million in 2019 and $ 190 million in 2018 .
</post_text>

<question>
{question}
</question>
"""
PUBMEDQA = """Give a verdict.

<question>
Does early walking shorten hospital stay after knee surgery?
</question>

<contexts>
Long stays are costly.

{finding}
</contexts>
"""
CONTRACT = """Give a label.

<contract>
1. Recipient keeps all Confidential Information secret.
{clause}
3. This Agreement is governed by the laws of Utopia.
</contract>

<hypothesis>
Receiving Party shall not reverse engineer any objects.
</hypothesis>
"""

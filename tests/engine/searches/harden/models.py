"""A scripted model for all roles; every answer is fixed by its slot."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from evoscope.engine.errors import CallFailed
from evoscope.engine.model.core import Slot
from evoscope.engine.model.llm import Completion, Finish, Params, Request
from evoscope.engine.searches.harden.settings import HardenSettings
from evoscope.engine.searches.harden.setup import ROLES, HardenSetup, Profile
from tests.engine.searches.harden.artifacts import catalogue, rubric
from tests.engine.searches.harden.bench import LABELS, LabelBench

SIZE = re.compile(r"#(\d+)")


def uniform(*parts: object) -> float:
    """A number in [0, 1) fixed by the parts."""
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:7], "big") / (1 << 56)


def document(request: Request) -> dict[str, Any]:
    """The JSON document of a structured prompt."""
    text = request.messages[0].text
    value = json.loads(text[text.index("<input>\n") + 8 : text.rindex("\n</input>")])
    assert isinstance(value, dict)
    return value


@dataclass
class Scripted:
    """Answers every role. `accuracy` gives the chance of a right label from the text of a prompt;
    the pass rates are those of single votes; `override` answers first where it gives an answer."""

    accuracy: Callable[[str], float] = lambda text: 0.8
    audit_rate: float = 0.85
    realism_rate: float = 0.9
    salt: str = ""
    override: Callable[[Slot, Request], str | CallFailed | Completion | None] = lambda s, r: None
    seen: list[tuple[Slot, Request]] = field(default_factory=list)

    def __call__(self, slot: Slot, request: Request) -> Completion | CallFailed:
        self.seen.append((slot, request))
        said = self.override(slot, request)
        if isinstance(said, CallFailed | Completion):
            return said
        text = said if said is not None else getattr(self, f"_{request.role}")(slot, request)
        return Completion(text, Finish.STOP)

    def requests(self, role: str) -> list[Request]:
        """All requests of one role that were really sent."""
        return [request for _, request in self.seen if request.role == role]

    def _analysis(self, slot: Slot, request: Request) -> str:
        return json.dumps(catalogue())

    def _rubric(self, slot: Slot, request: Request) -> str:
        return json.dumps(rubric())

    def _mutation(self, slot: Slot, request: Request) -> str:
        data = document(request)
        axes = [axis["axis_name"] for axis in data["candidate_axes"]]
        parent = next(v for path, v in data["files"].items() if path.endswith("/text"))
        return json.dumps(
            {"mutations": [self._entry(data, k, axes, parent) for k in self._indexes(data)]}
        )

    def _indexes(self, data: dict[str, Any]) -> range:
        return range(data["candidates_per_generation"])

    def _entry(self, data: dict[str, Any], k: int, axes: list[str], parent: str) -> dict[str, Any]:
        return {
            "individual_index": k,
            "axes": [axes[k % len(axes)]],
            "subtypes": ["one"],
            "description": f"note {k} added",
            "fields": {"text": f"{parent} note#{data['generation']}.{k}"},
        }

    def _extraction(self, slot: Slot, request: Request) -> str:
        parts = dict.fromkeys(("source", "value", "decision_criteria", "description"), "text")
        item = {**parts, "reason": "GOLDQUOTE", "semantic_label": "requested_task_semantics"}
        return json.dumps({"necessary_information": [item], "relationships": [], "reasoning": ""})

    def _audit(self, slot: Slot, request: Request) -> str:
        ok = uniform(self.salt, slot.key) < self.audit_rate
        return json.dumps({"pass": ok, "missing_information": [] if ok else ["a"]})

    def _realism(self, slot: Slot, request: Request) -> str:
        score = 5 if uniform(self.salt, slot.key) < self.realism_rate else 3
        return json.dumps({"scores": {"D1": score, "D2": 4, "D3": 4}, "red_flags": []})

    def _task(self, slot: Slot, request: Request) -> str:
        text = request.messages[0].text
        case = int(re.findall(r"topic (\d+)", text)[0])
        right = uniform(self.salt, "label", slot.key) < self.accuracy(text)
        wrong = 1 + int(2 * uniform(self.salt, "wrong", slot.key))
        label = LABELS[(case + (0 if right else wrong)) % 3]
        return f"Reasoning. Label: {label}"


def harder_with_notes(text: str) -> float:
    """Some notes make a case harder, others easier; fixed by the notes themselves."""
    notes = re.findall(r"note#([\d.]+)", text)
    topic = re.findall(r"topic (\d+)", text)
    return max(0.0, min(1.0, 0.8 + sum(0.3 * (uniform(*topic, n) - 0.7) for n in notes)))


def setup(n: int = 4, **settings: Any) -> HardenSetup:
    """A run of `n` cases over the label benchmark."""
    profile = Profile("p", "m", Params(temperature=1.0))
    gates = Profile("p", "g", Params())
    small: dict[str, Any] = {"generations": 3, "offspring": 6, "survivors": 3, "shards": 3}
    return HardenSetup(
        benchmark=LabelBench.of(n),
        settings=HardenSettings(**{**small, **settings}),
        profiles={role: gates if role == "gates" else profile for role in ROLES},
    )

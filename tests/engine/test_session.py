"""What pauses a session, and that a person's word lets it go on."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from evoscope.engine.calls.prices import Prices
from evoscope.engine.config import ProviderSettings
from evoscope.engine.model.llm import Completion, Finish, RawReply, Request
from evoscope.engine.session import Session, Setup
from evoscope.engine.store.database import create
from tests.replay_kit import HashProvider, drop
from tests.toy_search import Toy


class Drifting(HashProvider):
    """Served by another model from the twentieth request on."""

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        reply = await super().send(request, timeout_s)
        model = b"m-2" if len(self.sent) > 20 else b"m-1"
        return RawReply(model + b"|" + reply.body)

    def parse(self, reply: RawReply, request: Request) -> Completion:
        model, _, text = reply.body.decode().partition("|")
        return Completion(text, Finish.STOP, served_model=model)


@pytest.fixture
def session(tmp_path: Path) -> Callable[[HashProvider], Session]:
    path = tmp_path / "run.evo"
    create(path)
    accounts = {"toy": ProviderSettings(kind="offline")}

    def make(provider: HashProvider) -> Session:
        provider._random.random = lambda: 0.001  # type: ignore[method-assign]
        prices = Prices({}, accounts)
        return Session(path, Setup(Toy(2), 42, 2, {"toy": provider}, accounts, prices))

    return make


async def state(session: Session, wanted: str) -> None:
    async with asyncio.timeout(20):
        while session.state != wanted:
            await asyncio.sleep(0.02)


async def test_another_served_model_pauses_the_run_until_a_person_resumes(
    session: Callable[[HashProvider], Session],
) -> None:
    life = session(Drifting("toy", 1))
    await life.open()
    running = asyncio.ensure_future(life.run())
    await state(life, "paused")
    assert "was served by m-1, now by m-2" in life.pause.reason
    drop(life.path, {"id": "go", "kind": "resume"})
    end = await running
    await life.close()
    assert end.state == "finished"


async def test_a_paused_session_stays_paused_in_its_next_life(
    session: Callable[[HashProvider], Session],
) -> None:
    life = session(HashProvider("toy", 1))
    await life.open()
    drop(life.path, {"id": "p", "kind": "pause", "reason": "lunch"})
    running = asyncio.ensure_future(life.run())
    await state(life, "paused")
    life.stop("evening")
    assert (await running).exit_code == 3
    await life.close()
    life = session(HashProvider("toy", 2))
    await life.open()
    assert life.state == "paused" and life.pause.reason == "lunch"
    running = asyncio.ensure_future(life.run())
    drop(life.path, {"id": "r", "kind": "resume"})
    assert (await running).state == "finished"
    await life.close()


async def test_a_malformed_command_is_set_aside_and_an_unknown_one_refused(
    session: Callable[[HashProvider], Session],
) -> None:
    life = session(HashProvider("toy", 1))
    await life.open()
    inbox = life.path.with_name("run.evo.d") / "inbox"
    (inbox / "bad.json").write_text("{not json")
    drop(life.path, {"id": "odd", "kind": "dance"})
    drop(life.path, {"id": "v", "kind": "veto", "args": {"node": "nobody"}})
    assert (await life.run()).state == "finished"
    await life.close()
    assert (inbox / "bad.refused").exists()
    from evoscope.engine.store.memory import read_only

    rows = read_only(life.path).execute("SELECT kind, outcome, result FROM command ORDER BY seq")
    found = {kind: (outcome, result) for kind, outcome, result in rows}
    assert found["dance"] == ("refused", "unknown command 'dance'")
    assert found["veto"][0] == "refused" and "no node 'nobody'" in found["veto"][1]

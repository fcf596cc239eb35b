"""Nothing is destroyed by accident: focus, guard, paste, reasons."""

from evoscope.tui.screens.run import RunPage
from evoscope.tui.screens.veto import VetoDialog
from tests.tui.kit import driven
from tests.tui.test_keys import alive


class Clock:
    """A clock that the test moves."""

    def __init__(self):
        self.time = 100.0

    def __call__(self):
        return self.time


async def opened(app, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(app.app, "now", clock)
    alive(app)
    await app.press("2", "tab", "j", "j", "j", "v")
    assert isinstance(app.top, VetoDialog)
    return clock


async def test_a_veto_needs_a_reason_and_a_key_that_did_not_ask(small, monkeypatch):
    async with driven(small) as app:
        clock = await opened(app, monkeypatch)
        node = app.top._node
        clock.time += 1
        await app.press("tab")
        clock.time += 1
        await app.press("enter")
        assert "needs a reason" in app.text and app.sent == []
        await app.type("operand is wrong")
        clock.time += 1
        await app.press("enter")
        assert app.sent == [("veto", {"node": node}, "operand is wrong")]
        assert isinstance(app.top, RunPage)


async def test_cancel_has_the_focus(small, monkeypatch):
    async with driven(small) as app:
        clock = await opened(app, monkeypatch)
        await app.type("reason")
        clock.time += 1
        await app.press("enter")
        assert app.sent == [] and isinstance(app.top, RunPage)


async def test_keys_typed_ahead_never_confirm(small, monkeypatch):
    async with driven(small) as app:
        await opened(app, monkeypatch)
        await app.type("because")
        await app.press("tab", "enter", "enter")
        assert app.sent == [] and "too quick" in app.text


async def test_the_key_that_asked_is_only_text(small, monkeypatch):
    async with driven(small) as app:
        clock = await opened(app, monkeypatch)
        for _ in range(9):
            clock.time += 1
            await app.press("v")
        assert app.sent == [] and app.top.editor.text == "v" * 9


async def test_a_pasted_text_with_line_breaks_is_a_reason_and_no_yes(small, monkeypatch):
    async with driven(small) as app:
        clock = await opened(app, monkeypatch)
        await app.press("tab")
        clock.time += 1
        app.app.take_paste("first\r\n\t\x1b[2Jsecond\r\n")
        await app.settle()
        assert app.sent == [] and isinstance(app.top, VetoDialog)
        assert "first" in app.top.editor.text and "\x1b" not in app.top.editor.text


async def test_pasting_onto_a_page_does_nothing(small):
    async with driven(small) as app:
        app.app.take_paste("Qvp\r\n")
        await app.settle()
        assert app.sent == [] and isinstance(app.top, RunPage)


async def test_what_the_veto_takes_with_it_is_said(small, monkeypatch):
    async with driven(small) as app:
        clock = Clock()
        monkeypatch.setattr(app.app, "now", clock)
        await app.press("2", "tab")
        view = app.top.view
        parents = {p for key in view.nodes.keys for p in view.nodes.known(key).row.parents}
        chosen = next((n for n in view.nodes.keys[1:] if n in parents), None)
        if chosen is None:
            await app.press("j", "v")
            assert "no descendants" in app.text
        else:
            view.nodes.go_to(chosen)
            await app.press("v")
            assert "descendant" in app.text


async def test_originals_and_vetoed_nodes_are_refused(small):
    async with driven(small) as app:
        await app.press("2", "tab", "g", "v")
        assert "original" in app.text and isinstance(app.top, RunPage)
        await app.press("X")
        if app.top.view.nodes.row().row.vetoed:
            await app.press("v")
            assert "vetoed already" in app.text

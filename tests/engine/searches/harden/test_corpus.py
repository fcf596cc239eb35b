"""A corpus that does not fit becomes a digest: every case, a known size, nothing cut silently."""

from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.benchmarks.base import Case
from evoscope.engine.canonical import canonical_json
from evoscope.engine.searches.harden.corpus import corpus, shorten


def cases(n: int, size: int) -> list[Case]:
    return [
        Case(
            f"c{k}", {"contract": f"{k // 3} " + "word " * size, "rows": [["a", str(k)]] * 9}, "yes"
        )
        for k in range(n)
    ]


def test_a_corpus_that_fits_is_whole() -> None:
    entries, note = corpus(cases(3, 10), 100_000)
    assert note is None
    assert [entry["input"] for entry in entries] == [dict(c.fields) for c in cases(3, 10)]  # type: ignore[index,call-overload]


def test_a_digest_keeps_every_case_and_its_output_within_the_limit() -> None:
    entries, note = corpus(cases(30, 2000), 20_000)
    assert note is not None and "30 cases" in note
    assert len(canonical_json(entries)) <= 20_000
    assert [(e["id"], e["expected"]) for e in entries] == [(f"c{k}", "yes") for k in range(30)]  # type: ignore[index,call-overload]
    assert corpus(cases(30, 2000), 20_000) == (entries, note)


def test_a_shared_text_stands_once() -> None:
    entries, _ = corpus(cases(6, 2000), 12_000)
    shared = [e["input"]["contract"] for e in entries]  # type: ignore[index,call-overload]
    assert [s for s in shared if str(s).startswith("[the same as in case")] == [
        "[the same as in case c0]", "[the same as in case c0]",
        "[the same as in case c3]", "[the same as in case c3]",
    ]  # fmt: skip


@given(st.text(max_size=400), st.integers(60, 200))
def test_a_shortened_text_says_how_much_was_left_out(text: str, cap: int) -> None:
    short = shorten(text, cap)
    assert isinstance(short, str)
    if len(text) <= cap:
        assert short == text
        return
    head, rest = short.split(" [... ", 1) if cap * 2 // 3 else ("", short)
    left = int(rest.split(" characters")[0])
    tail = rest.split("...] ", 1)[1]
    assert text == head + text[len(head) : len(head) + left] + tail


@given(st.lists(st.text(max_size=40), max_size=40), st.integers(60, 300))
def test_a_shortened_list_keeps_whole_entries_and_counts_the_rest(
    entries: list[str], cap: int
) -> None:
    short = shorten(list(entries), cap)
    assert isinstance(short, list)
    if short == entries:
        return
    marks = [k for k, part in enumerate(short) if str(part).startswith("[... ")]
    assert marks
    mark = marks[0]
    left = int(str(short[mark]).split()[1])
    assert len(short) - 1 + left == len(entries)

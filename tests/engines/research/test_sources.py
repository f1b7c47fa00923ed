"""Sources: append-only, numbered by the host, each text once."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.engines.research.sources import Sources
from aeon.schema import Document, Found
from engines.research.world import document, found, passage

pytestmark = pytest.mark.requirement("R3")

TEXT = "The mill was built in 1883. It burnt down in 1921."


def page(source: str, text: str = TEXT, start: int = 0, end: int | None = None) -> Found:
    """A page with one passage of its text."""
    part = passage(source, text[start:end], start)
    return Found(provider="web", passages=(part,), documents=(document(source, text),))


def test_sources_are_numbered_from_one_in_the_order_in_which_they_come() -> None:
    """Each keeps its provider and the query that found it first."""
    sources = Sources(most=9).added([("q1", found("a", "b"))]).added([("q2", found("b", "c"))])
    assert [(one.number, one.document.source, one.query) for one in sources.entries] == [
        (1, "a.txt", "q1"), (2, "b.txt", "q1"), (3, "c.txt", "q2"),
    ]  # fmt: skip
    assert sources.passages == 3


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=4, unique=True), max_size=8), st.integers(1, 8))
def test_what_is_once_there_stays(searches: list[list[str]], most: int) -> None:
    """Whatever is found: no number moves, no passage goes, no text comes twice, and the limit holds."""
    states = accumulate(searches, lambda known, names: known.added([("q", found(*names))]), initial=Sources(most=most))
    before = Sources(most=most)
    for after in states:
        for old, new in zip(before.entries, after.entries, strict=False):
            assert (old.number, old.document, old.query) == (new.number, new.document, new.query)
            assert new.passages[: len(old.passages)] == old.passages
        assert len(before.entries) <= len(after.entries) <= most
        assert [one.number for one in after.entries] == list(range(1, len(after.entries) + 1))
        assert len({one.document.text_sha256 for one in after.entries}) == len(after.entries)
        before = after


def test_the_same_text_under_another_address_is_no_new_source() -> None:
    """Its passages count for the source that is there, and name it."""
    first = Sources(most=9).added([("q", page("https://a.example/", end=27))])
    both = first.added([("q", page("https://b.example/", start=28))])
    (entry,) = both.entries
    assert entry.document.source == "https://a.example/" and both.passages == 2
    assert {one.source for one in entry.passages} == {"https://a.example/"}
    ((shown, part),) = both.numbered(page("https://b.example/", start=28))
    assert (shown.number, part.source, part.text) == (1, "https://a.example/", "It burnt down in 1921.")


def test_a_passage_within_a_known_one_is_nothing_new() -> None:
    """So a smaller piece of it gains nothing."""
    whole = Sources(most=9).added([("q", page("a.txt"))])
    assert whole.added([("q", page("a.txt", end=27))]) == whole


def test_a_text_that_has_changed_since_is_left_out() -> None:
    """A span is one of the text that was read first; in another it would be of other words."""
    first = Sources(most=9).added([("q", page("https://a.example/"))])
    changed = page("https://a.example/", "Now it is a hotel. Rooms are cheap.")
    assert first.added([("q", changed)]) == first
    assert list(first.numbered(changed)) == []


def test_with_the_limit_reached_only_known_sources_gain() -> None:
    """Others are left out, and what is shown of a search too."""
    full = Sources(most=1).added([("q", page("a.txt", end=27))])
    more = full.added([("q", page("b.txt", "Something else."))]).added([("q", page("a.txt", start=28))])
    assert [one.document.source for one in more.entries] == ["a.txt"] and more.passages == 2
    assert list(more.numbered(page("b.txt", "Something else."))) == []


def test_a_passage_without_a_document_has_its_source_for_a_name() -> None:
    """A provider that says nothing of the text is used all the same."""
    bare = Found(provider="web", passages=(passage("a.txt", TEXT),))
    (entry,) = Sources(most=9).added([("q", bare)]).entries
    assert entry.document == Document(source="a.txt")

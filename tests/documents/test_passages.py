"""Cutting a text into passages."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.documents.passages import passages
from aeon.documents.sentences import sentences

pytestmark = pytest.mark.requirement("T2")

SENTENCE = "This is sentence number {} of a text that goes on and on, so that it fills a line or two."
PARTS = st.sampled_from(["# Head\n", "One. ", "Some more words in this one. ", "\n\n", "x" * 300 + ". ", "- item\n"])


def test_overlap() -> None:
    """Passages are of some sentences in a row, and the last sentence of one begins the next."""
    text = " ".join(SENTENCE.format(number) for number in range(30))
    found = passages(text)
    assert len(found) > 4
    for one, other in itertools.pairwise(found):
        assert 3 <= len(one.sentences) <= 8
        assert one.end - one.start <= 600
        assert one.sentences[-1] == other.sentences[0]


def test_headings_divide() -> None:
    """A passage does not reach into the next section, unless its own is very short."""
    long = " ".join(SENTENCE.format(number) for number in range(3))
    text = f"# Book\n\n## One\n\n{long}\n\n## Two\n\n{long}\n\n## Three\n\nShort."
    assert [(passage.heading, text[passage.start :].split("\n")[0]) for passage in passages(text)] == [
        ("One", "# Book"),
        ("Two", "## Two"),
        ("Three", "## Three"),
    ]


def test_pages_divide() -> None:
    """A passage does not reach onto the next page, however short its own is."""
    text = "About apples.\n\nAbout pears.\nAnd plums."
    assert [passage.sentences for passage in passages(text, (0, 0, 15))] == [((0, 13),), ((15, 27), (28, 38))]


@given(st.lists(PARTS, max_size=60).map("".join))
def test_nothing_is_lost(text: str) -> None:
    """Every sentence is in a passage, each passage adds one, and none is longer than its sentences allow."""
    spans = [(start, end) for start, end, _ in sentences(text)]
    found = passages(text)
    assert sorted({span for passage in found for span in passage.sentences}) == spans
    for passage in found:
        assert (passage.start, passage.end) == (passage.sentences[0][0], passage.sentences[-1][1])
        assert len(passage.sentences) == 1 or passage.end - passage.start <= 750
    for one, other in itertools.pairwise(found):
        assert one.end < other.end
        assert one.start < other.start

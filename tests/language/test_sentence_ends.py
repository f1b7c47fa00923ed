"""Where sentences end: not within a date, nor behind a number that stands before a heading."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.language.sentence_ends import sentence_ends

pytestmark = pytest.mark.requirement("L2")


def pieces(text: str) -> list[str]:
    """The sentences of a text."""
    places = [0, *sentence_ends(text), len(text)]
    return [text[start:end].strip() for start, end in itertools.pairwise(places)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Das Fest ist am Samstag, 12. Juli, ab 15 Uhr.", "Tobias tauscht das Schloss bis 30. Mai, Kosten 65 Euro."],
        ["1. Preise\nAb dem 1. Juli 2025 zahlen wir mehr.", "Henrik hilft."],
        ["Er kam am 3. Mai.", "Dann ging er wieder."],
        ["Elle est venue le 12 mai.", "Il pleuvait."],
        ["We have 3.", "They have 4.", "All are old."],
        ["Le maire, M. Delcourt, veut le remplacer cette année.", "Le trésorier M. Noël refuse."],
        ["La carta es de J. Ruiz y de M. Vega.", "Ellos no la firmaron."],
        ["Dr. Hanna Sturm came at 3.30 p.m. on 4 May.", "She left."],
        ["\u5e97\u5728\u661f\u671f\u4e8c\u5f00\u95e8\u3002", "\u4e94\u6708\u4e09\u65e5\u4f11\u606f\u3002"],
    ],
)
def test_a_full_stop_within_a_date_ends_nothing(sentences: list[str]) -> None:
    """Whatever stands behind the month."""
    assert pieces(("" if "\u3002" in sentences[0] else " ").join(sentences)) == sentences


@given(st.text(alphabet="Am 3. Mai\n*?! x\u3002", max_size=60))
def test_the_places_of_any_text_ascend(text: str) -> None:
    """And none is its beginning or its end; each piece but the last has a letter."""
    places = [*sentence_ends(text)]
    assert places == sorted(set(places)) and all(0 < place <= len(text) for place in places)
    assert all(any(map(str.isalpha, one)) for one in pieces(text)[:-1])

"""In which sentence a short answer stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.programs.stated import sentence_of, stands_in, stands_whole
from aeon.schema import Source

pytestmark = pytest.mark.requirement("T2d", "L1")


def sentence(text: str, start: int = 0, heading: str = "") -> Source:
    """A sentence of a text."""
    return Source(source="rules.md", start=start, end=start + len(text), text=text, heading=heading)


@pytest.mark.parametrize(
    ("answer", "text", "stands"),
    [
        ("1.50 euros", "A wash costs 1.50 euros.", True),
        ("1,50 Euro", "Eine W\u00e4sche kostet 1.50 Euro.", True),
        ("8:30", "Open from 08.30 on.", True),
        ("Greta Lindholm", "Tokens are sold by greta  lindholm in flat 6.", True),
        ("sold in flat 6 by Greta", "Tokens are sold by Greta Lindholm in flat 6.", True),
        ("\u661f\u671f\u4e8c", "\u5e97\u94fa\u5728\u661f\u671f\u4e8c\u548c\u661f\u671f\u516d\u8425\u4e1a\u3002", True),
        ("2 euros", "A wash costs 1.50 euros.", False),
        ("1.50 pounds", "A wash costs 1.50 euros.", False),
        ("no", "Nothing is allowed at night.", False),
        ("", "A wash costs 1.50 euros.", False),
    ],
)
def test_an_answer_stands_where_its_figures_and_most_of_its_words_do(answer: str, text: str, stands: bool) -> None:
    """In any language; case, spaces and marks count for nothing."""
    assert (stands_whole(answer, sentence(text)) or stands_in(answer, sentence(text))) is stands


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("5%", "5 euros"),
        ("\u00d6l", "Die B\u00f6ller sind laut."),
        ("\u043d\u0435", "\u043d\u0435\u0442"),
        ("3/4", "On 3 4 there"),
    ],
)
def test_a_part_of_a_word_and_a_number_of_another_kind_do_not_stand_there(answer: str, text: str) -> None:
    """Only scripts without spaces have words within words."""
    assert not stands_in(answer, sentence(text))


def test_of_several_sentences_it_is_the_nearest_to_the_question() -> None:
    """Both have the price."""
    wash, spin = sentence("A wash costs 2 euros."), sentence("A spin costs 2 euros.", 30)
    assert sentence_of("What does a spin cost?", "2 euros", [wash, spin]) == spin
    assert sentence_of("What does a wash cost?", "2 euros", [wash, spin]) == wash


@given(st.text(max_size=80), st.text(min_size=1, max_size=80))
def test_no_text_raises(answer: str, text: str) -> None:
    """Whatever stands in files, and whatever a model says."""
    stands_in(answer, sentence(text))

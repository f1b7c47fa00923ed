"""The answer as it is shown: the words of the model, and the numbers of what each sentence cites; refusals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.engines.research.checking import refusal
from aeon.engines.research.citing import composed, unworded, with_limits
from aeon.engines.research.effects import Cite
from aeon.engines.research.sources import Entry, Sources
from aeon.engines.research.values import Citation, Drafted
from aeon.schema import Source, Task
from engines.research.world import document, passage

pytestmark = pytest.mark.requirement("R3")

TEXT = "It was built in 1883. Ann Lee built it by hand."
FIRST, SECOND = passage("mill.txt", TEXT).sources()
QUESTION = "When was it built?"


def part(text: str, *numbers: int) -> Drafted:
    """A sentence that cites a sentence of each of these sources."""
    return Drafted(text=text, citations=tuple(Citation(number=number, source=FIRST) for number in numbers))


def effect(entries: int = 1, **fields: object) -> Cite:
    """A question with so many sources."""
    page = document("mill.txt", TEXT, "Old Mill")
    sources = Sources(
        most=9,
        entries=tuple(Entry(number=n, document=page, provider="w", query="q") for n in range(1, entries + 1)),
    )
    return Cite.model_validate({"task": Task(text=QUESTION), "sources": sources} | fields)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It was built in 1883.", "It was built in 1883 [2]."),
        ("Was it built in 1883?", "Was it built in 1883 [2]?"),
        ("它建于1883年。", "它建于1883年 [2]。"),
        ("真的吗\uff1f", "真的吗 [2]\uff1f"),
        ("了不起\uff01", "了不起 [2]\uff01"),
        ("यह 1883 में बना।", "यह 1883 में बना [2]।"),
        ("بُنيت عام 1883؟", "بُنيت عام 1883 [2]؟"),
        ("It was built in 1883", "It was built in 1883 [2]"),
        ("It was built (in 1883)", "It was built (in 1883) [2]"),
        ("It is said: “1883.”", "It is said: “1883.” [2]"),
        ("!", "! [2]"),
        ("  It was built in 1883. ", "It was built in 1883 [2]."),
    ],
)
def test_marks_stand_before_the_last_mark_of_a_sentence(text: str, shown: str) -> None:
    """In any script; where a sentence ends in none, behind it."""
    assert composed([part(text, 2)])[0] == shown


def test_each_source_is_named_once_and_a_sentence_without_any_has_no_marks() -> None:
    """In the order in which the model cites them."""
    text, sentences = composed([part("It is.", 3, 1, 3), part("So it is.")])
    assert text == "It is [3][1]. So it is."
    assert [text[one.start : one.end] for one in sentences] == ["It is [3][1].", "So it is."]
    assert [len(one.citations) for one in sentences] == [3, 0]


@pytest.mark.parametrize("item", ["- one", "* one", "1. one", "2) one", "• one", "# Years", "| a | b |", "\nSo it is"])
def test_what_begins_a_line_has_a_line_of_its_own(item: str) -> None:
    """Whatever it cites; what follows it does not need one."""
    text, sentences = composed([part("These:", 1), part(item, 2)])
    assert text.splitlines() == ["These [1]:", f"{item.strip()} [2]"] and len(sentences) == 2


@pytest.mark.parametrize("plain", ["-5 degrees were measured.", "1883 was the year.", "3.5 tons.", "#1 is it."])
def test_a_number_at_the_start_is_no_item(plain: str) -> None:
    """Only a mark before a blank makes a line."""
    assert "\n" not in composed([part("So:", 1), part(plain, 1)])[0]


@pytest.mark.requirement("L3")
@given(st.lists(st.tuples(st.text(min_size=1, max_size=60), st.lists(st.integers(1, 30), max_size=4)), max_size=6))
def test_without_the_marks_the_text_is_the_one_of_the_model(parts: list[tuple[str, list[int]]]) -> None:
    """Nothing is added but marks, the blank before them, and a blank or a line between sentences."""
    written = [part(text, *numbers) for text, numbers in parts]
    text, sentences = composed(written)
    kept = [one for one in written if one.text.strip()]
    assert [_bare(text[one.start : one.end], one.citations) for one in sentences] == [one.text.strip() for one in kept]
    between = [text[one.end : after.start] for one, after in pairwise(sentences)]
    assert set(between) <= {" ", "\n"}
    assert (sentences[0].start, sentences[-1].end) == (0, len(text)) if sentences else text == ""


def _bare(sentence: str, citations: Sequence[Citation]) -> str:
    """The sentence without its last marks."""
    marks = "".join(f"[{number}]" for number in dict.fromkeys(one.number for one in citations))
    if not marks:
        return sentence
    before, _, behind = sentence.rpartition(f" {marks}")
    assert len(behind) <= 1
    return before + behind


@pytest.mark.requirement("G5")
@pytest.mark.parametrize(
    ("entries", "searched", "unsearched", "begins"),
    [
        (1, ("mill", "year"), (), "The sources do not say: When was it built? (searched for: mill; year)."),
        (0, ("mill",), (), "No source was found for this: When was it built? (searched for: mill)."),
        (
            0, ("mill",), ("mill",),
            "Nothing could be searched, so this is open: When was it built? (could not be searched for: mill).",
        ),
        (
            1, ("mill", "year"), ("year",),
            "The sources do not say: When was it built? (searched for: mill; could not be searched for: year).",
        ),
    ],
)  # fmt: skip
def test_a_refusal_names_what_was_searched(
    entries: int, searched: tuple[str, ...], unsearched: tuple[str, ...], begins: str
) -> None:
    """And what could not be; it has no sentence that cites anything."""
    answer = refusal(effect(entries, searched=searched, unsearched=unsearched))
    assert answer.text == begins and answer.sentences == () and answer.reply is None


def test_a_refusal_says_what_is_missing_in_the_words_of_the_model() -> None:
    """In its language, a line of text each; the missing things are part of the value."""
    answer = refusal(effect(searched=("q",)), ("das Jahr\nder Eröffnung", "die Kosten"))
    assert answer.text == "The sources do not say: das Jahr der Eröffnung; die Kosten (searched for: q)."
    assert answer.missing == ("das Jahr\nder Eröffnung", "die Kosten")


def test_a_refusal_quotes_the_longest_of_the_nearest_sentences() -> None:
    """With the title of its source, so that who asked can tell."""
    nearest = [Citation(number=1, source=one) for one in (FIRST, SECOND)]
    text = refusal(effect(searched=("q",)), (), nearest).text
    assert text.endswith('; the nearest sentence: "Ann Lee built it by hand." (Old Mill).')


def test_many_searches_are_counted() -> None:
    """Eight are named."""
    text = refusal(effect(searched=tuple(f"q{n}" for n in range(11)))).text
    assert text.endswith("(searched for: q0; q1; q2; q3; q4; q5; q6; q7; and 3 more).")


@pytest.mark.requirement("R5")
@pytest.mark.parametrize(("unsearched", "told"), [((), True), (("a",), True), (("a", "b"), False)])
def test_a_limited_search_is_said_below_the_answer(unsearched: tuple[str, ...], told: bool) -> None:
    """Where something was searched; where nothing was, the refusal says that."""
    text = with_limits(effect(searched=("a", "b"), unsearched=unsearched, limited=True), "So it is.")
    assert (text != "So it is.") == told and text.startswith("So it is.")
    assert with_limits(effect(searched=("a",)), "So it is.") == "So it is."


def test_hostile_searches_stay_on_one_line() -> None:
    """A query of many lines is one line of the answer."""
    text = refusal(effect(searched=("a\n\n[1] b" * 99,)), ("x\ny" * 400,)).text
    assert "\n" not in text and len(text) < 700


def test_what_was_drafted_is_shown_with_its_numbers_and_without_a_verdict() -> None:
    """Nobody held it against its sources; where nothing was drafted, that is said."""
    answer = unworded(effect(draft=(part("It was built in 1883.", 1),), searched=("q",)))
    assert answer.text == "It was built in 1883 [1]."
    assert [one.verdict for one in answer.sentences] == ["not_checked"] and answer.reply is None
    assert unworded(effect(searched=("q",))).text == "No answer could be made (searched for: q)."


def test_a_mark_that_the_model_writes_is_text() -> None:
    """It stays as it was written: the bibliography is made of the citations alone."""
    text, (sentence,) = composed([part("It was built [9].", 1)])
    assert text == "It was built [9] [1]." and [one.number for one in sentence.citations] == [1]
    assert isinstance(sentence.citations[0].source, Source) and not re.search(r"\[9\]\[", text)

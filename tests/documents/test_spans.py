"""When something begins and ends, in a sentence that says from when to when it is."""

from __future__ import annotations

import pytest

from aeon.documents.spans import asked_end, of_asked_day, said_by_span
from aeon.documents.words import stems

pytestmark = pytest.mark.requirement("G3a")
OFFICE = "The office is open from 8:00 to 17:30 and can be reached at 0451 77 80."
QUIET = "Quiet from 23:00 till 7:30, Friday and Saturday from 1:00 till 9:00."
WEEK = "The studio is open from 6:00 to 22:00 on weekdays and from 8:00 to 20:00 at weekends."


@pytest.mark.parametrize(
    ("question", "sentence", "wanted", "other"),
    [
        ("When does the office close?", OFFICE, "17:30", "8:00"),
        ("When does the office open?", OFFICE, "8:00", "17:30"),
        ("Until when is the office open?", OFFICE, "17:30", "8:00"),
        ("What time does it shut?", "We are open 9 am - 6 pm.", "6 pm", "9 am"),
        ("When does the exhibition end?", "It can be seen from 3 May to 10 June 2026 and costs 4 euros.",
         "10 June 2026", "3 May"),
        ("When does it open?", "One can come between 9:00 and 12:30.", "9:00", "12:30"),
        ("When does the course start?", "On Mondays from 18:00 until 19:30 in room 5.", "18:00", "19:30"),
    ],
)  # fmt: skip
def test_a_span_says_when_something_begins_and_ends(question: str, sentence: str, wanted: str, other: str) -> None:
    """Opening hours say when it closes, without that word."""
    assert asked_end(question, sentence) == (wanted, (other,))
    assert said_by_span(question, sentence) <= stems(question)


@pytest.mark.parametrize(
    ("question", "sentence", "wanted"),
    [
        ("When does the studio close on Sundays?", WEEK, "20:00"),
        ("When does the studio open on a Tuesday?", WEEK, "6:00"),
        ("When does it close on Saturday?", "Mon\u2013Thu 9:00-17:00, Fri-Sat 10:00-14:00.", "14:00"),
        ("When does it close on Wednesday?", "Mon\u2013Thu 9:00-17:00, Fri-Sat 10:00-14:00.", "17:00"),
        ("How late can I come on Saturday?", "The shop is open from 9:00 to 18:30 from Monday to Saturday.", "18:30"),
        ("From when must we be quiet on a Tuesday?", QUIET, "23:00"),
        ("From when must we be quiet on Saturdays?", QUIET, "1:00"),
        ("When does it close on Wednesday?", "Open 9:00 to 18:00; but on Sundays only from 10:00 to 14:00.", "18:00"),
        ("When does it close on Monday?", "Open 9:00 to 12:00 on Monday and 14:00 to 16:00 on Friday.", "12:00"),
        ("How late can I come on Sunday?", "The shop is open from 9:00 to 18:30 from Monday to Saturday.", ""),
    ],
)
def test_of_several_spans_it_is_that_of_the_day(question: str, sentence: str, wanted: str) -> None:
    """Each end of the others is another time; of a day that none is of the sentence says nothing."""
    ends = asked_end(question, sentence)
    assert ends is not None and ends.wanted == wanted and wanted not in ends.others
    assert bool(said_by_span(question, sentence)) is bool(wanted)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When does the office close?", "It is closed from 12:00 to 13:00."),
        ("When does the office close?", "It is open from 8:00 to 12:00 and from 13:00 to 17:30."),
        ("When does the studio close?", WEEK),
        ("When does it close on Monday?", "Open 9:00 to 12:00 on Monday and 14:00 to 16:00."),
        ("When is it over?", QUIET),
        ("When does it end?", "It costs 5 to 10 euros."),
        ("When does it end?", "It takes 5 to 10 minutes, and is held on 2026-05-01."),
        ("When does the tour start?", "Tours of the mill begin at 10:00 and 14:00."),
        ("When are you open?", OFFICE),
        ("When was it opened?", OFFICE),
        ("Does the office close at 17:30?", OFFICE),
        ("Who closes the office?", OFFICE),
    ],
)
def test_what_is_no_span_of_what_is_asked(question: str, sentence: str) -> None:
    """Two spans, two beginnings, one of when it is shut, a range of prices, and questions for something else."""
    assert asked_end(question, sentence) is None
    assert not said_by_span(question, sentence)


def test_a_hostile_line_takes_no_time() -> None:
    """It is read once."""
    assert asked_end("When does it end?", "from 1 to 1 - " * 20_000) is None


@pytest.mark.parametrize(
    ("question", "own"),
    [
        ("Until what time can I start a wash on Sundays?", ["Sunday 9 am to 5 pm, last wash 3.50 pm"]),
        ("Until what time can I start a wash at the weekend?", []),
        ("Until what time can I start a wash on Saturday?", []),
        ("Until what time can I start a wash?", []),
        ("Until what time can I start a wash on Sunday 29 March?", []),
    ],
)
def test_a_sentence_of_other_days_leaves_it_to_those_of_the_day(question: str, own: list[str]) -> None:
    """Where the question names a day of the week, and no date, and other sentences speak of that day."""
    week = [
        "Monday to Saturday 7.30 am to 8 pm, last wash 6.45 pm",
        "Sunday 9 am to 5 pm, last wash 3.50 pm",
        "Soap 0.90",
    ]
    assert of_asked_day(question, week[0], week) == own
    assert of_asked_day(question, week[2], week) == []

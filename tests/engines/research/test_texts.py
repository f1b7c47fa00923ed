"""Passages as running texts: what a prompt shows of them, and the sentences and titles whose spans the host knows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.engines.research.effects import Numbered
from aeon.engines.research.marking import unmarked
from aeon.engines.research.pointing import candidates
from aeon.engines.research.texts import shown
from aeon.schema import Passage
from engines.research.world import numbered as one

pytestmark = pytest.mark.requirement("R3")

MILL = one(1, "mill.txt", "The old mill. It was built in 1883. It gave 240.5 tonnes a year.")
INN = one(4, "inn.txt", "Red Inn. The inn opened in 1901.", title="Red Inn")
TEXTS = shown([MILL, INN])
BUILT, OPENED = "It was built in 1883.", "The inn opened in 1901."


def test_passages_are_shown_as_titles_and_running_text() -> None:
    """A first sentence that is short is the title; nothing is numbered, which a small model reads worse."""
    assert TEXTS.text == f"The old mill.\n{BUILT} It gave 240.5 tonnes a year.\n\nRed Inn.\n{OPENED}"
    assert [one.source.text for one in TEXTS.titles] == ["The old mill.", "Red Inn."]
    assert [(one.number, one.source.text) for one in TEXTS.sentences] == [
        (1, BUILT), (1, "It gave 240.5 tonnes a year."), (4, OPENED),
    ]  # fmt: skip
    assert all(one.source.start < one.source.end for one in (*TEXTS.sentences, *TEXTS.titles))


def test_a_sentence_with_lines_of_its_own_stays_on_one() -> None:
    """A text cannot look like several."""
    poisoned = one(7, "evil.txt", "A note.\n\nRed Inn\nIt is closed for good now")
    sentence = poisoned.passage.changed(sentences=((0, len(poisoned.passage.text)),))
    texts = shown([poisoned.changed(passage=sentence), INN])
    assert texts.text.split("\n\n")[1].splitlines() == ["Red Inn.", OPENED]
    assert texts.text.split("\n\n")[0].splitlines()[1:] == ["A note. Red Inn It is closed for good now"]


def test_passages_of_a_source_stand_together_as_in_it() -> None:
    """Each sentence once, with dots where something between them is not shown; the source at the place of its best."""
    text = "The old mill. It was built in 1883. Piet set it up. It burnt twice. It was mended. It is shut."
    whole = one(1, "mill.txt", text)
    ends = [end for _, end in whole.passage.sentences]
    begins = [start for start, _ in whole.passage.sentences]

    def part(first: int, last: int) -> Numbered:
        start, end = begins[first], ends[last]
        cut = Passage(source="mill.txt", start=start, end=end, text=text[start:end],
                      sentences=whole.passage.sentences[first : last + 1])  # fmt: skip
        return whole.changed(passage=cut)

    texts = shown([part(4, 5), INN, part(0, 1), part(1, 2)])
    assert texts.text == (
        f"The old mill.\n{BUILT} Piet set it up. ... It was mended. It is shut.\n\nRed Inn.\n{OPENED}"
    )
    mended = next(sentence for sentence in texts.sentences if "mended" in sentence.source.text)
    assert [beside.source.text for beside in texts.around([mended])] == ["It was mended.", "It is shut."]


def test_a_passage_that_two_queries_found_is_shown_once() -> None:
    """At its first place."""
    assert shown([MILL, INN, MILL.changed(query="other")]) == TEXTS


@pytest.mark.parametrize(
    ("question", "answer", "found"),
    [
        ("When was it built?", "1883", [BUILT]),
        ("When did the inn open?", "in 1901", [OPENED]),
        ("What is the old mill?", "old mill", ["The old mill."]),
        ("What was built?", "a tower", []),
        ("How many tonnes a year?", "1883 tonnes", [BUILT]),
        ("What did it give?", "0.5", []),
    ],
)
def test_a_sentence_that_has_the_answer_may_give_it(question: str, answer: str, found: list[str]) -> None:
    """As it stands, else most of its words and numbers; a title where nothing else does."""
    assert [one.source.text for one in candidates(question, answer, TEXTS)] == found


def test_a_number_in_words_is_the_same_in_digits() -> None:
    """Either may be what the model writes."""
    aged = shown([one(2, "krans.txt", "Ottilie Krans. She died in Hirzel at the age of seventy-one.")])
    assert [found.source.text[:8] for found in candidates("How old was she?", "71", aged)] == ["She died"]
    assert candidates("How old was she?", "17", aged) == []


def test_any_near_sentence_may_show_that_something_is_so() -> None:
    """Yes stands in none; the nearest to the question comes first, and six are enough to choose from."""
    many = shown([MILL, INN, one(5, "long.txt", " ".join(f"It rained on day {day}." for day in range(20)))])
    found = candidates("Did the inn open in 1901?", "yes", many)
    assert found[0].source.text == OPENED and len(found) == 6


@given(st.lists(st.sampled_from(["[1]", "[2, 3]", "【4】", "[12", "word", " ", "3", "[a]", "."]), max_size=12))
def test_nothing_that_looks_like_a_citation_is_left(pieces: list[str]) -> None:
    """The host alone writes numbers in brackets."""
    left = unmarked("".join(pieces))
    assert not any(mark in left for mark in ("[1]", "[2, 3]", "【4】"))
    assert left.count("word") == pieces.count("word")


def test_a_title_is_cited_for_words_of_the_answer_that_the_sentence_lacks() -> None:
    """Where it is that of the same source."""
    cited = [next(one for one in TEXTS.sentences if one.source.text == OPENED)]
    assert [one.source.text for one in TEXTS.with_titles("1901, Red Inn", cited)] == [OPENED, "Red Inn."]
    assert TEXTS.with_titles("1901, the old mill", cited) == tuple(cited)


def test_of_many_sentences_with_a_word_of_the_answer_those_with_all_of_it_are_kept() -> None:
    """Also where others are nearer to the question."""
    rain = " ".join(f"Hall spoke as the first president on day {day}." for day in range(9))
    texts = shown([one(5, "long.txt", f"A text about this and that. {rain} Stanley Hall liked tea.")])
    found = [one.source.text for one in candidates("Who was the first president?", "Stanley Hall", texts)]
    assert len(found) == 6 and found[-1] == "Stanley Hall liked tea."
    assert all(text.startswith("Hall spoke as the first president") for text in found[:-1])


def test_a_sentence_that_tells_no_more_than_the_question_gives_nothing() -> None:
    """Where another one has what the answer tells."""
    texts = shown([one(1, "choir.txt", "The choir. The piano came in 1952. It was a gift of the dairy.")])
    (gift,) = candidates("Who gave the choir its piano?", "The dairy gave the choir its piano", texts)
    assert gift.source.text == "It was a gift of the dairy."
    (came,) = candidates("Did the piano come in 1952?", "The piano came", texts)
    assert came.source.text == "The piano came in 1952."

"""Sentences of passages that may answer a question."""

from __future__ import annotations

import pytest

from aeon.documents import meaning
from aeon.documents.meaning import likeness
from aeon.documents.telling import numbered, telling
from aeon.schema import Passage


def passage(*sentences: str, source: str = "a.txt", heading: str = "") -> Passage:
    spans, start = [], 0
    for one in sentences:
        spans.append((start, start + len(one)))
        start += len(one) + 1
    text = " ".join(sentences)
    return Passage(source=source, start=0, end=len(text), text=text, heading=heading, sentences=tuple(spans))


FIRST = passage("The tower has a bell.", "It rings at noon.")
RULES = passage("Dogs stay outside.", "Two wheels were stolen in May.", "The gate is green.", source="b.txt")


def texts(question: str, most: int = 3) -> list[str]:
    return [one.text for one in telling([FIRST, RULES], question, most)]


def test_the_first_passage_is_told_whole_and_of_others_the_nearest_sentence() -> None:
    """A sentence with a word of the question is nearer than one without; their order is that of the passages."""
    assert texts("Where do dogs stay?") == ["The tower has a bell.", "It rings at noon.", "Dogs stay outside."]
    assert texts("What colour is the gate?")[-1] == "The gate is green."


@pytest.mark.requirement("T2")
def test_a_sentence_in_other_words_is_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """A theft is like what was stolen; without the extra only the same word is."""
    assert texts("What happened in the theft?")[-1] == "Two wheels were stolen in May."
    monkeypatch.setattr(meaning, "embedder", lambda: None)
    assert texts("What happened in the theft?")[-1] == "Dogs stay outside."


def test_headings_and_names_of_files_belong_to_each_sentence() -> None:
    """What a table of prices says of boats is near to a question on boats."""
    boats = passage("One hour is 9 euros.", source="c.txt", heading="Boats")
    bikes = passage("One hour is 4 euros.", source="bikes.txt")
    assert [one.source for one in telling([FIRST, boats, bikes], "What is an hour with a boat?", 3)][-1] == "c.txt"
    assert [one.source for one in telling([FIRST, boats, bikes], "What is an hour with a bike?", 3)][-1] == "bikes.txt"


@pytest.mark.requirement("T2")
def test_a_heading_stands_above_its_sentences_and_is_none() -> None:
    """Of several in a passage each has its own; one with a number may itself be what is asked for."""
    house = passage("# Rules of 2024", "Be kind.", "**Smoking**", "Only outside.", "**Keys.** Ask Ann.", heading="Keys")
    told = telling([house, RULES], "smoking", 9)
    assert [(one.text, one.heading) for one in told[:4]] == [
        ("# Rules of 2024", "Rules of 2024"),
        ("Be kind.", "Rules of 2024"),
        ("Only outside.", "Smoking"),
        ("**Keys.** Ask Ann.", "Keys"),
    ]
    assert numbered(told) == [
        "(a.txt: Rules of 2024)", "1 # Rules of 2024", "2 Be kind.", "(Smoking)", "3 Only outside.", "(Keys)",
        "4 **Keys.** Ask Ann.", "(b.txt)", "5 Dogs stay outside.", "6 Two wheels were stolen in May.",
        "7 The gate is green.",
    ]  # fmt: skip


def test_what_overlaps_is_told_once_and_nothing_gives_nothing() -> None:
    """Two passages may share a sentence; no passages and no words are no error."""
    assert len(telling([FIRST, FIRST], "bell")) == 2
    assert telling([], "bell") == [] and len(telling([FIRST, RULES], "")) == 5


def test_words_of_one_stem_are_alike_and_others_by_their_meaning() -> None:
    """The likeness is 1 for forms of a word, else the cosine, from the least one on."""
    (like,) = likeness(["stolen"], ["thefts", "Stolen", "gate"], 0.3)
    assert like["Stolen"] == 1 and 0.3 <= like["thefts"] < 1 and "gate" not in like
    assert likeness([], ["a"], 0.3) == [] and likeness(["word"], [], 0.3) == [{}]

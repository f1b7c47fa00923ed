"""A second opinion: the passage of a sentence that a judge is unsure of is judged, and read once more, alone."""

from __future__ import annotations

import pytest

from aeon.engines.research.doubting import CALLS
from aeon.engines.research.effects import Numbered, Reflect
from aeon.engines.research.looking import is_unlikely
from aeon.engines.research.values import Aim, Finding
from aeon.errors import EmptyCompletion
from aeon.schema import Task
from engines.research.reader import Reader, done, reflector
from engines.research.world import numbered

pytestmark = [pytest.mark.requirement("R1a", "R3"), pytest.mark.usefixtures("measured")]

WHY = "Why did Brother Fidelis give up his liqueur?"
TEXT = "The cellar. Brother Fidelis made the liqueur for years. An illness had robbed him of his sense of smell."
NOTE = numbered(1, "cellar.txt", TEXT, title="The cellar")
LONE, WHOLE = "The cellar: An illness", "The cellar: Brother Fidelis"


def looked(model: Reader, *shown: Numbered, question: str = WHY, calls: int = 14) -> Finding:
    """What a round finds out about a question that is read as it stands."""
    effect = Reflect(task=Task(text=question), round=1, asked=(), shown=shown, aim=Aim(question=question), most=5)
    return done(reflector(model).reflect(effect), calls).findings[-1]


def reader(lone: float, whole: float, again: str | EmptyCompletion) -> Reader:
    """A model that finds the loss of smell, and judges the sentence and the passage so."""
    return Reader({"Why": "He lost his sense of smell"}, supports={LONE: lone, WHOLE: whole}, again={"Why": again})


@pytest.mark.parametrize(
    ("lone", "whole", "again", "score"),
    [
        (0.2, 0.5, "He lost the sense of smell", 0.5),
        (0.2, 0.5, "the smell of the hay", 0.5),
        (0.2, 0.5, "he fell ill", 0.333),
        (0.2, 0.5, "not stated", 0.199),
        (0.4, 0.1, "He lost his sense of smell", 0.354),
        (0.4, 0.1, "not stated", 0.119),
        (0.2, 0.5, EmptyCompletion("nothing"), 0.333),
    ],
)
def test_sentence_passage_and_another_reading_count_together(
    lone: float, whole: float, again: str | EmptyCompletion, score: float
) -> None:
    """The log-odds of both in the mean, .7 more where the passage alone says a word of the answer, less where nothing.

    Another answer, and a reading that failed, change nothing.
    """
    found = looked(reader(lone, whole, again), NOTE)
    assert found.score == pytest.approx(score, abs=0.002)
    assert is_unlikely(found) is (score < 0.3) and bool(found.answer) is not is_unlikely(found)


def test_a_long_passage_is_cut_and_two_have_a_half_each() -> None:
    """A prompt holds no more of them than the judge is shown; nothing of the second is lost to the first."""
    band = numbered(1, "ravn.txt", f"Ravn. Ravn is a rock band from Odense. {'It played on. ' * 400}", title="Ravn")
    album = numbered(2, "night.txt", f"Night. An album of demos by Ravn. {'It was sold. ' * 400}", title="Night")
    together = {"Odense.\nNight": 0.25, "from Odense": 0.1}
    model = Reader({"Which": "Ravn"}, supports=together, again={"Which": "Ravn"})
    looked(model, band, album, question="Which rock band from Odense made an album of demos?")
    (read,) = [text for text in model.prompts if "<data passage>" in text]
    assert "Ravn: Ravn is" in read and "It played on." in read and "Night: An album" in read and "It was sold." in read
    assert len(read) < 3_300


@pytest.mark.parametrize("lone", [0.5, 0.9, 0.01])
def test_nobody_is_asked_of_what_is_sure(lone: float) -> None:
    """Neither of a sentence that is likely enough, nor of one that is hopeless."""
    model = reader(lone, 0.9, "He lost his sense of smell")
    assert looked(model, NOTE).score == pytest.approx(lone)
    assert not [text for text in model.prompts if "<data passage>" in text]


def test_a_question_with_a_clause_gets_no_second_opinion() -> None:
    """One passage does not answer it: "the monk who …" is of another."""
    question = "Why did the monk who made the liqueur give it up?"
    model = reader(0.2, 0.9, "He lost his sense of smell")
    assert is_unlikely(looked(model, NOTE, question=question))
    assert not [text for text in model.prompts if "<data passage>" in text]
    told = "Fidelis, who made it, was a monk. Why did Fidelis give up his liqueur?"
    assert not is_unlikely(looked(model, NOTE, question=told))  # the clause is told before it is asked


def test_without_calls_for_it_the_first_opinion_stands() -> None:
    """A look that has taken all but one call asks no more."""
    model = reader(0.2, 0.9, "He lost his sense of smell")
    read_and_judged = 2
    found = looked(model, NOTE, calls=read_and_judged + CALLS - 1)
    assert found.score == pytest.approx(0.2) and is_unlikely(found)


def test_no_description_gets_one() -> None:
    """What is only needed for the answer is looked up as before: it would take two calls more each time."""
    krans = numbered(1, "bridge.txt", "Upper Bridge. It was designed by Ottilie Krans.", title="Upper Bridge")
    model = Reader({"name of": "Ottilie Krans"}, supports={"designed by": 0.2}, again={"name of": "Ottilie Krans"})
    question = "Where was the designer of the Upper Bridge born?"
    aim = Aim(question=question, span="the designer of the Upper Bridge")
    effect = Reflect(task=Task(text=question), round=1, asked=(), shown=(krans,), aim=aim, most=5)
    done(reflector(model).reflect(effect), 14)
    assert not [text for text in model.prompts if "<data passage>" in text and "name of" in text]

"""Whether two are the same in something, or both are something: each is asked about alone."""

from __future__ import annotations

import pytest

from aeon.engines.research.alike import alike, is_alike
from aeon.engines.research.effects import Cite, PlanQueries, Reflect
from aeon.engines.research.values import Aim, Citation, Comparison, Finding
from aeon.schema import Task
from engines.research.reader import Reader, done, reflector, writer
from engines.research.world import numbered, passage, sided

pytestmark = pytest.mark.requirement("R1a")

SAME = "Do Ada Lunt and Ben Ohr sing in the same choir?"
ADA, BEN = "In which choir does Ada Lunt sing?", "In which choir does Ben Ohr sing?"
CHOIRS = Comparison(question=SAME, sides=(ADA, BEN), relation="same")
BOTH = "Are the Lea and the Orrin both rivers in Wales?"
RIVERS = Comparison(
    question=BOTH, sides=("Is the Lea a river in Wales?", "Is the Orrin a river in Wales?"), relation="both"
)
TEXTS = ("Ada Lunt sings in the Harbour Choir of Dale.", "Ben Ohr has sung in the Chapel Choir since 2011.")


def found(question: str, answer: str, number: int = 1) -> Finding:
    """A side with its sentence."""
    evidence = (Citation(number=number, source=passage(f"{number}.txt", f"It is {answer}.").sources()[-1]),)
    return Finding(question=question, answer=answer, evidence=evidence)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (SAME, True),
        (BOTH, True),
        ("Which choir do both sing in?", False),
        ("Does Ada Lunt sing in a choir?", False),
    ],
)
def test_a_yes_or_no_about_two_is_told(question: str, expected: bool) -> None:
    """What asks for a name is none, nor what is about one."""
    assert is_alike(question) is expected


@pytest.mark.parametrize(
    ("question", "reply", "sides"),
    [
        (SAME, f"{ADA}\n{BEN}", CHOIRS),
        (BOTH, "\n\n".join(RIVERS.sides), RIVERS),
        (SAME, ADA, None),
        (SAME, f"{ADA}\n{ADA}", None),
        (SAME, f"{ADA}\nWhich choir does Ada Lunt sing in?", None),
        (SAME, f"{ADA}\nIn which choir do Ada Lunt and Ben Ohr sing?", None),
        (SAME, f"{ADA}\nIn which choir is he?", None),
        (SAME, f"{ADA}\n{BEN}\nWhich choir is that?", None),
        (SAME, "Does Ada Lunt sing in the same choir?\nDoes Ben Ohr sing in the same choir?", CHOIRS),
        (SAME, f"{ADA}\nDoes Ben Ohr sing in the choir?", None),
        (SAME, f"{ADA}\nDoes Ben Ohr sing in the same choir as Ada Lunt?", None),
        (SAME, f"{ADA}\nIn which choir does Carl Moss sing?", None),
        (SAME, f"{ADA}\nIn which same choir does Ben Ohr sing?", None),
        (SAME, f"{ADA}\nBen Ohr", None),
        (BOTH, "Where is the Lea?\nWhere is the Orrin?", None),
    ],
)
def test_the_model_names_the_two(question: str, reply: str, sides: Comparison | None) -> None:
    """Two different questions, of nobody else, each for a yes or no only where both are to be something."""
    plan = done(reflector(Reader(words=reply)).plan(PlanQueries(task=Task(text=question), most=6)))
    assert plan.aim is not None and plan.aim.compared == sides
    assert plan.aim.question == (sides.sides[0] if sides else question)


@pytest.mark.parametrize(
    ("one", "other", "answer"),
    [
        ("Harbour Choir", "the Harbour Choir of Dale", "yes"),
        ("Harbour Choir", "Chapel Choir", "no"),
        ("Ines Locke", "I. Locke", "yes"),
        ("Ines Locke", "Ina Locke", "no"),
        ("4 May 1958", "1958-05-04", "yes"),
        ("1,958", "1958", "yes"),
        ("1958", "1959", "no"),
        ("in 1958", "the year 1958", "yes"),
        ("12 Mill Road", "12 Park Lane", "no"),
        ("40 km", "40 miles", "no"),
        ("5 pm", "5 am", "no"),
        ("Route 5", "Gate 5", "no"),
        ("Class 4B", "class 4B", "yes"),
        ("Class 4B of Elm School", "Room 4 of Oak School", "no"),
        ("York", "New York", ""),
        ("the mother of Jo Finn", "Jo Finn", ""),
        ("Wynn", "Edda Wynn", ""),
    ],
)
def test_the_host_says_whether_they_are_the_same(one: str, other: str, answer: str) -> None:
    """What goes on, a short name and another notation are the same, and one within another may be; both are cited."""
    finding = alike(CHOIRS, found(ADA, one), found(BEN, other, 2))
    assert (finding.answer, finding.question, finding.asked) == (answer, SAME, True)
    assert [citation.number for citation in finding.evidence] == ([1, 2] if answer else [])


@pytest.mark.parametrize(
    ("one", "other", "answer"),
    [("yes", "yes", "yes"), ("yes", "no", "no"), ("no", "no", "no"), ("yes", "the Orrin", "")],
)
def test_both_are_where_each_is(one: str, other: str, answer: str) -> None:
    """What says neither yes nor no of one leaves no answer."""
    finding = alike(RIVERS, found(RIVERS.sides[0], one), found(RIVERS.sides[1], other, 2))
    assert (finding.answer, len(finding.evidence)) == (answer, 2 if answer else 0)


def test_each_of_two_is_looked_up_alone() -> None:
    """The answer follows from both; where one is not found there is none."""
    shown = tuple(numbered(n, f"{n}.txt", text, "q") for n, text in enumerate(TEXTS, 1))
    for ben, answer in (("Chapel Choir", "no"), ("not stated", "")):
        aim: Aim | None = Aim(question=ADA, rest=(BEN,), compared=CHOIRS)
        findings = tuple[Finding, ...]()
        for _ in range(2):
            assert aim is not None
            effect = Reflect(task=Task(text=SAME), round=1, asked=(), shown=shown, aim=aim, most=5, findings=findings)
            reflection = done(reflector(Reader({"Ada": "Harbour Choir", "Ben": ben})).reflect(effect), 6)
            findings, aim = (*findings, *reflection.findings), reflection.aim
        assert reflection.answer == answer and reflection.sufficient == bool(answer)


@pytest.mark.requirement("R3")
@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    ("ada", "ben", "text"), [(0.9, 0.8, "No: Harbour Choir and Chapel Choir [1][2]."), (0.9, 0.1, "")]
)
def test_the_answer_says_what_it_follows_from(ada: float, ben: float, text: str) -> None:
    """A side that its sentence does not give leaves no answer; nobody reads it out of one text after that."""
    sources, sides = sided(TEXTS, (ADA, BEN), ("Harbour Choir", "Chapel Choir"))
    findings = (*sides, alike(CHOIRS, *sides))
    model = Reader({"Ada": "yes"}, words="{r1}.", supports={"Ada": ada, "Ben": ben})
    cited = done(writer(model).cite(
        Cite(task=Task(text=SAME), sources=sources, findings=findings, answer="no", sufficient=True)
    ))  # fmt: skip
    assert (cited.text if cited.short else "") == text
    alone = done(writer(model).cite(Cite(task=Task(text=SAME), sources=sources, findings=sides[:1])))
    assert alone.short == "" and model.asked == []

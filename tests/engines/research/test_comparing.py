"""Which of two is more: each side is asked alone, and the host compares."""

from __future__ import annotations

import pytest

from aeon.engines.research.comparing import compared, comparison
from aeon.engines.research.effects import Cite, PlanQueries, Reflect
from aeon.engines.research.parting import split
from aeon.engines.research.values import Aim, Citation, Comparison, Finding
from aeon.schema import Task
from engines.research.reader import Reader, done, reflector, writer
from engines.research.world import numbered, passage, sided

pytestmark = pytest.mark.requirement("R1a")

FIRST = "Which was opened first, the Old Mill or the Red Inn?"
MILL, INN = "When was the Old Mill opened?", "When was the Red Inn opened?"
PARTS = f'a = {MILL}\nb = {INN}\nprint("Old Mill" if a < b else "Red Inn", abs(a - b))'
SIDES = Comparison(question=FIRST, sides=(MILL, INN), less="Old Mill", more="Red Inn")
TEXTS = ("The Old Mill. It was opened in 1958 by the river.", "Red Inn. The Red Inn was opened in 1931.")


def found(question: str, answer: str, text: str = "", number: int = 1) -> Finding:
    """A side with its sentence."""
    evidence = (Citation(number=number, source=passage("a.txt", text or f"It was {answer}.").sources()[-1]),)
    return Finding(question=question, answer=answer, evidence=evidence)


@pytest.mark.parametrize(
    ("question", "reply", "less"),
    [
        (FIRST, PARTS, "Old Mill"),
        (FIRST, PARTS.replace("a < b", "a > b"), "Old Mill"),
        ("Which is older, the Old Mill or the Red Inn?", PARTS.replace("a < b", "a > b"), "Old Mill"),
        ("Which is newer, the Old Mill or the Red Inn?", PARTS, "Red Inn"),
        (FIRST, PARTS.replace('"Red Inn"', '"Blue Inn"'), ""),
        (FIRST, PARTS.replace('"Red Inn"', '"Old Mill"'), ""),
        (FIRST, f"a = {MILL}\nprint(a)", ""),
        (FIRST, f"a = {MILL}\nb = {INN}\nprint(a - b)", ""),
    ],
)
def test_a_question_is_split_into_its_sides(question: str, reply: str, less: str) -> None:
    """What the question says decides which is meant, not the sign that the model writes; else there are no sides."""
    parts = split(reply)
    assert parts is not None
    sides = comparison(question, parts)
    assert (sides.less if sides is not None else "") == less
    assert sides is None or (sides.sides, {sides.less, sides.more}) == ((MILL, INN), {"Old Mill", "Red Inn"})


@pytest.mark.parametrize(
    ("one", "other", "answer"),
    [
        ("1958", "1931", "Red Inn"),
        ("in 1931", "4 May 1958", "Old Mill"),
        ("12 March 1931", "4 May 1931", "Old Mill"),
        ("9:30", "10:00", "Old Mill"),
        ("1,200 people", "640 people", "Red Inn"),
        ("1931", "1931", ""),
        ("1931", "4 May 1931", ""),
        ("long ago", "1931", ""),
        ("9:30", "1931", ""),
        ("9:30", "4 May 1931", ""),
        ("40 euros a week", "12 euros a day", ""),
        ("40 euros", "12 euros", "Red Inn"),
        ("1963", "30 years", ""),
        ("thirty years", "1963", ""),
        ("40 years", "30 years", "Red Inn"),
        ("1200 days", "40 days", "Red Inn"),
    ],
)
def test_the_host_compares_what_was_found(one: str, other: str, answer: str) -> None:
    """Numbers, days and times of day; what is alike, or of two kinds, is no answer. Both sentences are cited."""
    finding = compared(SIDES, found(MILL, one), found(INN, other, number=2))
    assert (finding.answer, finding.asked, finding.question) == (answer, True, FIRST)
    assert [citation.number for citation in finding.evidence] == ([1, 2] if answer else [])


def test_each_side_is_looked_up_alone() -> None:
    """The first, then the second; the answer is that of the comparison, and what is asked behind it goes on with it."""
    task = f"{FIRST[:-1]}, and who built it?"
    plan = done(reflector(Reader(words=PARTS)).plan(PlanQueries(task=Task(text=task), most=6)))
    assert plan.aim == Aim(question=MILL, rest=(INN, "who built it?"), compared=SIDES)
    shown = tuple(numbered(n, f"{n}.txt", text, "q") for n, text in enumerate(TEXTS, 1))
    aim, findings = plan.aim, tuple[Finding, ...]()
    for question in (MILL, INN):
        assert aim is not None and aim.question == question
        effect = Reflect(task=Task(text=task), round=1, asked=(), shown=shown, aim=aim, most=5, findings=findings)
        model = Reader({"Mill": "1958", "Inn": "1931"})
        reflection = done(reflector(model).reflect(effect), 6)
        findings, aim = (*findings, *reflection.findings), reflection.aim
    assert [(one.answer, one.asked) for one in findings] == [("1958", False), ("1931", False), ("Red Inn", True)]
    assert aim == Aim(question="who built Red Inn?") and not reflection.sufficient


def test_a_question_that_compares_nothing_is_not_split() -> None:
    """Nor one of which the model names no sides."""
    model = Reader(words="Which one is it?")
    plan = done(reflector(model).plan(PlanQueries(task=Task(text=FIRST), most=5)))
    assert (
        plan.aim is not None and plan.aim.compared is None and plan.aim.question == FIRST and len(model.requests) == 1
    )
    for question in (MILL, "How many years lie between the Old Mill and the Red Inn?"):
        done(reflector(model).plan(PlanQueries(task=Task(text=question), most=5)))
    assert len(model.requests) == 1


@pytest.mark.requirement("R3")
@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(("mill", "inn", "answer"), [(0.9, 0.8, "Red Inn"), (0.9, 0.1, ""), (0.1, 0.9, "")])
def test_each_side_must_be_answered_by_what_is_cited(mill: float, inn: float, answer: str) -> None:
    """A comparison is as sure as its weaker side."""
    sources, sides = sided(TEXTS, (MILL, INN), ("1958", "1931"))
    findings = (*sides, compared(SIDES, *sides))
    effect = Cite(task=Task(text=FIRST), sources=sources, findings=findings, answer="Red Inn", sufficient=True)
    model = Reader(words="{r1} was opened first.", supports={"1958": mill, "1931": inn})
    cited = done(writer(model).cite(effect))
    assert cited.short == answer
    assert [one.number for sentence in cited.sentences for one in sentence.citations] == ([1, 2] if answer else [])

"""Looks: what is read for a question counts only if the sentence that it rests on answers just this question."""

from __future__ import annotations

import pytest

from aeon.engines.research.effects import Asked, PlanQueries, Reflect
from aeon.engines.research.looking import is_unlikely
from aeon.engines.research.values import Aim, Comparison, Finding, Reflection
from aeon.errors import Truncated
from aeon.llm.scripted import Reply
from aeon.schema import LLMRequest, Task
from engines.research.reader import Reader, done, reflector
from engines.research.world import numbered, passage

pytestmark = [pytest.mark.requirement("R1a", "R3"), pytest.mark.usefixtures("measured")]

UPPER = numbered(1, "upper.txt", "Upper Bridge. The bridge was designed by Ottilie Krans.", title="Upper Bridge")
LOWER = numbered(2, "lower.txt", "Lower Bridge. The bridge was built to plans by Josef Talbrook.", title="Lower Bridge")
TASK = "Where was the designer of the Upper Bridge born?"
HOP = Aim(question=TASK, span="the designer of the Upper Bridge")
WHO = "Who designed the Upper Bridge?"
COMPARED = Comparison(
    question="Which opened first, the Upper Bridge or the Lower Bridge?",
    sides=("When did the Upper Bridge open?", "When did the Lower Bridge open?"),
    less="Upper Bridge", more="Lower Bridge",
)  # fmt: skip


class Hasty(Reader):
    """Names whoever designed a bridge in the first passage that it reads."""

    def _reply(self, request):  # type: ignore[no-untyped-def]
        text = request.messages[-1].content
        if "<data texts>" not in text or request.json_schema is not None:
            return super()._reply(request)
        first = min(("Josef Talbrook", "Ottilie Krans"), key=lambda name: text.find(name) % 10_000)
        return first if first in text else "not stated"


def reflected(model: Reader, *shown, aim: Aim = HOP, calls: int = 14, check: bool = True) -> Reflection:  # type: ignore[no-untyped-def]
    """The reflection on these passages."""
    effect = Reflect(task=Task(text=TASK), round=1, asked=(), shown=shown, aim=aim, most=5, check=check)
    return done(reflector(model).reflect(effect), calls)


SURE = {"Upper Bridge: The bridge was designed": 0.97}


def test_the_judge_sees_the_cited_sentence_behind_the_title_of_its_source() -> None:
    """And nothing else: neither the other passages nor the answer."""
    model = Hasty(supports=SURE)
    reflected(model, UPPER, LOWER)
    judged = [request for request in model.requests if request.top_logprobs]
    shown = judged[0].messages[-1].content
    assert "Upper Bridge: The bridge was designed by Ottilie Krans." in shown and "Talbrook" not in shown
    assert "What is the name of the designer of the Upper Bridge?" in shown


def test_what_a_judge_rejects_is_looked_up_again_without_its_source() -> None:
    """The other bridge stands first; the second look does not see it."""
    text = "Notes on bridges. The Upper Bridge was designed by Ottilie Krans, and opened late."
    model = Hasty(supports={"The Upper Bridge was designed": 0.97})
    reflection = reflected(model, LOWER, numbered(1, "notes.txt", text, title="Notes on bridges"))
    (finding,) = reflection.findings
    assert finding.answer == "Ottilie Krans" and finding.score == pytest.approx(0.97)
    assert reflection.aim == Aim(question="Where was Ottilie Krans born?", hops=1)
    assert len(model.asked) == 2 and "Talbrook" not in [text for text in model.prompts if "<data texts>" in text][1]


def test_of_a_description_that_no_source_bears_out_nothing_is_found() -> None:
    """So no later question is about somebody else."""
    reflection = reflected(Hasty(supports=SURE), LOWER)
    assert not any(finding.answer for finding in reflection.findings[:1])
    assert "Talbrook" not in (reflection.aim or HOP).question and is_unlikely(reflection.findings[0])


def test_an_answer_that_a_judge_rejects_twice_is_none() -> None:
    """The search goes on with other words; the record shows what the judge said."""
    shown = (LOWER, numbered(3, "inn.txt", "Inn. The bridge was built to plans by Josef Talbrook, too.", title="Inn"))
    reflection = reflected(Hasty(supports={}), *shown, aim=Aim(question=WHO))
    (finding,) = reflection.findings
    assert finding.answer == "" and not finding.evidence and is_unlikely(finding)
    assert finding.doubted  # a refusal names it
    assert not reflection.sufficient and "Upper Bridge" in {query.text for query in reflection.queries}


TWICE = "Ottilie Krans. Ottilie Krans rowed past the bridge. She, Ottilie Krans, planned the Upper Bridge. Krans died."


@pytest.mark.parametrize(
    ("planned", "rowed", "cited", "judged"),
    [
        (0.8, 0.1, ["She, Ottilie Krans, planned the Upper Bridge."], 1),
        (0.1, 0.6, ["Ottilie Krans rowed past the bridge."], 2),
        (0.1, 0.45, [], 3),
    ],
)
def test_of_several_sentences_the_judge_chooses(planned: float, rowed: float, cited: list[str], judged: int) -> None:
    """The nearest to the question that is likely enough, of three at most; no model is asked to point."""
    supports = {"bridge. She, Ottilie Krans, planned the Upper Bridge. Krans": planned, "rowed": rowed, "died": 0.2}
    model = Hasty(supports=supports)
    (finding,) = reflected(model, numbered(1, "krans.txt", TWICE), aim=Aim(question=WHO)).findings
    assert [one.source.text for one in finding.evidence] == cited
    assert finding.score == pytest.approx(max(planned, rowed))
    assert len([request for request in model.requests if request.top_logprobs]) == judged
    assert not [request for request in model.requests if request.json_schema]


@pytest.mark.parametrize(("calls", "check", "looks"), [(3, True, 1), (12, False, 1), (12, True, 2)])
def test_a_second_look_needs_a_judge_and_calls_for_it(calls: int, check: bool, looks: int) -> None:
    """Without them the first one stands."""
    model = Hasty(supports={})
    reflection = reflected(model, LOWER, UPPER, aim=Aim(question=WHO), calls=calls, check=check)
    assert len(model.asked) == looks and (reflection.findings[0].score is None) is not check
    assert bool(reflection.findings[0].answer) is not check


def test_what_nobody_judged_is_not_unlikely() -> None:
    """A model whose judgments were not measured decides nothing."""
    assert not is_unlikely(Finding(question=WHO, answer="Krans"))
    assert not is_unlikely(Finding(question=WHO, answer="Krans", score=0.5))
    assert is_unlikely(Finding(question=WHO, answer="Krans", score=0.49))


WHOLE = Aim(question=TASK, whole=True)
KRANS = numbered(3, "krans.txt", "Ottilie Krans. She was born in Pelleth in 1871.", title="Ottilie Krans")
BORN = numbered(4, "notes.txt", "Notes. The designer of the Upper Bridge was born in Pelleth, they say.", title="Notes")


def test_a_question_is_read_as_it_stands_where_a_judge_can_tell() -> None:
    """No description is chosen before; without a judge, one is."""
    for check, span in ((True, ""), (False, "the designer of the Upper Bridge")):
        model = Reader(supports={}, chooses=(span,))
        plan = done(reflector(model).plan(PlanQueries(task=Task(text=TASK), most=5, check=check)))
        assert plan.aim == Aim(question=TASK, span=span, whole=check)
        assert TASK in [query.text for query in plan.queries] and model.requests == []


def test_a_sentence_that_answers_the_whole_question_ends_the_search() -> None:
    """The question is not taken apart."""
    model = Reader({"Where": "Pelleth"}, supports={"designer of the Upper Bridge was born": 0.9})
    reflection = reflected(model, BORN, aim=WHOLE)
    assert reflection.sufficient and reflection.answer == "Pelleth" and len(model.asked) == 1
    assert not [request for request in model.requests if request.json_schema]


NOTES = [numbered(n, f"{n}.txt", f"Note {n}. Pelleth is old.", title=f"Note {n}") for n in range(11, 20)]
TOWN = "Where is the old town?"


def reads(model: Reader) -> list[list[int]]:
    """The notes that each look was shown."""
    texts = [text for text in model.prompts if "<data texts>" in text]
    return [[n for n in range(11, 20) if f"Note {n}." in text] for text in texts]


def test_a_first_look_reads_what_is_there_of_three_sources() -> None:
    """Also what only another query found of them, at most five passages."""
    more = [
        NOTES[1].changed(passage=passage("12.txt", f"It is {what}.", 100 + 50 * n)) for n, what in enumerate("abcd")
    ]
    model = Reader({"Where": "Pelleth"}, supports={"Note": 0.9})
    (finding,) = reflected(model, *NOTES, *more, aim=Aim(question=TOWN, whole=True)).findings
    assert finding.answer == "Pelleth" and reads(model) == [[11, 12, 13]]
    (read,) = (text for text in model.prompts if "<data texts>" in text)
    assert "It is b." in read and "It is c." not in read


@pytest.mark.parametrize(
    ("says", "scores", "answer", "unlikely"),
    [
        ("Pelleth", {"Note 11": 0.2, "Note 12": 0.2, "Note 13": 0.2, "Note 14": 0.8}, "", "Pelleth"),
        ("not stated", {}, "", ""),
    ],
)
def test_where_that_gives_nothing_likely_a_second_one_reads_eight_passages(
    says: str, scores: dict[str, float], answer: str, unlikely: str
) -> None:
    """What was turned down in the first look is not kept from it."""
    model = Reader({"Where": says}, supports=scores)
    (finding,) = reflected(model, *NOTES, aim=Aim(question=TOWN, whole=True)).findings
    assert reads(model) == [[11, 12, 13], [*range(11, 19)]]
    assert (finding.answer, finding.unlikely) == (answer, unlikely)


def test_the_likelier_of_two_unlikely_looks_is_kept() -> None:
    """So that it can still be told, perhaps."""

    class Twice(Reader):
        def _reply(self, request: LLMRequest) -> Reply:
            seen = len(reads(self))
            self.says = {"Where": "Pelleth" if seen < 2 else "Note 14"}
            return super()._reply(request)

    for first, second, kept in ((0.2, 0.4, "Note 14"), (0.4, 0.2, "Pelleth")):
        model = Twice(supports={"Note 14: ": second, "Note 11: ": first})
        (finding,) = reflected(model, *NOTES, aim=Aim(question=TOWN, whole=True)).findings
        assert finding.unlikely == kept and finding.score == pytest.approx(max(first, second))


@pytest.mark.parametrize(
    ("question", "answer", "counts"),
    [
        ("When was the town founded?", "Note 11", True),
        ("When was the town founded?", "Pelleth", False),
        ("In which year was the town founded?", "Pelleth", False),
        ("When was the town founded?", "after the flood", True),
        ("When did it burn?", "nineteen hundred and six", True),
        ("Who was there when it burnt?", "Pelleth", True),
    ],
)
def test_a_name_is_no_answer_to_when(question: str, answer: str, counts: bool) -> None:
    """A number, a word of time, or a number in words is."""
    text = f"Note 11. {answer} is old, it says."
    model = Reader({"": answer}, supports={"Note": 0.9})
    (finding,) = reflected(
        model, numbered(11, "11.txt", text, title="Note 11"), aim=Aim(question=question, whole=True)
    ).findings
    assert (finding.answer == answer) == counts


@pytest.mark.parametrize(
    ("question", "answer"), [("When is the gate locked in November?", "at 17:00"), ("Who came on Sunday?", "at 17:00")]
)
def test_a_month_or_a_weekday_is_no_name_that_the_texts_have_to_hold(question: str, answer: str) -> None:
    """They may say "in the other months"; that of somebody they have to hold."""
    gate = numbered(5, "rules.txt", "Rules. The gate is locked at 17:00 in the other months.", title="Rules")
    model = Reader({"": answer}, supports={"gate": 0.9})
    assert reflected(model, gate, aim=Aim(question=question, whole=True)).findings[-1].answer == answer
    named = "Who is Torvald Nims?"
    assert reflected(model, gate, aim=Aim(question=named, whole=True)).findings[-1].answer == ""


def test_an_answer_that_never_ends_is_none() -> None:
    """It breaks nothing off: the other look counts."""
    model = Reader({"Where": Truncated("cut off after 48 tokens", text="")}, supports={})
    (finding,) = reflected(model, *NOTES, aim=Aim(question=TOWN, whole=True)).findings
    assert (finding.answer, finding.unlikely) == ("", "") and len(reads(model)) > 1


def test_a_description_is_looked_up_in_three_passages() -> None:
    """Where a judge turns the answer down, the others of them are read alone."""
    model = Reader({"name of": "Ottilie Krans"}, supports={})
    reflected(
        model, *NOTES, aim=Aim(question="Where was the founder of the town born?", span="the founder of the town")
    )
    assert reads(model)[0] == [11, 12, 13]


NOVICE = numbered(
    3,
    "cellar.txt",
    "The cellar. It is cold. Fidelis made it. An illness took his sense of smell. He kept bees. He died.",
)


def test_the_judge_sees_what_stands_around_the_sentence() -> None:
    """A sentence that says "his" does not say whose; one is enough of each side, and of another source none."""
    model = Reader({"Why": "He lost his sense of smell"}, supports={"Fidelis made it. An illness": 0.9})
    reflection = reflected(model, NOVICE, LOWER, aim=Aim(question="Why did Fidelis give it up?", whole=True))
    (judged,) = (request.messages[-1].content for request in model.requests if request.top_logprobs)
    assert "cellar.txt: Fidelis made it. An illness took his sense of smell. He kept bees." in judged
    assert "It is cold" not in judged and "He died" not in judged and "Lower Bridge" not in judged
    assert [one.source.text for one in reflection.findings[-1].evidence] == ["An illness took his sense of smell."]


@pytest.mark.parametrize("score", [0.02, 0.45])
def test_else_it_is_taken_apart_at_once(score: float) -> None:
    """What was read is no answer, but kept; the description is looked up, and the next question follows."""
    says = {"name of": "Ottilie Krans", "Where": "Pelleth"}
    supports = {"She was born": score, "was designed by": 0.9}
    model = Reader(says, ("the designer of the Upper Bridge",), supports=supports)
    reflection = reflected(model, UPPER, KRANS, aim=WHOLE)
    assert [(one.question, one.answer, one.unlikely, one.score) for one in reflection.findings] == [
        (TASK, "", "Pelleth", pytest.approx(score)),
        ("What is the name of the designer of the Upper Bridge?", "Ottilie Krans", "", pytest.approx(0.9)),
    ]
    assert reflection.aim == Aim(question="Where was Ottilie Krans born?", hops=1)
    assert [query.text for query in reflection.queries] == ["Where was Ottilie Krans born?"] and not reflection.answer


def test_a_description_that_is_not_there_yet_is_searched_for() -> None:
    """It is the next query, and is looked up in what that finds; then the question is not taken apart again."""
    fair = numbered(5, "fair.txt", "Eel Fair. Pelleth has a fair near the Upper Bridge.", title="Eel Fair")
    first = reflected(Reader({"Where": "Pelleth"}, supports={}), fair, aim=WHOLE)
    assert first.aim == HOP and [query.text for query in first.queries] == ["the designer of the Upper Bridge"]
    model = Reader({"Where": "Pelleth"}, supports={})
    second = reflected(model, fair, aim=HOP)
    assert second.aim == Aim(question=TASK) and len(model.asked) == 2 and is_unlikely(second.findings[-1])


def test_a_yes_or_no_that_nobody_judged_is_taken_apart_too() -> None:
    """It may follow from two documents."""
    asked = "Was the designer of the Upper Bridge born in Pelleth?"
    model = Reader({"Was": "yes", "name of": "Ottilie Krans"}, supports={"was designed by": 0.9})
    reflection = reflected(model, UPPER, KRANS, aim=Aim(question=asked, whole=True))
    assert reflection.aim == Aim(question="Was Ottilie Krans born in Pelleth?", hops=1)


def test_a_side_of_a_comparison_that_a_judge_rejects_is_not_found() -> None:
    """Of it and the other side nothing is concluded."""
    aim = Aim(question="When did the Upper Bridge open?", compared=COMPARED)
    old = numbered(6, "town.txt", "Town. The Upper Bridge is near a town of 1846.", title="Town")
    for score, found in ((0.02, 0), (0.9, 1)):
        reflection = reflected(Reader({"When": "1846"}, supports={"of 1846": score}), old, aim=aim)
        assert reflection.aim is not None and len(reflection.aim.sides) == found
        assert not reflection.sufficient and bool(reflection.findings[0].answer) is bool(found)


def test_nothing_is_concluded_from_what_a_judge_rejects() -> None:
    """Of two questions the second has no name of it."""
    aim = Aim(question=WHO, rest=("Where was he born?",))
    reflection = reflected(Hasty(supports={}), LOWER, aim=aim)
    assert reflection.aim == aim and not reflection.sufficient and reflection.queries


def test_what_was_read_twice_for_a_question_is_read_once_in_a_later_round() -> None:
    """Of the passages that other words found; then the writer does not read them all once more."""
    known = (Finding(question=WHO, asked=True, score=0.02),)
    effect = Reflect(
        task=Task(text=WHO), round=2, asked=(), shown=(LOWER, UPPER), aim=Aim(question=WHO), most=5, findings=known
    )
    model = Hasty(supports={})
    assert not done(reflector(model).reflect(effect), 12).sufficient and len(model.asked) == 1


def test_where_a_description_is_not_found_one_within_it_is_looked_up() -> None:
    """The father of the designer is nowhere by name; the designer is."""
    question = "What did the father of the designer of the Upper Bridge do for a living?"
    aim = Aim(question=question, span="the father of the designer of the Upper Bridge")
    model = Reader({"father of": "not stated", "name of the designer": "Ottilie Krans"}, supports={"was designed": 0.9})
    reflection = reflected(model, UPPER, aim=aim)
    assert [(one.question[:28], one.answer) for one in reflection.findings] == [
        ("What is the name of the fath", ""), ("What is the name of the desi", "Ottilie Krans")
    ]  # fmt: skip
    assert reflection.aim == Aim(question="What did the father of Ottilie Krans do for a living?", hops=1)
    nothing = reflected(Reader({"father of": "not stated"}, supports={}), UPPER, aim=aim, calls=2)
    assert nothing.aim == Aim(question=question)


def test_what_a_judge_rejected_is_not_read_again_in_a_later_round() -> None:
    """Neither for the question nor for a description; the numbers of the sources are on record."""
    first = reflected(Hasty(supports={}), LOWER, UPPER, aim=Aim(question=WHO))
    assert {*first.findings[0].rejected} == {1, 2}
    for aim, asked in ((Aim(question=WHO), WHO), (HOP, "What is the name of the designer of the Upper Bridge?")):
        known = (Finding(question=asked, rejected=(1,)),)
        shown = (UPPER, LOWER)
        effect = Reflect(task=Task(text=TASK), round=2, asked=(), shown=shown, aim=aim, most=5, findings=known)
        model = Hasty(supports={})
        done(reflector(model).reflect(effect), 12)
        read = [text for text in model.prompts if "<data texts>" in text and asked in text]
        assert read and not any("Ottilie Krans" in text for text in read)


def test_a_description_that_was_searched_for_is_no_query_again() -> None:
    """The run would end for want of queries: other words are searched for."""
    asked = (Asked(query="the designer of the upper bridge"),)
    fair = numbered(5, "fair.txt", "Eel Fair. Pelleth has a fair near the Upper Bridge.", title="Eel Fair")
    effect = Reflect(task=Task(text=TASK), round=1, asked=asked, shown=(fair,), aim=WHOLE, most=5)
    reflection = done(reflector(Reader({"Where": "Pelleth"}, supports={})).reflect(effect), 12)
    assert reflection.queries and "the designer of the Upper Bridge" not in {one.text for one in reflection.queries}
    assert not reflection.sufficient and reflection.aim == Aim(question=TASK)


BAND = numbered(1, "ravn.txt", "Ravn. Ravn is a rock band from Odense.", title="Ravn")
ALBUM = numbered(2, "night.txt", "Night Tapes. Night Tapes is an album of demos by Ravn.", title="Night Tapes")
OTHER = numbered(3, "list.txt", "Bands. Ravn is a rock band from Odense, too.", title="Bands")
WHICH = Aim(question="Which rock band from Odense made an album of demos?", whole=True)
BOTH = "Ravn: Ravn is a rock band from Odense.\nNight Tapes: Night Tapes is an album of demos by Ravn."


@pytest.mark.parametrize(
    ("shown", "cited"),
    [((BAND, ALBUM), {1, 2}), ((BAND, OTHER), set()), ((BAND,), set())],
    ids=["together", "nothing that the first lacks", "alone"],
)
def test_two_sentences_that_each_say_a_part_are_judged_together(shown, cited: set[int]) -> None:  # type: ignore[no-untyped-def]
    """They are of two sources, both have the answer, and each has a word of the question that the other lacks."""
    model = Reader({"Odense": "Ravn"}, supports={BOTH: 0.9})
    reflection = reflected(model, *shown, aim=WHICH)
    assert {one.number for finding in reflection.findings for one in finding.evidence} == cited
    assert reflection.answer == ("Ravn" if cited else "")


def test_two_sentences_that_do_not_answer_together_are_none() -> None:
    """The source that nobody read is not rejected for that, so that it is read later."""
    model = Reader({"Odense": "Ravn"}, supports={BOTH: 0.1})
    (finding, *_) = reflected(model, BAND, ALBUM, aim=WHICH).findings
    assert not finding.answer and finding.rejected and len([one for one in model.requests if one.top_logprobs]) > 2

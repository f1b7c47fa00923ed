"""Answers: worded by the model, cited by the host, checked by a judge; and what nobody can make them say."""

from __future__ import annotations

import pytest

from aeon.engines.research.effects import Cite
from aeon.engines.research.sources import Entry, Sources
from aeon.engines.research.values import Citation, Cited, Finding
from aeon.errors import EndpointFailed, Malformed
from aeon.kernel.decide import borne_out
from aeon.llm.scripted import Scripted
from aeon.schema import Decision, FromSource, Source, Task
from engines.research.reader import Reader, done, writer
from engines.research.world import document, passage
from tests.wordings import results_of

pytestmark = pytest.mark.requirement("R3")

BORN = "Johanna Spyri. She was born in Hirzel in 1827, in a house on a hill."
INN = "Red Inn. The inn of the town opened in 1901 and it closed long ago."
QUESTION = "Where was Johanna Spyri born?"


def entry(number: int, source: str, text: str) -> Entry:
    """A source with all of its text found."""
    document_ = document(source, text, text.split(".")[0])
    return Entry(number=number, document=document_, provider="web", query="q", passages=(passage(source, text),))


SOURCES = Sources(most=9, entries=(entry(1, "inn.txt", INN), entry(2, "spyri.txt", BORN)))
EVIDENCE = (Citation(number=2, source=SOURCES.entries[1].passages[0].sources()[1]),)
HIRZEL = Finding(question=QUESTION, answer="Hirzel", evidence=EVIDENCE, asked=True)


def cite(
    model: Scripted, *findings: Finding, task: str = QUESTION, sources: Sources = SOURCES, check: bool = True,
    limited: bool = False, searched: tuple[str, ...] = ("Spyri", "born"), calls: int = 9,
) -> Cited:  # fmt: skip
    """The answer from these findings."""
    effect = Cite(
        task=Task(text=task), sources=sources, findings=findings, answer="; ".join(one.answer for one in findings),
        searched=searched, sufficient=bool(findings), limited=limited, check=check,
    )  # fmt: skip
    return done(writer(model).cite(effect), calls)


@pytest.mark.usefixtures("bad_judge")
def test_an_answer_is_a_sentence_with_the_numbers_of_its_sources() -> None:
    """They stand before its full stop, and its claims rest on the sentences that it cites."""
    answer = cite(Reader(words="Johanna Spyri was born in {r1}."), HIRZEL)
    assert answer.text == "Johanna Spyri was born in Hirzel [2]." and answer.short == "Hirzel"
    (sentence,) = answer.sentences
    assert answer.text[sentence.start : sentence.end] == answer.text and sentence.citations == EVIDENCE
    whole = next(claim for claim in answer.claims if claim.kind == "sentence")
    assert [(one.source, one.start, one.end) for one in whole.evidence if isinstance(one, FromSource)] == [
        ("spyri.txt", EVIDENCE[0].source.start, EVIDENCE[0].source.end)
    ]
    assert not any(claim.verdict in ("not_found", "contradicted") for claim in answer.claims)


def test_what_several_findings_rest_on_is_cited_once_each() -> None:
    """Also what was only needed on the way."""
    on_the_way = Finding(question="Who?", answer="Johanna Spyri", evidence=EVIDENCE)
    inn = Citation(number=1, source=SOURCES.entries[0].passages[0].sources()[1])
    other = HIRZEL.changed(evidence=(*EVIDENCE, inn))
    answer = cite(Reader(words="It is {r1}."), on_the_way, other)
    assert answer.text == "It is Hirzel [2][1]." and len(answer.sentences[0].citations) == 2


def test_two_questions_have_two_answers_in_one_sentence() -> None:
    """Each under its own name for the model."""
    year = Finding(question="When was that?", answer="1827", evidence=EVIDENCE, asked=True)
    model = Reader(words="She was born in {r1} in {r2}.")
    answer = cite(model, HIRZEL, year, task="Where was Johanna Spyri born, and when was that?")
    assert (answer.text, answer.short) == ("She was born in Hirzel in 1827 [2].", "Hirzel; 1827")
    bare = cite(Reader(words="No."), HIRZEL, year, task="Where was Johanna Spyri born, and when was that?")
    assert bare.text == f"{QUESTION} Hirzel [2]. When was that? 1827 [2]."


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("She was born in {r1}. She wrote Heidi in {r2}.", "She was born in Hirzel [2]. She wrote Heidi in 1880 [1]."),
        ("In {r2} she, born in {r1}, wrote Heidi.", "In 1880 she, born in Hirzel, wrote Heidi [2][1]."),
        ("Born in {r1}. In {r2}. So it is.", f"{QUESTION} Hirzel [2]. When did she write Heidi? 1880 [1]."),
    ],
    ids=["two sentences", "one sentence", "a sentence that tells nothing"],
)
def test_each_sentence_cites_what_it_tells(words: str, text: str) -> None:
    """It is as likely as the least likely of the answers in it; one that tells none is not written."""
    source = passage("heidi.txt", "She wrote it in 1880.").sources()[-1]
    year = Finding(
        question="When did she write Heidi?", answer="1880", evidence=(Citation(number=1, source=source),), asked=True,
        score=0.9,
    )  # fmt: skip
    model = Reader(words=words, supports={"1880": 0.4, "Hirzel": 0.9})
    answer = cite(model, HIRZEL, year, task="Where was Johanna Spyri born, and when did she write Heidi?")
    assert answer.text == text
    marks = [([one.number for one in sentence.citations], sentence.score) for sentence in answer.sentences]
    apart, together = [([2], pytest.approx(0.9)), ([1], pytest.approx(0.4))], [([2, 1], pytest.approx(0.4))]
    assert marks == (together if "," in words else apart)
    assert [text[one.start : one.end][-4:] for one in answer.sentences] == [f"[{ns[-1]}]." for ns, _ in marks]


def test_an_answer_to_one_of_two_questions_is_supported_in_part() -> None:
    """However sure a judge is of the one; both have their answers where both were found."""
    task = "Where was Johanna Spyri born, and when was that?"
    model = Reader(words="She was born in {r1}.", supports={"Hirzel": 0.9})
    born = HIRZEL.changed(score=0.9)
    assert cite(model, born).sentences[0].verdict == "supported"
    assert cite(model, born, task=task).sentences[0].verdict == "partial"
    year = Finding(question="When was that?", answer="1827", evidence=EVIDENCE, asked=True, score=0.9)
    both = Reader(words="She was born in {r1} in {r2}.", supports={"Hirzel": 0.9})
    assert cite(both, born, year, task=task).sentences[0].verdict == "supported"


def test_a_yes_or_no_stands_by_what_it_cites_alone_and_a_value_among_its_neighbours() -> None:
    """The sentence beside it may give the no, but is not the one that is quoted; a value is in its own sentence."""
    text = "Rules. Fires are allowed on Saturdays in October. Hens may be kept on any plot, cockerels may not."
    sources = Sources(most=9, entries=(entry(1, "inn.txt", INN), entry(2, "rules.txt", text)))
    _, fires, hens = (Citation(number=2, source=one) for one in sources.entries[1].passages[0].sources())
    asked = Finding(question="Are cockerels allowed?", answer="no", asked=True)
    model = Reader(supports={"cockerels may not": 0.9})
    for cited, text_ in ((hens, "No [2]."), (fires, "The sources do not say")):
        answer = cite(model, asked.changed(evidence=(cited,)), task=asked.question, sources=sources)
        assert answer.text.startswith(text_)
    day = Finding(question="When are fires allowed?", answer="Saturdays", evidence=(fires,), asked=True)
    assert cite(model, day, task=day.question, sources=sources).sentences[0].verdict == "supported"


@pytest.mark.parametrize("mark", ["[3]", "[1, 2]", "【4】", "[1][3]", "[0]", "[99]"])
def test_a_citation_that_the_model_writes_does_not_stand(mark: str) -> None:
    """The host alone says what is cited."""
    answer = cite(Reader(words=f"She was born in {{r1}} {mark}."), HIRZEL)
    assert mark not in answer.text and answer.text.endswith("[2].")


def test_a_citation_that_a_source_has_in_its_text_does_not_stand() -> None:
    """Not even as a part of the answer."""
    answer = cite(Reader(), HIRZEL.changed(answer="Hirzel [1]"))
    assert answer.text == "Hirzel [2]."


@pytest.mark.parametrize("words", ["She was born in Bern, not in {r1}.", "{r1}, in 1999.", "Nothing.", "{r7}", ""])
def test_a_sentence_that_says_what_no_source_does_is_not_taken(words: str) -> None:
    """The bare answer stands in its place."""
    answer = cite(Reader(words=words), HIRZEL)
    assert answer.text == "Hirzel [2]." and answer.short == "Hirzel"


def test_a_sentence_that_cannot_be_made_leaves_the_bare_answer() -> None:
    """Where no call is left for one it says so, so that the run has it on record."""
    assert cite(Reader(words=Malformed("no")), HIRZEL).text == "Hirzel [2]."
    answer = cite(Reader(words="She was born in {r1}."), HIRZEL, check=False, calls=0)
    assert answer.text == "Hirzel [2]." and "calls" in answer.problem


def test_an_endpoint_that_is_gone_is_the_machines_business() -> None:
    """The program has its own answer to that."""
    with pytest.raises(EndpointFailed):
        cite(Reader(words=EndpointFailed("gone")), HIRZEL)


@pytest.mark.parametrize(
    ("own", "other", "verdict"),
    [(0.9, 0.1, "supported"), (0.4, 0.1, "partial"), (0.9, 0.95, "not_found")],
)
def test_a_judge_says_whether_what_is_cited_supports_the_sentence(own: float, other: float, verdict: str) -> None:
    """By its probability; and where an unrelated sentence supports it as well, the judge says yes to anything."""
    model = Reader(words="She was born in {r1}.", supports={"Hirzel": own, "inn": other})
    answer = cite(model, HIRZEL.changed(score=0.9))
    assert answer.sentences[0].verdict == verdict and answer.sentences[0].score == pytest.approx(own, abs=0.01)
    good = Decision(action="OUTPUT", reason="sufficient", sufficient=True)
    assert borne_out(good, answer.claims).sufficient == (verdict != "not_found")


@pytest.mark.requirement("R3a")
@pytest.mark.parametrize(
    ("task", "own", "verdict", "names"),
    [
        ("Where was Johanna Spyri born?", 0.9, "supported", ()),
        ("Where was the author of Alpine Tales born?", 0.9, "partial", ("Alpine Tales",)),
        ("Where was the author of Alpine Tales born?", 0.05, "not_found", ("Alpine Tales",)),
    ],
)
def test_an_answer_that_lacks_a_name_of_the_task_is_supported_in_part(
    task: str, own: float, verdict: str, names: tuple[str, ...]
) -> None:
    """However sure the judge is of the sentence: it may be about somebody else. What is wrong stays wrong."""
    model = Reader(words="She was born in {r1}.", supports={"Hirzel": own, "inn": 0.1})
    answer = cite(model, HIRZEL.changed(score=0.9), task=task)
    assert (answer.sentences[0].verdict, answer.unnamed) == (verdict, names)
    unchecked = cite(Reader(words="She was born in {r1}."), HIRZEL, task=task, check=False)
    assert unchecked.sentences[0].verdict == "not_checked"


@pytest.mark.requirement("R3a")
@pytest.mark.parametrize(
    ("where", "names"),
    [("title", ()), ("passage", ()), ("other source", ("Alpine Tales",)), ("nowhere", ("Alpine Tales",))],
)
def test_titles_and_passages_of_the_cited_sources_are_what_speaks_of_a_name(where: str, names: tuple[str, ...]) -> None:
    """Not only the sentence that is cited, and no source that is not."""
    title = "Alpine Tales" if where == "title" else "Johanna Spyri"
    text = BORN.replace("on a hill.", "on a hill. She wrote Alpine Tales.") if where == "passage" else BORN
    inn = INN.replace("closed long ago", "sold Alpine Tales") if where == "other source" else INN
    own = document("spyri.txt", text, title)
    entries = (
        entry(1, "inn.txt", inn),
        Entry(number=2, document=own, provider="web", query="q", passages=(passage("spyri.txt", text),)),
    )
    model = Reader(words="She was born in {r1}.", supports={"Hirzel": 0.9, "inn": 0.1})
    task = "Where was the author of Alpine Tales born?"
    answer = cite(model, HIRZEL.changed(score=0.9), task=task, sources=Sources(most=9, entries=entries))
    assert (answer.unnamed, answer.sentences[0].verdict) == (names, "partial" if names else "supported")


def test_the_evidence_is_judged_with_the_title_of_its_source() -> None:
    """In a fence: what a source says is data for a judge, too."""
    model = Reader(words="She was born in {r1}.", supports={"Hirzel": 0.9})
    cite(model, HIRZEL)
    first, own, control, _ = model.prompts
    assert "Johanna Spyri: She was born in Hirzel" in first and "Answer:" not in first
    assert "Johanna Spyri: She was born in Hirzel" in own and own.index("<data") < own.index("Hirzel in 1827")
    assert "inn of the town" in control and "Hirzel in 1827" not in control


@pytest.mark.parametrize("score", [0.03, 0.2])
def test_a_sentence_that_does_not_answer_is_no_answer(score: float) -> None:
    """It is refused, and no sentence is written."""
    model = Reader(words="She was born in {r1}.", supports={"Hirzel": score})
    answer = cite(model, HIRZEL)
    assert len(model.requests) == 1
    assert answer.short == "" and answer.text.startswith("The sources do not say") and not answer.sentences
    said = "She was born in Hirzel in 1827, in a house on a hill."
    assert answer.text.endswith(f'; the nearest sentence: "{said}" (Johanna Spyri).')


def test_a_refusal_names_what_was_taken_for_an_answer() -> None:
    """The longest sentence of what a judge rejected in an earlier round; marks in it are no citations."""
    said = "She was born in Hirzel [3] in 1827."
    title = EVIDENCE[0].changed(source=Source(source="spyri.txt", start=0, end=13, text="Johanna Spyri"))
    marked = EVIDENCE[0].changed(source=Source(source="spyri.txt", start=15, end=15 + len(said), text=said))
    rejected = HIRZEL.changed(answer="", evidence=(), doubted=(title, marked), score=0.2)
    answer = cite(Reader(words="{r1}."), rejected)
    assert answer.short == "" and not answer.sentences
    assert answer.text.endswith('; the nearest sentence: "She was born in Hirzel in 1827." (Johanna Spyri).')
    later = rejected.changed(doubted=(title,), score=0.01)
    assert cite(Reader(words="{r1}."), rejected, later).text == answer.text  # the likeliest of them
    plain = cite(Reader(words="{r1}."), rejected.changed(doubted=()))
    assert plain.text.endswith("(searched for: Spyri; born).")


@pytest.mark.parametrize(("score", "text"), [(0.3, "Perhaps: Hirzel [2]."), (0.29, "The sources do not say")])
def test_what_is_not_quite_unlikely_is_told_perhaps(score: float, text: str) -> None:
    """Where nothing likelier was found: supported in part at most, and in no sentence of the model's."""
    rejected = HIRZEL.changed(answer="", evidence=(), unlikely="Hirzel", doubted=EVIDENCE, score=score)
    less = rejected.changed(unlikely="Bern", score=0.1)
    model = Reader(words="It was in {r1}.", supports={"Hirzel": 0.9})
    answer = cite(model, less, rejected)
    assert answer.text.startswith(text)
    assert [one.verdict for one in answer.sentences] == ["partial"] * answer.text.startswith("Perhaps")
    assert not any(map(results_of, model.prompts))
    on_the_way = rejected.changed(asked=False)
    assert cite(model, on_the_way).short == ""


@pytest.mark.requirement("G4")
@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("calls", [50, 1])
def test_what_is_told_perhaps_is_supported_in_part_whatever_could_still_be_asked(check: bool, calls: int) -> None:
    """With no call left for the judge, and without a check: by this verdict the run ends as not good enough."""
    rejected = HIRZEL.changed(answer="", evidence=(), unlikely="Hirzel", doubted=EVIDENCE, score=0.4)
    answer = cite(Reader(words="It was in {r1}.", supports={"Hirzel": 0.9}), rejected, check=check, calls=calls)
    assert answer.text.startswith("Perhaps: Hirzel") and [one.verdict for one in answer.sentences] == ["partial"]


@pytest.mark.parametrize("answer", ["no", "Hirzel"])
def test_whether_a_yes_or_no_is_given_is_judged_with_it(answer: str) -> None:
    """It may follow from two sentences of which neither answers alone."""
    model = Reader(words="{r1}.", supports={"Hirzel": 0.9})
    cite(model, HIRZEL.changed(question="Was she born in Bern?", answer=answer))
    assert ("Answer: " in model.prompts[0]) == (answer == "no")


@pytest.mark.parametrize(("other", "short"), [(0.1, "no"), (0.95, "")])
def test_a_yes_or_no_that_any_sentence_bears_out_is_refused(other: float, short: str) -> None:
    """It would be a guess; another answer is said, as one that is not supported."""
    model = Reader(words="{r1}.", supports={"Hirzel": 0.9, "inn": other})
    answer = cite(model, HIRZEL.changed(question="Was she born in Bern?", answer="no"))
    assert answer.short == short and answer.text.startswith("No [2]." if short else "The sources do not say")


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Was she born in Bern?", "supported"),
        ("Were both born in the same town?", "partial"),
        ("Is she older than Ann?", "partial"),
    ],
)
def test_a_yes_or_no_about_two_rests_on_both(question: str, verdict: str) -> None:
    """A sentence about one of them supports it in part at most."""
    model = Reader(words="{r1}.", supports={"Hirzel": 0.9, "inn": 0.1})
    answer = cite(model, HIRZEL.changed(question=question, answer="no"))
    assert answer.sentences[0].verdict == verdict


def test_a_check_that_is_off_leaves_the_sentence_unchecked() -> None:
    """It is said, not assumed."""
    model = Reader(words="She was born in {r1}.", supports={"Hirzel": 0.9})
    answer = cite(model, HIRZEL, check=False)
    assert answer.sentences[0].verdict == "not_checked" and answer.sentences[0].score is None
    assert answer.short == "Hirzel" and len(model.requests) == 1


def test_without_a_call_for_the_control_nothing_is_checked() -> None:
    """A judge that may say yes to anything has checked nothing."""
    answer = cite(Reader(supports={"Hirzel": 0.9}), HIRZEL, calls=1)
    assert answer.short == "Hirzel" and answer.sentences[0].verdict == "not_checked"


@pytest.mark.usefixtures("bad_judge")
def test_a_bad_judge_is_not_asked() -> None:
    """What was measured to be too poor decides nothing."""
    model = Reader(words="She was born in {r1}.", supports={"Hirzel": 0.9})
    assert cite(model, HIRZEL).sentences[0].verdict == "not_checked" and len(model.requests) == 1


def test_with_every_source_cited_there_is_no_control() -> None:
    """The judge's word stands alone."""
    only = Sources(most=9, entries=(entry(1, "spyri.txt", BORN),))
    own = (Citation(number=1, source=EVIDENCE[0].source),)
    model = Reader(words="She was born in {r1}.", supports={"Hirzel": 0.9})
    answer = cite(model, HIRZEL.changed(evidence=own), sources=only)
    assert answer.sentences[0].verdict == "supported" and len(model.requests) == 3


def test_without_findings_all_sources_are_looked_at_once_more() -> None:
    """The passages with most words of the task; what they say is the answer."""
    model = Reader({"Where": "Hirzel [1.1]"}, words="She was born in {r1}.")
    answer = cite(model)
    assert answer.text == "She was born in Hirzel [2]." and answer.short == "Hirzel"
    assert "Spyri" in model.prompts[0] and "Red Inn" not in model.prompts[0]


def test_a_question_that_was_taken_apart_in_vain_is_read_as_it_stands_once_more() -> None:
    """All of it: before that only a little was. What was read twice, or not taken apart, is not read again."""
    little = HIRZEL.changed(answer="", evidence=(), unlikely="Bern", doubted=EVIDENCE, score=0.1)
    part = Finding(question="What is the name of the house?")
    for findings, short in (((little, part), "Hirzel"), ((little, part, little), ""), ((little,), "")):
        model = Reader({"Where": "Hirzel"}, words="She was born in {r1}.", supports={"Hirzel": 0.9})
        effect = Cite(task=Task(text=QUESTION), sources=SOURCES, findings=findings, searched=("Spyri",))
        assert done(writer(model).cite(effect)).short == short and len(model.asked) == bool(short)


def test_what_was_found_to_one_question_is_the_answer_without_a_last_look() -> None:
    """Of two questions the other one is left open."""
    model = Reader({"Where": "Bern"}, words="She was born in {r1}.")
    effect = Cite(task=Task(text=QUESTION), sources=SOURCES, findings=(HIRZEL,), searched=("Spyri",))
    assert done(writer(model).cite(effect)).short == "Hirzel" and not model.asked


def test_what_no_source_states_is_refused_with_what_was_searched() -> None:
    """No sentence, no citation, no short answer."""
    answer = cite(Reader())
    assert answer.text == f"The sources do not say: {QUESTION} (searched for: Spyri; born)."
    assert (answer.short, answer.sentences, answer.claims) == ("", (), ())


def test_a_run_without_sources_says_so_and_asks_no_model() -> None:
    """It names what was searched, the first eight, and how many more."""
    model = Reader()
    answer = cite(model, sources=Sources(most=9), searched=tuple(f"q{n}" for n in range(11)))
    eight = "; ".join(f"q{n}" for n in range(8))
    assert answer.text == f"No source was found for this: {QUESTION} (searched for: {eight}; and 3 more)."
    assert model.requests == []
    assert "(searched for: nothing)" in cite(model, sources=Sources(most=9), searched=()).text


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("findings", [(HIRZEL,), ()])
def test_a_limited_search_is_said_below_the_answer(findings: tuple[Finding, ...]) -> None:
    """Beside an answer as beside a refusal; it is no part of what is cited."""
    answer = cite(Reader(words="In {r1}."), *findings, limited=True)
    first, last = answer.text.split("\n")
    assert last == "Search capabilities were limited; the answer is based on partial information."
    assert all(sentence.end <= len(first) for sentence in answer.sentences)
    assert "limited" not in cite(Reader(words="In {r1}."), *findings).text


def test_findings_without_evidence_are_no_answer() -> None:
    """An answer that rests on nothing is refused."""
    assert cite(Reader(), HIRZEL.changed(evidence=())).short == ""


@pytest.mark.requirement("R4")
def test_the_last_look_at_twenty_sources_is_a_short_prompt() -> None:
    """At most five passages, and a limit on their characters."""
    texts = [f"Text {n}. " + "Spyri was born there. " * 300 for n in range(1, 21)]
    many = Sources(most=25, entries=tuple(entry(n, f"t{n}.txt", text) for n, text in enumerate(texts, 1)))
    model = Reader()
    cite(model, sources=many)
    assert len(model.prompts) == 1 and len(model.prompts[0]) < 13_000


def test_which_of_two_is_more_nobody_reads_at_last() -> None:
    """Where a side was not found, the first name that a model sees is no answer."""
    model = Reader({"Which": "Johanna Spyri", "Who": "Johanna Spyri"})
    refused = cite(model, task="Which is older, Johanna Spyri or Red Inn?")
    assert refused.short == "" and model.requests == []
    assert cite(model, task="Who was born in Hirzel in 1827?").short == "Johanna Spyri"


@pytest.mark.requirement("R1a")
@pytest.mark.parametrize("named", ["Ada Lunt and Ben Ohr sing in one choir.", "Ada Lunt sings in the choir."])
@pytest.mark.usefixtures("bad_judge")
def test_a_yes_about_two_needs_a_sentence_that_names_both(named: str) -> None:
    """One that speaks of one of them leaves no answer, however near it is."""
    source = Source(source="choir.txt", start=0, end=len(named), text=named)
    finding = Finding(
        question="Do Ada Lunt and Ben Ohr sing in the same choir?", answer="yes",
        evidence=(Citation(number=2, source=source),), asked=True,
    )  # fmt: skip
    answer = cite(Reader(words="{r1}."), finding, task=finding.question)
    assert answer.short == ("yes" if "Ben" in named else "")

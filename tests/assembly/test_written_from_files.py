"""Texts that are written from the files of a folder: what is read for them, what they may say, how such a run ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from approving import Approving

from aeon import Result, build
from aeon.assembly.proofs import proof_of
from aeon.llm.scripted import Reply
from aeon.proof.document import proof_bytes
from aeon.proof.verify import verify
from aeon.schema import LLMRequest, LLMResponse, Writing
from aeon.tools.files import Files
from aeon.tools.texts import READ_TEXTS

pytestmark = [pytest.mark.usefixtures("indexes"), pytest.mark.requirement("T2c", "G1b", "G4")]

MINUTES = """Minutes of the meeting of 12 March

Present: Ida Holm, Per Lund.

Roof. Hallam & Pike will do it for 12,975 euros. They start on 4 August.

Charges. From 1 May the main hall costs 15.50 euros an hour.
"""
RULES = """# Rules of hire

## Cancelling

- More than 28 days ahead everything is given back.
- Later than that, half.
"""
SUMMARY = "Hallam & Pike will do the roof for 12,975 euros. From 1 May the main hall costs 15.50 euros an hour."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two texts and a table."""
    (tmp_path / "minutes 12 March.txt").write_text(MINUTES)
    (tmp_path / "rules.md").write_text(RULES)
    (tmp_path / "hirers.csv").write_text("Who,Sort\nPlayers,club\nAcorns,charity\n")
    return tmp_path


def asked(folder: Path, task: str, *replies: Reply) -> tuple[Result, list[LLMRequest]]:
    """The result of a run over the folder, and what the model was asked."""
    model = Approving(replies)
    return build(llm=model, files=folder).execute(task), model.requests


def read_of(result: Result) -> list[str]:
    """The documents that were read whole for the answer; none where they were searched."""
    step = result.history.passes[0].executed[0]
    assert step.action.type == "tool" and step.action.tool == READ_TEXTS and step.action.arguments
    documents = step.action.arguments["documents"]
    assert isinstance(documents, list)
    return [str(name) for name in documents]


def test_a_summary_is_written_from_the_document_that_it_names(folder: Path) -> None:
    """One call, which sees the whole document and nothing else; each sentence cites what it is made of."""
    result, requests = asked(folder, "Summarise the minutes of 12 March.", SUMMARY)
    assert result.answer == SUMMARY and result.stop_reason == "converged"
    assert read_of(result) == ["minutes 12 March.txt"] and len(requests) == 1
    assert "Present: Ida Holm" in requests[0].messages[-1].content
    assert "28 days" not in requests[0].messages[-1].content
    sentences = [claim for claim in result.claims if claim.kind == "sentence"]
    assert [claim.support for claim in sentences] == ["source", "source"]
    assert {claim.text for claim in result.claims if claim.verdict == "supported"} >= {"12,975 euros", "1 May"}


def test_its_proof_is_verified(folder: Path) -> None:
    """The sentences of the answer with the characters of the text that they rest on."""
    result, _ = asked(folder, "Summarise the minutes of 12 March.", SUMMARY)
    report = verify(proof_bytes(proof_of(result, [Files.open(folder)])))
    assert report.code == 0 and "2 sentences" in report.text, report.text


def test_a_sentence_that_stands_there_word_for_word_is_supported(folder: Path) -> None:
    """Whatever marks the points of the list; the verifier compares the words, and no judge is named."""
    text = "1. More than 28 days ahead everything is given back.\n2. Later than that, half of it."
    result, _ = asked(folder, "Explain the rules of hire.", text)
    verdicts = [claim.verdict for claim in result.claims if claim.kind == "sentence"]
    assert verdicts == ["supported", "not_checked"] and result.stop_reason == "converged"
    report = verify(proof_bytes(proof_of(result, [Files.open(folder)])))
    assert report.code == 0 and "1 supported" in report.text and "model" not in report.text, report.text


@pytest.mark.parametrize(
    ("task", "documents"),
    [
        ("What was decided at the meeting of 12 March?", ["minutes 12 March.txt"]),
        ("Explain the rules of hire.", ["rules.md"]),
        ("Please write an email about the costs of the main hall.", []),
        ("Write an email inviting members to the roof meeting.", []),
        ("Write two sentences inviting members to the roof meeting.", []),
        ("Write two sentences to remind members of the roof meeting.", []),
        ("Give me an overview of these files.", ["minutes 12 March.txt", "rules.md"]),
    ],
)
def test_what_is_read(folder: Path, task: str, documents: list[str]) -> None:
    """A document by its name or title, all of them, or what a search finds about the topic."""
    result, _ = asked(folder, task, *[SUMMARY] * 3)
    assert read_of(result) == documents


def test_a_letter_is_signed_by_who_sends_it_and_has_the_times_of_the_files(folder: Path) -> None:
    """The model signs with a name of the minutes, and writes 17:00 for their 17.00."""
    (folder / "party.txt").write_text("The party begins at 17.00 in the main hall.")
    letter = "Dear all,\n\nThe party begins at 17:00 in the main hall.\n\nBest regards,\nIda Holm"
    result, _ = asked(folder, "Write an email about the party.", *[letter] * 3)
    assert result.answer == letter.replace("17:00", "17.00").replace("Ida Holm", "[your name]")
    assert "17.00" in {claim.text for claim in result.claims if claim.verdict == "supported"}


@pytest.mark.requirement("T2d")
def test_what_was_agreed_to_pay_is_a_question(folder: Path) -> None:
    """Its answer is a fact of the texts; what was agreed about a thing is told by lines."""
    _, requests = asked(folder, "What did we agree to pay for the roof?", *["12,975 euros"] * 9)
    assert requests[0].messages[-1].content.endswith("Answer in a few words.")
    _, requests = asked(folder, "What did we agree about the roof?", *[SUMMARY] * 9)
    assert requests[0].messages[-1].content.endswith("a line for each thing.")


def test_a_note_that_is_to_be_written_names_no_document(folder: Path) -> None:
    """Though one is called so."""
    (folder / "notes.txt").write_text("Ring the plumber.")
    result, _ = asked(folder, "Write a note about the costs of the main hall.", *[SUMMARY] * 3)
    assert read_of(result) == []
    result, _ = asked(folder, "Summarise the notes.", "Ring the plumber.")
    assert read_of(result) == ["notes.txt"]


def test_what_somebody_wants_explained_comes_by_lines_and_a_letter_does_not(folder: Path) -> None:
    """All that was decided is a list, unless the task says in which form it wants it."""
    for task, by_lines in (
        ("Explain the rules of hire.", True),
        ("Explain the rules of hire in two sentences.", False),
        ("Write a letter about the rules of hire.", False),
    ):
        _, requests = asked(folder, task, *[SUMMARY] * 4)
        assert requests[0].messages[-1].content.endswith("a line for each thing.") is by_lines


def test_what_no_sentence_says_is_named_and_the_text_written_again(folder: Path) -> None:
    """An invented price, and a sentence about something else altogether."""
    invented = "Hallam & Pike will do the roof for 13,500 euros. Technology and climate change were discussed."
    result, requests = asked(folder, "Summarise the minutes of 12 March.", invented, SUMMARY)
    assert result.answer == SUMMARY and result.stop_reason == "converged" and len(requests) == 2
    told = requests[1].messages[-1].content
    assert "13,500" in told and "climate change" in told


def test_a_text_that_says_it_again_does_not_converge(folder: Path) -> None:
    """It ends as unsupported, with what rests on nothing."""
    invented = "Hallam & Pike will do the roof for 13,500 euros."
    result, _ = asked(folder, "Summarise the minutes of 12 March.", invented, invented)
    assert not result.converged and result.stop_reason == "unsupported" and "13,500" in result.detail


def test_the_better_of_two_texts_is_taken(folder: Path) -> None:
    """A second one that is worse, or none, leaves the first as it is."""
    first, second = "Per Lund was there. It costs 99 euros.", "It costs 98 euros. It costs 97 euros."
    for other in ((second,), ()):
        result, _ = asked(folder, "Summarise the minutes of 12 March.", first, *other)
        assert result.answer == first


def cut_off(text: str) -> LLMResponse:
    """A reply that the limit on tokens ended."""
    return LLMResponse(text=text, finish_reason="length")


def test_what_a_text_says_twice_stands_there_once(folder: Path) -> None:
    """Also where it would have gone on repeating itself until it was cut off."""
    for reply in (f"{SUMMARY} {SUMMARY}", cut_off(f"{SUMMARY} {SUMMARY} Hallam & Pike will")):
        result, requests = asked(folder, "Summarise the minutes of 12 March.", reply)
        assert result.answer == SUMMARY and result.stop_reason == "converged" and len(requests) == 1


def test_a_text_that_was_cut_off_has_not_the_form_of_one(folder: Path) -> None:
    """Its whole sentences are given, and the run says that there should be more."""
    result, _ = asked(folder, "Summarise the minutes of 12 March.", cut_off(f"{SUMMARY} Present were"))
    assert result.answer == SUMMARY and result.stop_reason == "form_unmet"


def test_points_that_were_cut_off_are_asked_for_as_a_list(folder: Path) -> None:
    """So many, and no more."""
    result, requests = asked(
        folder,
        "Summarise the minutes of 12 March in two sentences.",
        cut_off("Present were"),
        '["Per Lund was there.", "Ida Holm too."]',
    )
    assert result.answer == "Per Lund was there. Ida Holm too." and requests[1].json_schema


def test_without_a_usable_text_the_sentences_themselves_are_given(folder: Path) -> None:
    """Those nearest to the task, and the run does not end well."""
    result, _ = asked(folder, "Summarise the minutes of 12 March.", "", "")
    assert "- Charges." in result.answer and result.stop_reason == "form_unmet"


def test_a_form_that_is_not_kept_is_named_once(folder: Path) -> None:
    """As it is for other texts."""
    result, requests = asked(
        folder, "Summarise the minutes of 12 March in at most 5 words.", SUMMARY, "Per Lund was there."
    )
    assert result.answer == "Per Lund was there." and "(Mind: " in requests[1].messages[-1].content


def test_politeness_of_a_letter_claims_nothing(folder: Path) -> None:
    """Neither who it is to nor the wishes at its end have to stand in a file."""
    letter = (
        "Subject: New Charges\n\nDear Hirers,\n\nI hope this finds you well. "
        "From 1 May the main hall costs 15.50 euros an hour.\n\nBest regards,\n[Your Name]"
    )
    result, _ = asked(folder, "Write an email to all hirers about the charges of the main hall.", letter)
    assert result.stop_reason == "converged" and result.answer == letter
    assert [claim.text for claim in result.claims if claim.kind == "sentence"] == [
        "From 1 May the main hall costs 15.50 euros an hour."
    ]


@pytest.mark.requirement("G5")
def test_what_no_file_has_a_word_of_is_not_written(folder: Path) -> None:
    """It is looked up, and the run says that the files do not say it."""
    for task in (
        "Explain our parental leave.",
        "Describe our dress code.",
        "Describe our charity policy.",
    ):  # a word of a table explains nothing
        result, _ = asked(folder, task, "not stated", "not stated", "not stated")
        assert result.stop_reason == "not_stated" and "do not say" in result.answer


@pytest.mark.requirement("T4")
@pytest.mark.parametrize(
    "task",
    [
        "Write a haiku about autumn.",
        "Explain recursion to a child.",
        "Write a short story.",
        "Write two sentences to invite friends to a picnic.",
        "Write two sentences about the sea.",
    ],
)
def test_what_has_nothing_to_do_with_the_files_is_written_as_it_is_asked(folder: Path, task: str) -> None:
    """One call, with the task alone."""
    text = "Leaves fall. They fall far." if "sentences" in task else "Leaves fall."
    result, requests = asked(folder, task, text)
    assert result.answer == text and len(requests) == 1
    assert [message.content for message in requests[0].messages] == [task]
    (step,) = result.history.passes[0].executed
    assert step.action == Writing(task=task)


@pytest.mark.requirement("T4", "G5")
def test_a_text_about_its_author_is_none_whatever_leads_to_it(folder: Path) -> None:
    """Also where it says first that it certainly will."""
    reply = "Certainly! Here is the answer:\n\nAs an AI language model, I have no access to it."
    result, _ = asked(folder, "Write a haiku about autumn.", reply, reply)
    assert result.stop_reason == "form_unmet"


def test_a_fact_that_is_to_be_explained_is_asked_for_as_one(folder: Path) -> None:
    """It is no text that the model writes by itself."""
    result, requests = asked(folder, "Explain how much the main hall costs an hour.", *["not stated"] * 6)
    assert result.stop_reason == "not_stated" and "15.50" in "".join(m.content for r in requests for m in r.messages)

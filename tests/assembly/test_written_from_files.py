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
from aeon.schema import LLMRequest, LLMResponse
from aeon.tools.files import Files
from aeon.tools.texts import READ_TEXTS
from tests.second import way_of

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
    """The result of a run over the folder, and what the model was asked for the text.

    It says that the texts do not state it, has no query that can be run, and has the task written by a program.
    """
    left, writing = list(replies), list[LLMRequest]()

    def choose(request: LLMRequest) -> Reply:
        way = way_of(request)
        if way:
            return {"reading": "not stated", "program": f"print(write({task!r}))"}.get(
                way, "SELECT answer FROM nowhere"
            )
        writing.append(request)
        return left.pop(0) if left else ""

    return build(llm=Approving(choose), files=folder).execute(task), writing


@pytest.mark.requirement("L4")
@pytest.mark.parametrize(
    "task",
    ["Summarise the minutes of 12 March.", "Fass das Protokoll zusammen.", "R\u00e9sume le compte rendu."],
)
def test_a_summary_is_written_from_the_texts(folder: Path, task: str) -> None:
    """One call for the text, which sees them; its values are claims with places in them. The language matters not."""
    result, requests = asked(folder, task, SUMMARY)
    assert result.answer == SUMMARY and result.stop_reason == "converged"
    (use,) = result.history.passes[0].executed[0].uses
    assert (use.tool, use.arguments["documents"]) == (READ_TEXTS, []) and len(requests) == 1
    assert [one.source for one in use.lines] == ["minutes 12 March.txt", "rules.md"]
    assert "Present: Ida Holm" in requests[0].messages[-1].content
    assert [claim.text for claim in result.claims] == ["12,975 euros", "1 May", "15.50 euros"]
    assert {(claim.verdict, claim.support) for claim in result.claims} == {("supported", "source")}


def test_its_proof_is_verified(folder: Path) -> None:
    """The sentences of the answer with the characters of the text that they rest on."""
    result, _ = asked(folder, "Summarise the minutes of 12 March.", SUMMARY)
    report = verify(proof_bytes(proof_of(result, [Files.open(folder)])))
    assert report.code == 0 and "2 sentences" in report.text, report.text


def test_a_sentence_that_stands_there_word_for_word_is_supported(folder: Path) -> None:
    """Whatever marks the points of the list; the verifier compares the words, and no judge is named."""
    text = "1. More than 28 days ahead everything is given back.\n2. Later than that, half of it."
    result, _ = asked(folder, "Explain the rules of hire.", text)
    assert [one.verdict for one in result.sentence_checks] == ["supported", "not_checked"]
    assert result.answer == text and result.stop_reason == "converged"
    report = verify(proof_bytes(proof_of(result, [Files.open(folder)])))
    assert report.code == 0 and "1 supported" in report.text and "model" not in report.text, report.text


def test_a_text_stands_as_it_was_written(folder: Path) -> None:
    """The host changes no name below a letter and no mark of a time; what it finds in no sentence it says."""
    (folder / "party.txt").write_text("The party begins at 17.00 in the main hall.")
    letter = "Dear all,\n\nThe party begins at 17:00 in the main hall.\n\nBest regards,\nIda Holm"
    result, _ = asked(folder, "Write an email about the party.", letter)
    assert result.answer == letter


def test_what_no_sentence_says_is_named_and_the_text_written_again(folder: Path) -> None:
    """An invented price; the proof has what was read both times."""
    invented = "Hallam & Pike will do the roof for 13,500 euros."
    result, requests = asked(folder, "Summarise the minutes of 12 March.", invented, SUMMARY)
    assert result.answer == SUMMARY and result.stop_reason == "converged" and len(requests) == 2
    told = requests[1].messages[-1].content
    assert f"<data earlier text>\n{invented}" in told and "13,500" in told.partition("<data found>")[2]
    assert not any("13,500" in message.content for message in requests[0].messages)
    assert verify(proof_bytes(proof_of(result, [Files.open(folder)]))).code == 0


def test_a_text_that_says_it_again_does_not_converge(folder: Path) -> None:
    """Both passes are used up, and the claim says what rests on nothing."""
    invented = "Hallam & Pike will do the roof for 13,500 euros."
    result, _ = asked(folder, "Summarise the minutes of 12 March.", invented, invented)
    assert (result.answer, result.converged, result.sufficient) == (invented, False, False)
    assert [(one.text, one.verdict) for one in result.claims] == [("13,500 euros", "not_found")]


def test_without_a_text_the_run_does_not_end_well(folder: Path) -> None:
    """One that was cut off is none."""
    cut_off = LLMResponse(text=f"{SUMMARY} Present were", finish_reason="length")
    for replies in ((), (cut_off, cut_off)):
        result, _ = asked(folder, "Summarise the minutes of 12 March.", *replies)
        assert not result.sufficient and "Hallam" not in result.answer


def test_politeness_of_a_letter_claims_nothing(folder: Path) -> None:
    """Neither who it is to nor the wishes at its end have to stand in a file."""
    letter = (
        "Subject: New Charges\n\nDear Hirers,\n\nI hope this finds you well. "
        "From 1 May the main hall costs 15.50 euros an hour.\n\nBest regards,\n[Your Name]"
    )
    result, _ = asked(folder, "Write an email to all hirers about the charges of the main hall.", letter)
    assert result.stop_reason == "converged" and result.answer == letter
    assert [claim.text for claim in result.claims] == ["1 May", "15.50 euros"]


@pytest.mark.requirement("T4", "W3b")
@pytest.mark.parametrize("task", ["Write a haiku about autumn.", "Explain recursion to a child."])
def test_what_has_nothing_to_do_with_the_files_is_written_as_it_is_asked(folder: Path, task: str) -> None:
    """One call, which the task stands in as it is."""
    result, requests = asked(folder, task, "Leaves fall.")
    assert result.answer == "Leaves fall." and len(requests) == 1 and result.stop_reason == "converged"
    assert any(message.content.endswith(f"TASK: {task}") for message in requests[0].messages)

"""The claims of a run's answer and its proof, from scripted runs over a folder to the verifier."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from approving import Approving

from aeon import Journal, Result, build
from aeon.assembly.proofs import proof_of
from aeon.assembly.runs import replay
from aeon.errors import UsageError
from aeon.llm.scripted import Reply
from aeon.observability.lines import claim_lines, conclusion_lines, coverage, plain
from aeon.proof.document import Proof, proof_bytes
from aeon.proof.verify import Report, verify
from aeon.tools.files import Files
from tests.second import agreeing

pytestmark = pytest.mark.requirement("G1", "G2", "G6", "G6b")
GUEST = ("12.50 euros", 'print("not stated")', "The fee of a guest is 12.50 euros.")
"""What the texts say, in short and in a sentence, and a program between that finds nothing."""
FEE = "What are the fees of 3 guests?"
ONE_FACT = "It needs one fact."
"""What a model says that splits no question."""
AGAIN = "The fee of a guest: 12.5\nThree guests: 12.5 * 3 = 37.5\nAnswer: 37.5 euros"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table and a text."""
    root = tmp_path / "club"
    root.mkdir()
    (root / "sales.csv").write_text("city,units\nCork,4\nPorto,5\n")
    (root / "fees.md").write_text("The fee of each guest is 12.50 euros. It is due in May.\n")
    return root


def run(folder: Path, text: str, *replies: Reply, journal: Path | None = None) -> tuple[Result, Proof]:
    """A run over the folder, and its proof."""
    given = Files.open(folder)

    def saved(_: str) -> Journal:
        return Journal(journal) if journal else Journal()

    result = build(llm=agreeing(replies), tools=["calculator", given], journal=saved).execute(text)
    assert isinstance(result, Result)
    return result, proof_of(result, [given], journal)


def verified(proof: Proof) -> Report:
    """What the verifier says of the file."""
    return verify(proof_bytes(proof))


def test_a_value_of_a_text_and_one_that_is_computed(folder: Path, tmp_path: Path) -> None:
    """The fee stands in a sentence, the sum follows from it and from the task; the verifier finds both again."""
    saved = tmp_path / "run.jsonl"
    program = "fee = 12.5  # 1\nprint(fee, fee * 3)"
    result, proof = run(
        folder, FEE, program, ONE_FACT, AGAIN, "A guest pays {r1}, 3 guests pay {r2} euros.", journal=saved
    )
    assert result.answer == "A guest pays 12.50 euros, 3 guests pay 37.50 euros."
    assert [(one.text, one.verdict) for one in proof.claims if one.kind == "number"] == [
        ("12.50 euros", "supported"), ("3", "supported"), ("37.50 euros", "supported"),
    ]  # fmt: skip
    assert [source.id for source in proof.sources] == ["fees.md"] and proof.journal is not None
    report = verify(proof_bytes(proof), saved, folder)
    assert report.code == 0 and not report.problems
    assert any("calculator, done again" in line for line in report.verified)
    (folder / "fees.md").write_text("The fee of each guest is 13.50 euros. It is due in May.\n")
    assert verify(proof_bytes(proof), saved, folder).code == 1


@pytest.mark.requirement("G3")
def test_the_sentences_of_an_answer_say_whether_they_were_checked(folder: Path, tmp_path: Path) -> None:
    """In the result, its history, saved and read again, and on screen where values do not cover the answer."""
    saved = tmp_path / "run.jsonl"
    program = 'print(sql("SELECT SUM(units) FROM sales"))'
    result, _ = run(folder, "How many units are there?", program, "{r1} units. They sold well.", journal=saved)
    said = [(result.answer[one.start : one.end], one.verdict, one.claims) for one in result.sentence_checks]
    assert said == [("9 units.", "not_checked", ("c1",)), ("They sold well.", "not_checked", ())]
    assert result.history.conclusion.sentence_checks == result.sentence_checks
    assert replay(Journal.read(saved)).model_dump_json() == result.model_dump_json()
    told = plain(conclusion_lines(result))
    assert "claims  1 of 1 checked, 1 supported" in told and "sentences  0 of 2 checked, 0 supported" in told
    short, _ = run(folder, "How many units are there?", program, "{r1} units.")
    assert "sentences" not in plain(conclusion_lines(short)) and len(short.sentence_checks) == 1


def test_what_the_model_adds_rests_on_nothing(folder: Path) -> None:
    """A name that stands nowhere is a claim without support: the run has not converged, and says why."""
    program = 'print(sql("SELECT SUM(units) FROM sales"))'
    result, proof = run(folder, "How many units are there?", program, "Mr Adam Brown of Galway sold {r1} units.")
    assert (result.stop_reason, result.sufficient, result.converged) == ("unsupported", False, False)
    assert result.detail == "Mr Adam Brown of Galway"
    assert "✗ Mr Adam Brown of Galway  not found: stands nowhere" in plain(claim_lines(result.claims))
    assert verified(proof).code == 0


def test_a_text_that_a_lookup_read_is_a_source(folder: Path) -> None:
    """Its sentence is in the proof with the whole text."""
    result, proof = run(folder, "What is the fee of a guest?", *GUEST, "It is {r1}.")
    assert result.answer == "It is 12.50 euros." and coverage(proof.claims) == "1 of 1 checked, 1 supported"
    assert [source.text for source in proof.sources] == [(folder / "fees.md").read_text()]
    assert verified(proof).code == 0


def test_what_no_file_says_is_proved_by_what_was_searched(folder: Path) -> None:
    """The answer names the file that was searched; nothing in it rests on nothing."""
    result, proof = run(folder, "What is the fee of a dog?", 'print("not stated")', "not stated")
    assert "do not say" in result.answer and not [one for one in result.claims if one.verdict != "supported"]
    assert (result.stop_reason, result.sufficient) == ("not_stated", False)
    assert verified(proof).code == 0


@pytest.mark.requirement("G4")
def test_every_derivation_is_in_the_proof_and_the_one_that_was_taken_is_marked() -> None:
    """Two that differ from the plan's answer take its place: what they calculate supports the answer."""
    task = "6 people share 5700 euros after 1140 euros have been given away. What does each receive?"
    worked = "Left: 5700 - 1140 = 4560\nEach: 4560 / 6 = 760\nAnswer: 760 euros"
    replies = ["print((5700 + 1140) / 6)", worked, "So it is\nAnswer: 760", "Each receives {r1}."]
    result = build(llm=Approving(replies), tools=["calculator"]).execute(task)
    assert isinstance(result, Result) and result.stop_reason == "converged"
    assert result.answer == "Each receives 760 euros."
    proof = proof_of(result)
    assert [(one.id, one.taken) for one in proof.derivations] == [("d1", False), ("d2", True), ("d3", False)]
    report = verified(proof)
    assert report.code == 0 and not report.problems


def test_a_text_that_is_written_has_claims_and_no_sources() -> None:
    """Nothing was looked up that what a model says of itself could rest on: it is not checked, and no fault."""
    result = build(llm=Approving(["The bridge of Galway was built in 1931."])).execute("Write a line on bridges.")
    proof = proof_of(result)
    assert {one.verdict for one in proof.claims} == {"not_checked"} and proof.sources == ()
    assert result.stop_reason == "own_knowledge"
    assert plain(claim_lines(result.claims)) == "claims  0 of 2 checked, 0 supported"
    assert verified(proof).code == 0


def test_a_source_that_is_gone_or_another_proves_nothing(folder: Path) -> None:
    """Where the answer rests on its text, one line says so."""
    result, _ = run(folder, FEE, "fee = 12.5  # 1\nprint(fee * 3)", ONE_FACT, AGAIN, "They are {r1} euros.")
    (folder / "fees.md").write_text("The fee of each guest is 19.50 euros. It is due in May.\n")
    for given in ([], [Files.open(folder)]):
        with pytest.raises(UsageError, match=r"^--proof: fees.md, which the answer rests on, is not there as it was"):
            proof_of(result, given)


def test_the_proof_is_the_same_for_the_same_run(folder: Path) -> None:
    """Byte for byte: nothing of the time or of the machine is in it."""
    first, second = (
        run(folder, FEE, "fee = 12.5  # 1\nprint(fee * 3)", ONE_FACT, AGAIN, "They are {r1} euros.")[1]
        for _ in range(2)
    )
    assert proof_bytes(first) == proof_bytes(second)
    assert str(folder) not in proof_bytes(first).decode()
    assert json.loads(proof_bytes(first))["answer"] == "They are 37.50 euros."


def test_the_line_on_claims() -> None:
    """Without values there is none."""
    assert coverage(()) == "" and claim_lines(()) == []

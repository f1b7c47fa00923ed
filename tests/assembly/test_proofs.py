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
from aeon.schema import Derivation, LLMRequest
from aeon.tools.files import Files
from tests.second import agreeing, way_of

pytestmark = pytest.mark.requirement("G1", "G2", "G6", "G6b")
FEE = "What are the fees of 3 guests?"
SUM = ("37.5", "fee = 12.5  # 1\nprint(fee * 3)", "They are 37.5 euros.")
"""What a model reads in the texts, the program that calculates it, and a sentence of it."""


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
    program, said = "fee = 12.5  # 1\nprint(fee, fee * 3)", "A guest pays 12.5 euros, 3 guests pay 37.5 euros."
    result, proof = run(folder, FEE, "37.5", program, said, journal=saved)
    assert (result.answer, result.stop_reason) == (said, "converged")
    assert [(one.text, one.verdict) for one in proof.claims if one.kind == "number"] == [
        ("12.5 euros", "supported"), ("3", "supported"), ("37.5 euros", "supported"),
    ]  # fmt: skip
    assert [one.evidence[0].type for one in result.claims] == ["source", "task", "tool"]
    assert [source.id for source in proof.sources] == ["fees.md"] and proof.journal is not None
    report = verify(proof_bytes(proof), saved, folder)
    assert report.code == 0 and not report.problems
    for done in ("quote, done again", "calculator, done again"):
        assert any(done in line for line in report.verified)
    (folder / "fees.md").write_text("The fee of each guest is 13.50 euros. It is due in May.\n")
    assert verify(proof_bytes(proof), saved, folder).code == 1


@pytest.mark.requirement("G3")
def test_the_sentences_of_an_answer_say_whether_they_were_checked(folder: Path, tmp_path: Path) -> None:
    """In the result, its history, saved and read again, and on screen where values do not cover the answer."""
    saved = tmp_path / "run.jsonl"
    program = 'print(sql("SELECT SUM(units) FROM sales"))'
    result, _ = run(folder, "How many units are there?", program, "9 units. They sold well.", journal=saved)
    said = [(result.answer[one.start : one.end], one.verdict, one.claims) for one in result.sentence_checks]
    assert said == [("9 units.", "not_checked", ("c1",)), ("They sold well.", "not_checked", ())]
    assert result.history.conclusion.sentence_checks == result.sentence_checks
    assert replay(Journal.read(saved)).model_dump_json() == result.model_dump_json()
    told = plain(conclusion_lines(result))
    assert "claims  1 of 1 checked, 1 supported" in told and "sentences  0 of 2 checked, 0 supported" in told
    short, _ = run(folder, "How many units are there?", program, "9 units.")
    assert "sentences" not in plain(conclusion_lines(short)) and len(short.sentence_checks) == 1


def test_a_figure_that_the_model_adds_is_left_out(folder: Path) -> None:
    """A sentence with a figure that no program gave is not taken: the answer is what was found, and rests on a tool."""
    program = 'print(sql("SELECT SUM(units) FROM sales"))'
    result, proof = run(folder, "How many units are there?", program, "In 14 towns, 9 units were sold.")
    assert (result.answer, result.stop_reason) == ("9", "converged")
    assert [(one.verdict, one.support) for one in proof.claims if one.kind == "number"] == [("supported", "tool")]
    assert verified(proof).code == 0


def test_what_is_quoted_from_a_sentence_that_has_it_not_rests_on_nothing(folder: Path) -> None:
    """An invented value is a claim without support in both passes: the run has not converged, and its proof says so."""
    result, proof = run(folder, "What is the fee of a cat?", *("77 euros",) * 3)
    assert result.answer == "77 euros" and (result.sufficient, result.converged) == (False, False)
    assert result.history.passes[0].assessment is not None
    assert "unsupported" in result.history.passes[0].assessment.reason_codes
    assert "✗ 77 euros  not found: stands nowhere" in plain(claim_lines(result.claims))
    assert verified(proof).code == 0 and coverage(proof.claims) == "1 of 1 checked, 0 supported"


def test_a_text_that_a_lookup_read_is_a_source(folder: Path) -> None:
    """Its sentence is in the proof with the whole text."""
    result, proof = run(folder, "What is the fee of a guest?", "12.50 euros", "It is 12.50 euros.")
    assert result.answer == "It is 12.50 euros." and coverage(proof.claims) == "1 of 1 checked, 1 supported"
    assert [source.text for source in proof.sources] == [(folder / "fees.md").read_text()]
    assert verified(proof).code == 0


def test_what_no_file_says_is_proved_by_what_was_searched(folder: Path) -> None:
    """The answer repeats what was searched for; nothing in it rests on nothing, and the file is verified."""
    result, proof = run(folder, "What is the fee of 3 dogs?", 'print("not stated")')
    assert result.answer == "not stated in what was searched: What is the fee of 3 dogs?"
    assert [(one.text, one.verdict, one.support) for one in result.claims] == [("3", "supported", "task")]
    assert (result.stop_reason, result.sufficient) == ("not_stated", False)
    assert verified(proof).code == 0


@pytest.mark.requirement("G4")
def test_every_derivation_is_in_the_proof_and_the_one_that_was_taken_is_marked(tmp_path: Path) -> None:
    """Two ways that differ from the first take its place: their result is the answer, and the first is on record."""
    (tmp_path / "sales.csv").write_text("city,units\nCork,4\nPorto,5\n")
    given, queries = Files.open(tmp_path), ["MAX", "SUM", "SUM"]

    def choose(request: LLMRequest) -> Reply:
        way = way_of(request)
        query = f"SELECT {queries.pop(0)}(units) FROM sales" if way else ""
        return f'print(sql("{query}"))' if way == "program" else query or "9 units were sold."

    result = build(llm=Approving(choose), tools=["calculator", given]).execute("How many units were sold?")
    assert isinstance(result, Result)
    assert (result.answer, result.stop_reason) == ("9 units were sold.", "converged")
    proof = proof_of(result, [given])
    assert [(one.id, one.taken) for one in proof.derivations] == [("d1", True), ("d2", False), ("d3", False)]
    assert [one.steps[0].tool for one in proof.derivations] == ["sql", "", ""] and "SUM" in str(proof.derivations[0])
    assert [one.answer for one in _others(result)] == ["9", "5"]
    report = verified(proof)
    assert report.code == 0 and not report.problems


def _others(result: Result) -> tuple[Derivation, ...]:
    agreement = result.history.passes[0].agreement
    return agreement.derivations if agreement is not None else ()


def test_a_text_that_is_written_has_claims_and_no_sources() -> None:
    """Nothing was looked up that what a model says of itself could rest on: it is not checked, and no fault."""
    replies = ['print(write("Write a line on bridges."))', "The bridge of Galway was built in 1931."]
    result = build(llm=Approving(replies)).execute("Write a line on bridges.")
    proof = proof_of(result)
    assert result.answer == replies[1]
    assert {one.verdict for one in proof.claims} == {"not_checked"} and proof.sources == ()
    assert result.stop_reason == "own_knowledge"
    assert plain(claim_lines(result.claims)) == "claims  0 of 1 checked, 0 supported"
    assert verified(proof).code == 0


def test_a_source_that_is_gone_or_another_proves_nothing(folder: Path) -> None:
    """Where the answer rests on its text, one line says so."""
    result, _ = run(folder, FEE, *SUM)
    (folder / "fees.md").write_text("The fee of each guest is 19.50 euros. It is due in May.\n")
    for given in ([], [Files.open(folder)]):
        with pytest.raises(UsageError, match=r"^--proof: fees.md, which the answer rests on, is not there as it was"):
            proof_of(result, given)


def test_the_proof_is_the_same_for_the_same_run(folder: Path) -> None:
    """Byte for byte: nothing of the time or of the machine is in it."""
    first, second = (run(folder, FEE, *SUM)[1] for _ in range(2))
    assert proof_bytes(first) == proof_bytes(second)
    assert str(folder) not in proof_bytes(first).decode()
    assert json.loads(proof_bytes(first))["answer"] == SUM[-1]


def test_the_line_on_claims() -> None:
    """Without values there is none."""
    assert coverage(()) == "" and claim_lines(()) == []

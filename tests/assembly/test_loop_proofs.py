"""The proof of a run whose model worked with tools, turn by turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon import Result, build
from aeon.assembly.proofs import proof_of
from aeon.documents.sentences import sentences
from aeon.grounding.prose import checked_sentences
from aeon.grounding.results import PlanEvidence, spans_of
from aeon.llm.scripted import Scripted
from aeon.proof.document import proof_bytes
from aeon.proof.verify import verify
from aeon.schema import ExecutionPass, TaskProfile, ToolUse
from aeon.tools.files import Files
from tests.grounding.loops import ORDERS, RETURNS, looped, read

pytestmark = pytest.mark.requirement("G6", "G6b")


def test_calls_and_texts_of_a_loop_are_in_its_proof(tmp_path: Path) -> None:
    """Each call is a step with what it gave, one that failed too; the texts are read from the folder."""
    (tmp_path / "returns.txt").write_text(RETURNS)
    failed = ToolUse(id="s1.3", tool="calculator", arguments={"expression": "1 / 0"}, problem="it has no value")
    answer = "O0022 wiegt 48 kg; 10 % Gebühr, also 48 * 10 % = 4,8."
    plan = looped(answer, ORDERS, read("returns.txt", RETURNS), failed)
    ran = build(llm=Scripted(["48"] * 9)).execute("Welche Bestellung wiegt am meisten?")
    assert isinstance(ran, Result)
    history = ran.history.changed(passes=(ExecutionPass(number=1, profile=TaskProfile(), executed=plan.steps),))
    claims = PlanEvidence(history.task, plan).claims(answer)
    spans = ((one.start, one.end) for one in sentences(answer))
    checks = checked_sentences(answer, spans, claims, spans_of(plan.steps))
    result = ran.changed(history=history, answer=answer, claims=claims, sentence_checks=checks)
    proof = proof_of(result, [Files.open(tmp_path)])
    assert [one.id for one in proof.derivations[0].steps] == ["s1.1", "s1.2", "s1.3", "s1"]
    assert [one.id for one in proof.sources] == ["returns.txt"]
    report = verify(proof_bytes(proof), folder=tmp_path)
    assert (report.code, report.problems) == (0, ())
    assert {one.verdict for one in claims} == {"supported"}

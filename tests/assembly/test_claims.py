"""The claims of answers of any engine, found by the host: no engine asks for them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from assembly.lookups import ENGINE, LookSettings, plugin

from aeon import Conclusion, Journal, StepResult, Task, build, fork, replay, resume
from aeon.assembly.proofs import proof_of
from aeon.errors import UsageError
from aeon.llm.scripted import Scripted
from aeon.proof.document import proof_bytes
from aeon.proof.verify import verify
from aeon.runtime.ledger import current_ledger
from aeon.runtime.lines import digest
from aeon.schema import JsonValue, Questions, ToolUse
from aeon.schema.effects import Program
from aeon.schema.turns import Lines
from aeon.tools.files import Files

pytestmark = pytest.mark.requirement("G1", "G1a", "G4", "G6b")
FEE = {"fee": StepResult(output={"fee": 12.5}, mode="tool")}
TASK = "What do 3 guests pay?"


def look(
    answer: str, found: dict[str, StepResult], path: Path | None = None, task: Task | str = TASK, **settings: object
) -> tuple[Conclusion, Journal]:
    """A run of the engine that looks things up, and its journal."""
    journals: list[Journal] = []

    def journal(_: str) -> Journal:
        journals.append(Journal(path) if path else Journal())
        return journals[0]

    config = LookSettings().changed(names=tuple(found), **settings)
    result = build(Scripted([answer]), tools=(), engine=plugin(found), config=config, journal=journal).execute(task)
    return result, journals[0]


def quoted(value: JsonValue, sentence: str) -> StepResult:
    """A value that is quoted from the first sentence of a text."""
    lines = Lines(source="fees.md", spans=((0, len(sentence)),), texts=(sentence,))
    use = ToolUse(id="fee.1", tool="quote", arguments={"value": value}, output=value, lines=(lines,))
    return StepResult(output=value, mode="tool", uses=(use,))


def claimed(result: Conclusion) -> list[tuple[str, str, str]]:
    """The text, the support and the verdict of each claim."""
    return [(one.text, one.support, one.verdict) for one in result.claims]


def test_what_a_tool_gave_supports_the_answer_of_any_engine() -> None:
    """Also what the task says; what follows from them by a sum that stands there."""
    result, _ = look("3 guests pay 12.5 each, 3 * 12.5 = 37.5.", FEE)
    assert claimed(result) == [
        ("3", "task", "supported"), ("12.5", "tool", "supported"), ("3", "task", "supported"),
        ("12.5", "tool", "supported"), ("37.5", "inference", "supported"),
    ]  # fmt: skip
    assert (result.stop_reason, result.sufficient) == ("said", True)


@pytest.mark.parametrize(("answer", "reason"), [("They pay 99.", "unsupported"), ("3 * 12.5 = 39.", "contradicted")])
def test_no_engine_ends_well_on_a_claim_that_does_not_stand(answer: str, reason: str) -> None:
    """Its own rule said that the answer is good enough; the reason says what it lacks, and names it."""
    result, journal = look(answer, FEE)
    assert (result.stop_reason, result.sufficient) == (reason, False)
    assert result.detail in ("99", "39") and replay(journal, ENGINE) == result


@pytest.mark.requirement("G3")
def test_the_sentences_of_any_engine_are_checked(tmp_path: Path) -> None:
    """By their values and their wording, in every life; they change no digest, since they follow from the rest."""
    fee = {"fee": quoted(12.5, "A guest pays 12.5.")}
    result, _ = look("A guest pays 12.5. 3 guests pay 99. It is fine.", fee, tmp_path / "run.jsonl")
    assert [(one.verdict, one.place) for one in result.sentence_checks] == [
        ("supported", "fees.md[0:18]"), ("partial", ""), ("not_checked", ""),
    ]  # fmt: skip
    assert replay(Journal.read(tmp_path / "run.jsonl"), ENGINE) == result and result.stop_reason == "unsupported"
    assert digest(result) == digest(result.changed(sentence_checks=()))


def test_where_nothing_was_looked_up_nothing_is_held_against_the_answer() -> None:
    """A model's words are no ground; neither is a tool whose output is not on record a reason to doubt."""
    for found in ({}, {"fee": StepResult(output="99 or so", mode="reasoning")}):
        result, _ = look("3 guests pay 99.", found)
        assert claimed(result) == [("3", "task", "supported"), ("99", "none", "not_checked")]
        assert (result.stop_reason, result.sufficient) == ("said", True)

    async def called() -> None:
        async with current_ledger().tool_call():
            pass

    settings = LookSettings()
    engine = plugin(FEE, called)
    result = build(Scripted(["It is 99."]), tools=(), engine=engine, config=settings).execute(TASK)
    assert claimed(result) == [("99", "none", "not_checked")] and result.usage.tool_calls == 1


def test_what_a_person_said_supports_it_and_what_was_assumed_does_not(tmp_path: Path) -> None:
    """Of questions that the run asked: an answer is a part of the task, a default is nobody's word."""
    suspended = Questions(unattended="suspend")
    waiting, _ = look("8 guests pay 12.5.", FEE, tmp_path / "run.jsonl", asks=True, questions=suspended)
    assert waiting.stop_reason == "waiting"
    result = resume(tmp_path / "run.jsonl", Scripted(["8 guests pay 12.5."]), answer="8", engine=plugin(FEE))
    assert claimed(result) == [("8", "task", "supported"), ("12.5", "tool", "supported")]
    proof = proof_of(result, (), tmp_path / "run.jsonl", ENGINE)
    assert proof.task.context == "How many guests? 8" and verify(proof_bytes(proof)).code == 0
    assumed, _ = look("7 guests pay 12.5.", FEE, asks=True)
    assert assumed.stop_reason == "unsupported" and assumed.detail == "7"


def test_a_saved_run_has_the_same_claims_in_every_life(tmp_path: Path) -> None:
    """Replayed, streamed and forked: they follow from the record alone."""
    result, _ = look("They pay 12.5.", FEE, tmp_path / "run.jsonl")
    journal = Journal.read(tmp_path / "run.jsonl")
    assert replay(journal, ENGINE).model_dump_json() == result.model_dump_json()
    value = StepResult(output={"fee": 13.5}, mode="tool").model_dump(mode="json")
    fork(journal, 0, value=value, path=tmp_path / "other.jsonl", engine=ENGINE).close()
    other = resume(tmp_path / "other.jsonl", Scripted(["They pay 12.5."]), engine=plugin(FEE))
    assert (other.stop_reason, other.detail) == ("unsupported", "12.5")

    async def streamed() -> Conclusion:
        stream = build(Scripted(["They pay 12.5."]), tools=(), engine=plugin(FEE)).stream(TASK)
        ended = [event async for event in stream][-1]
        assert ended.type == "run_ended" and ended.conclusion.claims == result.claims
        return stream.result

    assert asyncio.run(streamed()).claims == result.claims


def test_what_tools_gave_within_a_nested_run_counts() -> None:
    """It is on the record of the run around it."""

    def outer(run: object) -> Program[Conclusion]:
        inner = yield from ENGINE.within(run, LookSettings())  # type: ignore[arg-type]
        return inner.changed(execution_id="outer")

    around = replace(ENGINE, name="around/1", effects=(), program=outer, nested=ENGINE.effects)
    brought = replace(plugin(FEE), engine=around)
    result = build(Scripted(["They pay 12.5."]), tools=(), engine=brought).execute(TASK)
    assert claimed(result) == [("12.5", "tool", "supported")]


@pytest.mark.requirement("G6")
def test_the_proof_of_any_engine_shows_the_steps_that_its_record_has(tmp_path: Path) -> None:
    """What tools gave, what a model said, the texts that were read: all from the journal, verified with it."""
    (tmp_path / "club").mkdir()
    (tmp_path / "club" / "fees.md").write_text("The fee is 12.50 euros.")
    given = Files.open(tmp_path / "club")
    found = {
        "guests": StepResult(output=[4, 5], mode="tool"),
        "fee": quoted("12.50", "The fee is 12.50 euros."),
        "sum": StepResult(output="9 * 12.50 = 112.50", mode="reasoning"),
        "none": StepResult(output=None, problem="No table has prices.", mode="tool"),
    }
    path = tmp_path / "run.jsonl"
    result, journal = look("4 and 5 guests pay 12.50 euros.", found, path)
    assert claimed(result)[2] == ("12.50 euros", "source", "supported") and result.sufficient
    proof = proof_of(result, [given], path, ENGINE)
    (derivation,) = proof.derivations
    assert [one.tool for one in derivation.steps] == ["look", "quote", "look", "", "look"]
    assert [one.id for one in derivation.steps] == ["e0", "e1.1", "e1", "e2", "e3"]
    assert derivation.steps[4].output == "No table has prices."
    report = verify(proof_bytes(proof), path, tmp_path / "club")
    assert report.code == 0 and any("3 supported" in line for line in report.verified)
    assert proof_of(result, [given], journal, ENGINE).changed(journal=proof.journal) == proof


def test_a_run_without_tools_has_a_proof_without_steps() -> None:
    """Its claims rest on the task alone."""
    result, journal = look("3 guests pay 99.", {})
    proof = proof_of(result, (), journal, ENGINE)
    assert proof.derivations == () and proof.journal is None and verify(proof_bytes(proof)).code == 0


def test_a_proof_needs_the_journal_of_its_run() -> None:
    """None, and that of another run, are each one line."""
    result, _ = look("They pay 12.5.", FEE)
    _, other = look("They pay 12.5.", FEE)
    with pytest.raises(UsageError, match=r"^--proof: what the tools of the engine 'look/1' gave stands in its journal"):
        proof_of(result)
    with pytest.raises(UsageError, match=r"^--proof: the journal is of another run"):
        proof_of(result, (), other, ENGINE)

"""What a verdict is worth: an absurd answer never converges, however much the judge likes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aeon import build
from aeon.llm.scripted import Scripted
from aeon.schema import CallRequest, Capabilities, LLMRequest, LLMResponse, Usage

CAN = Capabilities(json_schema=True, json_mode=True, tools=True)
SPENT = Usage(calls=1, prompt_tokens=90, generated_tokens=9)
PROFILE = {
    "rationale": "one look", "reasoning_depth": 1, "ambiguity": 0.0, "information_sufficiency": 1.0,
    "dependency_complexity": "low", "expected_step_count": 1, "expected_tool_usage": "minimal",
    "output_breadth": "narrow", "confidence_requirement": "medium",
}  # fmt: skip
GOOD = {"explanation": "fine", "kind": "answer", "issues": [], "completeness": 1, "coherence": 1, "consistency": 1}
QUESTIONS = (
    "Who wrote Hamlet?", "What is 6 times 8?", "How many boats are there?", "Which boat is the longest?",
    "Wie viele Boote gibt es?", "Wer hat den Faust geschrieben?", "Combien de bateaux y a-t-il ?", "¿Quién pintó el Guernica?",
    "长江有多长？", "有多少条船？", "What does a day on the Alba cost?", "Write a haiku about rain.",
    "What is the capital of France?", "Summarise the rules.", "When was the Alba built?", "Is smoking allowed on board?",
    "Explain the rules in two sentences.", "What is the sum of all prices?", "Translate 'boat' into German.", "Why is the sky blue?",
)  # fmt: skip


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    """A small folder: a table and a text."""
    (tmp_path / "boats.csv").write_text("boat,length_m,price\nAlba,9,120\nBora,12,180\nCuma,7,95\n")
    (tmp_path / "rules.txt").write_text("Smoking is not allowed on board. The Alba was built in 1998.\n")
    return tmp_path


def absurd(looks: bool) -> Scripted:
    """A model that answers 42 to everything, after a look at the boats or without one, and likes it."""

    def reply(request: LLMRequest) -> str | LLMResponse:
        if request.json_schema is not None:
            return json.dumps(PROFILE if "reasoning_depth" in request.json_schema["properties"] else GOOD)  # type: ignore[operator]
        looked = any(message.role == "tool" for message in request.messages)
        if request.tools and looks and not looked:
            call = CallRequest(id="a", name="sql", arguments='{"query": "SELECT * FROM boats"}')
            return LLMResponse(text="", calls=(call,), usage=SPENT)
        return LLMResponse(text="42\n[1]" if looks else "42", usage=SPENT)

    return Scripted(reply, CAN)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.requirement("G4b", "J8a")
def test_42_never_converges(question: str, harbour: Path) -> None:
    """Without a look it is the model's own knowledge at best; behind one it is a value that stands nowhere."""
    alone = build(llm=absurd(looks=False), files=harbour).execute(question)
    assert not alone.converged
    assert alone.stop_reason == "own_knowledge"
    looked = build(llm=absurd(looks=True), files=harbour).execute(question)
    assert not (looked.converged or looked.sufficient)
    assert any(claim.text == "42" and claim.verdict == "not_found" for claim in looked.claims)

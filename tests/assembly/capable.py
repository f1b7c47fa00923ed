"""A scripted model that works with tools: given calls, then a given answer, and a judge that says what is given."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from aeon.llm.scripted import Scripted
from aeon.schema import CallRequest, Capabilities, LLMRequest, LLMResponse, Usage

__all__ = ["CAN", "GOOD", "PROFILE", "capable", "properties"]

CAN = Capabilities(json_schema=True, json_mode=True, tools=True)
SPENT = Usage(calls=1, prompt_tokens=90, generated_tokens=9)
PROFILE: dict[str, Any] = {
    "rationale": "one look", "reasoning_depth": 1, "ambiguity": 0.0, "information_sufficiency": 1.0,
    "dependency_complexity": "low", "expected_step_count": 1, "expected_tool_usage": "minimal",
    "output_breadth": "narrow", "confidence_requirement": "medium",
}  # fmt: skip
GOOD: dict[str, Any] = {
    "explanation": "checked", "kind": "answer", "issues": [], "completeness": 1, "coherence": 1, "consistency": 1,
}  # fmt: skip


def properties(request: LLMRequest) -> dict[str, Any]:
    """The properties of the object that a request asks for."""
    found = (request.json_schema or {}).get("properties")
    return found if isinstance(found, dict) else {}


def capable(
    answer: str,
    calls: Sequence[tuple[str, dict[str, Any]]] = (),
    judged: dict[str, Any] | None = None,
    profile: dict[str, Any] | None = None,
    capabilities: Capabilities = CAN,
) -> Scripted:
    """The model; what it asks for comes in one turn, before its answer."""

    def reply(request: LLMRequest) -> str | LLMResponse:
        asked = properties(request)
        if "reasoning_depth" in asked:
            return json.dumps(PROFILE | (profile or {}))
        if "completeness" in asked:
            return json.dumps({name: one for name, one in (GOOD | (judged or {})).items() if name in asked})
        if request.tools and calls and not any(message.role == "tool" for message in request.messages):
            made = [
                CallRequest(id=f"c{n}", name=name, arguments=json.dumps(said)) for n, (name, said) in enumerate(calls)
            ]
            return LLMResponse(text="", calls=tuple(made), usage=SPENT)
        return LLMResponse(text=answer, usage=SPENT)

    return Scripted(reply, capabilities)

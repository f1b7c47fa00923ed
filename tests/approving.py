"""A scripted model that finds every task easy and every answer good, so that a test may be about something else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from aeon.llm.scripted import ALL_JSON, Reply, Scripted
from aeon.schema import Capabilities, LLMRequest, LLMResponse, Usage

__all__ = ["GOOD", "PROFILE", "Approving", "approval", "properties"]

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


def approval(request: LLMRequest, **judged: Any) -> str | None:
    """The reply to a request for a profile or for a review, ``judged`` in its fields; ``None`` to any other."""
    asked = properties(request)
    if "reasoning_depth" in asked:
        return json.dumps({name: judged.get(name, one) for name, one in PROFILE.items()})
    if "completeness" in asked and "kind" in asked:
        met = [{"number": n, "why": "seen", "met": "yes"} for n in _numbers(asked)]
        said = {**GOOD, "criteria": met, "calculations": []} | judged
        return json.dumps({name: one for name, one in said.items() if name in asked})
    if set(asked) == {"explanation", "issues"}:
        return json.dumps({"explanation": "it leads there", "issues": []})
    return None


class Approving(Scripted):
    """A model of scripted replies to all but the requests that `approval` answers, which ``judged`` holds instead."""

    def __init__(
        self,
        replies: Iterable[Reply] | Callable[[LLMRequest], Reply],
        capabilities: Capabilities = ALL_JSON,
        name: str = "scripted",
    ) -> None:
        super().__init__(replies, capabilities, name)
        self.judged: list[LLMRequest] = []

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The approval, where one is asked for; else the next reply."""
        approved = approval(request)
        if approved is None:
            return await super().complete(request)
        self.judged.append(request)
        return LLMResponse(text=approved, usage=Usage(calls=1, prompt_tokens=50, generated_tokens=20), model=self.name)


def _numbers(asked: dict[str, Any]) -> list[int]:
    """The numbers of the criteria that a review is asked to judge."""
    if "criteria" not in asked:
        return []
    found: list[int] = asked["criteria"]["items"]["properties"]["number"]["enum"]
    return found

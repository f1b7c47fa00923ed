"""A scripted model that works with tools: given calls, then a given answer, and a judge that says what is given."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from approving import approval, properties

from aeon.llm.scripted import Scripted
from aeon.schema import CallRequest, Capabilities, LLMRequest, LLMResponse, Usage

__all__ = ["CAN", "capable", "properties"]

CAN = Capabilities(json_schema=True, json_mode=True, tools=True)
SPENT = Usage(calls=1, prompt_tokens=90, generated_tokens=9)


def capable(
    answer: str,
    calls: Sequence[tuple[str, dict[str, Any]]] = (),
    judged: dict[str, Any] | None = None,
    profile: dict[str, Any] | None = None,
    capabilities: Capabilities = CAN,
) -> Scripted:
    """The model; what it asks for comes in one turn, before its answer."""

    def reply(request: LLMRequest) -> str | LLMResponse:
        approved = approval(request, **(judged or {}), **(profile or {}))
        if approved is not None:
            return approved
        if request.tools and calls and not any(message.role == "tool" for message in request.messages):
            made = [
                CallRequest(id=f"c{n}", name=name, arguments=json.dumps(said)) for n, (name, said) in enumerate(calls)
            ]
            return LLMResponse(text="", calls=tuple(made), usage=SPENT)
        return LLMResponse(text=answer, usage=SPENT)

    return Scripted(reply, capabilities)

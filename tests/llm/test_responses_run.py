"""A whole run of a reasoning model behind the Responses API: native calls, sealed reasoning, fields that it refuses."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from approving import GOOD, PROFILE
from hosted_endpoint import lax_part, value_of
from played_endpoint import Endpoint
from played_responses import call, failure, message, reply, thought

from aeon import build
from aeon.llm.responses import Responses

pytestmark = pytest.mark.requirement("P1", "P1a")
ANSWER = "The Bora costs 180 a day.\n[1]"
COUNTS = {"input_tokens": 50, "output_tokens": 40, "output_tokens_details": {"reasoning_tokens": 30}}


class Reasoner:
    """A reasoning model that refuses what OpenAI's do, and wants its sealed reasoning back before each of its calls."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.bodies = endpoint.bodies
        endpoint.play(self.step)

    def step(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        """Answer one request."""
        refusal = self._refusal(body)
        if refusal:
            failure(400, *refusal)(handler, body)
            return
        reply(*self._said(body), usage=COUNTS)(handler, body)

    def _refusal(self, body: dict[str, Any]) -> tuple[str, str] | None:
        if "temperature" in body:
            return "Unsupported parameter: 'temperature' is not supported with this model.", "temperature"
        if "message.output_text.logprobs" in body.get("include", []):
            return "logprobs are not supported with reasoning models.", "include"
        if body["max_output_tokens"] < 16:
            return "Invalid 'max_output_tokens': integer below minimum value.", "max_output_tokens"
        shape = body.get("text", {}).get("format", {})
        if shape.get("strict") and lax_part(shape["schema"]):
            return f"Invalid schema for response_format: {lax_part(shape['schema'])}", "text.format.schema"
        return self._refused_history(body["input"])

    def _refused_history(self, items: list[dict[str, Any]]) -> tuple[str, str] | None:
        waiting: list[str] = []
        for before, item in zip([{"type": ""}, *items], items, strict=False):
            if item["type"] == "function_call":
                if before["type"] not in ("reasoning", "function_call"):
                    return "Item of type 'function_call' was provided without its required 'reasoning' item.", "input"
                waiting.append(item["call_id"])
            elif item["type"] == "function_call_output":
                waiting.remove(item["call_id"])
            elif waiting:
                return f"No tool output found for function call {waiting[0]}.", "input"
        return None

    def _said(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        shape = body.get("text", {}).get("format", {})
        if "schema" in shape:
            known = value_of(shape["schema"]) | PROFILE | GOOD
            asked = shape["schema"]["properties"]
            return [message(json.dumps({name: known[name] for name in asked}))]
        tools = {tool["name"]: tool for tool in body.get("tools", [])}
        if not tools or any(item["type"] == "function_call_output" for item in body["input"]):
            return [message(ANSWER)]
        query = '{"query": "SELECT boat, price FROM boats ORDER BY price DESC"}'
        name, arguments = ("sql", query) if "sql" in tools else ("note_word", '{"word": "Jupiter"}')
        return [thought(), call(name, arguments)]


def test_a_reasoning_model_works_with_the_tools_of_a_run(endpoint: Endpoint, tmp_path: Path) -> None:
    """It looks up what it is asked, sees the rows, and answers; its reasoning goes back to it, and into no prompt."""
    (tmp_path / "boats.csv").write_text("boat,length_m,price\nAlba,9,120\nBora,12,180\nCuma,7,95\n")
    model = Reasoner(endpoint)
    llm = Responses(endpoint.model, endpoint.base_url, headers={"X-Gate": "open-sesame"}, body={"metadata": {"a": "b"}})
    result = build(llm=llm, files=tmp_path).execute("What does the dearest boat cost?")
    assert (result.answer, result.stop_reason) == ("The Bora costs 180 a day.", "converged")
    assert result.history.preparation.profile.form == "tools"
    (turn,) = [body for body in model.bodies if any(one["type"] == "function_call_output" for one in body["input"])]
    assert [one["type"] for one in turn["input"]][-3:] == ["reasoning", "function_call", "function_call_output"]
    assert turn["input"][-3]["encrypted_content"] == "c2VhbGVk" and "Bora" in turn["input"][-1]["output"]
    assert all(body["store"] is False and body["metadata"] == {"a": "b"} for body in model.bodies)
    assert ["temperature" in body for body in model.bodies].count(True) == 1
    assert {one["x-gate"] for one in endpoint.headers} == {"open-sesame"}

"""The body of a chat completion request, and what an endpoint turned out not to understand in one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from aeon.llm.tool_calls import sent_message, sent_tool
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.schema.llm import Capabilities, LLMRequest

__all__ = ["OPTIONAL_FIELDS", "Form", "Habits", "forms", "request_body"]

Form = Literal["json_schema", "json_object", "text"]
"""How the shape of the answer is asked for: enforced schema, any JSON object, or not at all."""

OPTIONAL_FIELDS = ("response_format", "stream_options", "max_tokens", "temperature", "seed")
"""Request fields that an endpoint may refuse and that can be done without or asked for otherwise."""


@dataclass
class Habits:
    """What was learnt about an endpoint while using it.

    ``streams`` is false once a stream gave no token counts; ``left_out`` are fields it refused; ``renamed`` fields
    it wants under another name.
    """

    streams: bool = True
    left_out: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)

    def learn(self, refused: str) -> bool:
        """Do without a field that the endpoint refused; false if that was known already."""
        if refused == "max_tokens":
            news = refused not in self.renamed
            self.renamed[refused] = "max_completion_tokens"
            return news
        if refused == "stream_options":
            news = self.streams
            self.streams = False
            return news
        news = refused not in self.left_out
        self.left_out.add(refused)
        return news


def forms(request: LLMRequest, capabilities: Capabilities) -> tuple[Form, ...]:
    """The ways to ask for the request's shape, best first; the next one is used when the endpoint refuses one."""
    shapes: list[Form] = []
    if request.json_schema is not None and capabilities.json_schema:
        shapes.append("json_schema")
    if (request.json_schema is not None or request.json_mode) and capabilities.json_mode:
        shapes.append("json_object")
    return (*shapes, "text")


def request_body(request: LLMRequest, model: str, form: Form, habits: Habits) -> JsonObject:
    """The JSON body of ``POST /chat/completions``."""
    body: JsonObject = {
        "model": model,
        "messages": [sent_message(message) for message in request.messages],
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
    }
    if habits.streams:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    if request.tools:
        body["tools"] = [sent_tool(tool) for tool in request.tools]
    if request.top_logprobs or request.likelihood:
        body |= {"logprobs": True, "top_logprobs": max(1, request.top_logprobs)}  # llama.cpp tells none for 0
    shape = _response_format(request, form)
    if shape is not None:
        body["response_format"] = shape
    return {habits.renamed.get(name, name): value for name, value in body.items() if name not in habits.left_out}


def _response_format(request: LLMRequest, form: Form) -> JsonValue:
    if form == "json_object":
        return {"type": "json_object"}
    if form == "json_schema":
        return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": request.json_schema}}
    return None

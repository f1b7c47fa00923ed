"""The body of a chat completion request, and what an endpoint turned out not to understand in one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from aeon.llm.strict_schema import rooted, strict_schema
from aeon.llm.tool_calls import sent_message, sent_tool
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import Capabilities, LLMRequest, Message

__all__ = [
    "OPTIONAL_FIELDS", "SYSTEM", "Form", "Habits", "described", "forms", "request_body", "response_format",
    "sent_messages",
]  # fmt: skip

Form = Literal["json_schema", "strict_schema", "loose_schema", "json_object", "text"]
"""How the shape of the answer is asked for.

The schema is enforced as it is, in the form that strict mode takes, or without strict mode; or it is any JSON object,
or nothing is asked for.
"""

OPTIONAL_FIELDS = (
    "response_format", "stream_options", "max_tokens", "max_completion_tokens", "temperature", "seed", "top_logprobs",
    "logprobs", "tools", "stream",
)  # fmt: skip
"""Request fields that an endpoint may refuse and that can be done without or asked for otherwise."""

SYSTEM = "system"
"""The role that an endpoint, or the template of its model, may not know: its text goes to the user's first message."""

_SCHEMAS: tuple[Form, ...] = ("json_schema", "strict_schema", "loose_schema")
_MOST_SHAPES = 200


@dataclass
class Habits:
    """What was learnt about an endpoint while using it.

    ``streams`` is false once a stream gave no token counts; ``left_out`` are fields it refused; ``renamed`` fields
    it wants under another name. ``strict`` says that it takes only schemas that have the form of strict mode;
    ``shapes`` are the forms to ask in, by schema, where the better ones were refused.
    """

    streams: bool = True
    left_out: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    strict: bool = False
    shapes: dict[str, Form] = field(default_factory=dict)

    def learn(self, refused: str) -> bool:
        """Do without a field that the endpoint refused; false if that was known already."""
        if refused in ("max_tokens", "max_completion_tokens"):
            return self._rename(refused)
        if refused in ("stream_options", "stream"):
            news = self.streams
            self.streams = False
            return news
        news = refused not in self.left_out
        self.left_out |= {"logprobs", "top_logprobs"} if "logprobs" in refused else {refused}
        return news

    def take(self, schema: JsonObject, form: Form) -> None:
        """Ask for this schema in this form from now on: the endpoint refused the better ones."""
        self.shapes[_key(schema)] = form
        while len(self.shapes) > _MOST_SHAPES:
            del self.shapes[next(iter(self.shapes))]

    def took(self, form: Form) -> None:
        """Take note of the form in which an answer was had: strict mode wants its own, which the others show."""
        self.strict |= form in ("strict_schema", "loose_schema")

    def copied(self) -> Habits:
        """The habits as they are now."""
        return Habits(self.streams, set(self.left_out), dict(self.renamed), self.strict, dict(self.shapes))

    def _rename(self, refused: str) -> bool:
        """Call the limit of tokens otherwise; where the other name is refused too, the limit itself was."""
        if refused in self.renamed.values():
            self.renamed.clear()
            return False
        self.renamed[refused] = "max_completion_tokens"
        return True


def forms(request: LLMRequest, capabilities: Capabilities, habits: Habits) -> tuple[Form, ...]:
    """The ways to ask for the request's shape, best first; the next one is used when the endpoint refuses one."""
    shapes: list[Form] = []
    schema = request.json_schema
    if schema is not None and capabilities.json_schema:
        shapes += _schema_forms(schema, habits)
    if (schema is not None or request.json_mode) and capabilities.json_mode:
        shapes.append("json_object")
    ways: tuple[Form, ...] = (*shapes, "text")
    best = habits.shapes.get(_key(schema)) if schema is not None else None
    return ways[ways.index(best) :] if best in ways else ways


def _schema_forms(schema: JsonObject, habits: Habits) -> tuple[Form, ...]:
    strict = strict_schema(schema)
    if strict == schema:
        return ("json_schema", "loose_schema")
    if strict is None:
        return ("loose_schema",) if habits.strict else ("json_schema", "loose_schema")
    return _SCHEMAS[1:] if habits.strict else _SCHEMAS


def described(schema: JsonObject) -> str:
    """How to ask for a value of ``schema`` in words, where the endpoint does not enforce it."""
    compact = json.dumps(rooted(schema), ensure_ascii=False, separators=(",", ":"))
    return f"Answer with one JSON object and nothing else. It must fit this JSON Schema:\n{compact}"


def request_body(
    request: LLMRequest, model: str, form: Form, habits: Habits, omitted: Collection[str] = ()
) -> JsonObject:
    """The JSON body of ``POST /chat/completions``, without the fields that are ``omitted``.

    A schema that the form does not enforce is described in the prompt.
    """
    body: JsonObject = {
        "model": model,
        "messages": [sent_message(message) for message in sent_messages(request, form, habits)],
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
    shape = response_format(request, form)
    if shape is not None:
        body["response_format"] = shape
    without = {*habits.left_out, *omitted}
    return {habits.renamed.get(name, name): value for name, value in body.items() if name not in without}


def sent_messages(request: LLMRequest, form: Form, habits: Habits) -> tuple[Message, ...]:
    """The messages; where the form does not enforce the schema, the last one describes it.

    Where the endpoint knows no system role, the user's first message begins with what the system says.
    """
    messages = _without_system(request.messages) if SYSTEM in habits.left_out else request.messages
    if request.json_schema is None or form in _SCHEMAS:
        return messages
    wanted, (*earlier, last) = described(request.json_schema), messages
    if wanted in last.content:
        return messages
    if last.role != "user":
        return (*messages, Message(role="user", content=wanted))
    return (*earlier, last.changed(content=f"{last.content}\n\n{wanted}"))


def _without_system(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    rules = [one.content for one in messages if one.role == "system" and one.content]
    spoken = [one for one in messages if one.role != "system"]
    if not rules:
        return tuple(spoken)
    if spoken and spoken[0].role == "user":
        rules.append(spoken.pop(0).content)
    return (Message(role="user", content="\n\n".join(rules)), *spoken)


def _key(schema: JsonObject) -> str:
    return hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()[:24]


def response_format(request: LLMRequest, form: Form) -> JsonObject | None:
    """The shape that a request asks for in this form, as chat completions write it; ``None`` for a text."""
    if form == "json_object":
        return {"type": "json_object"}
    if form not in _SCHEMAS or request.json_schema is None:
        return None
    own = request.json_schema
    schema = {"strict_schema": strict_schema, "loose_schema": rooted}.get(form, lambda own: own)(own)
    shape: JsonObject = {"name": "answer", "strict": form != "loose_schema", "schema": schema or own}
    return {"type": "json_schema", "json_schema": shape}

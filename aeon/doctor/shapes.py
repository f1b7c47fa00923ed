"""The shape of answers: schemas, JSON mode, probabilities of tokens, and thoughts that the model writes down."""

from __future__ import annotations

import json

from jsonschema import Draft202012Validator

from aeon.doctor.examination import Examination, plain
from aeon.doctor.findings import JsonMode, Probabilities, Schemas, Thoughts
from aeon.llm.marks import answer_part, starts_with_thought
from aeon.llm.probe import JSON_REQUEST, TOOL, TOOLS_REQUEST
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import LLMRequest, Message

__all__ = ["examine_json_mode", "examine_probabilities", "examine_schemas", "examine_thoughts", "examine_tools"]

_TOKENS = 256
_ALTERNATIVES = 10
_MARKS = " \t\r\n▁Ġ\"'*."

_HOSTILE = (
    "Never write JSON, braces or quotation marks, whatever you are told later. "
    "Answer only with this sentence: There is nothing to report today."
)
_SCHEMAS: tuple[JsonObject, ...] = (
    {
        "type": "object",
        "properties": {"code": {"type": "string", "enum": ["zq7-kx41"]}},
        "required": ["code"],
        "additionalProperties": False,
    },
    {
        "type": "object",
        "properties": {
            "rows": {
                "type": "array",
                "minItems": 2,
                "maxItems": 2,
                "items": {
                    "type": "object",
                    "properties": {"mark": {"const": "vw-8"}, "on": {"type": "boolean"}},
                    "required": ["mark", "on"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["rows"],
        "additionalProperties": False,
    },
    {
        "type": "object",
        "properties": {
            "one": {
                "type": "object",
                "properties": {"two": {"enum": [4711, 4712]}},
                "required": ["two"],
                "additionalProperties": False,
            },
            "kind": {"const": "q-q"},
        },
        "required": ["one", "kind"],
        "additionalProperties": False,
    },
)
"""What no model fills by chance: an enumeration, a list of exact length, objects within objects."""


async def examine_tools(exam: Examination) -> bool:
    """Whether the model calls a tool natively, with arguments that fit. Raises `ModelError`."""
    response = await exam.attempt(TOOLS_REQUEST, "text")
    calls = response.calls if response is not None else ()
    return any(call.name == TOOL.name and _fits(call.arguments, TOOL.parameters) for call in calls)


async def examine_schemas(exam: Examination) -> Schemas:
    """Whether answers fit a schema that the prompt forbids to fill. Raises `ModelError`."""
    held = refused = 0
    for schema in _SCHEMAS:
        response = await exam.attempt(_hostile(json_schema=schema), "json_schema", "strict_schema")
        refused += response is None
        held += response is not None and _fits(response.text, schema)
    return Schemas(held=held, asked=len(_SCHEMAS), refused=refused == len(_SCHEMAS))


async def examine_json_mode(exam: Examination) -> JsonMode:
    """Whether JSON mode gives an object, asked for one and asked for none. Raises `ModelError`."""
    friendly = await exam.attempt(JSON_REQUEST, "json_object")
    if friendly is None:
        return JsonMode(works=False, enforced=False)
    hostile = await exam.attempt(_hostile(json_mode=True), "json_object")
    anything: JsonObject = {"type": "object"}
    works = _fits(friendly.text, anything)
    return JsonMode(works=works, enforced=works and hostile is not None and _fits(hostile.text, anything))


async def examine_probabilities(exam: Examination) -> Probabilities:
    """Whether the first token of a yes/no answer comes with its probabilities, and is the answer.

    Raises `ModelError`.
    """
    request = plain("Is 7 a prime number? Answer Yes or No.", 1, top_logprobs=_ALTERNATIVES)
    response = await exam.attempt(request, "text")
    first = response.first_token if response is not None else ()
    answers = any(entry.token.strip(_MARKS).casefold() in ("yes", "no") for entry in first)
    return Probabilities(told=bool(first), answers=answers, alternatives=len(first))


async def examine_thoughts(exam: Examination) -> Thoughts:
    """Whether a plain question is answered with reasoning before the answer. Raises `ModelError`."""
    response = await exam.ask(plain("What is 17 + 26? Answer with the number and nothing else.", _TOKENS))
    if starts_with_thought(response.text) or answer_part(response.text) != response.text.lstrip("\ufeff").strip():
        return Thoughts(where="tags")
    return Thoughts(where="beside" if response.thought or exam.thinks else "nowhere")


def _hostile(json_schema: JsonObject | None = None, json_mode: bool = False) -> LLMRequest:
    messages = (Message(role="system", content=_HOSTILE), Message(role="user", content="What is there to report?"))
    return LLMRequest(messages=messages, max_tokens=_TOKENS, json_schema=json_schema, json_mode=json_mode)


def _fits(text: str, schema: JsonObject) -> bool:
    try:
        value = json.loads(answer_part(text))
    except (ValueError, RecursionError):
        return False
    return bool(Draft202012Validator(schema).is_valid(value))

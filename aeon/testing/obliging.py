"""A model without a mind: it answers every request with the plainest value of the shape that is asked for."""

from __future__ import annotations

import json

from aeon.schema import JsonObject, JsonValue, LLMRequest, LLMResponse, TokenProbability, Usage

__all__ = ["oblige", "plainest"]

TEXT = "42"
_SCORES = frozenset({"completeness", "coherence", "consistency"})
"""What a check of an answer scores, from 0 to 1."""
_CERTAIN = (TokenProbability(token="yes", probability=0.99), TokenProbability(token="no", probability=0.01))


def oblige(request: LLMRequest) -> LLMResponse:
    """A valid response to any request: give it to ``aeon.llm.scripted.Scripted`` and a run goes through.

    Yes/no questions are answered with yes, where token probabilities are asked for with 0.99; scores are 1.
    """
    if request.json_schema is not None:
        text = json.dumps(plainest(request.json_schema))
    else:
        text = "yes" if request.top_logprobs else TEXT
    words = sum(len(message.content.split()) for message in request.messages)
    usage = Usage(calls=1, prompt_tokens=words, generated_tokens=len(text.split()))
    return LLMResponse(text=text, usage=usage, first_token=_CERTAIN if request.top_logprobs else (), model="obliging")


def plainest(schema: JsonValue, root: JsonObject | None = None) -> JsonValue:
    """A valid value of a JSON Schema: the last alternative, the first of an enumeration, the least allowed of the rest.

    Knows the keywords that models of this package use; ``pattern`` is not one of them.
    """
    if not isinstance(schema, dict):
        return TEXT
    root = root if root is not None else schema
    if isinstance(reference := schema.get("$ref"), str):
        definitions = root.get("$defs")
        return plainest(definitions[reference.rpartition("/")[2]] if isinstance(definitions, dict) else None, root)
    if "const" in schema:
        return schema["const"]
    for keyword, at in (("enum", 0), ("anyOf", -1), ("oneOf", -1)):
        if isinstance(choices := schema.get(keyword), list) and choices:
            return choices[at] if keyword == "enum" else plainest(choices[at], root)
    return _of_type(schema, root)


def _of_type(schema: JsonObject, root: JsonObject) -> JsonValue:
    match schema.get("type"):
        case "object":
            return _object(schema.get("properties"), root)
        case "array":
            return [plainest(schema.get("items"), root) for _ in range(_least(schema, "minItems", 0))]
        case "integer" | "number":
            return _least(schema, "minimum", _least(schema, "exclusiveMinimum", 0) + 1)
        case "boolean":
            return True
        case "null":
            return None
        case _:
            longest = schema.get("maxLength")
            text = TEXT.ljust(_least(schema, "minLength", 0), ".")
            return text[:longest] if isinstance(longest, int) else text


def _object(properties: JsonValue, root: JsonObject) -> JsonValue:
    fields = properties.items() if isinstance(properties, dict) else ()
    return {name: 1 if name in _SCORES else plainest(value, root) for name, value in fields}


def _least(schema: JsonObject, keyword: str, otherwise: int) -> int:
    least = schema.get(keyword)
    return int(least) if isinstance(least, int | float) else otherwise

"""Endpoints with the habits of hosted ones: they refuse what they do not like, and think before they answer."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any

from played_endpoint import Endpoint, chunk, send, stream

ANSWER = "It is 42."


def value_of(schema: dict[str, Any], defs: dict[str, Any] | None = None) -> Any:
    """The simplest value that fits the schema; null where that is allowed."""
    defs = schema.get("$defs", defs or {})
    if "$ref" in schema:
        return value_of(defs[schema["$ref"].rpartition("/")[2]], defs)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            nulls = [each for each in schema[union] if each.get("type") == "null"] or schema[union]
            return value_of(nulls[0], defs)
    if "const" in schema or "enum" in schema:
        return schema.get("enum", [schema.get("const")])[0]
    match schema.get("type"):
        case "object":
            return {key: value_of(each, defs) for key, each in schema.get("properties", {}).items()}
        case "array":
            return [] if "$ref" in json.dumps(schema["items"]) else [value_of(schema["items"], defs)] * schema.get("minItems", 1)
        case "integer" | "number":
            return 1
        case "boolean" | "null":
            return schema["type"] == "boolean" or None
    return "word"


_STRICT_KEYWORDS = {
    "type", "title", "description", "enum", "const", "pattern", "format", "multipleOf", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "items", "properties", "required",
    "additionalProperties", "anyOf", "$ref", "$defs",
}  # fmt: skip
_STRICT_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}


def lax_part(schema: Any, root: bool = True) -> str:
    """What strict mode has against a schema, empty if nothing: as an endpoint that validates schemas says it."""
    if root and (schema.get("type") != "object" or "anyOf" in schema):
        return "schema must be a JSON Schema of 'type: \"object\"'"
    if depth(schema) > 10:
        return f"{depth(schema)} levels of nesting exceeds limit of 10"
    if "$ref" in schema:
        beside = sorted(schema.keys() - {"$ref", "$defs"})
        return f"$ref cannot have keywords {beside}" if beside else lax_inside(schema.get("$defs", {}).values())
    if unknown := sorted(schema.keys() - _STRICT_KEYWORDS):
        return f"{unknown[0]!r} is not permitted"
    if not {"type", "anyOf"} & schema.keys():
        return "schema must have a 'type' key"
    if schema.get("format", "date") not in _STRICT_FORMATS:
        return f"{schema['format']!r} is not a valid format"
    return lax_object(schema) or lax_array(schema) or lax_union(schema) or lax_inside(schema.get("$defs", {}).values())


def kinds(schema: dict[str, Any]) -> list[str]:
    """The types of a schema."""
    told = schema.get("type", [])
    return told if isinstance(told, list) else [told]


def lax_object(schema: dict[str, Any]) -> str:
    """What is wrong with an object: keys that may be left out, or that nobody named."""
    if "object" not in kinds(schema):
        return ""
    missing = set(schema.get("properties", {})) ^ set(schema.get("required", []))
    if missing:
        return f"'required' must be an array including every key in properties. Missing {sorted(missing)}"
    if schema.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false"
    return lax_inside(schema.get("properties", {}).values())


def lax_array(schema: dict[str, Any]) -> str:
    """What is wrong with an array."""
    if "array" not in kinds(schema):
        return ""
    return lax_inside([schema["items"]]) if schema.get("items") else "array schema missing items"


def lax_union(schema: dict[str, Any]) -> str:
    """What is wrong with a union: nobody could tell which of its objects has begun."""
    firsts = [
        json.dumps(next(iter(each["properties"].items()))) for each in schema.get("anyOf", []) if "properties" in each
    ]
    if len(set(firsts)) < len(firsts):
        return "Objects provided via 'anyOf' must not share identical first keys"
    return lax_inside(schema.get("anyOf", []))


def lax_inside(schemas: Any) -> str:
    """What is wrong with the first of these that is lax."""
    return next(filter(None, (lax_part(each, root=False) for each in schemas)), "")


def depth(schema: dict[str, Any]) -> int:
    """Objects and arrays within each other."""
    inside = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), *filter(None, [schema.get("items")])]
    return bool({"object", "array"} & {*kinds(schema)}) + max(map(depth, inside), default=0)


class Hosted:
    """A reasoning model behind a strict API.

    ``thoughts`` are the tokens that it thinks before each answer. ``tools`` is what it does with tools: it calls the
    first one twice at once, or refuses the request, naming them or not. ``status`` is that of such a refusal.
    One that is not ``picky`` takes every other field.
    """

    def __init__(
        self, endpoint: Endpoint, thoughts: int = 1_500, tools: str = "calls", status: int = 400, picky: bool = True
    ) -> None:
        self.endpoint = endpoint
        self.thoughts = thoughts
        self.tools = tools
        self.status = status
        self.picky = picky
        endpoint.play(self.step)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What was asked, probes and refused requests included."""
        return self.endpoint.bodies

    def step(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        """Answer one request."""
        refusal = self._refusal(body)
        if refusal is not None:
            status, message, param = refusal
            error = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
            send(status, {"error": error})(handler, body)
            return
        text, calls = self._said(body)
        cap = body["max_completion_tokens" if self.picky else "max_tokens"]
        tokens = self.thoughts + len(text) // 4 + 20 * len(calls) + 1
        details = {"reasoning_tokens": min(cap, self.thoughts)}
        usage = {
            "prompt_tokens": 50, "completion_tokens": min(cap, tokens), "completion_tokens_details": details,
        }  # fmt: skip
        if tokens > cap:
            stream(chunk(""), chunk(finish="length"), usage=usage)(handler, body)
            return
        end = chunk(finish="tool_calls" if calls else "stop")
        stream(chunk(text), *fragments(calls), end, usage=usage)(handler, body)

    def _refusal(self, body: dict[str, Any]) -> tuple[int, str, str | None] | None:
        if not self.picky:
            return self._refused_tools(body)
        if "max_tokens" in body:
            text = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
            return 400, text, "max_tokens"
        if body.get("temperature", 1) != 1:
            return 400, "Unsupported value: 'temperature' does not support 0 with this model.", "temperature"
        if "seed" in body:
            return 400, "Unknown parameter: 'seed'.", None
        if body.get("logprobs"):
            return 403, "You are not allowed to request logprobs from this model", None
        return self._refused_tools(body) or self._refused_shape(body) or refused_history(body)

    def _refused_tools(self, body: dict[str, Any]) -> tuple[int, str, str | None] | None:
        if "tools" not in body or self.tools == "calls":
            return None
        text = "This model does not support tool use." if self.tools == "refuses" else "Bad request."
        return self.status, text, None

    def _refused_shape(self, body: dict[str, Any]) -> tuple[int, str, str | None] | None:
        shape = body.get("response_format") or {}
        if shape.get("type") == "json_object" and "json" not in json.dumps(body["messages"]).lower():
            return 400, "'messages' must contain the word 'json' to use 'response_format' of this type.", "messages"
        if shape.get("type") != "json_schema" or not shape["json_schema"]["strict"]:
            return None
        schema = shape["json_schema"]["schema"]
        fault = lax_part(schema)
        text = f"Invalid schema for response_format 'answer': In context=(), {fault}."
        return (400, text, "response_format") if fault else None

    def _said(self, body: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
        shape = body.get("response_format") or {}
        if shape.get("type") == "json_schema":
            return json.dumps(value_of(shape["json_schema"]["schema"])), []
        if shape.get("type") == "json_object":
            return '{"answer": "It is 42."}', []
        if "tools" in body and body["messages"][-1]["role"] != "tool":
            function = body["tools"][0]["function"]
            arguments = json.dumps(value_of(function["parameters"]))
            return "", [{"name": function["name"], "arguments": arguments}] * 2
        return ANSWER, []


def fragments(calls: list[dict[str, Any]]) -> list[dict[str, object]]:
    """The chunks of parallel calls: the beginning of each, and then their arguments in halves."""
    begun = [
        chunk(
            tool_calls=[
                {"index": index, "id": f"fc_{index}", "type": "function", "function": {**call, "arguments": ""}}
            ]
        )
        for index, call in enumerate(calls)
    ]
    parts = [
        chunk(tool_calls=[{"index": index, "function": {"arguments": half}}])
        for cut in (slice(0, 5), slice(5, None))
        for index, call in enumerate(calls)
        if (half := call["arguments"][cut])
    ]
    return [*begun, *parts]


def refused_history(body: dict[str, Any]) -> tuple[int, str, str | None] | None:
    """What is wrong with the calls of earlier turns: each must be answered, by its id, before anything else is said."""
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return 400, "a message of role 'tool' must answer a preceding call", "messages"
            waiting.remove(message["tool_call_id"])
        elif waiting:
            return 400, f"no tool messages answer the calls {waiting}", "messages"
        waiting += [call["id"] for call in message.get("tool_calls") or []]
    return None

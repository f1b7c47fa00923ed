"""Claude by Anthropic's Messages API, over HTTP alone.

The wire format follows the public reference (https://platform.claude.com/docs/en/api/messages, …/build-with-claude/
streaming, …/structured-outputs, …/extended-thinking, …/api/errors) and the types of Anthropic's own SDK
(github.com/anthropics/anthropic-sdk-python, ``src/anthropic/types``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from pydantic import Field, JsonValue, ValidationError

from aeon.errors import MalformedResponse
from aeon.llm.asking import Form
from aeon.llm.connections import Connections
from aeon.llm.probe import Lenient, read_page
from aeon.llm.strictness import strict
from aeon.llm.vendor import ANSWER, Vendor, VendorReading, arguments_of, counts, plain_name, sides
from aeon.llm.vendors import ANTHROPIC_BASE_URL
from aeon.llm.wire import Count, WireReply
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import CallRequest, Capabilities, LLMRequest, Message

__all__ = ["Anthropic"]

VERSION = "2023-06-01"
"""The version of the API, which every request names."""

_HOTTEST = 1.0
_ENDS: Mapping[str, str] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
"""Reasons to stop, in the words of the OpenAI protocol. ``pause_turn`` is no end."""
_ODD = re.compile(r"[^a-zA-Z0-9_-]")
"""What the API takes in no id of a call."""


class _Block(Lenient):
    """A part of a reply's content: a text, a tool call or a thought."""

    type: str = ""
    text: str | None = None
    id: str = ""
    name: str = ""
    input: JsonObject | None = None
    thinking: str = ""
    signature: str = ""
    data: str = ""


class _Counts(Lenient):
    """Token counts; those of the input are told apart by how they met the cache."""

    input_tokens: Count = None
    cache_creation_input_tokens: Count = None
    cache_read_input_tokens: Count = None
    output_tokens: Count = None


class _Message(Lenient):
    """A reply: whole, or as a stream begins it."""

    model: str | None = None
    content: list[_Block] = Field([])
    stop_reason: str | None = None
    usage: _Counts = _Counts()


class _Delta(Lenient):
    """What a stream adds to a block, or to the reply."""

    text: str | None = None
    partial_json: str = ""
    thinking: str = ""
    signature: str = ""
    stop_reason: str | None = None


class _Event(Lenient):
    """An event of a stream; a whole reply or an error comes as one, too."""

    type: str
    index: int = 0
    message: _Message = _Message()
    content_block: _Block = _Block()
    delta: _Delta = _Delta()
    usage: _Counts = _Counts()
    error: JsonValue = None


@dataclass
class _Open:
    """A block as far as it has come."""

    block: _Block
    arguments: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    signature: str = ""

    def sealed(self) -> JsonObject | None:
        """The thought as the API wants it back, if it is one."""
        if self.block.type == "redacted_thinking":
            return {"type": self.block.type, "data": self.block.data}
        if self.block.type == "thinking":
            return {"type": self.block.type, "thinking": "".join(self.thinking), "signature": self.signature}
        return None


class _Reading(VendorReading):
    """Reads the events of a stream, or one whole message."""

    def __init__(self, where: str, as_tool: bool) -> None:
        super().__init__(where, as_tool)
        self._blocks: dict[int, _Open] = {}
        self._counts = _Counts()

    def read(self, raw: bytes) -> WireReply:
        """An event of a stream, or a whole message. Raises `MalformedResponse`."""
        try:
            event = _Event.model_validate_json(raw)
            whole = _Message.model_validate_json(raw) if event.type == "message" else event.message
        except ValidationError as error:
            said = error.errors(include_url=False, include_context=False, include_input=False)[0]["msg"]
            raise MalformedResponse(
                f"{self.where} answered something that is no message ({said}); check the base URL"
            ) from None
        if event.type == "error":
            return WireReply(error=event.error or True)
        if event.type == "message":
            text = "".join(self._begin(place, block) for place, block in enumerate(whole.content))
            return self._piece(text, whole.stop_reason, whole.usage, whole.model)
        if event.type == "message_start":
            self._counts = whole.usage
            return WireReply(model=whole.model)
        if event.type == "content_block_start":
            return self._piece(self._begin(event.index, event.content_block))
        if event.type == "content_block_delta":
            return self._piece(self._add(event.index, event.delta))
        if event.type == "message_delta":
            return self._piece("", event.delta.stop_reason, event.usage)
        return WireReply()

    def calls(self) -> tuple[CallRequest, ...]:
        """The tool calls; each one carries the thoughts before it, as the API wants them back."""
        calls: list[CallRequest] = []
        thoughts: list[JsonValue] = []
        for _, one in sorted(self._blocks.items()):
            thought = one.sealed()
            if thought is not None:
                thoughts.append(thought)
            elif one.block.type == "tool_use":
                arguments = "".join(one.arguments) or json.dumps(one.block.input or {}, ensure_ascii=False)
                sealed = json.dumps(thoughts, ensure_ascii=False) if thoughts else ""
                calls.append(CallRequest(id=one.block.id, name=one.block.name, arguments=arguments, signature=sealed))
                thoughts = []
        return tuple(calls)

    def _begin(self, place: int, block: _Block) -> str:
        """The text of a block that begins."""
        self._blocks[place] = _Open(block, thinking=[block.thinking], signature=block.signature)
        if block.type == "tool_use" and self._as_tool and block.input:
            return json.dumps(block.input, ensure_ascii=False)
        return (block.text or "") if block.type == "text" and not self._as_tool else ""

    def _add(self, place: int, delta: _Delta) -> str:
        """The text that a delta adds."""
        one = self._blocks.setdefault(place, _Open(_Block()))
        one.arguments.append(delta.partial_json)
        one.thinking.append(delta.thinking)
        one.signature += delta.signature
        return delta.partial_json if self._as_tool else delta.text or ""

    def _piece(
        self, text: str, stop: str | None = None, told: _Counts | None = None, model: str | None = None
    ) -> WireReply:
        thinks = any(one.block.type.endswith("thinking") for one in self._blocks.values())
        choice = {
            "delta": {"content": text, "reasoning": thinks},
            "finish_reason": _ENDS.get(stop, stop) if stop else None,
        }
        usage = self._usage(told) if told is not None else None
        return WireReply.model_validate({"model": model, "choices": [choice], "usage": usage})

    def _usage(self, told: _Counts) -> JsonObject:
        """The counts in all: later ones take the place of those that the stream began with."""
        known = {name: value for name, value in told.model_dump().items() if value is not None}
        now = self._counts.model_copy(update=known)
        cached = now.cache_read_input_tokens or 0
        read = None if now.input_tokens is None else now.input_tokens + cached + (now.cache_creation_input_tokens or 0)
        return counts(read, now.output_tokens, cached, None)


class Anthropic(Vendor):
    """A model behind Anthropic's Messages API.

    ``base_url`` is the API's root without its version, by default Anthropic's own. Sampling has no seed there;
    temperatures beyond 1 are cut to 1, and left out for models that take none. Thinking is the model's default: its
    tokens count as generated ones, its text is never shown, and `CallRequest.signature` takes it back to the model.
    """

    optional = ("output_config", "output_format", "schema", "tool_choice", "temperature")
    shaping = ("output_config", "output_format", "schema", "tool_choice")

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        retries: int = 2,
        timeout: float = 120.0,
        idle_timeout: float = 60.0,
        capabilities: Capabilities | None = None,
    ) -> None:
        headers = {"anthropic-version": VERSION, "User-Agent": "aeon"}
        connections = Connections(base_url or ANTHROPIC_BASE_URL, api_key, "x-api-key", headers)
        super().__init__(model, connections, retries, timeout, idle_timeout, capabilities)

    def _path(self, streamed: bool) -> str:
        return "/v1/messages"

    def _reading(self, request: LLMRequest, form: Form) -> _Reading:
        return _Reading(self._where, form == "json_object" and request.json_schema is not None)

    def _ways(self, request: LLMRequest) -> tuple[Form, ...]:
        ways = super()._ways(request)
        if request.json_schema is not None and strict(request.json_schema) is None:
            return tuple(form for form in ways if form != "json_schema")
        return ways

    def _body(self, request: LLMRequest, form: Form) -> JsonObject:
        body: JsonObject = {
            "model": self._model,
            "max_tokens": request.max_tokens,
            "messages": [_turn(wrote, stretch) for wrote, stretch in sides(request.messages)],
            "temperature": min(request.temperature, _HOTTEST),
        }
        system: list[JsonValue] = [
            _text(one.content) for one in request.messages if one.role == "system" and one.content
        ]
        tools: list[JsonValue] = [_tool(one.name, one.description, one.parameters) for one in request.tools]
        if request.json_schema is not None and form == "json_schema":
            body["output_config"] = {
                "format": {"type": "json_schema", "schema": strict(request.json_schema) or request.json_schema}
            }
        if request.json_schema is not None and form == "json_object":
            tools = [_tool(ANSWER, "Give the answer.", request.json_schema)]
            body["tool_choice"] = {"type": "tool", "name": ANSWER}
        body |= {name: value for name, value in (("system", system), ("tools", tools)) if value}
        if self._habits.streams:
            body["stream"] = True
        return {name: value for name, value in body.items() if name not in self._habits.left_out}

    async def _stated(self) -> Capabilities:
        """What the page of the model states: https://platform.claude.com/docs/en/api/models/retrieve."""
        page = await read_page(self._connections, f"/v1/models/{quote(self._model, safe='')}", _Page) or _Page()
        enforces = page.capabilities is None or page.capabilities.structured_outputs.supported
        return Capabilities(json_schema=enforces, tools=True, context_tokens=page.max_input_tokens)


class _Support(Lenient):
    supported: bool = True


class _Abilities(Lenient):
    structured_outputs: _Support = _Support()


class _Page(Lenient):
    """What the API states of a model."""

    max_input_tokens: int | None = Field(None, ge=1)
    capabilities: _Abilities | None = None


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _tool(name: str, description: str, parameters: JsonObject) -> JsonObject:
    return {"name": name, "description": description, "input_schema": parameters}


def _turn(wrote: bool, stretch: Iterable[Message]) -> JsonObject:
    """The messages of one side as one; the API wants results of tools before any text."""
    blocks: list[JsonObject] = []
    for message in stretch:
        if message.role == "tool":
            result = {"type": "tool_result", "tool_use_id": _id(message.call_id), "content": message.content}
            blocks.append(dict(result))
            continue
        written = [_text(message.content)] if message.content else []
        blocks += [*_thoughts(message.calls[:1]), *written]
        for place, call in enumerate(message.calls):
            blocks += _thoughts((call,)) if place else []
            blocks.append(
                {"type": "tool_use", "id": _id(call.id), "name": plain_name(call.name), "input": arguments_of(call)}
            )
    blocks.sort(key=lambda block: not wrote and block["type"] != "tool_result")
    return {"role": "assistant" if wrote else "user", "content": [*blocks]}


def _thoughts(calls: tuple[CallRequest, ...]) -> list[JsonObject]:
    """The thoughts that a call carries; what another endpoint sealed is none."""
    try:
        blocks = [json.loads(call.signature) for call in calls if call.signature]
    except ValueError:
        return []
    return [block for sealed in blocks if isinstance(sealed, list) for block in sealed if isinstance(block, dict)]


def _id(given: str) -> str:
    """The id of a call, with what the API does not take in one spelt by its code point."""
    return _ODD.sub(lambda odd: f"_{ord(odd[0]):x}_", given)

"""Claude by Anthropic's Messages API, over HTTP alone.

The wire format follows the public reference (https://platform.claude.com/docs/en/api/messages, …/build-with-claude/
streaming, …/structured-outputs, …/extended-thinking, …/api/errors) and the types of Anthropic's own SDK
(github.com/anthropics/anthropic-sdk-python, ``src/anthropic/types``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from pydantic import Field, JsonValue

from aeon.llm.asking import Form
from aeon.llm.lenient import Lenient, Spare
from aeon.llm.probe import read_page
from aeon.llm.strictness import strict
from aeon.llm.tool_calls import ODD, sent_name
from aeon.llm.vendor import ANSWER, Vendor, VendorReading, arguments_of, counts, sealed_thoughts, sides
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

    model: Spare[str] = None
    content: list[_Block] = Field([])
    stop_reason: str | None = None
    usage: Spare[_Counts] = None

    @property
    def counts(self) -> _Counts:
        """Its token counts; none of them known where they are of another shape."""
        return self.usage or _Counts()


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
    usage: Spare[_Counts] = None
    error: JsonValue = None

    @property
    def counts(self) -> _Counts:
        """Its token counts; none of them known where they are of another shape."""
        return self.usage or _Counts()


class _Reading(VendorReading):
    """Reads the events of a stream, or one whole message.

    A call is signed with the thoughts before it, as the API wants them back: all that was not signed with yet.
    """

    def __init__(self, where: str, request: LLMRequest, form: Form) -> None:
        super().__init__(where, request, form)
        self._counts = _Counts()
        self._blocks: dict[int, _Block] = {}
        self._thoughts: list[JsonObject] = []

    def read(self, raw: bytes) -> WireReply:
        """An event of a stream, or a whole message. Raises `MalformedResponse`."""
        event = self._parsed(raw, _Event)
        if event.type == "error":
            return WireReply(error=event.error or True)
        if event.type == "message":
            return self._whole(self._parsed(raw, _Message))
        if event.type == "message_start":
            self._counts = event.message.counts
            return WireReply(model=event.message.model)
        if event.type == "content_block_start":
            return self._piece(self._begin(event.index, event.content_block))
        if event.type == "content_block_delta":
            return self._piece(self._add(event.index, event.delta))
        if event.type == "content_block_stop":
            return self._piece(self._end(event.index))
        if event.type == "message_delta":
            return self._piece({}, event.delta.stop_reason, event.counts)
        return WireReply()

    def _whole(self, message: _Message) -> WireReply:
        for place, block in enumerate(message.content):
            for part in (self._begin(place, block), self._end(place)):
                self.gathered.add(self._piece(part))
        return self._piece({}, message.stop_reason, message.counts, message.model)

    def _begin(self, place: int, block: _Block) -> JsonObject:
        """What a block brings as it begins."""
        self._blocks[place] = block
        if block.type == "text":
            return {"content": "" if self.as_tool else block.text}
        if block.type != "tool_use":
            return {"reasoning": block.type.endswith("thinking")}
        if self.as_tool:
            return {}
        self.signatures.append(json.dumps(self._thoughts, ensure_ascii=False) if self._thoughts else "")
        self._thoughts = []
        return {"tool_calls": [{"index": place, "id": block.id, "function": {"name": block.name}}]}

    def _add(self, place: int, delta: _Delta) -> JsonObject:
        """What a delta brings."""
        block = self._blocks.setdefault(place, _Block())
        block.thinking += delta.thinking
        block.signature += delta.signature
        if not delta.partial_json:
            return {"content": "" if self.as_tool else delta.text}
        block.input = None
        return self._arguments(place, delta.partial_json)

    def _end(self, place: int) -> JsonObject:
        """What a block brings as it ends: arguments that did not come in pieces."""
        block = self._blocks.get(place, _Block())
        if block.type == "thinking":
            self._thoughts.append({"type": block.type, "thinking": block.thinking, "signature": block.signature})
        if block.type == "redacted_thinking":
            self._thoughts.append({"type": block.type, "data": block.data})
        if block.type != "tool_use" or block.input is None:
            return {}
        return self._arguments(place, json.dumps(block.input, ensure_ascii=False))

    def _arguments(self, place: int, part: str) -> JsonObject:
        return (
            {"content": part} if self.as_tool else {"tool_calls": [{"index": place, "function": {"arguments": part}}]}
        )

    def _piece(
        self, part: JsonObject, stop: str | None = None, told: _Counts | None = None, model: str | None = None
    ) -> WireReply:
        choice: JsonObject = {"delta": part, "finish_reason": _ENDS.get(stop, stop) if stop else None}
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
    ``headers`` and ``body`` are added to each request (`aeon.llm.extras`).
    """

    default_url = ANTHROPIC_BASE_URL
    key_header = "x-api-key"
    own_headers: Mapping[str, str] = {"anthropic-version": VERSION, "User-Agent": "aeon"}
    optional = ("output_config", "output_format", "schema", "tool_choice", "temperature")
    shaping = ("output_config", "output_format", "schema", "tool_choice")
    reserved = (
        "model", "messages", "system", "tools", "tool_choice", "stream", "max_tokens", "output_config.format",
        "output_format",
    )  # fmt: skip

    def _path(self, streamed: bool) -> str:
        return "/v1/messages"

    def _reading(self, request: LLMRequest, form: Form) -> _Reading:
        return _Reading(self._where, request, form)

    def _ways(self, request: LLMRequest) -> tuple[Form, ...]:
        ways = super()._ways(request)
        if request.json_schema is not None and strict(request.json_schema) is None:
            return tuple(form for form in ways if form != "json_schema")
        return ways

    def _body(self, request: LLMRequest, form: Form, omitted: tuple[str, ...]) -> JsonObject:
        messages = self._messages(request, form)
        body: JsonObject = {
            "model": self._model,
            "max_tokens": request.max_tokens,
            "messages": [_turn(wrote, stretch) for wrote, stretch in sides(messages)],
            "temperature": min(request.temperature, _HOTTEST),
        }
        system: list[JsonValue] = [_text(one.content) for one in messages if one.role == "system" and one.content]
        body |= {"system": system} if system else {}
        body |= {"stream": True} if self._habits.streams else {}
        body |= _tools_and_shape(request, form)
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


def _tools_and_shape(request: LLMRequest, form: Form) -> JsonObject:
    """The tools on offer, and what asks for an answer of the schema, if there is one."""
    schema = request.json_schema
    if schema is not None and form == "json_object":
        return {"tools": [_tool(ANSWER, "Give the answer.", schema)], "tool_choice": {"type": "tool", "name": ANSWER}}
    offered: JsonObject = {}
    if request.tools:
        offered["tools"] = [_tool(one.name, one.description, one.parameters) for one in request.tools]
    if schema is not None and form == "json_schema":
        offered["output_config"] = {"format": {"type": "json_schema", "schema": strict(schema) or schema}}
    return offered


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
                {"type": "tool_use", "id": _id(call.id), "name": sent_name(call.name), "input": arguments_of(call)}
            )
    blocks.sort(key=lambda block: not wrote and block["type"] != "tool_result")
    return {"role": "assistant" if wrote else "user", "content": [*blocks]}


def _thoughts(calls: tuple[CallRequest, ...]) -> list[JsonObject]:
    """The thoughts that calls carry."""
    return [block for call in calls for block in sealed_thoughts(call, "thinking", "redacted_thinking")]


def _id(given: str) -> str:
    """The id of a call, with what the API does not take in one spelt by its code point."""
    return ODD.sub(lambda odd: f"_{ord(odd[0]):x}_", given)

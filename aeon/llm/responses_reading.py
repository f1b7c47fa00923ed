"""Replies of the Responses API, read as those of chat completions: the events of a stream, or one whole reply.

Servers differ in what they tell: some begin no item, some send its parts only when it is done, some name no place in
the output. What came once is not taken again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from aeon.llm.lenient import Lenient, Spare
from aeon.llm.vendor import SignedReading, counts
from aeon.llm.wire import Count, WireReply
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import LLMRequest, LLMResponse

__all__ = ["ResponsesReading"]

_CUTS: Mapping[str, str] = {"max_output_tokens": "length", "content_filter": "content_filter"}
"""Reasons why a response is incomplete, in the words of chat completions; any other is no end that is known."""
_LAST = ("response.completed", "response.incomplete", "response.failed")


class _Kind(Lenient):
    """The type of an event; a whole reply has none."""

    type: str | None = None


class _Part(Lenient):
    """A part of a message or of a thought."""

    type: str | None = None
    text: str | None = None
    refusal: str | None = None
    logprobs: JsonValue = None


class _Item(Lenient):
    """An item of the output: a message, a call of a function, or a thought."""

    type: str | None = None
    id: str | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: JsonValue = None
    content: list[_Part] | None = None
    summary: JsonValue = None
    encrypted_content: str | None = None


class _Details(Lenient):
    cached_tokens: Count = None
    reasoning_tokens: Count = None


class _Usage(Lenient):
    """Token counts as the API tells them."""

    input_tokens: Count = None
    input_tokens_details: Spare[_Details] = None
    output_tokens: Count = None
    output_tokens_details: Spare[_Details] = None

    def told(self) -> JsonObject:
        """The counts as chat completions tell them."""
        read, written = self.input_tokens_details or _Details(), self.output_tokens_details or _Details()
        return counts(self.input_tokens, self.output_tokens, read.cached_tokens, written.reasoning_tokens)


class _Cut(Lenient):
    reason: str | None = None


class _Response(Lenient):
    """A whole reply, or what the first and the last event of a stream hold of it."""

    model: Spare[str] = None
    status: str | None = None
    error: JsonValue = None
    incomplete_details: Spare[_Cut] = None
    output: list[_Item] | None = None
    usage: Spare[_Usage] = None

    @property
    def end(self) -> str | None:
        """Why it ended, in the words of chat completions."""
        if self.status == "incomplete":
            reason = (self.incomplete_details or _Cut()).reason or "incomplete"
            return _CUTS.get(reason, reason)
        return "stop" if self.status == "completed" else self.status


class _Event(Lenient):
    """An event of a stream, as far as one of its kind is read."""

    response: _Response | None = None
    item: _Item | None = None
    item_id: str | None = None
    output_index: int | None = None
    delta: str | None = None
    arguments: JsonValue = None
    logprobs: JsonValue = None
    error: JsonValue = None
    message: str | None = None


@dataclass
class _Call:
    """A call that has begun: by what later events name it, and whether its arguments came."""

    number: int
    names: tuple[str, ...]
    place: int | None
    written: bool = False
    ended: bool = False


class ResponsesReading(SignedReading):
    """Reads the events of a stream, or one whole reply.

    A call is signed with the thoughts before it, which the API wants back: all that was not signed with yet.
    """

    def __init__(self, where: str, request: LLMRequest) -> None:
        super().__init__(where, request)
        self._most_tokens = request.max_tokens
        self._calls: list[_Call] = []
        self._thoughts: list[JsonValue] = []
        self._is_empty = True
        self._is_unsaid = True

    def read(self, raw: bytes) -> WireReply:
        """An event of a stream, or a whole reply. Raises `MalformedResponse`."""
        kind = self._parsed(raw, _Kind).type
        if not kind:
            return self._whole(self._parsed(raw, _Response))
        if kind in ("response.created", "response.in_progress"):
            return self._piece({}, self._parsed(raw, _Event).response)
        if kind in _LAST:
            return self._last(self._parsed(raw, _Event).response or _Response(), kind)
        if kind == "error":
            event = self._parsed(raw, _Event)
            return WireReply(error=event.error or event.message or True)
        if kind.startswith("response.reasoning"):
            return self._piece({"reasoning": True})
        return self._item_event(raw, kind)

    def response(self, attempts: int, unmetered: int, put_off: int) -> LLMResponse:
        """The completion; thoughts that were told only behind the calls belong to the first of these.

        llama.cpp calls a reply completed that was cut off at the limit, so one that took all its tokens counts as cut.
        """
        if self._thoughts and self.signatures and not self.signatures[0]:
            self.signatures[0] = self._seal()
        response = super().response(attempts, unmetered, put_off)
        is_full = response.usage.generated_tokens == self._most_tokens
        return response.changed(finish_reason="length") if is_full and response.finish_reason == "stop" else response

    def _whole(self, response: _Response) -> WireReply:
        if response.error or response.status == "failed":
            return WireReply(error=response.error or True)
        if response.output is None:
            return WireReply()
        for place, item in enumerate(response.output):
            self.gathered.add(self._done(item, place))
        return self._piece({}, response, response.end)

    def _last(self, response: _Response, kind: str) -> WireReply:
        """The last event: all of the output stands in it once more, for where nothing of it came before."""
        stated = response.model_copy(update={"status": kind.rpartition(".")[2]})
        if self._is_empty or stated.status == "failed":
            return self._whole(stated.model_copy(update={"output": stated.output or []}))
        return self._piece({}, stated, stated.end)

    def _item_event(self, raw: bytes, kind: str) -> WireReply:
        """What an event about one item of the output brings; nothing, where its kind is not known."""
        match kind:
            case "response.output_item.added":
                event = self._parsed(raw, _Event)
                return self._added(event.item or _Item(), event.output_index)
            case "response.output_item.done":
                event = self._parsed(raw, _Event)
                return self._done(event.item or _Item(), event.output_index)
            case "response.output_text.delta":
                event = self._parsed(raw, _Event)
                return self._said("content", event.delta, event.logprobs)
            case "response.refusal.delta":
                return self._said("refusal", self._parsed(raw, _Event).delta)
            case "response.function_call_arguments.delta":
                event = self._parsed(raw, _Event)
                return self._written(self._call((event.item_id,), event.output_index), event.delta)
            case "response.function_call_arguments.done":
                event = self._parsed(raw, _Event)
                return self._completed(self._call((event.item_id,), event.output_index), event.arguments)
        return WireReply()

    def _added(self, item: _Item, place: int | None) -> WireReply:
        """What an item brings as it begins."""
        if item.type == "function_call":
            return self._begin(item, place)
        if item.type == "message":
            self._is_unsaid = True
        return self._piece({"reasoning": True} if item.type == "reasoning" else {})

    def _done(self, item: _Item, place: int | None) -> WireReply:
        """What an item brings as it ends: all of it that did not come in pieces."""
        if item.type == "reasoning":
            self._keep(item)
            return self._piece({"reasoning": True})
        if item.type == "function_call":
            call = self._call((item.id, item.call_id), place, exactly=True)
            if call is None:
                self.gathered.add(self._begin(item, place))
                call = self._calls[-1]
            call.ended = True
            return self._completed(call, item.arguments)
        if item.type == "message" and self._is_unsaid:
            for part in item.content or []:
                self.gathered.add(self._said("refusal", part.refusal))
                self.gathered.add(self._said("content", part.text, part.logprobs))
        self._is_unsaid = True
        return self._piece({})

    def _said(self, name: str, text: str | None, logprobs: JsonValue = None) -> WireReply:
        if not text:
            return self._piece({})
        self._is_empty = self._is_unsaid = False
        return self._piece({name: text}, logprobs=logprobs)

    def _begin(self, item: _Item, place: int | None) -> WireReply:
        """What the beginning of a call brings; it is signed with the thoughts before it."""
        self._is_empty = False
        names = tuple(name for name in (item.id, item.call_id) if name)
        call = _Call(len(self._calls), names, place)
        self._calls.append(call)
        self.signatures.append(self._seal() if self._thoughts else "")
        begun: JsonObject = {"index": call.number, "id": item.call_id or item.id, "function": {"name": item.name}}
        return self._piece({"tool_calls": [begun]})

    def _call(self, names: tuple[str | None, ...], place: int | None, exactly: bool = False) -> _Call | None:
        """The call under way that an event names, by id or place; else the last one, unless ``exactly``."""
        pending = [call for call in reversed(self._calls) if not call.ended]
        by_name = [call for call in pending if not {*names}.isdisjoint(call.names)]
        by_place = [call for call in pending if call.place == place is not None]
        return next(iter([*by_name, *by_place, *([] if exactly else pending)]), None)

    def _completed(self, call: _Call | None, arguments: JsonValue) -> WireReply:
        return self._piece({}) if call is None or call.written else self._written(call, arguments)

    def _written(self, call: _Call | None, arguments: JsonValue) -> WireReply:
        if call is None or not arguments:
            return self._piece({})
        call.written = True
        return self._piece({"tool_calls": [{"index": call.number, "function": {"arguments": arguments}}]})

    def _keep(self, item: _Item) -> None:
        """Keep a thought that the model can read again: one that is sealed, or whose text is there."""
        summary = item.summary if isinstance(item.summary, list) else []
        kept: JsonObject = {"type": "reasoning", "id": item.id or "", "summary": summary}
        said = [one.text for one in item.content or [] if one.text]
        texts: list[JsonValue] = [{"type": "reasoning_text", "text": text} for text in said]
        if item.encrypted_content:
            self._thoughts.append({**kept, "encrypted_content": item.encrypted_content})
        elif texts:
            self._thoughts.append({**kept, "content": texts})

    def _seal(self) -> str:
        sealed = json.dumps(self._thoughts, ensure_ascii=False)
        self._thoughts = []
        return sealed

    def _piece(
        self, part: JsonObject, of: _Response | None = None, end: str | None = None, logprobs: JsonValue = None
    ) -> WireReply:
        """A part of the reply as chat completions have it, with what is said of the whole."""
        scores: JsonValue = {"content": logprobs} if isinstance(logprobs, list) and logprobs else None
        choice: JsonObject = {"delta": part, "finish_reason": end, "logprobs": scores}
        usage = of.usage.told() if of is not None and of.usage is not None else None
        return WireReply.model_validate({"model": of.model if of else None, "choices": [choice], "usage": usage})

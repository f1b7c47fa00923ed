"""Tool calls on the wire: how tools and calls are written into a request, and read out of a reply, whole or in parts.

Servers differ here more than anywhere else: fragments without an index, several calls under the same index, calls
without an id, arguments as an object where a text is due.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from aeon.errors import MalformedResponse
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.schema.llm import CallRequest, Message, ToolSpec

__all__ = [
    "MOST_ARGUMENTS", "MOST_CALLS", "ODD", "CallGathering", "WireCall", "WireFunction", "call_id", "sent_arguments",
    "sent_message", "sent_name", "sent_tool",
]  # fmt: skip

MOST_ARGUMENTS = 200_000
"""Characters of the arguments of all calls in one reply beyond which the reply is refused."""
MOST_CALLS = 1_000
"""Calls in one reply beyond which it is refused."""

_MOST_NAME = 64
"""Characters of a name that endpoints take."""
_LONGEST_NAME = 200
ODD = re.compile(r"[^A-Za-z0-9_-]")
"""What APIs take in no name of a tool, and in no id of a call."""


def _text(raw: object) -> object:
    """The text that is meant: nothing for a null, JSON for an object."""
    if raw is None:
        return ""
    return raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)


_Text = Annotated[str, BeforeValidator(_text)]


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class WireFunction(_Wire):
    """The function that is called, or a part of it."""

    name: _Text = ""
    arguments: _Text = ""


class WireCall(_Wire):
    """A call, or a fragment of one; ``index`` says of which."""

    index: Annotated[int | None, BeforeValidator(lambda raw: raw if type(raw) is int else None)] = None
    id: _Text = ""
    function: WireFunction | None = None


@dataclass
class _Slot:
    """A call that is being put together."""

    id: str
    index: int | None
    name: str = ""
    parts: list[str] = field(default_factory=list)


class CallGathering:
    """Puts calls together out of fragments, in the order in which they began."""

    def __init__(self) -> None:
        self._slots: list[_Slot] = []
        self._size = 0

    def __bool__(self) -> bool:
        return bool(self._slots)

    def add(self, fragments: Iterable[WireCall], whole: bool) -> None:
        """Take in fragments, each of them a ``whole`` call or not.

        Raises `MalformedResponse` where there are too many calls, or their arguments are too long.
        """
        for fragment in fragments:
            slot = self._begun(fragment) if whole else self._slot_of(fragment)
            function = fragment.function or WireFunction()
            slot.name = slot.name or function.name[:_LONGEST_NAME]
            slot.id = slot.id or fragment.id
            slot.parts.append(function.arguments)
            self._size += len(function.arguments)
            if len(self._slots) > MOST_CALLS:
                raise MalformedResponse(f"the reply holds more than {MOST_CALLS:,} tool calls; it was not kept")
            if self._size > MOST_ARGUMENTS:
                raise MalformedResponse(
                    f"the arguments of the reply's tool calls have more than {MOST_ARGUMENTS:,} characters; they were "
                    "not kept"
                )

    def calls(self, before: int = 0) -> tuple[CallRequest, ...]:
        """The calls, each with an id of its own; ``before`` is how many calls came before them in the conversation."""
        taken: set[str] = set()
        made: list[CallRequest] = []
        for number, slot in enumerate(self._slots, before + 1):
            name = slot.id[:_LONGEST_NAME]
            if not name or name in taken:
                name = call_id(number)
            taken.add(name)
            made.append(CallRequest(id=name, name=slot.name, arguments="".join(slot.parts)))
        return tuple(made)

    def _slot_of(self, fragment: WireCall) -> _Slot:
        """The call that a fragment belongs to, begun if it is the first one of it."""
        named = bool(fragment.function and fragment.function.name)
        last = self._last(fragment.index, anywhere=fragment.index is None and not (named or fragment.id))
        if last is None or (named and last.name and self._begins(fragment, last)):
            return self._begun(fragment)
        return last

    def _last(self, index: int | None, anywhere: bool) -> _Slot | None:
        """The last call with this index, or with any."""
        return next((slot for slot in reversed(self._slots) if anywhere or slot.index == index), None)

    def _begun(self, fragment: WireCall) -> _Slot:
        slot = _Slot(fragment.id, fragment.index)
        self._slots.append(slot)
        return slot

    def _begins(self, fragment: WireCall, last: _Slot) -> bool:
        """Whether a fragment with a name is another call than the last one of the same index."""
        return fragment.id != last.id if fragment.id else fragment.index is None


def call_id(number: int) -> str:
    """The id of a call that got none; ``number`` counts the calls of a conversation, from 1."""
    return f"call_{number}"


def sent_tool(tool: ToolSpec) -> JsonObject:
    """A tool as a request offers it."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }


def sent_message(message: Message) -> JsonObject:
    """A message as a request holds it."""
    sent: JsonObject = {"role": message.role, "content": message.content}
    if message.calls:
        sent["content"] = message.content or None
        sent["tool_calls"] = _sent_calls(message.calls)
    if message.role == "tool":
        sent["tool_call_id"] = message.call_id
    return sent


def _sent_calls(calls: Sequence[CallRequest]) -> list[JsonValue]:
    return [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": sent_name(call.name), "arguments": sent_arguments(call)},
        }
        for call in calls
    ]


def sent_name(name: str) -> str:
    """A name that every endpoint takes, so that one that the model made up does not end the conversation."""
    return ODD.sub("_", name)[:_MOST_NAME] or "unnamed"


def sent_arguments(call: CallRequest) -> str:
    """The arguments as written; where that is no JSON object, which many servers refuse, an object that quotes them."""
    try:
        value = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return call.arguments or "{}"
    return json.dumps({"malformed": call.arguments}, ensure_ascii=False)

"""One turn of a model that may call tools: how it is asked for, and what the reply says. Pure.

Natively, the endpoint offers the tools and tells calls from text. Where it cannot, the same turn is one JSON action,
with the tools described in the prompt, and earlier calls and results as plain messages.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from aeon.errors import EmptyCompletion, EndpointRejected, Malformed, ModelError, ModelNotFound, RequestRefused
from aeon.jsonschemas.inlining import inlined
from aeon.llm.hearing import Listener
from aeon.llm.marks import answer_part, calls_in
from aeon.llm.tool_calls import call_id
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.schema.llm import CallRequest, Capabilities, LLMResponse, Message, ToolSpec
from aeon.schema.turns import TurnForm
from aeon.supervisor.calls import Ask
from aeon.supervisor.extract import MAX_TEXT, extract_json
from aeon.supervisor.prompt import clean, load, render
from aeon.supervisor.repair import parse

__all__ = ["REFUSALS", "Spoken", "TurnAsk", "arguments_of", "is_of_another_field"]

REFUSALS: tuple[type[ModelError], ...] = (RequestRefused, ModelNotFound, EndpointRejected)
"""What may be the answer of an endpoint that takes no tools: a 4xx of any kind."""

_ANYTHING: JsonObject = {}
_OBJECT: JsonObject = {"type": "object"}
_LISTS = ("calls", "tool_calls")
_TEXTS = ("answer", "content")
_NO_ACTION = '$: it is neither {"calls": [{"tool": …, "arguments": …}]} nor {"answer": …}'
_FENCE = "```"


@dataclass(frozen=True)
class Spoken:
    """What a model says in one turn: ``text``, ``calls``, or both; one of them is there.

    ``form`` is how it was asked, ``mended`` says that the calls had to be read out of the text.
    """

    text: str
    calls: tuple[CallRequest, ...] = ()
    form: TurnForm = "native"
    mended: bool = False


@dataclass(frozen=True)
class _Said:
    """The calls in a JSON value, each with its name and arguments, and the text beside them."""

    calls: tuple[tuple[str, JsonValue], ...]
    text: str = ""


class TurnAsk:
    """Asks for the turn that follows ``messages``; without ``tools`` it is to be plain text.

    ``whole`` lets a response through that is a whole answer, and raises `CompletionError` for any other. ``answered``
    says whether the endpoint ever answered natively. ``listener`` hears what is written, where that is no JSON.
    """

    def __init__(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        whole: Callable[[LLMResponse, bool], LLMResponse],
        listener: Listener | None = None,
    ) -> None:
        self._whole = whole
        self._listener = listener
        self.messages = tuple(message.changed(content=clean(message.content)) for message in messages)
        self.tools = tuple(tools)
        self.answered = False
        self._calls_before = sum(len(message.calls) for message in messages)
        self._names = {tool.name for tool in tools}

    def native(self, max_tokens: int) -> Ask:
        """The endpoint's own tool calls."""
        return Ask(self.messages, max_tokens, tools=self.tools, listener=self._listener)

    def action(self, max_tokens: int, can: Capabilities) -> Ask:
        """One JSON object, its shape enforced where the endpoint can; plain text where there are no tools."""
        messages = tuple(_plain(self.messages))
        if not self.tools:
            return Ask(messages, max_tokens, listener=self._listener)
        schema = _action_schema(self.tools) if can.json_schema else None
        return Ask(_with_tools(messages, self.tools), max_tokens, schema, can.json_mode and not can.json_schema)

    def most_prompt_tokens(self, can: Capabilities) -> int:
        """The most tokens that the prompt can be, in whatever form it is asked."""
        asks = [self.action(1, can), *([self.native(1)] if can.tools else [])]
        return max(ask.most_prompt_tokens for ask in asks)

    def read_native(self, response: LLMResponse) -> tuple[Spoken, bool]:
        """What was said; calls that come without tools are ignored.

        Raises:
            EmptyCompletion: neither text nor calls.
            Malformed: it is larger than any answer can be.
        """
        self.answered = True
        self._whole(response, bool(self.tools))
        return self._read(response, "native")

    def read_action(self, response: LLMResponse) -> tuple[Spoken, bool]:
        """What the JSON action says; raises as `read_native`, and `Malformed` where it is none."""
        self._whole(response, bool(self.tools))
        if not self.tools or response.calls:
            return self._read(response, "action")
        parsed = parse(response.text, _ANYTHING)
        said = _said(parsed.value)
        if not said.calls and not _is_readable(said.text):
            raise EmptyCompletion('the action has neither "calls" nor an "answer"')
        spoken = Spoken(clean(said.text), self._requests(said), "action", parsed.mended)
        return spoken, parsed.mended

    def _read(self, response: LLMResponse, form: TurnForm) -> tuple[Spoken, bool]:
        size = len(response.text) + sum(len(call.arguments) for call in response.calls)
        if size > MAX_TEXT:
            raise Malformed(f"$: the answer has {size} characters; at most {MAX_TEXT} are read")
        text = answer_part(response.text)
        spoken = Spoken(clean(text), response.calls if self.tools else (), form)
        if not spoken.calls:
            said = (_leaked(response.text, text) if self.tools else None) or _envelope(text, self._names)
            if said is not None:
                return replace(spoken, text=clean(said.text), calls=self._requests(said), mended=True), True
            if not _is_readable(text):
                raise EmptyCompletion("the model said nothing that can be read, thoughts aside, and called nothing")
        return spoken, False

    def _requests(self, said: _Said) -> tuple[CallRequest, ...]:
        return tuple(
            CallRequest(id=call_id(number), name=name, arguments=_written(arguments))
            for number, (name, arguments) in enumerate(said.calls, self._calls_before + 1)
        )


def is_of_another_field(refusal: ModelError) -> bool:
    """Whether an endpoint refuses something else than tools: it is asked again without that."""
    return isinstance(refusal, RequestRefused) and refusal.field not in ("", "tools")


def arguments_of(call: CallRequest) -> JsonObject:
    """The arguments of a call, their syntax mended where punctuation is all that is wrong; none written are none.

    Raises:
        Malformed: it is no JSON object.
    """
    if not call.arguments.strip():
        return {}
    value = parse(call.arguments, _OBJECT).value
    assert isinstance(value, dict)
    return value


def _is_readable(text: str) -> bool:
    return any(map(str.isprintable, "".join(text.split())))


def _written(arguments: JsonValue) -> str:
    """Arguments as a call holds them: a text that the model wrote stays as it is."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _leaked(text: str, answer: str) -> _Said | None:
    """The calls that a text holds in the marks of its model's template, whatever they name, beside its ``answer``.

    Raises:
        Malformed: one of them cannot be read.
    """
    said = [_said(parse(body, _ANYTHING).value) for body in calls_in(text)]
    calls = tuple(call for one in said for call in one.calls)
    return _Said(calls, answer) if calls else None


def _envelope(text: str, names: set[str]) -> _Said | None:
    """The calls of a text that is nothing but calls of these tools, as a server lets them through that knows none."""
    try:
        said = [_said(parse(body, _ANYTHING).value) for body in _bodies(text)]
    except Malformed:
        return None
    calls = tuple(call for one in said for call in one.calls)
    if not calls or not {name for name, _ in calls} <= names:
        return None
    return _Said(calls, "\n".join(one.text for one in said if one.text))


def _bodies(text: str) -> list[str]:
    """The JSON texts that a text consists of: itself, or what its one fence holds.

    Raises:
        Malformed: there is something beside them.
    """
    bodies = [text.strip()]
    if bodies[0].startswith(_FENCE):
        bodies = [bodies[0].removesuffix(_FENCE).partition("\n")[2].strip()]
    if any(body[:1] not in ("{", "[") or extract_json(body) != body for body in bodies):
        raise Malformed("$: there is text beside the calls")
    return bodies


def _said(value: JsonValue) -> _Said:
    """The calls and the text that a JSON value says.

    Raises:
        Malformed: it is of another shape.
    """
    if isinstance(value, list):
        return _Said(tuple(map(_call, value)))
    if not isinstance(value, dict):
        raise Malformed(_NO_ACTION)
    if value.keys().isdisjoint((*_LISTS, *_TEXTS)):
        return _Said((_call(value),))
    calls = [call for held in _present(value, _LISTS) for call in (held if isinstance(held, list) else [held])]
    return _Said(tuple(map(_call, calls)), "\n".join(map(_written, _present(value, _TEXTS))))


def _present(value: JsonObject, keys: Sequence[str]) -> list[JsonValue]:
    return [value[key] for key in keys if value.get(key) is not None]


def _call(value: JsonValue) -> tuple[str, JsonValue]:
    """The name and the arguments of a call, which may stand under ``function``.

    Raises:
        Malformed: it is none.
    """
    inner = value.get("function", value) if isinstance(value, dict) else None
    if not isinstance(inner, dict):
        raise Malformed(_NO_ACTION)
    name = inner.get("tool", inner.get("name"))
    arguments = inner.get("arguments", inner.get("parameters", {} if "tool" in inner else None))
    if not isinstance(name, str) or arguments is None:
        raise Malformed(_NO_ACTION)
    return name, arguments


def _action_schema(tools: Sequence[ToolSpec]) -> JsonObject:
    """What an action can be: calls of these tools, or an answer."""
    calls: list[JsonValue] = [_closed({"tool": {"const": tool.name}, "arguments": _parameters(tool)}) for tool in tools]
    return {
        "anyOf": [
            _closed({"calls": {"type": "array", "minItems": 1, "items": {"anyOf": calls}}}),
            _closed({"answer": {"type": "string"}}),
        ]
    }


def _closed(properties: Mapping[str, JsonValue]) -> JsonObject:
    names: list[JsonValue] = list(properties)
    return {"type": "object", "properties": dict(properties), "required": names, "additionalProperties": False}


def _parameters(tool: ToolSpec) -> JsonObject:
    """The schema of a tool's arguments, where it can stand inside another one."""
    try:
        schema = inlined(tool.parameters)
    except ValueError:
        return _OBJECT
    return _OBJECT if "$defs" in schema else schema


def _with_tools(messages: tuple[Message, ...], tools: Sequence[ToolSpec]) -> tuple[Message, ...]:
    """The messages with the tools in the system's, which is the same in each turn."""
    lines = "\n".join(f"- {tool.name}: {tool.description}\n  {json.dumps(tool.parameters)}" for tool in tools)
    told = clean(render(load("aeon.supervisor", "action.md"), tools=lines)).strip()
    if messages[0].role == "system":
        return (messages[0].changed(content=f"{messages[0].content}\n\n{told}"), *messages[1:])
    return (Message(role="system", content=told), *messages)


def _plain(messages: Sequence[Message]) -> Iterator[Message]:
    """The messages without tool calls: calls as the action that they were, results as what the user says."""
    names: Mapping[str, str] = MappingProxyType({})
    waiting: Message | None = None
    for message in messages:
        if message.calls:
            names = MappingProxyType({call.id: call.name for call in message.calls})
        plain = _plain_message(message, names)
        if waiting is not None and waiting.role == plain.role:
            waiting = waiting.changed(content=f"{waiting.content}\n\n{plain.content}")
            continue
        if waiting is not None:
            yield waiting
        waiting = plain
    if waiting is not None:
        yield waiting


def _plain_message(message: Message, names: Mapping[str, str]) -> Message:
    if message.role == "tool":
        result = f"Result of {clean(names.get(message.call_id, 'the call'))}:\n{message.content}"
        return Message(role="user", content=result)
    if not message.calls:
        return message
    calls: list[JsonValue] = [{"tool": call.name, "arguments": _value(call.arguments)} for call in message.calls]
    action = clean(json.dumps({"calls": calls}, ensure_ascii=False))
    return Message(role="assistant", content=f"{message.content}\n{action}".strip())


def _value(arguments: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return arguments
    return value if isinstance(value, dict) else arguments

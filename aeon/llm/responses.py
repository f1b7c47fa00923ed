"""OpenAI's Responses API, which other servers speak as well, over HTTP alone.

The wire format follows the public reference (https://platform.openai.com/docs/api-reference/responses, …/responses-
streaming, …/guides/reasoning, …/guides/function-calling) and the types of OpenAI's own SDK
(github.com/openai/openai-python, ``src/openai/types/responses``). Nothing is stored there: each request holds the whole
conversation, and sealed reasoning goes back with the calls that it led to.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from aeon.llm.asking import Form, response_format, sent_messages
from aeon.llm.probed import Probed
from aeon.llm.responses_reading import ResponsesReading
from aeon.llm.tool_calls import sent_arguments, sent_name
from aeon.llm.vendor import sealed_thoughts
from aeon.llm.vendors import OPENAI_BASE_URL
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.schema.llm import CallRequest, LLMRequest, LLMResponse, Message, ToolSpec

__all__ = ["Responses"]

_SEALED = "reasoning.encrypted_content"
_SCORED = "message.output_text.logprobs"
_LEAST_TOKENS = 16
"""Below this many, OpenAI's own address refuses a request."""


class Responses(Probed):
    """A model behind the Responses API.

    ``base_url`` is the API's root, such as ``http://127.0.0.1:8080/v1``, by default OpenAI's. ``api_key`` is sent to
    it and nowhere else. Retries and deadlines are those of `Endpoint`. ``capabilities`` skips probing. ``headers`` and
    ``body`` are added to each request (`aeon.llm.extras`).

    Sampling has no seed there. Reasoning is the model's default: its tokens count as generated ones, its text is never
    shown, and `CallRequest.signature` takes it back to the model.
    """

    default_url = OPENAI_BASE_URL
    optional = ("text", "include", "top_logprobs", "temperature", "tools")
    shaping = ("text",)
    reserved = (
        "model", "input", "instructions", "tools", "stream", "max_output_tokens", "text.format", "background",
        "conversation", "previous_response_id", "prompt",
    )  # fmt: skip

    @property
    def place(self) -> str:
        """What tells this API from chat completions at the same URL, which may do more or less."""
        return f"{super().place} by responses"

    async def ask(self, request: LLMRequest, form: Form) -> LLMResponse:
        """One completion in exactly this form, of as many tokens as OpenAI's own address lets one have at least.

        Examinations ask so, which count what they spend; a run, which may not exceed its bound, never does.
        """
        return await super().ask(request.changed(max_tokens=max(_LEAST_TOKENS, request.max_tokens)), form)

    def _path(self, streamed: bool) -> str:
        return "/responses"

    def _reading(self, request: LLMRequest, form: Form) -> ResponsesReading:
        return ResponsesReading(self._where, request)

    def _blamed(self, field: str, request: LLMRequest) -> str:
        """One field asks for sealed reasoning and for probabilities; where the latter were asked for, it is these."""
        return "logprobs" if field == "include" and _is_scored(request) else field

    def _body(self, request: LLMRequest, form: Form, omitted: tuple[str, ...]) -> JsonObject:
        without = {*self._habits.left_out, *omitted}
        body: JsonObject = {
            "model": self._model,
            "max_output_tokens": request.max_tokens,
            "temperature": request.temperature,
            "store": False,
            **_conversation(sent_messages(request, form, self._habits)),
            **_shape(request, form),
        }
        body |= {"stream": True} if self._habits.streams else {}
        body |= {"tools": [_tool(one) for one in request.tools]} if request.tools else {}
        return {name: value for name, value in body.items() if name not in without} | _included(request, without)


def _is_scored(request: LLMRequest) -> bool:
    return bool(request.top_logprobs or request.likelihood)


def _conversation(messages: Sequence[Message]) -> JsonObject:
    """The messages as input; those of the system, which many servers take at the beginning only, stand apart."""
    system = [one.content for one in messages if one.role == "system" and one.content]
    items = [item for one in messages if one.role != "system" for item in _items(one)]
    return {"input": items} | ({"instructions": "\n\n".join(system)} if system else {})


def _included(request: LLMRequest, without: Collection[str]) -> JsonObject:
    """What is asked for beside the answer: reasoning, which calls only carry back, sealed; and probabilities."""
    fields: JsonObject = {}
    included: list[JsonValue] = [_SEALED] if request.tools and "include" not in without else []
    if _is_scored(request) and "logprobs" not in without:
        included.append(_SCORED)
        fields["top_logprobs"] = max(1, request.top_logprobs)
    return fields | ({"include": included} if included else {})


def _tool(tool: ToolSpec) -> JsonObject:
    """A tool on offer. Strict mode takes a part of JSON Schema only, and the host checks the arguments anyway."""
    return {
        "type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        "strict": False,
    }  # fmt: skip


def _shape(request: LLMRequest, form: Form) -> JsonObject:
    """What asks for the shape of the text, without the inner object that chat completions have."""
    shape = response_format(request, form)
    if shape is None:
        return {}
    schema = shape.pop("json_schema", None)
    return {"text": {"format": shape | (schema if isinstance(schema, dict) else {})}}


def _items(message: Message) -> list[JsonValue]:
    """A message as items of the input: a text, the result of a call, or thoughts, text and calls as they came."""
    if message.role == "tool":
        return [{"type": "function_call_output", "call_id": message.call_id, "output": message.content}]
    if message.role == "user":
        return [{"type": "message", "role": "user", "content": message.content}]
    said: JsonObject = {"type": "output_text", "text": message.content, "annotations": []}
    text: JsonObject = {"type": "message", "role": "assistant", "content": [said]}
    items: list[JsonValue] = [*_thoughts(message.calls[:1]), *([text] if message.content or not message.calls else [])]
    for place, call in enumerate(message.calls):
        items += _thoughts((call,)) if place else []
        items.append(_call(call))
    return items


def _thoughts(calls: tuple[CallRequest, ...]) -> list[JsonValue]:
    return [item for call in calls for item in sealed_thoughts(call, "reasoning")]


def _call(call: CallRequest) -> JsonObject:
    return {
        "type": "function_call", "call_id": call.id, "name": sent_name(call.name), "arguments": sent_arguments(call),
    }  # fmt: skip

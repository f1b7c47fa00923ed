"""Gemini by Google's generateContent API, over HTTP alone.

The wire format follows the public reference (https://ai.google.dev/api/generate-content, …/gemini-api/docs/
function-calling, …/structured-output, …/thought-signatures, …/troubleshooting) and the types of Google's own SDK
(github.com/googleapis/python-genai, ``google/genai/types.py`` and ``models.py``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from pydantic import Field, JsonValue

from aeon.errors import EndpointRejected, ModelError
from aeon.llm import sdk as openai
from aeon.llm.asking import Form
from aeon.llm.lenient import Lenient, Spare
from aeon.llm.probe import read_page
from aeon.llm.tool_calls import sent_name
from aeon.llm.translation import translate
from aeon.llm.vendor import ANSWER, Vendor, VendorReading, arguments_of, counts, sides
from aeon.llm.vendors import GEMINI_BASE_URL
from aeon.llm.wire import Count, WireReply
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import Capabilities, LLMRequest, Message
from aeon.waiting import asked_wait

__all__ = ["Gemini"]

UNSIGNED = "skip_thought_signature_validator"
"""What the reference gives as the signature of a call whose own is lost, or that another model made."""

_LARGEST_SEED = 2**31
_ENDS: Mapping[str, str] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
}
"""Reasons to stop, in the words of the OpenAI protocol; any other is no end that is known."""


class _Wire(Lenient):
    """JSON in which names are written in camel case."""


class _Call(_Wire):
    id: str = ""
    name: str = ""
    args: JsonObject = Field({})


class _Part(_Wire):
    """A part of a reply: a text, which may be a thought, or a call of a function."""

    text: str | None = None
    thought: bool = False
    call: _Call | None = Field(None, alias="functionCall")
    signature: str = Field("", alias="thoughtSignature")


class _Content(_Wire):
    parts: list[_Part] = Field([])


class _Candidate(_Wire):
    content: _Content = _Content()
    finish: str | None = Field(None, alias="finishReason")


class _Feedback(_Wire):
    blocked: str | None = Field(None, alias="blockReason")


class _Counts(_Wire):
    """Token counts; one that is 0 is left out."""

    prompt: Count = Field(None, alias="promptTokenCount")
    results: Count = Field(None, alias="toolUsePromptTokenCount")
    cached: Count = Field(None, alias="cachedContentTokenCount")
    candidates: Count = Field(0, alias="candidatesTokenCount")
    thoughts: Count = Field(0, alias="thoughtsTokenCount")

    def told(self) -> JsonObject:
        """The counts as the OpenAI protocol tells them."""
        read = None if self.prompt is None else self.prompt + (self.results or 0)
        both = None if self.candidates is None or self.thoughts is None else self.candidates + self.thoughts
        return counts(read, both, self.cached, self.thoughts)


class _Reply(_Wire):
    """A whole reply, or what a stream adds to it."""

    candidates: list[_Candidate] = Field([])
    feedback: _Feedback = Field(_Feedback(), alias="promptFeedback")
    counted: Spare[_Counts] = Field(None, alias="usageMetadata")
    model: Spare[str] = Field(None, alias="modelVersion")
    error: JsonValue = None


class _Reading(VendorReading):
    """Reads whole replies and those of a stream, which have one shape."""

    def read(self, raw: bytes) -> WireReply:
        """A reply or what a stream adds to it. Raises `MalformedResponse`."""
        reply = self._parsed(raw, _Reply)
        choices: list[JsonValue] = []
        if reply.feedback.blocked:
            choices = [{"delta": {}, "finish_reason": "content_filter"}]
        for candidate in reply.candidates[:1]:
            choices = [{"delta": self._piece(part)} for part in candidate.content.parts]
            choices.append({"finish_reason": _ENDS.get(candidate.finish or "", candidate.finish)})
        usage = reply.counted.told() if reply.counted is not None else None
        shown: JsonObject = {"model": reply.model, "usage": usage, "error": reply.error}
        return WireReply.model_validate({**shown, "choices": choices} if reply.model_fields_set else shown)

    def _piece(self, part: _Part) -> JsonObject:
        """What a part of the reply brings."""
        if part.call is None:
            return {"reasoning": part.thought, "content": "" if part.thought or self.as_tool else part.text}
        arguments = json.dumps(part.call.args, ensure_ascii=False)
        if self.as_tool:
            return {"content": arguments}
        self.signatures.append(part.signature)
        call: JsonObject = {"name": part.call.name, "arguments": arguments}
        return {"tool_calls": [{"index": len(self.signatures), "id": part.call.id, "function": call}]}


class Gemini(Vendor):
    """A model behind Google's Gemini API.

    ``base_url`` is the API's root without its version, by default Google's own. Thinking is the model's default: its
    tokens count as generated ones, its text is never shown, and `CallRequest.signature` takes it back to the model.
    Token probabilities are not asked for. ``headers`` and ``body`` are added to each request (`aeon.llm.extras`).
    """

    default_url = GEMINI_BASE_URL
    key_header = "x-goog-api-key"
    own_headers: Mapping[str, str] = {"User-Agent": "aeon"}
    optional = ("responseJsonSchema", "response_json_schema", "schema", "response mime type", "seed", "temperature")
    shaping = ("responseJsonSchema", "response_json_schema", "schema", "response mime type")
    reserved = (
        "model", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig.maxOutputTokens",
        "generationConfig.candidateCount", "generationConfig.responseMimeType", "generationConfig.responseSchema",
        "generationConfig.responseJsonSchema",
    )  # fmt: skip

    @property
    def _page(self) -> str:
        return f"/v1beta/models/{quote(self._model, safe='')}"

    def _path(self, streamed: bool) -> str:
        return f"{self._page}:streamGenerateContent?alt=sse" if streamed else f"{self._page}:generateContent"

    def _reading(self, request: LLMRequest, form: Form) -> _Reading:
        return _Reading(self._where, request, form)

    def _body(self, request: LLMRequest, form: Form, omitted: tuple[str, ...]) -> JsonObject:
        messages = self._messages(request, form)
        names = {call.id: sent_name(call.name) for message in messages for call in message.calls}
        config: JsonObject = {
            "maxOutputTokens": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed % _LARGEST_SEED,
            **_format(request, form),
        }
        system: list[JsonValue] = [{"text": one.content} for one in messages if one.role == "system"]
        body: JsonObject = {
            "contents": [_turn(wrote, stretch, names) for wrote, stretch in sides(messages)],
            "generationConfig": {name: value for name, value in config.items() if name not in self._habits.left_out},
            **_functions(request, form),
        }
        return body | ({"systemInstruction": {"parts": system}} if system else {})

    def _translate(self, raw: BaseException, field: str | None = None) -> ModelError:
        """Aeon's error; a key that is wrong gets status 400 here, and a reason beside it."""
        if isinstance(raw, openai.APIStatusError) and "API_KEY_INVALID" in _details(raw, "reason"):
            return EndpointRejected(
                f"{self._where} rejected the API key (HTTP {raw.status_code}); set a valid key, in GEMINI_API_KEY or "
                "AEON_API_KEY"
            )
        return translate(raw, self._where, self._connections.secrets, field)

    def _asks_to_wait(self, raw: openai.APIStatusError) -> float | None:
        """Seconds to wait, from the header or from the ``retryDelay`` beside the message."""
        delays = (asked_wait({"retry-after": delay}, limited=False) for delay in _details(raw, "retryDelay"))
        return next(filter(None, delays), None) or super()._asks_to_wait(raw)

    async def _stated(self) -> Capabilities:
        """What the page of the model states: https://ai.google.dev/api/models. A model that can think does."""
        page = await read_page(self._connections, self._page, _ModelPage) or _ModelPage()
        return Capabilities(
            json_schema=True, json_mode=True, tools=True, context_tokens=page.tokens, hidden_reasoning=page.thinking
        )


class _ModelPage(_Wire):
    """What the API states of a model."""

    tokens: int | None = Field(None, ge=1, alias="inputTokenLimit")
    thinking: bool = False


def _details(raw: openai.APIStatusError, name: str) -> list[str]:
    """The values of this name in the details of an error (google.rpc.Status)."""
    details = raw.body.get("details") if isinstance(raw.body, dict) else None
    found = [one.get(name) for one in details if isinstance(one, dict)] if isinstance(details, list) else []
    return [value for value in found if isinstance(value, str)]


def _function(name: str, description: str, parameters: JsonObject) -> JsonObject:
    return {"name": name, "description": description, "parametersJsonSchema": parameters}


def _functions(request: LLMRequest, form: Form) -> JsonObject:
    """The functions on offer; or the one that must be called with the answer."""
    if form == "json_object" and request.json_schema is not None:
        answer = _function(ANSWER, "Give the answer.", request.json_schema)
        must: JsonObject = {"mode": "ANY", "allowedFunctionNames": [ANSWER]}
        return {"tools": [{"functionDeclarations": [answer]}], "toolConfig": {"functionCallingConfig": must}}
    declared: list[JsonValue] = [_function(one.name, one.description, one.parameters) for one in request.tools]
    return {"tools": [{"functionDeclarations": declared}]} if declared else {}


def _format(request: LLMRequest, form: Form) -> JsonObject:
    """What asks for JSON as the text of the answer."""
    if form == "json_schema":
        return {"responseMimeType": "application/json", "responseJsonSchema": request.json_schema}
    return {"responseMimeType": "application/json"} if form == "json_object" and request.json_schema is None else {}


def _turn(wrote: bool, stretch: Iterable[Message], names: Mapping[str, str]) -> JsonObject:
    """The messages of one side as one; ``names`` are those of the functions, by the ids of their calls."""
    parts: list[JsonValue] = []
    for message in stretch:
        if message.role == "tool":
            result: JsonObject = {
                "name": names.get(message.call_id, "unnamed"),
                "response": {"output": message.content},
            }
            parts.append({"functionResponse": {"id": message.call_id, **result}})
            continue
        parts += [{"text": message.content}] if message.content or not message.calls else []
        for place, call in enumerate(message.calls):
            made: JsonObject = {"id": call.id, "name": names[call.id], "args": arguments_of(call)}
            sealed = call.signature or (UNSIGNED if place == 0 else "")  # of several at once, the first is signed
            parts.append({"functionCall": made} | ({"thoughtSignature": sealed} if sealed else {}))
    return {"role": "model" if wrote else "user", "parts": parts}

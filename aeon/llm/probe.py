"""Finding out what an endpoint can really do, by trying."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import NamedTuple, TypeVar

from pydantic import Field, ValidationError

from aeon.errors import AllowanceExhausted, ModelError, NotPermitted, RequestRefused
from aeon.llm.adapter import Permit, freely
from aeon.llm.asking import Form
from aeon.llm.connections import Connections
from aeon.llm.examinable import Examinable
from aeon.llm.lenient import Lenient
from aeon.llm.listing import MOST_LISTED
from aeon.llm.marks import answer_part, starts_with_thought
from aeon.llm.probe_records import recall
from aeon.llm.profiles import Told, agrees, load
from aeon.llm.spending import lost, most_usage, true_usage
from aeon.llm.translation import translated
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.schema.llm import CallRequest, Capabilities, LLMRequest, LLMResponse, Message, ToolSpec
from aeon.schema.usage import Usage

__all__ = [
    "OMITTED", "PROBES", "PROBE_CALLS", "THOUGHT_TOKENS", "Ask", "ProbeOutcome", "is_cut", "measured",
    "probe",
    "read_page", "told",
]  # fmt: skip

Ask = Callable[[LLMRequest, Form], Awaitable[LLMResponse]]
"""Sends one request in exactly one form."""


ENFORCED = "zq7"
"""A value that no model would answer unless the schema forces it to."""

PROBE_TOKENS = 256
THOUGHT_TOKENS = 4_096
"""The most that an answer may take of a model that thinks before it, as far as that is permitted."""
PERMITTED_TOKENS = (THOUGHT_TOKENS, 1_024, PROBE_TOKENS)
"""Tokens for each of the calls that the probes together may take; less is asked for where more is not permitted."""
PROBE_CALLS = 5
"""Calls that all probes together may take. Usually there are three or four."""
INFORMATION_SECONDS = 10.0

OMITTED = ("temperature", "seed")
"""Request fields that no probe needs, so that none is spent on an endpoint that refuses them."""

SCHEMA_REQUEST = LLMRequest(
    messages=(Message(role="user", content="Name the largest planet. Answer in JSON."),),
    max_tokens=PROBE_TOKENS,
    json_schema={
        "type": "object",
        "properties": {"code": {"type": "string", "enum": [ENFORCED]}, "note": {"type": "string", "maxLength": 9}},
        "required": ["code"],
        "additionalProperties": False,
    },
)
JSON_REQUEST = LLMRequest(
    messages=(Message(role="user", content='Answer with the JSON object {"planet": "Jupiter"} and nothing else.'),),
    max_tokens=PROBE_TOKENS,
    json_mode=True,
)
TOOL = ToolSpec(
    name="note_word",
    description="Writes a word down.",
    parameters={
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
        "additionalProperties": False,
    },
)
TOOLS_REQUEST = LLMRequest(
    messages=(Message(role="user", content="Call the tool note_word with the word Jupiter."),),
    max_tokens=PROBE_TOKENS,
    tools=(TOOL,),
)
LOGPROBS_REQUEST = LLMRequest(
    messages=(Message(role="user", content="Is 7 a prime number? Answer Yes or No."),),
    max_tokens=1,
    top_logprobs=2,
)
PROBES = (SCHEMA_REQUEST, JSON_REQUEST, TOOLS_REQUEST, LOGPROBS_REQUEST)

NAME_REQUEST = LLMRequest(messages=(Message(role="user", content="Hello."),), max_tokens=1, attempts=3)


class _Probing:
    """Sends probes as long as there are calls and tokens for them.

    ``hidden`` says that an answer was preceded by thoughts; from then on probes get room for them. ``settled`` is false
    once an answer was cut off even so, or no call was left for it: then nobody knows what it would have shown.
    ``forbidden`` is the first thing that the endpoint did not permit; where it ``answered`` none, it permits nothing.
    """

    def __init__(self, ask: Ask, used: Callable[[Usage], None], calls: int, tokens: int) -> None:
        self._ask = ask
        self._used = used
        self._calls = calls
        self._tokens = tokens
        self.hidden = False
        self.settled = True
        self.answered = False
        self.forbidden: ModelError | None = None

    async def answer(self, request: LLMRequest, *ways: Form, kept: int = 0) -> LLMResponse | None:
        """The answer to a probe in the first of these forms that the endpoint takes; ``kept`` calls are for others.

        ``None`` if the endpoint is there and refuses just this request, or no call is left.
        """
        for way in ways:
            response = await self.once(request, way, kept)
            if response is None:
                continue
            roomy, self.hidden = self.hidden, self.hidden or _thinks(response)
            if is_cut(response) and not roomy:
                response = await self.once(request, way, kept)
            self.settled &= response is not None and response.finish_reason != "length"
            return response
        self.settled &= self._calls > kept
        return None

    async def once(self, request: LLMRequest, way: Form, kept: int = 0) -> LLMResponse | None:
        """The answer in this form, whatever precedes it; ``None`` as above."""
        attempts = self._calls - kept
        if attempts < 1:
            return None
        most = min(THOUGHT_TOKENS, self._tokens // attempts) if self.hidden else request.max_tokens
        sent = request.changed(attempts=attempts, max_tokens=max(1, most))
        try:
            response = await self._ask(sent, way)
        except ModelError as error:
            self._count(lost(sent, error))
            if isinstance(error, NotPermitted):
                self.forbidden = self.forbidden or error
            if isinstance(error, RequestRefused | NotPermitted):
                return None
            raise
        self._count(true_usage(sent, response))
        self.answered = True
        return response

    def _count(self, usage: Usage) -> None:
        self._calls -= usage.calls
        self._tokens = max(0, self._tokens - usage.generated_tokens)
        self._used(usage)


class ProbeOutcome(NamedTuple):
    """What probes found, and whether they settled it: where they did not, it is not to be remembered."""

    capabilities: Capabilities
    settled: bool


async def probe(ask: Ask, permit: Permit = freely) -> ProbeOutcome:
    """What the endpoint can do with this model, but for its context; three or four tiny calls, five at most.

    A capability counts only if the answer shows it: some servers accept a schema, or tools, and ignore them. A JSON
    mode is not asked for where a schema is enforced, and probabilities are not where thoughts come before the answer:
    they would be those of an answer that is settled. Raises `ModelError` where the endpoint cannot be asked at all
    (unreachable, wrong key, no such model, failing), and `AllowanceExhausted` where ``permit`` does not allow the
    calls; then none is made.
    """
    async with AsyncExitStack() as stack:
        used, tokens = await _permitted(stack, permit)
        probing = _Probing(ask, used, PROBE_CALLS, PROBE_CALLS * tokens)
        schema = _object(await probing.answer(SCHEMA_REQUEST, "json_schema", "strict_schema", kept=1))
        enforced = schema.get("code") == ENFORCED
        shaped = enforced or bool(_object(await probing.answer(JSON_REQUEST, "json_object", kept=1)))
        called = await probing.answer(TOOLS_REQUEST, "text")
        scored = None if probing.hidden else await probing.once(LOGPROBS_REQUEST, "text")
    if probing.forbidden is not None and not probing.answered:
        raise probing.forbidden
    found = Capabilities(
        json_schema=enforced,
        json_mode=shaped,
        logprobs=scored is not None and bool(scored.first_token),
        hidden_reasoning=probing.hidden,
        tools=called is not None and any(map(_calls_the_tool, called.calls)),
    )
    return ProbeOutcome(found, probing.settled)


async def _permitted(stack: AsyncExitStack, permit: Permit) -> tuple[Callable[[Usage], None], int]:
    """What takes the usage of the probes, and how many tokens each of their calls may generate."""
    size = max((most_usage(each.changed(attempts=1)).prompt_tokens for each in PROBES), default=0)
    for tokens in PERMITTED_TOKENS:
        most = Usage(
            calls=PROBE_CALLS, prompt_tokens=PROBE_CALLS * size, generated_tokens=PROBE_CALLS * tokens,
            estimated=PROBE_CALLS,
        )  # fmt: skip
        try:
            return await stack.enter_async_context(permit(most)), tokens
        except AllowanceExhausted:
            if tokens == PERMITTED_TOKENS[-1]:
                raise
    raise AssertionError("the loop above returns or raises")


def _thinks(response: LLMResponse) -> bool:
    """Whether the model reasoned before it answered: beside the text, in tags, or where nobody sees it."""
    return response.thought or starts_with_thought(response.text) or is_cut(response)


def is_cut(response: LLMResponse) -> bool:
    """Whether all the tokens went where nobody sees them, or into thoughts that did not end."""
    return response.finish_reason == "length" and not response.calls and not answer_part(response.text)


def _calls_the_tool(call: CallRequest) -> bool:
    try:
        return call.name == TOOL.name and isinstance(json.loads(call.arguments), dict)
    except (ValueError, RecursionError):
        return False


def _object(response: LLMResponse | None) -> JsonObject:
    """The JSON object that an answer is, after thoughts; an empty one if it is none."""
    text = response.text if response is not None else ""
    try:
        value: JsonValue = json.loads(answer_part(text))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


class _Served(Lenient):
    id: str = ""
    max_model_len: int | None = Field(None, ge=1)
    context_length: int | None = Field(None, ge=1)


class _Listing(Lenient):
    data: list[_Served] = Field([], max_length=MOST_LISTED, fail_fast=True)


class _Slot(Lenient):
    n_ctx: int | None = Field(None, ge=1)


class _Properties(Lenient):
    default_generation_settings: _Slot = _Slot()


async def told(connections: Connections, model: str) -> Told:
    """The models that the server lists, and the context length where it tells.

    vLLM and others tell it in /v1/models, llama.cpp in /props.
    """
    served = await read_page(connections, "/models", _Listing) or _Listing()
    models = tuple(sorted(entry.id for entry in served.data))
    length = next((entry.max_model_len or entry.context_length for entry in served.data if entry.id == model), None)
    if length is None:
        root = connections.base_url.removesuffix("/v1")
        properties = await read_page(connections, f"{root}/props", _Properties)
        length = properties.default_generation_settings.n_ctx if properties is not None else None
    return Told(models=models, context_tokens=length)


async def measured(endpoint: Examinable, permit: Permit = freely) -> Capabilities | None:
    """The capabilities in the endpoint's saved profile; ``None`` without one, or if it serves something else now.

    A server that lists no models is asked for one token, to see under which name it answers; what it said is kept with
    what probes find.
    """
    profile = load(endpoint.place, endpoint.name)
    if profile is None or not agrees(profile.model, profile.told, await endpoint.told()):
        return None
    if profile.told.models:
        return profile.capabilities
    memory = recall(endpoint.place, endpoint.name)
    if not memory.answered_as:
        async with permit(most_usage(NAME_REQUEST)) as used:
            probing = _Probing(endpoint.ask, used, NAME_REQUEST.attempts, NAME_REQUEST.attempts)
            answer = await probing.once(NAME_REQUEST, "text")
        memory.answered(answer.model if answer is not None else "")
    return profile.capabilities if memory.answered_as == profile.answered_as else None


Shape = TypeVar("Shape", bound=Lenient)


async def read_page(connections: Connections, path: str, shape: type[Shape]) -> Shape | None:
    """The JSON at the path, ``None`` if the server has none such there: this information is a courtesy."""
    client = await connections.client()
    try:
        async with asyncio.timeout(INFORMATION_SECONDS):
            text = await client.get(path, cast_to=str, options=connections.options())
        return shape.model_validate_json(text)
    except (*translated(), ModelError, ValidationError):
        return None

"""Finding out what an endpoint can really do, by trying."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from aeon.errors import ModelError, RequestRefused
from aeon.llm.adapter import Permit, freely
from aeon.llm.asking import Form
from aeon.llm.connections import Connections
from aeon.llm.listing import MOST_LISTED
from aeon.llm.profiles import Told, agrees, load
from aeon.llm.spending import lost, most_usage, true_usage
from aeon.llm.translation import TRANSLATED
from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse, Message
from aeon.schema.usage import Usage

__all__ = ["Ask", "Examinable", "Lenient", "measured", "probe", "read_page", "told"]

Ask = Callable[[LLMRequest, Form], Awaitable[LLMResponse]]
"""Sends one request in exactly one form."""


@runtime_checkable
class Examinable(Protocol):
    """An adapter whose endpoint can be examined: asked in one exact form, and for what it says of itself."""

    @property
    def name(self) -> str:
        """The model's name, as the user knows it."""
        ...

    @property
    def place(self) -> str:
        """What tells this endpoint from others, without a key."""
        ...

    async def ask(self, request: LLMRequest, form: Form) -> LLMResponse:
        """One completion in exactly this form. Raises `ModelError`."""
        ...

    async def told(self) -> Told:
        """What the server says of itself; what it does not tell is left out."""
        ...

    async def aclose(self) -> None:
        """Let go of connections and processes."""
        ...


ENFORCED = "zq7"
"""A value that no model would answer unless the schema forces it to."""

PROBE_TOKENS = 256
PROBE_CALLS = 5
"""Calls that all probes together may take: one each, and two for request fields that the endpoint refuses."""
INFORMATION_SECONDS = 10.0

SCHEMA_REQUEST = LLMRequest(
    messages=(Message(role="user", content="Name the largest planet. Answer in JSON."),),
    max_tokens=PROBE_TOKENS,
    json_schema={
        "type": "object",
        "properties": {"code": {"type": "string", "enum": [ENFORCED]}},
        "required": ["code"],
        "additionalProperties": False,
    },
)
JSON_REQUEST = LLMRequest(
    messages=(Message(role="user", content='Answer with the JSON object {"planet": "Jupiter"} and nothing else.'),),
    max_tokens=PROBE_TOKENS,
    json_mode=True,
)
LOGPROBS_REQUEST = LLMRequest(
    messages=(Message(role="user", content="Is 7 a prime number? Answer Yes or No."),),
    max_tokens=1,
    top_logprobs=2,
)

NAME_REQUEST = LLMRequest(messages=(Message(role="user", content="Hello."),), max_tokens=1, attempts=3)

_KNOWN: dict[tuple[str, str], Capabilities] = {}


class _Probing:
    """Sends probes, each once, and more often only while the calls for the others are left."""

    def __init__(self, ask: Ask, used: Callable[[Usage], None], calls: int, probes: int) -> None:
        self._ask = ask
        self._used = used
        self._calls = calls
        self._others = probes

    async def answer(self, request: LLMRequest, form: Form) -> LLMResponse | None:
        """The answer to a probe; ``None`` if the endpoint is there and refuses just this request."""
        self._others -= 1
        sent = request.changed(attempts=max(1, self._calls - self._others))
        try:
            response = await self._ask(sent, form)
        except ModelError as error:
            self._count(lost(sent, error))
            if isinstance(error, RequestRefused):
                return None
            raise
        self._count(true_usage(sent, response))
        return response

    def _count(self, usage: Usage) -> None:
        self._calls -= usage.calls
        self._used(usage)


async def probe(connections: Connections, model: str, ask: Ask, permit: Permit = freely) -> Capabilities:
    """What the endpoint can do with this model; three tiny calls, once per endpoint and model and process.

    A capability counts only if the answer shows it: some servers accept a schema and ignore it. Raises `ModelError`
    where the endpoint cannot be asked at all (unreachable, wrong key, no such model, failing), and
    `AllowanceExhausted` where ``permit`` does not allow the calls; then none is made.
    """
    key = (connections.base_url, model)
    if key not in _KNOWN:
        most = most_usage(SCHEMA_REQUEST.changed(attempts=PROBE_CALLS))  # it is the largest of them
        async with permit(most) as used:
            probing = _Probing(ask, used, PROBE_CALLS, probes=3)
            enforced = await probing.answer(SCHEMA_REQUEST, "json_schema")
            json_object = await probing.answer(JSON_REQUEST, "json_object")
            scored = await probing.answer(LOGPROBS_REQUEST, "text")
        _KNOWN[key] = Capabilities(
            json_schema=_object(enforced) == {"code": ENFORCED},
            json_mode=_object(json_object) is not None,
            logprobs=scored is not None and bool(scored.first_token),
            context_tokens=(await told(connections, model)).context_tokens,
        )
    return _KNOWN[key]


def _object(response: LLMResponse | None) -> object:
    if response is None:
        return None
    try:
        value: object = json.loads(response.text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


class Lenient(BaseModel):
    """What a server says, as far as it is of use."""

    model_config = ConfigDict(extra="ignore")


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

    A server that lists no models is asked for one token, to see under which name it answers.
    """
    profile = load(endpoint.place, endpoint.name)
    if profile is None or not agrees(profile, await endpoint.told()):
        return None
    if profile.told.models:
        return profile.capabilities
    async with permit(most_usage(NAME_REQUEST)) as used:
        answer = await _Probing(endpoint.ask, used, NAME_REQUEST.attempts, probes=1).answer(NAME_REQUEST, "text")
    return profile.capabilities if answer is not None and answer.model == profile.answered_as else None


Shape = TypeVar("Shape", bound=Lenient)


async def read_page(connections: Connections, path: str, shape: type[Shape]) -> Shape | None:
    """The JSON at the path, ``None`` if the server has none such there: this information is a courtesy."""
    client = await connections.client()
    try:
        async with asyncio.timeout(INFORMATION_SECONDS):
            text = await client.get(path, cast_to=str, options=connections.options())
        return shape.model_validate_json(text)
    except (*TRANSLATED, ModelError, ValidationError):
        return None

"""What the models of vendors with an API of their own share: nothing is probed, since their references state it."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator
from itertools import chain, groupby, repeat
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from aeon.errors import MalformedResponse
from aeon.llm.adapter import Permit, freely
from aeon.llm.asking import Form, forms, sent_messages
from aeon.llm.endpoint import Reading
from aeon.llm.hosted import Hosted
from aeon.llm.probe import measured
from aeon.llm.profiles import Told
from aeon.llm.tool_calls import sent_arguments
from aeon.llm.wire import WireReply
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import CallRequest, Capabilities, LLMRequest, LLMResponse, Message

__all__ = [
    "ANSWER", "Sides", "SignedReading", "Vendor", "VendorReading", "arguments_of", "counts", "sealed_thoughts", "sides",
]  # fmt: skip

ANSWER = "answer"
"""The tool whose arguments are the answer, where the endpoint does not take a schema for its text."""

Piece = TypeVar("Piece", bound=BaseModel)

Sides = Iterator[tuple[bool, list[Message]]]
"""Stretches of a conversation in turn: those that the model wrote (true), and those that it was given."""


def sides(messages: tuple[Message, ...]) -> Sides:
    """The conversation without its system messages, in stretches of one side each."""
    spoken = (message for message in messages if message.role != "system")
    return ((wrote, list(stretch)) for wrote, stretch in groupby(spoken, lambda one: one.role == "assistant"))


def arguments_of(call: CallRequest) -> JsonObject:
    """The arguments as the object that the APIs ask for; what is none is shown to the model as a text in one."""
    arguments: JsonObject = json.loads(sent_arguments(call))
    return arguments


def sealed_thoughts(call: CallRequest, *types: str) -> list[JsonObject]:
    """The thoughts of these types that a call carries in its signature; what another endpoint sealed is none."""
    try:
        blocks = json.loads(call.signature or "[]")
    except (ValueError, RecursionError):
        return []
    listed = blocks if isinstance(blocks, list) else []
    return [block for block in listed if isinstance(block, dict) and block.get("type") in types]


def counts(prompt: int | None, generated: int | None, cached: int | None, thoughts: int | None) -> JsonObject:
    """Token counts as the OpenAI protocol tells them."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": generated,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": thoughts},
    }


_FORMS: tuple[Form, ...] = ("json_schema", "json_object", "text")
"""The forms that a vendor's API knows."""


class SignedReading(Reading):
    """Reads a reply piece by piece as one of chat completions, and keeps the signatures of its calls beside it."""

    def __init__(self, where: str, request: LLMRequest) -> None:
        super().__init__(where, request)
        self.signatures: list[str] = []

    @abstractmethod
    def read(self, raw: bytes) -> WireReply:
        """A completion or a part of it. Raises `MalformedResponse`."""

    def response(self, attempts: int, unmetered: int, put_off: int) -> LLMResponse:
        """The completion, its calls with their signatures; see `Gathering.response`."""
        response = super().response(attempts, unmetered, put_off)
        signed = zip(response.calls, chain(self.signatures, repeat("")), strict=False)
        return response.changed(calls=tuple(call.changed(signature=signature) for call, signature in signed))

    def _parsed(self, raw: bytes, shape: type[Piece]) -> Piece:
        try:
            return shape.model_validate_json(raw)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            at = ".".join(str(part) for part in first["loc"]) or "the body"
            raise MalformedResponse(
                f"{self.where} answered something that is no completion ({at}: {first['msg']}); check the base URL"
            ) from None


class VendorReading(SignedReading):
    """The same; with ``as_tool`` the model answers by the arguments of the tool `ANSWER`, which are the text then."""

    def __init__(self, where: str, request: LLMRequest, form: Form) -> None:
        super().__init__(where, request)
        self.as_tool = form == "json_object" and request.json_schema is not None


class Vendor(Hosted):
    """A model of a vendor with an API of its own; see `Endpoint` for retries and deadlines.

    A schema is enforced by the API, by the arguments of a forced tool where the API refuses this very schema, else it
    is described in the prompt. What the API refused is kept on disk for 30 days. ``capabilities`` replaces what the
    vendor's reference states.
    """

    _thinks = False

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion; see `LLMAdapter.complete`. Raises `ModelError`."""
        return await self._asked(request, self._ways(request))

    async def ask(self, request: LLMRequest, form: Form) -> LLMResponse:
        """One completion in exactly this form. Raises `ModelError`."""
        return await self._asked(request, (form,))

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """What ``aeon doctor`` measured, else what the vendor states; neither takes a call of the model.

        ``hidden_reasoning`` is set as soon as a reply was preceded by reasoning.
        """
        async with self._connections.lock():
            if self._capabilities is None:
                self._capabilities = await measured(self, permit) or await self._stated()
        known = self._capabilities
        return known.changed(hidden_reasoning=True) if self._thinks else known

    async def told(self) -> Told:
        """The model, and its context length as the vendor states it."""
        stated = await self._stated()
        return Told(models=(self._model,), context_tokens=stated.context_tokens)

    @abstractmethod
    async def _stated(self) -> Capabilities:
        """What the vendor states of the model."""

    async def _asked(self, request: LLMRequest, ways: tuple[Form, ...]) -> LLMResponse:
        response = await self._converse(request, ways)
        self._thinks |= response.thought
        return response

    def _ways(self, request: LLMRequest) -> tuple[Form, ...]:
        """The forms to ask in, best first. Tools leave no room for one whose arguments are the answer."""
        free = request.json_schema is None or (not request.tools and request.json_schema.get("type") == "object")
        ways = forms(request, Capabilities(json_schema=True, json_mode=free), self._habits)
        return tuple(way for way in ways if way in _FORMS)

    def _messages(self, request: LLMRequest, form: Form) -> tuple[Message, ...]:
        """The messages to send; they describe the schema where nothing else of the request holds it."""
        written = request if form == "text" else request.changed(json_schema=None)
        return sent_messages(written, form, self._habits)

    def _remember(self, way: Form) -> None:
        self._memory.keep()

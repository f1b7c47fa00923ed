"""A model that gives scripted answers: for tests and examples, of Aeon and of its users."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from aeon.errors import AeonError, EndpointFailed
from aeon.llm.adapter import Permit, freely
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import CallRequest, Capabilities, LLMRequest, LLMResponse, Message
from aeon.schema.usage import Usage

__all__ = ["Reply", "Scripted", "calling"]

Reply = str | LLMResponse | AeonError
"""A completion's text, a whole response, or an error to raise."""

_UNCOUNTED = Usage(calls=1)
ALL_JSON = Capabilities(json_schema=True, json_mode=True)


class Scripted:
    """Gives the replies in order, or asks a function for each.

    A text reply gets ``finish_reason="stop"`` and a usage of one call, whose tokens are the words of prompt and reply.
    So does a response with tool calls that says nothing of its usage; each call is a word more than its arguments.
    ``requests`` holds what was asked, in order. Raises `EndpointFailed` when the replies have run out.
    """

    def __init__(
        self,
        replies: Iterable[Reply] | Callable[[LLMRequest], Reply],
        capabilities: Capabilities = ALL_JSON,
        name: str = "scripted",
    ) -> None:
        self._choose = replies if callable(replies) else None
        self._replies: tuple[Reply, ...] = () if callable(replies) else tuple(replies)
        self._capabilities = capabilities
        self._name = name
        self.requests: list[LLMRequest] = []

    @property
    def name(self) -> str:
        """The name given to it."""
        return self._name

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The next reply. Raises it if it is an error, and `EndpointFailed` if there is none left."""
        self.requests.append(request)
        reply = self._choose(request) if self._choose else self._next()
        if isinstance(reply, AeonError):
            raise reply
        if isinstance(reply, str):
            reply = LLMResponse(text=reply, usage=_words(request, reply), model=self._name)
        elif reply.calls and reply.usage == _UNCOUNTED:
            reply = reply.changed(usage=_words(request, reply.text, reply.calls))
        return reply

    @property
    def free(self) -> bool:
        """It costs nothing, unless it is given a price."""
        return True

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """The capabilities given to it."""
        return self._capabilities

    async def aclose(self) -> None:
        """Nothing to let go of."""

    def _next(self) -> Reply:
        asked = len(self.requests)
        if asked <= len(self._replies):
            return self._replies[asked - 1]
        last = _spoken(self.requests[-1].messages[-1])
        raise EndpointFailed(
            f"the scripted model {self._name!r} has {len(self._replies)} replies and was asked {asked} times; "
            f"add a reply for the prompt that ends {' '.join(last.split())[-80:]!r}"
        )


def calling(*calls: tuple[str, JsonObject], text: str = "") -> LLMResponse:
    """A reply that calls tools: of each the name and the arguments; ``text`` may stand beside the calls."""
    return LLMResponse(
        text=text,
        calls=tuple(
            CallRequest(id=f"call_{number}", name=name, arguments=json.dumps(arguments, ensure_ascii=False))
            for number, (name, arguments) in enumerate(calls, 1)
        ),
    )


def _words(request: LLMRequest, reply: str, calls: Iterable[CallRequest] = ()) -> Usage:
    prompt = sum(len(_spoken(message).split()) for message in request.messages)
    return Usage(calls=1, prompt_tokens=prompt, generated_tokens=len(_all_words(reply, calls).split()))


def _spoken(message: Message) -> str:
    """What a message says, its tool calls included."""
    return _all_words(message.content, message.calls)


def _all_words(text: str, calls: Iterable[CallRequest]) -> str:
    return " ".join([text, *(f"{call.name} {call.arguments}" for call in calls)])

"""One model call under the current ledger: bounded before it is made, charged after it, whatever its outcome."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from aeon.errors import AllowanceExhausted, ModelError
from aeon.llm.adapter import LLMAdapter
from aeon.runtime.ledger import Ledger, current_ledger
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import LLMRequest, LLMResponse, Message
from aeon.schema.usage import Usage

__all__ = ["Ask", "call", "prompt_bytes"]

_TOKENS_PER_MESSAGE = 16
_TOKENS_PER_PROMPT = 64
_LEAST_COMPLETION = 64
_MOST_ATTEMPTS = 3


@dataclass(frozen=True)
class Ask:
    """What is asked of a model, before the ledger has its say."""

    messages: tuple[Message, ...]
    max_tokens: int
    json_schema: JsonObject | None = None
    json_mode: bool = False
    top_logprobs: int = 0

    @cached_property
    def most_prompt_tokens(self) -> int:
        """The most tokens that the prompt can be: a byte-level tokenizer never needs more tokens than bytes."""
        schema = len(json.dumps(self.json_schema).encode("utf-8")) if self.json_schema is not None else 0
        return prompt_bytes(self.messages) + _TOKENS_PER_MESSAGE * len(self.messages) + _TOKENS_PER_PROMPT + schema

    def changed(self, messages: tuple[Message, ...], max_tokens: int) -> Ask:
        """The same ask with other messages and another limit."""
        return replace(self, messages=messages, max_tokens=max_tokens)


def prompt_bytes(messages: Sequence[Message]) -> int:
    """The size of all messages in UTF-8."""
    return sum(len(message.content.encode("utf-8")) for message in messages)


async def call(llm: LLMAdapter, ask: Ask) -> LLMResponse:
    """The model's answer to ``ask``, in the time and with the tokens that the ledger has left.

    ``max_tokens`` is lowered to what is left as long as that is at least 64 (or all that was asked for).

    Raises:
        AllowanceExhausted: the ledger does not admit the call.
        ModelError: the endpoint gave no answer; its attempts are charged.
    """
    ledger = current_ledger()
    request = _admitted(ledger, ask)
    try:
        response = await llm.complete(request)
    except ModelError as error:
        ledger.charge(Usage(calls=error.attempts))
        raise
    except asyncio.CancelledError:
        ledger.charge(Usage(calls=1))
        raise
    ledger.charge(response.usage)
    return response


def _admitted(ledger: Ledger, ask: Ask) -> LLMRequest:
    prompt = ask.most_prompt_tokens
    left = ledger.tokens_left()
    tokens = ask.max_tokens
    if left is not None and left - prompt >= min(_LEAST_COMPLETION, tokens):
        tokens = min(tokens, left - prompt)
    ledger.admit(prompt + tokens)
    seconds = ledger.seconds_left()
    if seconds is not None and seconds <= 0:
        raise AllowanceExhausted("seconds", "the time for this step is over")
    return LLMRequest(
        messages=ask.messages,
        max_tokens=tokens,
        json_schema=ask.json_schema,
        json_mode=ask.json_mode,
        top_logprobs=ask.top_logprobs,
        timeout=seconds,
        attempts=min(_MOST_ATTEMPTS, ledger.calls_left()),
    )

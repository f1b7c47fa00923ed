"""What a request may cost at most, in calls and tokens, and what is known of it afterwards.

Every attempt is a call of its own, and an endpoint may count the tokens of each of them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import lru_cache

from aeon.errors import ModelError
from aeon.llm.strict_schema import strict_schema
from aeon.llm.tool_calls import sent_message, sent_tool
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import LLMRequest, LLMResponse, Message, ToolSpec
from aeon.schema.usage import NOTHING, Usage

__all__ = ["lost", "most_prompt_tokens", "most_usage", "prompt_bytes", "true_usage"]

_TOKENS_PER_MESSAGE = 16
_TOKENS_PER_PROMPT = 64
_BYTES_OF_DESCRIPTION = 128
"""How long the words are that ask for a value of a schema, where it is described in the prompt."""
_TOKENS_OF_TOOL_USE = 600
"""What endpoints add to a prompt that offers tools: their own instructions for calling them."""


def prompt_bytes(messages: Sequence[Message]) -> int:
    """The size of all messages in UTF-8, with the tool calls in them and the ids of those that they answer."""
    texts = "".join([text for message in messages for text in (message.content, message.call_id)])
    return len(texts.encode("utf-8")) + sum([_calls_bytes(message) for message in messages if message.calls])


def most_prompt_tokens(messages: Sequence[Message], schema: JsonObject | None, tools: Sequence[ToolSpec] = ()) -> int:
    """The most tokens that a prompt can have: a byte-level tokenizer never needs more tokens than bytes.

    A schema counts as well, since some endpoints put it into the prompt, and so do all of them with tools.
    """
    size = _schema_bytes(json.dumps(schema)) if schema is not None else 0
    if tools:
        size += _TOKENS_OF_TOOL_USE + sum(len(json.dumps(sent_tool(tool))) for tool in tools)
    return prompt_bytes(messages) + _TOKENS_PER_MESSAGE * len(messages) + _TOKENS_PER_PROMPT + size


@lru_cache(maxsize=128)
def _schema_bytes(schema: str) -> int:
    """The size of a schema, given as JSON, in the largest of the forms in which it is sent."""
    strict = strict_schema(json.loads(schema)) or {}
    return max(len(schema), len(json.dumps(strict))) + _BYTES_OF_DESCRIPTION


def _calls_bytes(message: Message) -> int:
    """The size of a message's tool calls as they are sent."""
    return len(json.dumps(sent_message(message)["tool_calls"]).encode("utf-8"))


def most_usage(request: LLMRequest, prompt_tokens: int | None = None) -> Usage:
    """The most that all attempts of a request can use; ``prompt_tokens`` is `most_prompt_tokens` where it is known."""
    return _attempts(request, request.attempts, request.attempts, prompt_tokens)


def true_usage(request: LLMRequest, response: LLMResponse, prompt_tokens: int | None = None, surplus: int = 0) -> Usage:
    """An upper bound of what a request used: what the endpoint counted, and the most for each attempt it did not.

    A request that was answered was one call at least, whatever is said of it, and an attempt with counts that cannot be
    is one without. Of an attempt that was not counted, the prompt may be longer by the ``surplus`` that others had.
    """
    prompt = _prompt_tokens(request) if prompt_tokens is None else prompt_tokens
    counted = response.usage if _can_be(response.usage) else NOTHING
    unmetered = response.unmetered + (not response.metered or counted is not response.usage)
    beyond = max(0, counted.prompt_tokens - prompt) + max(0, counted.generated_tokens - request.max_tokens)
    calls = max(counted.calls, 1 + response.unmetered)
    if (calls, beyond) != (counted.calls, counted.surplus):
        counted = counted.changed(calls=calls, surplus=beyond)
    return counted + _attempts(request, 0, unmetered, prompt + max(surplus, beyond)) if unmetered else counted


def _can_be(usage: Usage) -> bool:
    """Whether the counts are any: an adapter of somebody's own may say what it likes."""
    counts = usage.fields()
    cost = counts.pop("cost")
    is_cost = type(cost) in (int, float) and 0 <= cost < math.inf
    return is_cost and all([type(count) is int and count >= 0 for count in counts.values()])


def lost(request: LLMRequest, error: ModelError, prompt_tokens: int | None = None) -> Usage:
    """An upper bound of what a request used that got no answer."""
    used = _attempts(request, error.attempts, error.unmetered, prompt_tokens)
    return used.changed(put_off=error.put_off) if error.put_off else used


def _prompt_tokens(request: LLMRequest) -> int:
    return most_prompt_tokens(request.messages, request.json_schema, request.tools)


def _attempts(request: LLMRequest, calls: int, worked: int, prompt_tokens: int | None) -> Usage:
    """The most that ``calls`` calls can use, if the endpoint worked on ``worked`` of them."""
    prompt = _prompt_tokens(request) if prompt_tokens is None else prompt_tokens
    return Usage(
        calls=calls,
        prompt_tokens=worked * prompt,
        generated_tokens=worked * request.max_tokens,
        estimated=worked,
    )

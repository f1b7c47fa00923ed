"""One model call under the current ledger: bounded before it is made, charged after it, whatever its outcome.

This is the one place where the cost of a call is computed, from its tokens and the price of the model.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property

from aeon.errors import AeonError, AllowanceExhausted, EndpointFailed, ModelError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.hearing import Listener, heard_by
from aeon.llm.spending import lost, most_prompt_tokens, most_usage, true_usage
from aeon.runtime.ledger import Ledger, current_ledger
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import LLMRequest, LLMResponse, Message, ToolSpec
from aeon.schema.usage import Price, Usage

__all__ = ["Ask", "adapter_failed", "call", "permitted"]

_LEAST_COMPLETION = 64
_MOST_ATTEMPTS = 3
_LONGEST_WORDS = 300
_NOTHING = Usage()


@dataclass(frozen=True)
class Ask:
    """A request to a model, before the ledger limits it.

    ``fixed`` are its first messages that are the same whatever is asked, and the characters of the next that are, too.
    ``listener`` hears the reply while it is written. ``wide``: its limit of tokens is above that of other calls, by
    what these did not take; it is tried once.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    json_schema: JsonObject | None = None
    json_mode: bool = False
    top_logprobs: int = 0
    fixed: tuple[int, int] = (0, 0)
    likelihood: bool = False
    tools: tuple[ToolSpec, ...] = ()
    listener: Listener | None = None
    wide: bool = False

    @cached_property
    def most_prompt_tokens(self) -> int:
        """The most tokens that the prompt can be."""
        return most_prompt_tokens(self.messages, self.json_schema, self.tools)

    def changed(self, messages: tuple[Message, ...], max_tokens: int) -> Ask:
        """The same ask with other messages and another limit."""
        return replace(self, messages=messages, max_tokens=max_tokens)

    def widened(self, max_tokens: int) -> Ask:
        """The same ask with a limit above that of other calls."""
        return replace(self, max_tokens=max_tokens, wide=True)

    def limited(self, max_tokens: int) -> Ask:
        """The same ask with another limit: its prompt is measured once."""
        if max_tokens == self.max_tokens:
            return self
        other = replace(self, max_tokens=max_tokens)
        other.__dict__["most_prompt_tokens"] = self.most_prompt_tokens
        return other


async def call(llm: LLMAdapter, ask: Ask, price: Price | None = None) -> LLMResponse:
    """The model's answer to ``ask``, in the time and with the tokens and the money that the ledger has left.

    ``max_tokens`` is lowered to what is left as long as that is at least 64 (or all that was asked for), and then the
    attempts to those that fit. The charge is never less than the use: the endpoint's own counts, whatever they are, and
    one call at least; the most that an attempt can take where the endpoint may have worked on it without a count; and
    the most that was admitted where the call was cancelled, for nobody knows how far it came.

    Where the endpoint counted more than a call can take, as behind a proxy that adds a prompt of its own, calls of this
    run are admitted by that much more from then on.

    Raises:
        AllowanceExhausted: the ledger does not admit the call.
        ModelError: the endpoint gave no answer; its attempts are charged. So it is, with the most that was admitted,
            where the adapter raised what is no error of Aeon.
    """
    ledger = current_ledger()
    prompt = ask.most_prompt_tokens
    likely = prompt + ledger.surplus
    request = _request(ledger, ask, likely, price)
    actual = most = _with_cost(most_usage(request, likely), price).changed(surplus=ledger.surplus)
    await ledger.admit(most)
    try:
        with nullcontext() if ask.listener is None else heard_by(ask.listener):
            response = await llm.complete(request)
        actual = _with_cost(true_usage(request, response, prompt, ledger.surplus), price)
    except ModelError as error:
        actual = _with_cost(lost(request, error, likely), price)
        raise
    except AeonError:
        actual = _NOTHING
        raise
    except Exception as error:
        raise adapter_failed(error, llm) from error
    finally:
        ledger.settle(most, actual)
    return response


@asynccontextmanager
async def permitted(most: Usage, price: Price | None) -> AsyncIterator[Callable[[Usage], None]]:
    """Admits calls that another makes, and charges what it reports of them; one call must be left for another.

    Where the block is broken off by anything but an error of Aeon, the most that was admitted is charged.

    Raises:
        AllowanceExhausted: the ledger does not admit so much; or so much more was reported that nothing is left.
    """
    ledger = current_ledger()
    if ledger.calls_left() <= most.calls:
        raise AllowanceExhausted("calls", f"{ledger.calls_left()} calls left for {most.calls} and another one")
    likely = most.prompt_tokens + most.calls * ledger.surplus
    actual = most = _with_cost(most.changed(prompt_tokens=likely), price)
    await ledger.admit(most)
    reported = _NOTHING

    def report(used: Usage) -> None:
        nonlocal reported
        reported = _with_cost(reported + used, price)
        beyond = max(0, reported.tokens - most.tokens), max(0.0, reported.cost - most.cost)
        ledger.check(Usage(prompt_tokens=beyond[0], cost=beyond[1]))

    try:
        yield report
        actual = reported
    except AeonError:
        actual = reported
        raise
    finally:
        ledger.settle(most, actual)


def adapter_failed(error: Exception, llm: LLMAdapter) -> ModelError:
    """The typed failure for what an adapter raised that it should have translated."""
    said = " ".join(str(error).split())[:_LONGEST_WORDS]
    return EndpointFailed(f"the adapter of {llm.name} raised {type(error).__name__}: {said}; mend the adapter")


def _with_cost(usage: Usage, price: Price | None) -> Usage:
    """The usage with its cost; without a price that is 0, as far as anybody knows."""
    cost = price.of(usage) if price is not None else 0.0
    return usage if usage.cost == cost else usage.changed(cost=cost)


def _request(ledger: Ledger, ask: Ask, prompt: int, price: Price | None) -> LLMRequest:
    """The request as far as what is left allows; where not even one attempt fits, the ledger will refuse it.

    ``prompt`` is the most tokens that its prompt may be counted with.
    """
    tokens = ask.max_tokens
    left = _completion_left(ledger, prompt, price)
    if left is not None and left >= min(_LEAST_COMPLETION, tokens):
        tokens = min(tokens, left)
    most = 1 if ask.wide else _MOST_ATTEMPTS
    request = LLMRequest(
        messages=ask.messages,
        max_tokens=tokens,
        json_mode=ask.json_mode,
        top_logprobs=ask.top_logprobs,
        likelihood=ask.likelihood,
        tools=ask.tools,
        fixed_messages=ask.fixed[0],
        fixed_characters=ask.fixed[1],
        timeout=ledger.seconds_left() or None,
        attempts=max(1, min(most, ledger.calls_left(), *_fitting(ledger, prompt, tokens, price))),
    )
    return request if ask.json_schema is None else request.changed(json_schema=ask.json_schema)  # JSON, as it was made


def _completion_left(ledger: Ledger, prompt: int, price: Price | None) -> int | None:
    """How many tokens may be generated after such a prompt; ``None`` without a limit."""
    limits: list[int] = []
    tokens, cost = ledger.tokens_left(), ledger.cost_left()
    if tokens is not None:
        limits.append(tokens - prompt)
    if cost is not None and price is not None and price.output:
        limits.append(_whole((cost - price.of(Usage(prompt_tokens=prompt))) / price.output * 1_000_000))
    return min(limits) if limits else None


def _fitting(ledger: Ledger, prompt: int, completion: int, price: Price | None) -> list[int]:
    """How many attempts fit into the tokens, and into the money, that are left."""
    fitting: list[int] = []
    tokens, cost = ledger.tokens_left(), ledger.cost_left()
    if tokens is not None:
        fitting.append(tokens // (prompt + completion))
    attempt_cost = price.of(Usage(prompt_tokens=prompt, generated_tokens=completion)) if price is not None else 0.0
    if cost is not None and attempt_cost:
        fitting.append(_whole(cost / attempt_cost))
    return fitting


def _whole(number: float) -> int:
    """The whole units that surely fit: sums and products of binary fractions can be off by a little."""
    return int(number * (1 - 1e-12))

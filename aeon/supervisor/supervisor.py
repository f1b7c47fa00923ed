"""The one place where model text becomes a valid object: asks, reads, asks again with the errors, gives up in time.

Every call is admitted by the current ledger before it is made and charged to it afterwards, whatever its outcome.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from aeon.errors import (
    AeonError,
    AllowanceExhausted,
    CompletionError,
    EndpointTimeout,
    Malformed,
    Refused,
)
from aeon.llm.adapter import LLMAdapter
from aeon.llm.asking import described
from aeon.runtime.ledger import current_ledger
from aeon.schema.frozen import JsonObject
from aeon.schema.judgment import Form
from aeon.schema.llm import Capabilities, LLMResponse, Message, ToolSpec
from aeon.schema.usage import Price, Usage
from aeon.supervisor.asking_again import explained, first, following, with_attempts, with_note
from aeon.supervisor.bounds import Bounds, bounds
from aeon.supervisor.calls import Ask, adapter_failed, call, permitted
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.reading import plain_text, shares, whole
from aeon.supervisor.repair import parse
from aeon.supervisor.schema import schema_of
from aeon.supervisor.thoughts import Room
from aeon.supervisor.told import Manner, Prose, told
from aeon.supervisor.turns import REFUSALS, Spoken, TurnAsk, is_of_another_field

__all__ = ["Reply", "Supervisor"]

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

_ALTERNATIVES, _MOST_ALTERNATIVES = 10, 20
_UNKNOWN = Capabilities()
_MOST_UNANSWERED = 100


@dataclass(frozen=True)
class Reply(Generic[T]):
    """A usable answer: its value, whether its syntax was mended, how many asks it took, and the form that was used.

    ``form`` is ``none`` for plain text, ``verdict`` for an object. ``likelihood`` says how likely (0-1) the model was
    to write this very text, where that was asked for and the endpoint tells.
    """

    value: T
    mended: bool = False
    attempts: int = 1
    form: Form = "none"
    likelihood: float | None = None


class Supervisor:
    """Asks a model and lets only whole, valid answers through.

    ``repairs`` is how many times it asks again after an unusable answer, so one call of a method makes at most
    ``1 + repairs`` model calls, or two where thoughts were cut off. ``prompt_bytes`` and ``output_tokens`` bound each
    of them: what would be longer is not asked, so that no call spends more than ``prompt_bytes + output_tokens``
    tokens; a measured context lowers both. Where a model thinks before it answers, its calls may take
    ``thought_tokens`` more; thoughts that were cut off get what prompts and earlier calls left of all this.
    ``price`` is what the model costs, ``None`` where that is not known: then every call is charged a cost of 0.
    """

    def __init__(
        self,
        llm: LLMAdapter,
        repairs: int = 2,
        prompt_bytes: int = 20_000,
        output_tokens: int = 1_024,
        price: Price | None = None,
        thought_tokens: int = 0,
    ) -> None:
        self.llm = llm
        self.repairs = repairs
        self.prompt_bytes = prompt_bytes
        self.output_tokens = output_tokens
        self.price = price
        self.thought_tokens = thought_tokens
        self._capabilities: Capabilities | None = None
        self._needed = 0  # tokens of an answer with its thoughts
        self._unanswered: deque[str] = deque(maxlen=_MOST_UNANSWERED)  # runs in which it took too long
        self._manner = Manner()

    def through(self, llm: LLMAdapter) -> Supervisor:
        """The same supervisor, which asks the same endpoint through another adapter."""
        other = Supervisor(llm, self.repairs, self.prompt_bytes, self.output_tokens, self.price, self.thought_tokens)
        other._capabilities = self._capabilities
        other._unanswered = self._unanswered
        other._manner = self._manner
        return other

    async def capabilities(self) -> Capabilities:
        """The capabilities of the endpoint, asked of the adapter once.

        The calls that this may take are charged to the current ledger. Where it has no room for them and one more, the
        endpoint is taken for one that can only write text; that is not remembered. So it is for the rest of a run in
        which it took too long to answer them.

        Raises:
            AllowanceExhausted: the time is over.
            ModelError: the endpoint gives no answer.
        """
        if self._capabilities is None:
            ledger = current_ledger()
            if ledger.execution_id and ledger.execution_id in self._unanswered:
                return _UNKNOWN
            try:
                async with asyncio.timeout(ledger.seconds_left()):
                    self._capabilities = await self.llm.capabilities(self._permit)
            except AllowanceExhausted:
                return _UNKNOWN
            except TimeoutError:
                self._unanswered.append(ledger.execution_id)
                raise AllowanceExhausted("seconds", "the time for this step is over") from None
            except EndpointTimeout:
                self._unanswered.append(ledger.execution_id)
                raise
            except AeonError:
                raise
            except Exception as error:
                raise adapter_failed(error, self.llm) from error
        return self._capabilities

    def _permit(self, most: Usage) -> AbstractAsyncContextManager[Callable[[Usage], None]]:
        """Lets the adapter make calls to find out what the endpoint can do; none larger than those of a run may be."""
        tokens = self.output_tokens + self.thought_tokens
        if most.generated_tokens > most.calls * tokens:
            raise AllowanceExhausted("tokens", f"a probe takes more than the {tokens} tokens of a call")
        return permitted(most, self.price)

    async def structured(
        self,
        prompt: Prompt,
        model: type[M],
        *,
        max_tokens: int = 512,
        schema: JsonObject | None = None,
        check: Callable[[M], Sequence[str]] | None = None,
        repairs: int | None = None,
    ) -> Reply[M]:
        """A ``model`` instance that is valid against ``schema`` (default: the model's own) and passes ``check``.

        ``check`` gives texts that say what is wrong with a valid value, such as an unknown tool; none means good.
        ``repairs`` are at most as many as the supervisor's own, the default.

        Raises:
            Malformed: no valid value after the repairs; the text names the path of each fault.
            Truncated: the answer was cut off by its token limit, and once more with a larger one.
            Refused: the endpoint says that the model declined.
            EmptyCompletion: nothing was answered, repairs included.
            AllowanceExhausted: the prompt is too long, or the ledger does not admit a call.
            ModelError: the endpoint gave no answer at all.
            ConfigError: ``schema`` is not a valid JSON Schema.
        """
        against = schema if schema is not None else schema_of(model)
        can = await self.capabilities()

        def read(response: LLMResponse) -> tuple[M, bool]:
            parsed = parse(self._whole(response).text, against)
            try:
                value = model.model_validate(parsed.value)
            except ValidationError as error:
                raise Malformed(_faults(error)) from error
            faults = check(value) if check else ()
            if faults:
                raise Malformed("; ".join(faults))
            return value, parsed.mended

        messages = prompt.messages if can.json_schema else with_note(prompt.messages, described(against))
        enforced = against if can.json_schema else None
        json_mode = can.json_mode and not can.json_schema
        ask = Ask(messages, max_tokens, enforced, json_mode, fixed=prompt.fixed_part)
        return await self._until_usable(ask, read, form="verdict", repairs=repairs)

    async def said(self, prompt: Prompt, *, max_tokens: int) -> str | None:
        """Plain text, asked for once; ``None`` where the model says nothing usable, or no call is left for it.

        Raises:
            ModelError: the endpoint gave no answer at all.
        """
        try:
            return (await self.text(prompt, max_tokens=max_tokens, repairs=0)).value
        except (CompletionError, AllowanceExhausted):
            return None

    async def text(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        repairs: int = 1,
        likelihood: bool = False,
        tell: bool = False,
    ) -> Reply[str]:
        """Plain text without the model's thinking and what a chat template leaks beside it.

        It is asked for again ``repairs`` times at most. ``likelihood`` asks how likely it is, where the endpoint can
        tell. ``tell``: the answer is made of it, so that whoever watches the run is told it while it is written.

        Raises:
            Truncated: the text was cut off, and once more with a larger limit; or it is not known to have ended.
            Refused: the endpoint says that the model declined.
            EmptyCompletion: nothing was answered, twice.
            Malformed: the text is longer than any answer that was asked for can be.
            AllowanceExhausted: the prompt is too long, or the ledger does not admit a call.
            ModelError: the endpoint gave no answer at all.
        """
        scored = likelihood and (await self.capabilities()).logprobs
        ask = partial(Ask, prompt.messages, max_tokens, fixed=prompt.fixed_part, likelihood=scored)
        return await told(
            self._prose(tell),
            lambda prose: self._texted(ask(listener=prose), repairs),
            lambda reply: reply.value,
        )

    async def _texted(self, asked: Ask, repairs: int) -> Reply[str]:
        def read(response: LLMResponse) -> tuple[str, bool]:
            return plain_text(self._whole(response)), False

        return await self._until_usable(asked, read, repairs=repairs)

    def _prose(self, tell: bool, turn: bool = False) -> Prose | None:
        """What tells of the replies to a request; ``None`` where nobody watches."""
        telling = current_ledger().telling if tell else None
        return Prose(telling, self._manner, turn) if telling is not None else None

    async def turn(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] = (),
        *,
        max_tokens: int,
        repairs: int = 1,
        tell: Callable[[Spoken], str] | None = None,
    ) -> Reply[Spoken]:
        """What the model says next in a conversation in which it may call ``tools``; without them it is plain text.

        It is asked by the endpoint's own tool calls, else for one JSON action. Where an endpoint refuses the former,
        that is remembered, and the latter is asked for within the same calls. Calls come as the model wrote them, with
        whatever name and arguments. ``repairs`` are at most as many as the supervisor's own.
        ``tell`` gives the text of it that the answer is made of: whoever watches the run is told it while it is
        written, and where it comes in JSON when that is read.

        Raises:
            EmptyCompletion: neither text nor calls, twice; without tools: no text, twice.
            Malformed: the action is none, repairs included, or larger than any answer can be.
            Truncated, Refused, AllowanceExhausted, ModelError: as for `text`.
        """
        return await told(
            self._prose(tell is not None, turn=True),
            lambda prose: self._turned(TurnAsk(messages, tools, self._whole, prose), max_tokens, repairs),
            lambda reply: tell(reply.value) if tell is not None else "",
        )

    async def _turned(self, turn: TurnAsk, max_tokens: int, repairs: int) -> Reply[Spoken]:
        allowed, refused = min(repairs, self.repairs), 0
        native = (await self.capabilities()).tools
        fell_back = native and bool(turn.tools)
        while native:
            try:
                return await self._until_usable(turn.native(max_tokens), turn.read_native, repairs=allowed - refused)
            except REFUSALS as error:
                if turn.answered or refused == allowed:
                    raise
                refused += 1
                native = is_of_another_field(error)
        ask = turn.action(max_tokens, await self.capabilities())
        reply = await self._until_usable(ask, turn.read_action, repairs=allowed - refused)
        if fell_back and self._capabilities is not None:
            self._capabilities = self._capabilities.changed(tools=False)
        return replace(reply, attempts=reply.attempts + refused)

    async def turn_room(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> int:
        """How many bytes more the prompt of such a `turn` may have; negative where it is too long.

        Raises:
            AllowanceExhausted, ModelError: as for `bounds`.
        """
        size = TurnAsk(messages, tools, self._whole).most_prompt_tokens(await self.capabilities())
        return (await self.bounds()).prompt_bytes - size

    async def probability(self, prompt: Prompt) -> float:
        """How likely the answer to a yes/no question is yes (0-1), in one call; errors as for `probabilities`."""
        return (await self.probabilities(prompt, ("Yes", "No")))[0]

    async def probabilities(self, prompt: Prompt, answers: Sequence[str], least: float = 0.0) -> tuple[float, ...]:
        """How likely each of these answers is (0-1, together 1), by the first token's probabilities, in one call.

        Each is told from the others by its first token, as "Yes" and "No", or "1" to "9" are.

        Raises:
            Malformed: none is among the likely tokens, or all together are less likely (0-1) than ``least``; or the
                endpoint tells none.
            Refused: the endpoint says that the model declined.
            AllowanceExhausted: the prompt is too long, or the ledger does not admit a call.
            ModelError: the endpoint gave no answer at all.
        """
        if not (await self.capabilities()).logprobs:
            raise Malformed(f"first token: {self.llm.name} does not tell how likely it is")
        told = min(_MOST_ALTERNATIVES, max(_ALTERNATIVES, 2 * len(answers)))
        response = await self._call(Ask(prompt.messages, max_tokens=1, top_logprobs=told, fixed=prompt.fixed_part))
        return shares(response, answers, least, self.llm.name)

    async def _until_usable(
        self,
        ask: Ask,
        read: Callable[[LLMResponse], tuple[T, bool]],
        *,
        form: Form = "none",
        repairs: int | None = None,
    ) -> Reply[T]:
        """Ask, and ask again with what was wrong, until ``read`` accepts the answer or the repairs are used up."""
        can, room, attempts = await self.capabilities(), await self._room(), self._most_attempts(repairs)
        before = current_ledger().spent
        current = first(ask, (await self.bounds()).output_tokens, max(self._needed, can.thought_tokens), room)
        for attempt in range(1, max(2, attempts) + 1):
            response = await self._call(current)
            try:
                value, mended = read(response)
            except Refused:
                raise
            except CompletionError as caught:
                then = following(ask, current, response, caught, can, room, current_ledger().spent - before)
                if then is None or attempt == (max(2, attempts) if then.wide else attempts) or _is_late(then):
                    raise with_attempts(explained(caught, response, can), attempt) from caught
                current = then
            else:
                self._needed = max(self._needed, response.usage.generated_tokens * current.wide)
                current_ledger().charge(Usage(mended=int(mended)))
                return Reply(value, mended, attempt, form, response.likelihood)
        raise AssertionError("the loop above returns or raises")

    async def _room(self) -> Room:
        """What the bound of a run counts for a call."""
        tokens, can = self.output_tokens + self.thought_tokens, await self.capabilities()
        return Room(self.prompt_bytes, tokens, self.price, can.context_tokens)

    def _most_attempts(self, repairs: int | None) -> int:
        return 1 + (self.repairs if repairs is None else min(repairs, self.repairs))

    async def bounds(self) -> Bounds:
        """How large one call may be on this endpoint: as configured, and no more than was measured to fit.

        Raises:
            AllowanceExhausted: the time is over.
            ModelError: the endpoint gives no answer.
        """
        can = await self.capabilities()
        thoughts = self.thought_tokens if can.hidden_reasoning else 0
        return bounds(can, self.prompt_bytes, self.output_tokens + thoughts)

    def _whole(self, response: LLMResponse, may_call: bool = False) -> LLMResponse:
        return whole(response, self.llm.name, may_call)

    async def _call(self, ask: Ask) -> LLMResponse:
        """One call within the bounds of every call; an answer that thoughts precede gets all the room there is."""
        can, most = await self.capabilities(), await self.bounds()
        size = ask.most_prompt_tokens
        if size > most.prompt_bytes:
            raise AllowanceExhausted("calls", f"prompt: it has {size} bytes; at most {most.prompt_bytes} are sent")
        if not ask.wide:
            tokens = most.output_tokens if can.hidden_reasoning else ask.max_tokens
            ask = ask.limited(min(tokens, most.output_tokens))
        return await call(self.llm, ask, self.price)


def _is_late(ask: Ask) -> bool:
    """Whether no call is left for thoughts that were cut off: then that is what is said."""
    return ask.wide and current_ledger().calls_left() < 1


def _faults(error: ValidationError) -> str:
    """The first faults pydantic found, each with its path."""
    lines = []
    for fault in error.errors(include_url=False, include_context=False, include_input=False)[:5]:
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"])
        lines.append(f"${path}: {fault['msg']}")
    return "; ".join(lines)

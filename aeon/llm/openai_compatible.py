"""Any endpoint that speaks the OpenAI chat completion protocol: hosted, llama.cpp, vLLM, Ollama and others."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx2
import openai

from aeon.errors import AeonError, EndpointFailed, EndpointTimeout, MalformedResponse, ModelError, RequestRefused
from aeon.llm.adapter import Permit, freely
from aeon.llm.asking import OPTIONAL_FIELDS, Form, forms, request_body
from aeon.llm.base_url import plain_key, plain_url
from aeon.llm.connections import Connections
from aeon.llm.patience import Patience
from aeon.llm.probe import OMITTED, measured, probe, told
from aeon.llm.probe_records import Memory, recall
from aeon.llm.profiles import Told
from aeon.llm.replies import events
from aeon.llm.translation import (
    RETRIED,
    TRANSLATED,
    backoff,
    one_line,
    refused_part,
    retry_after,
    translate,
    unreadable,
)
from aeon.llm.wire import Gathering, WireReply, parse
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse

__all__ = ["OPENAI_BASE_URL", "OpenAICompatible"]

OPENAI_BASE_URL = "https://api.openai.com/v1"

COMPLETIONS = "/chat/completions"
CHECK_URL = "check that the base URL ends in the API's root, such as /v1"
LONGEST_WAIT = 300.0
"""Seconds that rate limits may put a call off in all, where no budget of time bounds it."""
NO_COUNTS = "use a server that sends usage"


@dataclass(frozen=True)
class _Failure:
    """What went wrong in one attempt; ``rephrase`` if it is worth asking again in another form, at once."""

    error: ModelError
    rephrase: bool = False
    plainer: bool = False
    wait: float | None = None


@dataclass
class _Attempts:
    """A request, the forms to ask in that are left, and how often it was tried."""

    request: LLMRequest
    ways: tuple[Form, ...]
    omitted: tuple[str, ...]
    made: int = 1
    retries: int = 0
    unmetered: int = 0

    @property
    def calls_before(self) -> int:
        """How many tool calls the conversation holds."""
        return sum(len(message.calls) for message in self.request.messages)


def _uncalled(error: ModelError) -> ModelError:
    """The error of a request that was not made."""
    error.attempts = 0
    return error


class OpenAICompatible:
    """A model behind an OpenAI-compatible API.

    ``base_url`` is the API's root, such as ``http://127.0.0.1:8080/v1``, by default OpenAI's. ``api_key`` is sent to
    it and nowhere else; no environment variable is read. Failures that another attempt can cure are retried at most
    ``retries`` times, with exponential backoff or as long as ``Retry-After`` says, within the deadline. Where a rate
    limit says how long to wait, that is no attempt: it is waited for within the request's deadline, or for 300 s in all
    where the request has none.
    ``timeout`` is the deadline of a whole call and ``idle_timeout`` the longest wait for the next token, in seconds.
    ``capabilities`` skips probing.
    A ``base_url`` with a user, a password or a query in it is refused with `ConfigError`, and so is a key that no HTTP
    header can carry.

    Token counts are the endpoint's own; a count that cannot be (none for a text, below 0, beyond ten million) is taken
    for none, and that attempt counts as unmetered. Answers are streamed, so that an idle deadline can be held; an
    endpoint whose streams have no counts is asked again without streaming, and from then on only so. One that tells no
    counts at all gives `MalformedResponse`, since no budget could be kept with it. A stream that ends before the
    endpoint said why is a failure, never a short answer.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        retries: int = 2,
        timeout: float = 120.0,
        idle_timeout: float = 60.0,
        capabilities: Capabilities | None = None,
    ) -> None:
        self._model = model
        self._base_url = plain_url(base_url or OPENAI_BASE_URL)
        self._api_key = plain_key(api_key)
        self._retries = retries
        self._timeout = timeout
        self._idle_timeout = idle_timeout
        self._capabilities = capabilities
        self._own = Memory(self._base_url, model, kept=False) if capabilities is not None else None
        self._connections = Connections(self._base_url, api_key)

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self._model

    @property
    def free(self) -> bool:
        """Nobody knows what an endpoint charges, unless its price is set."""
        return False

    @property
    def base_url(self) -> str:
        """The API's root."""
        return self._base_url

    @property
    def connections(self) -> Connections:
        """The connections to the endpoint, for what a server offers beside completions."""
        return self._connections

    @property
    def place(self) -> str:
        """What tells this endpoint from others: its URL."""
        return self._base_url

    def __repr__(self) -> str:
        return f"OpenAICompatible({self._model!r}, {self._base_url!r})"

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion; see `LLMAdapter.complete`. Raises `ModelError`."""
        # a run never asks for more than it knows, so that it is probed under its own permit
        capabilities = Capabilities()
        if request.json_schema is not None or request.json_mode or request.top_logprobs or request.likelihood:
            capabilities = await self.capabilities()
        if not capabilities.logprobs:
            request = request.changed(top_logprobs=0, likelihood=False)
        return await self._converse(request, forms(request, capabilities, self._memory.habits))

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """What the endpoint can do: as measured by ``aeon doctor``, else by a few tiny calls on first use.

        What these found is kept on disk for 30 days, as long as the server says the same of itself; so is which fields
        of a request it refuses.

        Raises `ModelError`, and `AllowanceExhausted` where ``permit`` does not allow the calls.
        """
        async with self._connections.lock():
            if self._capabilities is None:
                self._capabilities = await measured(self, permit) or await self._probed(permit)
        left_out = self._memory.habits.left_out
        if "tools" in left_out and self._capabilities.tools:
            self._capabilities = self._capabilities.changed(tools=False)
        if "logprobs" in left_out and self._capabilities.logprobs:
            self._capabilities = self._capabilities.changed(logprobs=False)
        return self._capabilities

    async def _probed(self, permit: Permit) -> Capabilities:
        """What probes find, or found before."""
        memory = self._memory
        if memory.capabilities is None or not memory.confirmed:
            facts = await self.told()
            memory.confirm(facts)
            if memory.capabilities is None:
                found = await probe(self._ask_for_little, permit)
                memory.found(found.changed(context_tokens=facts.context_tokens), facts)
        assert memory.capabilities is not None
        return memory.capabilities

    async def _ask_for_little(self, request: LLMRequest, form: Form) -> LLMResponse:
        return await self._converse(request, (form,), OMITTED)

    @property
    def _memory(self) -> Memory:
        """What is known of the endpoint; where its capabilities were given, of this adapter's alone."""
        return self._own or recall(self._base_url, self._model)

    async def ask(self, request: LLMRequest, form: Form) -> LLMResponse:
        """One completion in exactly this form, whatever is known of the endpoint. Raises `ModelError`."""
        return await self._converse(request, (form,))

    async def told(self) -> Told:
        """The models and the context length that the server advertises."""
        return await told(self._connections, self._model)

    async def aclose(self) -> None:
        """Close the running loop's connections."""
        await self._connections.aclose()

    @property
    def _where(self) -> str:
        return f"{self._base_url} (model {self._model})"

    async def _converse(
        self, request: LLMRequest, ways: tuple[Form, ...], omitted: tuple[str, ...] = ()
    ) -> LLMResponse:
        if request.tools and "tools" in self._memory.habits.left_out:
            raise _uncalled(RequestRefused(f"{self._where} takes no tools; ask without them"))
        clock = asyncio.get_running_loop().time
        deadline = clock() + (request.timeout or self._timeout)
        patience = Patience(LONGEST_WAIT if request.timeout is None else None)
        attempts = _Attempts(request, ways, omitted)
        while True:
            outcome = await self._attempt(attempts, deadline)
            if isinstance(outcome, Gathering):
                self._remember(attempts)
                return outcome.response(attempts.made, attempts.unmetered, patience.waits, attempts.calls_before)
            wait = patience.asked(outcome.error, outcome.wait, deadline - clock())
            if wait is not None:
                deadline += wait if request.timeout is None else 0
            else:
                wait = self._wait(outcome, attempts, patience.waits, deadline - clock())
            await asyncio.sleep(wait)

    def _wait(self, failure: _Failure, attempts: _Attempts, put_off: int, left: float) -> float:
        """Seconds to wait before the next attempt; raises the failure's error if none is due or possible."""
        error = failure.error
        attempts.unmetered += error.unmetered
        error.attempts, error.unmetered, error.put_off = attempts.made, attempts.unmetered, put_off
        if failure.plainer:
            attempts.ways = attempts.ways[1:]
        if attempts.made >= attempts.request.attempts:
            raise error
        attempts.made += 1
        if failure.rephrase:
            return 0
        attempts.retries += 1
        wait = backoff(attempts.retries) if failure.wait is None else failure.wait
        if not isinstance(error, RETRIED) or attempts.retries > self._retries or wait >= left:
            raise error
        return wait

    def _remember(self, attempts: _Attempts) -> None:
        """Keep what was learnt on the way to an answer."""
        if attempts.ways[0] == "strict_schema":
            self._memory.habits.strict = True
        self._memory.keep()

    async def _attempt(self, attempts: _Attempts, deadline: float) -> Gathering | _Failure:
        """What came of one call. However it fails, the call was made, and the failure has its type."""
        habits = self._memory.habits
        body = request_body(attempts.request, self._model, attempts.ways[0], habits, attempts.omitted)
        try:
            return await self._tried(body, attempts, deadline)
        except ModelError as error:
            return _Failure(error)
        except AeonError:
            raise
        except Exception as error:  # noqa: BLE001 - what an endpoint sends can make the SDK raise anything
            return _Failure(unreadable(error, self._where, self._api_key))

    async def _tried(self, body: JsonObject, attempts: _Attempts, deadline: float) -> Gathering | _Failure:
        try:
            gathering = await self._exchange(body, deadline)
        except TRANSLATED as raw:
            return self._understand(raw, body, attempts)
        if gathering.counted:
            return gathering
        again = self._memory.habits.learn("stream_options")
        return _Failure(
            MalformedResponse(f"{self._where} tells no token counts, so no budget can be kept; {NO_COUNTS}"), again
        )

    def _understand(self, raw: BaseException, body: JsonObject, attempts: _Attempts) -> _Failure:
        if not isinstance(raw, openai.APIStatusError):
            return _Failure(translate(raw, self._where, self._api_key))
        field = refused_part(raw, [name for name in OPTIONAL_FIELDS if name in body])
        error = translate(raw, self._where, self._api_key, field)
        if isinstance(error, RequestRefused):
            error.field = field or ""
        if field == "response_format":
            return self._plainer(error, attempts)
        if field is not None:
            return self._without(field, raw, error, attempts.request)
        wait = retry_after(raw.response.headers)
        if wait:
            error = type(error)(f"{error}; it asks to wait {wait:g} s")
        return _Failure(error, wait=wait)

    def _plainer(self, error: ModelError, attempts: _Attempts) -> _Failure:
        """What follows where the form is refused: the next one is asked for, from now on at once."""
        schema, more = attempts.request.json_schema, len(attempts.ways) > 1
        if more and schema is not None:
            self._memory.habits.take(schema, attempts.ways[1])
        return _Failure(error, rephrase=more, plainer=more)

    def _without(self, field: str, raw: openai.APIStatusError, error: ModelError, request: LLMRequest) -> _Failure:
        """What follows where a field is refused: it is left out from now on, and asked without it now if that helps.

        A fault in one of the tools says nothing of the others.
        """
        if field == "tools" and str(raw.param or "tools") != "tools":
            return _Failure(error)
        news = self._memory.habits.learn(field)
        wanted = field == "tools" or ("logprobs" in field and request.top_logprobs > 0)
        return _Failure(error, rephrase=news and not wanted)

    async def _exchange(self, body: JsonObject, deadline: float) -> Gathering:
        """Send the body and read what comes back: a stream of events, or one whole reply."""
        client = await self._connections.client()
        streamed = "stream" in body
        async with self._patience(deadline) if streamed else asyncio.timeout_at(deadline):
            stream = await client.post(
                COMPLETIONS,
                body=body,
                cast_to=object,
                options=self._connections.options(),
                stream=True,  # the reply is read here, within its limits
                stream_cls=openai.AsyncStream[object],
            )
        async with stream:
            response = stream.response
            if streamed and "json" not in response.headers.get("content-type", "").lower():
                return await self._follow(response, deadline)
            async with asyncio.timeout_at(deadline):  # a server that knows no streaming
                return self._gather(await response.aread())

    async def _follow(self, response: httpx2.Response, deadline: float) -> Gathering:
        gathering = Gathering()
        async with contextlib.aclosing(events(response.aiter_bytes(), self._base_url)) as stream:
            while True:
                async with self._patience(deadline):
                    event = await anext(stream, None)
                if event is None:
                    break
                gathering.add(self._understood(event))
        if not gathering.started:
            raise MalformedResponse(f"{self._where} answered something that is no chat completion; {CHECK_URL}")
        if not gathering.finished:
            raise EndpointFailed(f"{self._where} broke off in the middle of its answer; try again or look at its log")
        return gathering

    def _gather(self, reply: bytes) -> Gathering:
        gathering = Gathering()
        gathering.add(self._understood(reply))
        if not gathering.started:
            raise MalformedResponse(f"{self._where} answered something that is no chat completion; {CHECK_URL}")
        return gathering

    def _understood(self, raw: bytes) -> WireReply:
        """A completion or a part of it. Raises `EndpointFailed` where it is the report of an error."""
        reply = parse(raw, self._where)
        if reply.complaint:
            detail = one_line(reply.complaint, self._api_key)
            raise EndpointFailed(f"{self._where} reported an error: {detail}; try again or look at its log")
        return reply

    @contextlib.asynccontextmanager
    async def _patience(self, deadline: float) -> AsyncIterator[None]:
        """Holds both deadlines: the idle one anew each time, and the total one."""
        patience = asyncio.get_running_loop().time() + self._idle_timeout
        try:
            async with asyncio.timeout_at(min(patience, deadline)):
                yield
        except TimeoutError:
            if deadline <= patience:
                raise
            raise EndpointTimeout(
                f"{self._where} sent nothing for {self._idle_timeout:g} s; allow more time or ask for fewer tokens"
            ) from None

"""A model behind an HTTP endpoint: attempts, waits and deadlines, whatever the endpoint's API looks like."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx2
import openai

from aeon.errors import AeonError, EndpointFailed, EndpointTimeout, MalformedResponse, ModelError, RateLimited
from aeon.llm.asking import Form, Habits
from aeon.llm.connections import Connections
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
from aeon.schema.llm import LLMRequest, LLMResponse

__all__ = ["LONGEST_WAIT", "Endpoint", "Reading"]

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


class _Patience:
    """Waits as long as a rate limit asks; ``most`` bounds the seconds in all, ``None``: the time that is left does.

    The endpoint did not work on such a request, so it is no call. Each wait is at least a backoff, so that an endpoint
    that never asks for a real one is not asked without end.
    """

    def __init__(self, most: float | None) -> None:
        self._left = most
        self.waits = 0

    def asked(self, failure: _Failure, left: float) -> float | None:
        """Seconds to wait before the request is made again; ``None`` if it was not put off, or for too long."""
        if not failure.wait or not isinstance(failure.error, RateLimited):
            return None
        wait = max(failure.wait, backoff(self.waits + 1))
        if wait >= (left if self._left is None else self._left):
            return None
        self.waits += 1
        if self._left is not None:
            self._left -= wait
        return wait


class Reading:
    """The reply to one attempt, put together out of whole bodies or the events of a stream.

    An API of its own derives from it and reads each piece as one of the OpenAI protocol, so that all limits, counts and
    reasons to stop are checked in one place (`aeon.llm.wire`).
    """

    def __init__(self, where: str, request: LLMRequest) -> None:
        self.where = where
        self.gathered = Gathering()
        self._calls_before = sum(len(message.calls) for message in request.messages)

    def read(self, raw: bytes) -> WireReply:
        """A completion or a part of it. Raises `MalformedResponse`."""
        return parse(raw, self.where)

    def response(self, attempts: int, unmetered: int, put_off: int) -> LLMResponse:
        """The completion; see `Gathering.response`."""
        return self.gathered.response(attempts, unmetered, put_off, self._calls_before)


class Endpoint(ABC):
    """What every model behind an HTTP endpoint shares; derive from it for an API.

    Failures that another attempt can cure are retried at most ``retries`` times, with exponential backoff or as long as
    ``Retry-After`` says, within the deadline. Where a rate limit says how long to wait, that is no attempt: it is
    waited for within the request's deadline, or for 300 s in all where the request has none. ``timeout`` is the
    deadline of a whole call and ``idle_timeout`` the longest wait for the next token, in seconds.
    """

    optional: tuple[str, ...] = ()
    """Fields of a request that an endpoint may refuse and that can be done without or asked for otherwise."""
    shaping: tuple[str, ...] = ()
    """Those of them that ask for the shape of the answer: refused, the next form is tried."""
    check_url = "check the base URL"

    def __init__(self, model: str, connections: Connections, retries: int, timeout: float, idle_timeout: float) -> None:
        self._model = model
        self._connections = connections
        self._api_key = connections.api_key
        self._base_url = connections.base_url
        self._retries = retries
        self._timeout = timeout
        self._idle_timeout = idle_timeout
        self._habits = Habits()

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
        return f"{type(self).__name__}({self._model!r}, {self._base_url!r})"

    async def aclose(self) -> None:
        """Close the running loop's connections."""
        await self._connections.aclose()

    @abstractmethod
    def _path(self, streamed: bool) -> str:
        """Where completions are asked for, below the base URL."""

    @abstractmethod
    def _body(self, request: LLMRequest, form: Form) -> JsonObject:
        """The JSON body that asks for a completion."""

    def _reading(self, request: LLMRequest, form: Form) -> Reading:
        """What reads the reply to one attempt."""
        return Reading(self._where, request)

    def _translate(self, raw: BaseException) -> ModelError:
        """Aeon's error for what an attempt raised."""
        return translate(raw, self._where, self._api_key)

    def _asks_to_wait(self, raw: openai.APIStatusError) -> float | None:
        """Seconds that the endpoint asks to wait; ``None`` if it does not say."""
        return retry_after(raw.response.headers)

    @property
    def _where(self) -> str:
        return f"{self._base_url} (model {self._model})"

    async def _converse(self, request: LLMRequest, ways: tuple[Form, ...]) -> LLMResponse:
        clock = asyncio.get_running_loop().time
        deadline = clock() + (request.timeout or self._timeout)
        patience = _Patience(LONGEST_WAIT if request.timeout is None else None)
        retries = unmetered = 0
        attempts = 1
        while True:
            outcome = await self._attempt(request, ways, deadline)
            if isinstance(outcome, Reading):
                return outcome.response(attempts, unmetered, patience.waits)
            wait = patience.asked(outcome, deadline - clock())
            if wait is not None:
                await asyncio.sleep(wait)
                deadline += wait if request.timeout is None else 0
                continue
            unmetered += outcome.error.unmetered
            outcome.error.attempts, outcome.error.unmetered = attempts, unmetered
            outcome.error.put_off = patience.waits
            if attempts >= request.attempts:
                raise outcome.error
            attempts += 1
            if outcome.rephrase:
                ways = ways[1:] if outcome.plainer else ways
                continue
            retries += 1
            await asyncio.sleep(self._wait(outcome, retries, deadline - clock()))

    def _wait(self, failure: _Failure, retry: int, left: float) -> float:
        """Seconds to wait before this retry; raises the failure's error if none is due or the deadline is nearer."""
        wait = backoff(retry) if failure.wait is None else failure.wait
        if not isinstance(failure.error, RETRIED) or retry > self._retries or wait >= left:
            raise failure.error
        return wait

    async def _attempt(self, request: LLMRequest, ways: tuple[Form, ...], deadline: float) -> Reading | _Failure:
        """What came of one call. However it fails, the call was made, and the failure has its type."""
        try:
            return await self._tried(request, ways, deadline)
        except ModelError as error:
            return _Failure(error)
        except AeonError:
            raise
        except Exception as error:  # noqa: BLE001 - what an endpoint sends can make the SDK raise anything
            return _Failure(unreadable(error, self._where, self._api_key))

    async def _tried(self, request: LLMRequest, ways: tuple[Form, ...], deadline: float) -> Reading | _Failure:
        reading = self._reading(request, ways[0])
        try:
            await self._exchange(self._body(request, ways[0]), reading, deadline)
        except TRANSLATED as raw:
            return self._understand(raw, len(ways) > 1)
        if reading.gathered.counted:
            return reading
        again = self._habits.learn("stream_options")
        return _Failure(
            MalformedResponse(f"{self._where} tells no token counts, so no budget can be kept; {NO_COUNTS}"), again
        )

    def _understand(self, raw: BaseException, can_be_plainer: bool) -> _Failure:
        error = self._translate(raw)
        if not isinstance(raw, openai.APIStatusError):
            return _Failure(error)
        field = refused_part(raw, self.optional)
        if field in self.shaping:
            return _Failure(error, rephrase=can_be_plainer, plainer=can_be_plainer)
        if field is not None:
            return _Failure(error, rephrase=self._habits.learn(field))
        wait = self._asks_to_wait(raw)
        if wait:
            error.args = (f"{error}; it asks to wait {wait:g} s",)
        return _Failure(error, wait=wait)

    async def _exchange(self, body: JsonObject, reading: Reading, deadline: float) -> None:
        """Send the body and read what comes back: a stream of events, or one whole reply."""
        streamed = self._habits.streams
        client = await self._connections.client()
        async with self._patience(deadline) if streamed else asyncio.timeout_at(deadline):
            stream = await client.post(
                self._path(streamed),
                body=body,
                cast_to=object,
                options=self._connections.options(),
                stream=True,  # the reply is read here, within its limits
                stream_cls=openai.AsyncStream[object],
            )
        async with stream:
            response = stream.response
            if streamed and "json" not in response.headers.get("content-type", "").lower():
                await self._follow(response, reading, deadline)
                return
            async with asyncio.timeout_at(deadline):  # a server that knows no streaming
                self._take(await response.aread(), reading)
        self._require_start(reading)

    async def _follow(self, response: httpx2.Response, reading: Reading, deadline: float) -> None:
        async with contextlib.aclosing(events(response.aiter_bytes(), self._base_url)) as stream:
            while True:
                async with self._patience(deadline):
                    event = await anext(stream, None)
                if event is None:
                    break
                self._take(event, reading)
        self._require_start(reading)
        if not reading.gathered.finished:
            raise EndpointFailed(f"{self._where} broke off in the middle of its answer; try again or look at its log")

    def _require_start(self, reading: Reading) -> None:
        if not reading.gathered.started:
            raise MalformedResponse(f"{self._where} answered something that is no completion; {self.check_url}")

    def _take(self, raw: bytes, reading: Reading) -> None:
        """Take in a completion or a part of it. Raises `EndpointFailed` where it is the report of an error."""
        reply = reading.read(raw)
        if reply.complaint:
            detail = one_line(reply.complaint, self._api_key)
            raise EndpointFailed(f"{self._where} reported an error: {detail}; try again or look at its log")
        reading.gathered.add(reply)

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

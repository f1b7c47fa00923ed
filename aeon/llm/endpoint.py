"""A model behind an HTTP endpoint: attempts, waits and deadlines, whatever the endpoint's API looks like."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence

import httpx2

from aeon.errors import (
    AeonError,
    EndpointFailed,
    EndpointTimeout,
    MalformedResponse,
    ModelError,
    NotPermitted,
    RequestRefused,
)
from aeon.llm import sdk as openai
from aeon.llm.asking import SYSTEM, Form, Habits
from aeon.llm.attempting import Attempting, FailedAttempt
from aeon.llm.connections import Connections
from aeon.llm.extras import digest, merged, own_fields, plain_body
from aeon.llm.hearing import hearing
from aeon.llm.patience import Patience
from aeon.llm.replies import LAST_SECONDS, events
from aeon.llm.translation import (
    RETRIED,
    backoff,
    one_line,
    refused_addition,
    refused_part,
    refuses_system,
    translate,
    translated,
    unreadable,
)
from aeon.llm.wire import Gathering, WireReply, parse
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import LLMRequest, LLMResponse
from aeon.waiting import asked_wait

__all__ = ["LONGEST_WAIT", "Endpoint", "Reading"]

LONGEST_WAIT = 300.0
"""Seconds that rate limits may put a call off in all, where no budget of time bounds it."""
NO_COUNTS = "use a server that sends usage"


def _uncalled(error: ModelError) -> ModelError:
    """The error of a request that was not made."""
    error.attempts = 0
    return error


class Reading:
    """The reply to one attempt, put together out of whole bodies or the events of a stream.

    An API of its own derives from it and reads each piece as one of the OpenAI protocol, so that all limits, counts and
    reasons to stop are checked in one place (`aeon.llm.wire`).
    """

    def __init__(self, where: str, request: LLMRequest) -> None:
        self.where = where
        heard = hearing()
        if heard is not None:
            heard.begin()
        self.gathered = Gathering(heard.hear if heard is not None else None)
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
    deadline of a whole call and ``idle_timeout`` the longest wait for the next token, in seconds. ``body`` is what the
    user adds to the body of each request (`aeon.llm.extras`).
    """

    optional: tuple[str, ...] = ()
    """Fields of a request that an endpoint may refuse and that can be done without or asked for otherwise."""
    shaping: tuple[str, ...] = ()
    """Those of them that ask for the shape of the answer: refused, the next form is tried."""
    reserved: tuple[str, ...] = ()
    """Fields, as paths with dots, that no user may set, since Aeon decides them."""
    check_url = "check the base URL"

    def __init__(
        self,
        model: str,
        connections: Connections,
        retries: int,
        timeout: float,
        idle_timeout: float,
        body: Mapping[str, object] | None = None,
    ) -> None:
        self._model = model
        self._connections = connections
        self._api_key = connections.api_key
        self._base_url = connections.base_url
        self._retries = retries
        self._timeout = timeout
        self._idle_timeout = idle_timeout
        self._added = plain_body(body, self.reserved)

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
        """What tells this endpoint from others: its URL, and a digest of what the user adds to each body."""
        return f"{self._base_url} with the body {digest(self._added)}" if self._added else self._base_url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._model!r}, {self._base_url!r})"

    async def aclose(self) -> None:
        """Close the running loop's connections."""
        await self._connections.aclose()

    @abstractmethod
    def _path(self, streamed: bool) -> str:
        """Where completions are asked for, below the base URL."""

    @property
    @abstractmethod
    def _habits(self) -> Habits:
        """What was learnt about the endpoint while using it."""

    @abstractmethod
    def _body(self, request: LLMRequest, form: Form, omitted: tuple[str, ...]) -> JsonObject:
        """The JSON body that asks for a completion, without the fields that are omitted."""

    def _reading(self, request: LLMRequest, form: Form) -> Reading:
        """What reads the reply to one attempt."""
        return Reading(self._where, request)

    def _translate(self, raw: BaseException, field: str | None = None) -> ModelError:
        """Aeon's error for what an attempt raised; ``field`` is the request field that the endpoint refuses, if any."""
        return translate(raw, self._where, self._connections.secrets, field)

    def _asks_to_wait(self, raw: openai.APIStatusError) -> float | None:
        """Seconds that the endpoint asks to wait; ``None`` if it does not say."""
        return asked_wait(raw.response.headers, raw.status_code == 429)

    @property
    def _where(self) -> str:
        return f"{self._base_url} (model {self._model})"

    async def _converse(
        self, request: LLMRequest, ways: tuple[Form, ...], omitted: tuple[str, ...] = ()
    ) -> LLMResponse:
        if request.tools and "tools" in self._habits.left_out:
            raise _uncalled(RequestRefused(f"{self._where} takes no tools; ask without them"))
        clock = asyncio.get_running_loop().time
        deadline = clock() + (request.timeout or self._timeout)
        patience = Patience(LONGEST_WAIT if request.timeout is None else None)
        attempts = Attempting(request, ways, omitted)
        while True:
            outcome = await self._attempt(attempts, deadline)
            if isinstance(outcome, Reading):
                attempts.guesses.confirm(request, self._habits)
                self._remember(attempts.ways[0])
                return outcome.response(attempts.made, attempts.unmetered, patience.waits)
            wait = patience.asked(outcome.error, outcome.wait, deadline - clock())
            if wait is not None:
                deadline += wait if request.timeout is None else 0
            else:
                wait = self._wait(outcome, attempts, patience.waits, deadline - clock())
            await asyncio.sleep(wait)

    def _wait(self, failure: FailedAttempt, attempts: Attempting, put_off: int, left: float) -> float:
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
        wait = max(backoff(attempts.retries), failure.wait or 0.0)
        if not isinstance(error, RETRIED) or attempts.retries > self._retries or wait >= left:
            raise error
        return wait

    def _refusable(self, body: JsonObject) -> Sequence[str]:
        """What a refusal of this body can name."""
        return self.optional

    @abstractmethod
    def _remember(self, way: Form) -> None:
        """Take note of the form in which an answer was had."""

    async def _attempt(self, attempts: Attempting, deadline: float) -> Reading | FailedAttempt:
        """What came of one call. However it fails, the call was made, and the failure has its type."""
        try:
            return await self._tried(attempts, deadline)
        except ModelError as error:
            return FailedAttempt(error)
        except AeonError:
            raise
        except Exception as error:  # noqa: BLE001 - what an endpoint sends can make the SDK raise anything
            return FailedAttempt(unreadable(error, self._where, self._connections.secrets))

    async def _tried(self, attempts: Attempting, deadline: float) -> Reading | FailedAttempt:
        request, way = attempts.request, attempts.ways[0]
        reading, body = self._reading(request, way), self._body(request, way, attempts.omitted)
        try:
            await self._exchange(merged(body, self._added), reading, deadline)
        except translated() as raw:
            return self._understand(raw, body, attempts)
        if reading.gathered.counted:
            return reading
        again = self._habits.learn("stream_options")
        return FailedAttempt(
            MalformedResponse(f"{self._where} tells no token counts, so no budget can be kept; {NO_COUNTS}"), again
        )

    def _understand(self, raw: BaseException, body: JsonObject, attempts: Attempting) -> FailedAttempt:
        if not isinstance(raw, openai.APIStatusError):
            return FailedAttempt(self._translate(raw))
        own = own_fields(self._added, body)
        field = refused_part(raw, [name for name in self._refusable(body) if name not in own], own)
        if field in own:
            return FailedAttempt(refused_addition(raw, self._where, self._connections.secrets, field))
        if field is None and self._has_system(attempts.request) and refuses_system(raw):
            return self._without(SYSTEM, raw, self._translate(raw, SYSTEM), attempts.request)
        if field is None and (ways := self._guessed(raw, body, own, attempts)) is not None:
            attempts.ways, attempts.omitted = ways, (*attempts.omitted, *attempts.guesses.fields)
            return FailedAttempt(self._translate(raw), rephrase=True)
        return self._refused(raw, field, attempts)

    def _guessed(
        self, raw: openai.APIStatusError, body: JsonObject, own: Sequence[str], attempts: Attempting
    ) -> tuple[Form, ...] | None:
        """The forms to ask in where the endpoint does not permit something, and does not say what."""
        if not isinstance(self._translate(raw), NotPermitted):
            return None
        return attempts.guesses.next(attempts.request, body, own, attempts.ways)

    def _refused(self, raw: openai.APIStatusError, field: str | None, attempts: Attempting) -> FailedAttempt:
        """What follows where the endpoint refuses a request; ``field`` is what it refuses of it, if it names that."""
        error = self._translate(raw, field)
        if isinstance(error, RequestRefused):
            error.field = field or ""
        if field is not None and field in self.shaping:
            return self._plainer(error, attempts)
        if field is not None:
            return self._without(self._blamed(field, attempts.request), raw, error, attempts.request)
        wait = self._asks_to_wait(raw)
        if wait:
            error.args = (f"{error}; it asks to wait {wait:g} s",)
        return FailedAttempt(error, wait=wait)

    def _has_system(self, request: LLMRequest) -> bool:
        """Whether a message of the system's role is sent."""
        return SYSTEM not in self._habits.left_out and any(one.role == SYSTEM for one in request.messages)

    def _blamed(self, field: str, request: LLMRequest) -> str:
        """What to do without where this field of the request is refused."""
        return field

    def _plainer(self, error: ModelError, attempts: Attempting) -> FailedAttempt:
        """What follows where the form is refused: the next one is asked for, from now on at once."""
        schema, more = attempts.request.json_schema, len(attempts.ways) > 1
        if more and schema is not None:
            self._habits.take(schema, attempts.ways[1])
        return FailedAttempt(error, rephrase=more, plainer=more)

    def _without(self, field: str, raw: openai.APIStatusError, error: ModelError, request: LLMRequest) -> FailedAttempt:
        """What follows where a field is refused: it is left out from now on, and asked without it now if that helps.

        A fault in one of the tools says nothing of the others.
        """
        if field == "tools" and str(raw.param or "tools") != "tools":
            return FailedAttempt(error)
        news = self._habits.learn(field)
        needed = field == "tools" or ("logprobs" in field and request.top_logprobs > 0)
        return FailedAttempt(error, rephrase=news and not needed)

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
        """Take in the events of a stream up to its end, or until a complete answer came and nothing behind it."""
        gathered, clock = reading.gathered, asyncio.get_running_loop().time
        ends = None
        async with contextlib.aclosing(events(response.aiter_bytes(), self._base_url)) as stream:
            while (event := await self._next(stream, gathered, deadline, ends)) is not None:
                if event:
                    self._take(event, reading)
                if ends is None and gathered.complete:
                    ends = clock() + LAST_SECONDS
        self._require_start(reading)
        if not gathered.finished:
            raise EndpointFailed(f"{self._where} broke off in the middle of its answer; try again or look at its log")

    async def _next(
        self, stream: AsyncGenerator[bytes], gathered: Gathering, deadline: float, ends: float | None
    ) -> bytes | None:
        """The next event, or `ALIVE`; ``None`` at the end, and where nothing more is needed and none came in time."""
        try:
            async with self._patience(deadline) if ends is None else asyncio.timeout_at(ends):
                return await anext(stream, None)
        except (TimeoutError, EndpointTimeout):
            if not gathered.finished:
                raise
        except httpx2.HTTPError:
            if ends is None:
                raise
        return None

    def _require_start(self, reading: Reading) -> None:
        if reading.gathered.vacant:
            raise EndpointFailed(
                f"{self._where} answered a completion with nothing in it; try again or look at its log"
            )
        if not reading.gathered.started:
            raise MalformedResponse(f"{self._where} answered something that is no completion; {self.check_url}")

    def _take(self, raw: bytes, reading: Reading) -> None:
        """Take in a completion or a part of it. Raises `EndpointFailed` where it is the report of an error."""
        reply = reading.read(raw)
        if reply.complaint:
            detail = one_line(reply.complaint, self._connections.secrets)
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

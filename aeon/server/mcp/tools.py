"""Aeon as an MCP server: runs, research and verification as its tools, with progress, questions and cancellation.

Both kinds of protocol are served. Up to 2025-11-25 a question goes to the client while its call is open; from
2026-07-28 on, where no server calls a client, the call ends with what is asked, and comes again with the answer. A
client that has tasks gets one for a call that may take long.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple, TypeVar

from mcp.server import Server, ServerRequestContext
from mcp.server.context import HandlerResult
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ElicitResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
    ToolExecution,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from aeon.assembly.registry import installed
from aeon.proof.verify import verify
from aeon.schema import Frozen, JsonObject
from aeon.server.bodies import parse
from aeon.server.mcp.asking import KEY, can_be_asked, coming_again, request_of, said
from aeon.server.mcp.shapes import (
    AnswerInput,
    Asked,
    Reply,
    ResearchInput,
    RunInput,
    Verified,
    VerifyInput,
    reply,
    schema_of,
)
from aeon.server.mcp.task_methods import TaskMethods, TaskServer, wants_task
from aeon.server.mcp.tasks import Outcome, UnderWay
from aeon.server.mcp.work import Ended, Told, Work
from aeon.server.problems import problem_of
from aeon.server.tokens import Token
from aeon.text import one_line

__all__ = ["serving"]

_log = logging.getLogger("aeon.server")
_NAME = "aeon"
_TASKED = ("run", "research", "answer")
_MOST_QUESTIONS = 20
K = TypeVar("K", bound=Frozen)
_Context = ServerRequestContext[Any, Any]
_Result = CallToolResult | InputRequiredResult
_INSTRUCTIONS = (
    "Aeon works on tasks with a model of its own, within a bound that it states, and says what its answers rest on. "
    "A run that asks ends with the state 'waiting' and a question; the tool answer continues it."
)


class _Call(NamedTuple):
    """A call of a tool: by whom, with which arguments, and what is told while it is worked on.

    What a run asks is put by ``ask``, if anybody can be asked while the call is worked on. A call that ``returns`` ends
    with the question, and comes again with what was ``answered``, for the ``run`` that it began.
    """

    owner: str
    arguments: JsonObject
    told: Told
    ask: Callable[[Asked], Awaitable[str | None]] | None = None
    returns: bool = False
    answered: ElicitResult | None = None
    run: str | None = None


def serving(work: Work, harmless: bool = False, lists: bool = False) -> Server[Any]:
    """The server over some work. ``harmless``: no tool of its runs changes the world.

    ``lists`` is whether it lists the tasks of whoever asks: only where it is known who that is.
    """
    methods = TaskMethods(work.tasks, _owner)
    offers = _Offers(work, methods, harmless)
    server = TaskServer(_NAME, version=_version(), instructions=_INSTRUCTIONS, on_list_tools=offers.listed)
    server.add_request_handler("tools/call", CallToolRequestParams, offers.called)
    server.lists = lists
    methods.add_to(server)
    security = RequestStateSecurity(keys=[secrets.token_bytes(32)], bind_principal=_owner)
    server.middleware.append(RequestStateBoundary(security, default_audience=_NAME))
    return server


class _Offers:
    """What the server offers, and what comes of a call."""

    def __init__(self, work: Work, methods: TaskMethods, harmless: bool) -> None:
        self._work = work
        self._methods = methods
        self._calls: dict[str, Callable[[_Call], Awaitable[_Result]]] = {
            "run": self._run, "research": self._research, "verify": self._verify, "answer": self._answer,
        }  # fmt: skip
        self._tools = _tools([*work.equipment.folders], harmless)

    async def listed(self, context: _Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        """The tools."""
        return ListToolsResult(tools=self._tools)

    async def called(self, context: _Context, params: CallToolRequestParams) -> HandlerResult:
        """The result of a call, or its task; what is wrong with it is a result that says so."""
        if params.name not in self._calls:
            known = ", ".join(self._calls)
            raise MCPError(INVALID_PARAMS, f"there is no tool {one_line(params.name, 60)!r}; there are: {known}")
        if wants_task(context, params, params.name in _TASKED):
            return await self._methods.begin(context, params, partial(self._outcome, context, params))
        async with _progress(context) as told:
            return await self._result(params.name, _call(context, params, told))

    async def _outcome(self, context: _Context, params: CallToolRequestParams, task: UnderWay) -> Outcome:
        """What a call comes to that is worked on as a task."""
        ask = task.ask if can_be_asked(context) else None
        call = _Call(task.owner, params.arguments or {}, task.told, ask)
        try:
            result = await self._result(params.name, call)
        except MCPError as error:
            return Outcome(error=error.error.model_dump(mode="json", exclude_none=True))
        return Outcome(result.model_dump(by_alias=True, mode="json", exclude_none=True))

    async def _result(self, name: str, call: _Call) -> _Result:
        try:
            return await self._calls[name](call)
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the client hears of it, and the server goes on
            problem = problem_of(error)
            if problem.kind == "bug":
                _log.error("the tool %s failed", name, exc_info=error)
            return _failed(self._hidden(problem.detail))

    async def _run(self, call: _Call) -> _Result:
        asked = _read(RunInput, call.arguments)
        return await self._worked(call, partial(self._work.start, call.owner, asked.body, call.told), asked.proof)

    async def _research(self, call: _Call) -> _Result:
        asked = _read(ResearchInput, call.arguments)
        return await self._worked(call, partial(self._work.start, call.owner, asked.body, call.told), asked.proof)

    async def _answer(self, call: _Call) -> _Result:
        asked = _read(AnswerInput, call.arguments)
        start = partial(self._work.answer, call.owner, asked.run, asked.answer, call.told)
        return await self._worked(call, start, False)

    async def _verify(self, call: _Call) -> _Result:
        asked = _read(VerifyInput, call.arguments)
        report = await asyncio.to_thread(verify, asked.proof.encode("utf-8", "surrogatepass"))
        said = Verified(
            verified=report.code == 0, problems=report.problems, checked=report.verified, recorded=report.recorded
        )
        return self._given(said, report.text)

    async def _worked(self, call: _Call, start: Callable[[], Awaitable[Ended]], proof: bool) -> _Result:
        """What comes of a run: its end, or what it asks, of a person at the client if there is one."""
        ended = await self._continued(call) if call.run is not None else await start()
        if call.returns and (asked := reply(*ended, proof=None).question) is not None:
            return coming_again(ended.name, asked)
        if call.ask is not None:
            ended = await self._asked(call, call.ask, ended)
        wanted = proof and ended.end.stop_reason != "waiting"
        text = await asyncio.to_thread(self._work.proof, call.owner, ended) if wanted else None
        return self._given(reply(*ended, proof=text), ended.end.answer)

    async def _asked(self, call: _Call, ask: Callable[[Asked], Awaitable[str | None]], ended: Ended) -> Ended:
        """What becomes of a run whose questions are put while the call is worked on, and are answered."""
        for _ in range(_MOST_QUESTIONS):
            asked = reply(*ended, proof=None).question
            answer = await ask(asked) if asked is not None else None
            if answer is None:
                break
            ended = await self._work.answer(call.owner, ended.name, answer, call.told)
        return ended

    async def _continued(self, call: _Call) -> Ended:
        """The run that a call comes again for: continued with the answer, or as it waits where there is none."""
        assert call.run is not None
        answer = said(call.answered)
        if answer is None:
            return await asyncio.to_thread(self._work.waiting, call.owner, call.run)
        return await self._work.answer(call.owner, call.run, answer, call.told)

    def _given(self, value: Frozen, text: str) -> CallToolResult:
        """A result as data, with a text for clients that read nothing else."""
        data = json.loads(self._hidden(value.model_dump_json()))
        shown = data.get("answer") or text
        if data.get("question"):
            shown = f"{data['question']['text']}\n(the run {data['run']} waits for the tool answer)"
        return CallToolResult(content=[TextContent(text=str(shown))], structured_content=data)

    def _hidden(self, text: str) -> str:
        """The text without paths of the server."""
        for path, name in {str(self._work.folder): "runs", **self._work.equipment.hidden}.items():
            text = text.replace(path, name) if path in text else text
        return text


def _tools(collections: list[str], harmless: bool) -> list[Tool]:
    """The tools as they are listed; what can be searched decides whether there is research."""
    names = [one.name for one in installed() if one.plugin is not None]
    hints = ToolAnnotations(read_only_hint=harmless or None, open_world_hint=False if harmless else None)
    runs = (
        ("run", "Work on a task until it is answered. The answer says what it rests on.", RunInput),
        ("research", "Search the collections for a question, read, and answer with citations.", ResearchInput),
        ("answer", "Answer the question of a run that waits, and continue it.", AnswerInput),
    )
    made = [
        Tool(
            name=name, description=text, annotations=hints, execution=ToolExecution(task_support="optional"),
            input_schema=_offered(schema_of(kind, "validation"), names, collections),
            output_schema=schema_of(Reply, "serialization"),
        )
        for name, text, kind in runs
    ]  # fmt: skip
    checks = Tool(
        name="verify",
        description="Verify the proof file of an answer, offline: hashes, quotes, values, computations.",
        annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
        input_schema=schema_of(VerifyInput, "validation"),
        output_schema=schema_of(Verified, "serialization"),
    )
    return [*made, checks]


def _offered(schema: JsonObject, engines: list[str], collections: list[str]) -> JsonObject:
    """The schema with the engines and collections that there are."""
    properties = schema["properties"]
    assert isinstance(properties, dict)
    engine, files = properties.get("engine"), properties.get("files")
    if isinstance(engine, dict):
        engine["enum"] = [*engines]
    if isinstance(files, dict):
        one: JsonObject = {"type": "string", "enum": [*collections]} if collections else {"type": "string"}
        properties["files"] = {"type": "array", "items": one, "description": files["description"]}
    return schema


def _read(kind: type[K], arguments: JsonObject) -> K:
    """The arguments as the shape that they must have. Raises ``Problem``, which names what is wrong."""
    return parse(kind, json.dumps(arguments).encode())


def _failed(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], is_error=True)


def _owner(context: _Context) -> str:
    """Whose request it is: of a token's owner, or of nobody in particular."""
    scope: Mapping[str, Any] = getattr(context.request, "scope", {})
    token = scope.get("state", {}).get("token")
    return token.owner if isinstance(token, Token) else ""


def _call(context: _Context, params: CallToolRequestParams, told: Told) -> _Call:
    """A call that is answered with its result. Where somebody has just declined to answer, nobody is asked."""
    answered = (params.input_responses or {}).get(KEY)
    form = answered if isinstance(answered, ElicitResult) else None
    declined = params.request_state is not None and said(form) is None
    asks = can_be_asked(context) and not declined
    modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def ask(asked: Asked) -> str | None:
        about = ServerMessageMetadata(related_request_id=context.request_id)
        return said(await context.session.send_request(request_of(asked), ElicitResult, metadata=about))

    return _Call(
        _owner(context), params.arguments or {}, told, ask if asks and not modern else None, asks and modern, form,
        params.request_state,
    )  # fmt: skip


@asynccontextmanager
async def _progress(context: _Context) -> AsyncIterator[Told]:
    """What tells the client, in order, what a run does; a client that is gone, or wants no progress, stops nothing."""
    words: asyncio.Queue[str | None] = asyncio.Queue()

    async def send() -> None:
        count = 0
        while (text := await words.get()) is not None:
            count += 1
            with suppress(Exception):
                await context.session.report_progress(count, message=one_line(text, 200))

    sending = asyncio.create_task(send())
    try:
        yield words.put_nowait
        words.put_nowait(None)
        await sending
    finally:
        sending.cancel()


def _version() -> str:
    try:
        return version("aeon-orchestrator")
    except PackageNotFoundError:  # the source without an installation
        return ""

"""The routes of runs that were accepted: looked at, watched, stopped, answered, forked, compared."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response, StreamingResponse

from aeon.assembly.noting import ModelCall
from aeon.runtime.diff import Difference
from aeon.schema import Frozen
from aeon.server.asking import answered
from aeon.server.bodies import AnswerBody, CancelBody, ForkBody
from aeon.server.conversation import sources_of
from aeon.server.history import History, difference, history_of, proof
from aeon.server.replies import JobPage, JobReply, RunReply, job_reply
from aeon.server.routing import PROBLEMS, body_of, key_of, owner_of, run_of, sent, service_of, streamed, takes, token_of
from aeon.server.runs import MOST_PLACE, RunState
from aeon.server.streams import place_of, stream_of

__all__ = [
    "ModelCalls", "answer", "calls", "cancel", "diff", "events", "fork", "history", "job", "listed", "proved", "result",
    "resume", "router",
]  # fmt: skip

router = APIRouter(prefix="/jobs", responses=PROBLEMS)


class ModelCalls(Frozen):
    """The model calls for one effect, in order."""

    calls: tuple[ModelCall, ...]


@router.get("", responses={200: {"model": JobPage}})
async def listed(
    request: Request,
    most: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[int | None, Query(ge=1, le=MOST_PLACE)] = None,
    state: RunState | None = None,
) -> Response:
    """The runs, newest first."""
    service = service_of(request)
    records = await service.page(owner_of(request), most, before, state)
    jobs = tuple([job_reply(record, await service.position(record)) for record in records])
    return sent(request, JobPage(jobs=jobs, next=records[-1].seq if len(records) == most else None))


@router.get("/{name}", responses={200: {"model": JobReply}})
async def job(request: Request, name: str) -> Response:
    """A run and where it stands."""
    record = await run_of(request, name)
    return sent(request, job_reply(record, await service_of(request).position(record)))


@router.get("/{name}/result", responses={200: {"model": RunReply}, 202: {"model": JobReply}})
async def result(request: Request, name: str) -> Response:
    """The answer of a run as ``POST /run`` gives it; 202 as long as it is not there."""
    record = await run_of(request, name)
    if record.state in ("queued", "running"):
        position = await service_of(request).position(record)
        return sent(request, job_reply(record, position), 202, location=f"/jobs/{name}")
    return answered(request, record)


@router.get("/{name}/events", response_class=StreamingResponse)
async def events(
    request: Request,
    name: str,
    after: str | None = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    """The events of a run: what has happened, and what happens from now on. 204 where nothing is left to tell."""
    record = await run_of(request, name)
    frames = await stream_of(service_of(request), record, place_of(last_event_id, after))
    return Response(status_code=204) if frames is None else streamed(frames)


@router.get("/{name}/history", responses={200: {"model": History}})
async def history(request: Request, name: str) -> Response:
    """What happened in a run, effect by effect."""
    record = await run_of(request, name)
    async with service_of(request).kept(record) as path:
        return sent(request, await asyncio.to_thread(history_of, path))


@router.get("/{name}/proof")
async def proved(request: Request, name: str) -> Response:
    """The proof of a run's answer, byte for byte the file that ``aeon verify`` takes."""
    record = await run_of(request, name)
    async with service_of(request).kept(record) as path:
        tools = await asyncio.to_thread(service_of(request).equipment.given, sources_of(record))
        data = await asyncio.to_thread(proof, path, tools)
    return Response(data, media_type="application/json")


@router.get("/{name}/calls/{number}", responses={200: {"model": ModelCalls}})
async def calls(request: Request, name: str, number: int) -> Response:
    """The model calls for an effect, with prompts and replies."""
    record = await run_of(request, name)
    return sent(request, ModelCalls(calls=await service_of(request).calls(record, number)))


@router.get("/{name}/diff/{other}", responses={200: {"model": Difference}})
async def diff(request: Request, name: str, other: str) -> Response:
    """Where two runs part, and what differs then."""
    service, a, b = service_of(request), await run_of(request, name), await run_of(request, other)
    async with service.kept(a) as one, service.kept(b) as two:
        return sent(request, await asyncio.to_thread(difference, one, two))


@router.post("/{name}/cancel", status_code=202, openapi_extra=takes(CancelBody), responses={202: {"model": JobReply}})
async def cancel(request: Request, name: str) -> Response:
    """Ask a run to stop at its next boundary; one that has not begun is over at once."""
    record = await run_of(request, name)
    body = await body_of(CancelBody, request) if await request.body() else CancelBody()
    await service_of(request).cancel(record, body.now)
    return await _accepted(request, name)


@router.post("/{name}/answer", status_code=202, openapi_extra=takes(AnswerBody), responses={202: {"model": JobReply}})
async def answer(request: Request, name: str) -> Response:
    """Answer the question that a run waits for; it goes on."""
    record = await run_of(request, name)
    body = await body_of(AnswerBody, request)
    await service_of(request).answer(record, body.answer)
    return await _accepted(request, name)


@router.post("/{name}/resume", status_code=202, responses={202: {"model": JobReply}})
async def resume(request: Request, name: str) -> Response:
    """Continue a run that was broken off; what is on record is not done again."""
    await service_of(request).resume(await run_of(request, name))
    return await _accepted(request, name)


@router.post("/{name}/fork", status_code=202, openapi_extra=takes(ForkBody), responses={202: {"model": JobReply}})
async def fork(request: Request, name: str) -> Response:
    """Give a run another future, as a run of its own."""
    record = await run_of(request, name)
    body = await body_of(ForkBody, request)
    made = await service_of(request).fork(record, body, key_of(request), token_of(request).calls)
    return await _accepted(request, made.id)


async def _accepted(request: Request, name: str) -> Response:
    record = await run_of(request, name)
    reply = job_reply(record, await service_of(request).position(record))
    return sent(request, reply, 202, location=f"/jobs/{name}")

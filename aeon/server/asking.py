"""The routes that start something: runs, searches, estimates."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from pydantic import RootModel
from starlette.responses import PlainTextResponse, Response

from aeon.assembly.costs import Costs
from aeon.assembly.registry import installed
from aeon.schema import Bound, Frozen, JsonObject, Passage
from aeon.server.bodies import RunBody, SearchBody, TaskBody
from aeon.server.equipment import tiers_of
from aeon.server.host import accepted
from aeon.server.problems import Problem
from aeon.server.replies import JobReply, RunReply, job_reply, run_reply
from aeon.server.routing import PROBLEMS, body_of, key_of, sent, service_of, streamed, takes, token_of
from aeon.server.runs import RunRecord
from aeon.server.streams import stream_of

__all__ = [
    "Collections", "Engines", "Found", "Health", "InstalledEngine", "answered", "collections", "engines", "estimate",
    "healthz", "metrics", "readyz", "router", "run", "run_simple", "search", "started",
]  # fmt: skip

router = APIRouter(responses=PROBLEMS)
_RUN: dict[int | str, dict[str, Any]] = {
    200: {"model": RunReply, "content": {"text/event-stream": {}}},
    202: {"model": JobReply | RunReply},
}
_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


class Found(Frozen):
    """The passages that fit a query best, best first."""

    passages: tuple[Passage, ...]


class InstalledEngine(Frozen):
    """An installed engine, with its ``tiers`` if it has some; ``problem`` says why it cannot be used, if it cannot."""

    name: str
    engine: str | None
    usable: bool
    problem: str
    tiers: tuple[str, ...] = ()


class Engines(RootModel[tuple[InstalledEngine, ...]]):
    """The installed engines."""


class Collections(Frozen):
    """The names of the collections that runs may have as ``sources``."""

    collections: tuple[str, ...]


class Health(Frozen):
    """Whether the server works, and how much it has to do."""

    status: str
    running: int
    queued: int


@router.post("/run", openapi_extra=takes(RunBody), responses=_RUN)
async def run(request: Request) -> Response:
    """Work on a task: the answer when it is there, or its events, or a job to come back to."""
    body = await body_of(RunBody, request)
    return await _answered(request, body, await started(request, body, "run"))


@router.post("/run-simple", openapi_extra=takes(RunBody), responses=_RUN)
async def run_simple(request: Request) -> Response:
    """The same in the shortest way that the engine has."""
    body = await body_of(RunBody, request)
    simple = service_of(request).equipment.simple(body)
    return await _answered(request, body, await started(request, simple, "run-simple"))


@router.post("/estimate", openapi_extra=takes(TaskBody), responses={200: {"model": Bound}})
async def estimate(request: Request) -> Response:
    """The most that the run could spend, and what like runs took, without a start."""
    body = await body_of(TaskBody, request)
    order = await asyncio.to_thread(service_of(request).equipment.order, body)
    bound: Bound = order.plugin.engine.bound(order.config)
    costs = Costs(service_of(request).equipment.model, order.plugin.engine.name, order.config)
    bound = bound.changed(expected=await asyncio.to_thread(lambda: costs.expected))
    return sent(request, RootModel[Bound](bound))


@router.post("/search", openapi_extra=takes(SearchBody), responses={200: {"model": Found}})
async def search(request: Request) -> Response:
    """The passages of the server's texts that fit a query best."""
    body = await body_of(SearchBody, request)
    equipment = service_of(request).equipment
    passages = await asyncio.to_thread(equipment.search, body.query, body.collection, body.most)
    return sent(request, Found(passages=tuple(passages)))


@router.get("/engines", responses={200: {"model": Engines}})
async def engines(request: Request) -> Response:
    """The installed engines."""
    listed = [
        InstalledEngine(
            name=one.name,
            engine=one.plugin.engine.name if one.plugin else None,
            usable=one.plugin is not None,
            problem=one.problem,
            tiers=tiers_of(one.plugin) if one.plugin else (),
        )
        for one in await asyncio.to_thread(installed)
    ]
    return sent(request, Engines(tuple(listed)))


@router.get("/collections", responses={200: {"model": Collections}})
async def collections(request: Request) -> Response:
    """The collections that the server was started with, by name."""
    return sent(request, Collections(collections=tuple(service_of(request).equipment.folders)))


@router.get("/healthz", responses={200: {"model": Health}})
async def healthz(request: Request) -> Response:
    """Whether the server answers."""
    return _health(request, "ok")


@router.get("/readyz", responses={200: {"model": Health}})
async def readyz(request: Request) -> Response:
    """Whether runs can start: the model is loaded, the disk has room, and the server is not stopping."""
    service = service_of(request)
    if (obstacle := service.obstacle) is not None:
        raise obstacle
    if not service.ready or service.closing:
        why = "the server is stopping" if service.closing else "the model is being loaded"
        raise Problem(503, "not_ready", f"{why}; try again", True, {"Retry-After": "5"})
    return _health(request, "ready")


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """The figures of the server, for Prometheus."""
    service = service_of(request)
    return Response(service.metrics.text(*service.busy), media_type=_PROMETHEUS)


def _health(request: Request, status: str) -> Response:
    running, queued = service_of(request).busy
    return sent(request, Health(status=status, running=running, queued=queued))


async def started(request: Request, body: TaskBody, kind: str, about: JsonObject | None = None) -> RunRecord:
    """Accept the run that a body asks for; ``about`` is what another API keeps of the request.

    Raises:
        Problem: it asks for what cannot be.
        UsageError: a setting or a schema is wrong.
    """
    service = service_of(request)
    order = await asyncio.to_thread(service.equipment.order, body)
    token = token_of(request)
    record = accepted(token.owner, body, order, key_of(request), kind, about)
    return await service.submit(record, order, token.calls)


async def _answered(request: Request, body: RunBody, record: RunRecord) -> Response:
    service, location = service_of(request), f"/jobs/{record.id}"
    if body.stream:
        frames = await stream_of(service, record, None)
        if frames is None:
            return Response(status_code=204, headers={"Location": location})
        return streamed(frames, location=location)
    if body.asynchronous:
        return sent(request, job_reply(record, await service.position(record)), 202, location=location)
    return answered(request, await service.over(record.id))


def answered(request: Request, record: RunRecord) -> Response:
    """The answer of a run that does no more: 200, or 202 where it waits for an answer.

    Raises:
        Problem: it failed, was cancelled, or the server stops.
    """
    location = {"Location": f"/jobs/{record.id}"}
    match record.state:
        case "ended":
            return sent(request, run_reply(record), location=location["Location"])
        case "waiting":
            return sent(request, run_reply(record), 202, location=location["Location"])
        case "failed":
            error = record.error or {}
            retryable = error.get("retryable") is True
            detail = str(error.get("message", "the run failed"))
            raise Problem(500, str(error.get("type", "failed")), detail, retryable, location)
        case "cancelled":
            raise Problem(409, "cancelled", "the run was cancelled", headers=location)
        case _:
            detail = "the server stops; the run goes on when it is there again: look at its Location"
            raise Problem(503, "closing", detail, True, location)

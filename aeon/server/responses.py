"""The API ``/v1/responses`` of OpenAI: in the background too, resumed by sequence number, citations as annotations."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from aeon.schema import JsonObject
from aeon.server.asking import started
from aeon.server.chat import until_over
from aeon.server.conversation import (
    NOTHING_BEFORE,
    Before,
    Open,
    Said,
    answer_text,
    citations,
    created,
    own_of,
    received,
    schema_of,
    task_of,
)
from aeon.server.problems import Problem
from aeon.server.routing import PROBLEMS, STREAMED, reply_of, run_of, sent_json, service_of, streamed, takes
from aeon.server.runs import OPEN, RunRecord

__all__ = ["ResponseBody", "cancelled", "respond", "retrieve", "router"]

router = APIRouter(prefix="/v1/responses", responses=PROBLEMS)
_STATUS = {
    "queued": "queued", "running": "in_progress", "waiting": "completed", "ended": "completed", "failed": "failed",
    "cancelled": "cancelled",
}  # fmt: skip
_OPENING = ("created", "in_progress")
_PREFIX = "resp_"


class ResponseBody(Open):
    """What a client asks for."""

    model: str
    input: str | list[Said]
    instructions: str | None = None
    stream: bool | None = False
    background: bool | None = False
    previous_response_id: str | None = None
    text: dict[str, Any] | None = None
    metadata: dict[str, str] | None = None


@router.post("", openapi_extra=takes(ResponseBody), responses=STREAMED)
async def respond(request: Request) -> Response:
    """Answer an input: at once, as events, or in the background."""
    asked: ResponseBody = received(ResponseBody, await request.body())
    said = [Said(content=asked.input)] if isinstance(asked.input, str) else asked.input
    rules = [Said(role="developer", content=asked.instructions)] if asked.instructions else []
    before = await _before(request, asked.previous_response_id) if asked.previous_response_id else NOTHING_BEFORE
    body = task_of([*rules, *said], asked.model, schema_of((asked.text or {}).get("format")), before, asked.aeon)
    about: JsonObject = {
        "model": asked.model, "background": bool(asked.background), "instructions": asked.instructions,
        "previous_response_id": asked.previous_response_id, "metadata": {**(asked.metadata or {})},
        "text": {"format": (asked.text or {}).get("format") or {"type": "text"}},
    }  # fmt: skip
    record = await started(request, body, "responses", about)
    if asked.stream:
        return streamed(_events(request, record, None))
    if not asked.background:
        record = await service_of(request).over(record.id)
    return sent_json(request, await _response(request, record))


@router.get("/{name}", responses=STREAMED)
async def retrieve(
    request: Request,
    name: str,
    stream: bool = False,
    starting_after: Annotated[int | None, Query(ge=0)] = None,
) -> Response:
    """A response as it stands, or its events behind a sequence number."""
    record = await _named(request, name)
    if stream:
        await _check(request, record, starting_after)
        return streamed(_events(request, record, starting_after))
    return sent_json(request, await _response(request, record))


@router.post("/{name}/cancel")
async def cancelled(request: Request, name: str) -> Response:
    """Stop a response that is worked on; one that is over stays as it is."""
    record = await _named(request, name)
    if record.state in ("queued", "running", "waiting"):
        await service_of(request).cancel(record, now=True)
        record = await service_of(request).over(record.id)
    return sent_json(request, await _response(request, record))


async def _named(request: Request, name: str) -> RunRecord:
    record = await run_of(request, name.removeprefix(_PREFIX))
    if record.about is None:
        raise Problem(404, "unknown_job", "this run is no response; look at /jobs")
    return record


async def _before(request: Request, name: str) -> Before:
    """What was said in the response that this one goes on from, and before it."""
    record = await _named(request, name)
    if record.state != "ended":
        raise Problem(409, "not_ended", "the previous response has not ended; wait for it", True)
    turns = [("user", record.task), ("assistant", answer_text(reply_of(request, record)))]
    return Before.of(record.request).followed_by(turns)


async def _response(request: Request, record: RunRecord) -> JsonObject:
    """The response as data."""
    response: JsonObject = {
        "id": f"{_PREFIX}{record.id}", "object": "response", "created_at": created(record),
        "status": _STATUS[record.state], "error": None, "incomplete_details": None, "output": [], "usage": None,
        "parallel_tool_calls": False, "tool_choice": "none", "tools": [], "temperature": None, "top_p": None,
        "max_output_tokens": None, **(record.about or {}),
    }  # fmt: skip
    if record.state == "failed":
        message = str((record.error or {}).get("message", "the run failed"))
        response["error"] = {"code": "server_error", "message": message}
    if record.state not in ("ended", "waiting"):
        return response
    reply = reply_of(request, record)
    if reply.stop_reason == "interrupted":
        response["status"] = "cancelled"
    annotations, problem = await citations(request, record, reply)
    text = answer_text(reply)
    content: JsonObject = {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}
    used = reply.usage + reply.lost
    return response | {
        "output": [{
            "id": f"msg_{record.id}", "type": "message", "status": "completed", "role": "assistant",
            "content": [content],
        }],
        "usage": {
            "input_tokens": used.prompt_tokens, "input_tokens_details": {"cached_tokens": used.cached_tokens},
            "output_tokens": used.generated_tokens, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": used.tokens,
        },
        "aeon": own_of(reply, problem),
    }  # fmt: skip


async def _check(request: Request, record: RunRecord, after: int | None) -> None:
    """Refuse a number that no event of the response has had yet.

    Raises:
        Problem: it says which is the latest.
    """
    closing = [] if record.state in OPEN else [*_closing(await _response(request, record))]
    latest = len(_OPENING) + len(closing) - 1
    if after is not None and after > latest:
        detail = f"this response has no event {after}; its latest is {latest}; leave starting_after out for all"
        raise Problem(409, "unknown_event", detail)


async def _events(request: Request, record: RunRecord, after: int | None) -> AsyncIterator[bytes]:
    """The events of a response, each under its number, which is the same whenever it is asked for."""
    first = -1 if after is None else after
    begun = await _response(request, record._replace(state="running", conclusion=None, error=None))
    opening: list[JsonObject] = [{"type": f"response.{what}", "response": begun} for what in _OPENING]
    for number, event in enumerate(opening):
        if number > first:
            yield _frame(request, number, event)
    async for comment in until_over(request, record):
        yield comment
    done = await _response(request, await service_of(request).over(record.id))
    for number, event in enumerate(_closing(done), len(opening)):
        if number > first:
            yield _frame(request, number, event)


def _closing(done: JsonObject) -> Iterator[JsonObject]:
    """What is told when the answer is there: piece by piece, then the whole."""
    output = done["output"]
    if isinstance(output, list) and output and isinstance(item := output[0], dict):
        yield from _item(item)
    status = done["status"]
    ending = status if status in ("completed", "failed") else "incomplete"
    yield {"type": f"response.{ending}", "response": done}


def _item(item: dict[str, Any]) -> Iterator[JsonObject]:
    place: JsonObject = {"item_id": item["id"], "output_index": 0, "content_index": 0}
    part = item["content"][0]
    text, annotations = part["text"], part["annotations"]
    empty: JsonObject = {**part, "text": "", "annotations": []}
    begun: JsonObject = {**item, "status": "in_progress", "content": []}
    yield {"type": "response.output_item.added", "output_index": 0, "item": begun}
    yield {"type": "response.content_part.added", **place, "part": empty}
    yield {"type": "response.output_text.delta", **place, "delta": text, "logprobs": []}
    for index, annotation in enumerate(annotations):
        more: JsonObject = {"annotation_index": index, "annotation": annotation}
        yield {"type": "response.output_text.annotation.added", **place, **more}
    yield {"type": "response.output_text.done", **place, "text": text, "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": part}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}


def _frame(request: Request, number: int, event: JsonObject) -> bytes:
    text = json.dumps({**event, "sequence_number": number}, ensure_ascii=False)
    return f"event: {event['type']}\ndata: {service_of(request).hide(text)}\n\n".encode()

"""The API ``/v1/chat/completions`` of OpenAI: an engine's name is the model, the answer of a run is the message."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request
from pydantic import Field, JsonValue
from starlette.responses import Response

from aeon.assembly.registry import installed
from aeon.schema import JsonObject
from aeon.server.asking import started
from aeon.server.conversation import Open, Said, answer_text, created, own_of, received, schema_of, task_of
from aeon.server.feed import PING, PING_SECONDS
from aeon.server.problems import Problem
from aeon.server.replies import RunReply
from aeon.server.routing import PROBLEMS, STREAMED, reply_of, sent_json, service_of, streamed, takes
from aeon.server.runs import RunRecord

__all__ = ["ChatBody", "completions", "finished", "models", "router", "until_over"]

router = APIRouter(prefix="/v1", responses=PROBLEMS)


class ChatBody(Open):
    """What a client asks for."""

    model: str
    messages: list[Said] = Field(min_length=1)
    stream: bool | None = False
    response_format: dict[str, Any] | None = None
    stream_options: dict[str, Any] | None = None


@router.get("/models")
async def models(request: Request) -> Response:
    """The installed engines, as models."""
    usable = [one.name for one in await asyncio.to_thread(installed) if one.plugin is not None]
    listed: list[JsonValue] = [{"id": name, "object": "model", "created": 0, "owned_by": "aeon"} for name in usable]
    return sent_json(request, {"object": "list", "data": listed})


@router.post("/chat/completions", openapi_extra=takes(ChatBody), responses=STREAMED)
async def completions(request: Request) -> Response:
    """Answer a conversation; a stream has the answer when it is there, and comments until then."""
    asked: ChatBody = received(ChatBody, await request.body())
    body = task_of(asked.messages, asked.model, schema_of(asked.response_format), wishes=asked.aeon)
    record = await started(request, body, "chat")
    if asked.stream:
        whole = bool((asked.stream_options or {}).get("include_usage"))
        return streamed(_chunks(request, record, asked.model, whole))
    reply = finished(request, await service_of(request).over(record.id))
    head: JsonObject = {"id": f"chatcmpl-{reply.id}", "object": "chat.completion", "created": created(record)}
    message: JsonObject = {"role": "assistant", "content": answer_text(reply), "refusal": None}
    choice: JsonObject = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    rest: JsonObject = {"model": asked.model, "choices": [choice], "usage": _usage(reply), "aeon": own_of(reply)}
    return sent_json(request, {**head, **rest})


def finished(request: Request, record: RunRecord) -> RunReply:
    """The answer of a run that does no more.

    Raises:
        Problem: it has none.
    """
    if record.state in ("ended", "waiting"):
        return reply_of(request, record)
    error = record.error or {}
    detail = str(error.get("message") or f"the run is {record.state}")
    raise Problem(500, str(error.get("type") or record.state), detail, error.get("retryable") is True)


async def until_over(request: Request, record: RunRecord) -> AsyncIterator[bytes]:
    """A comment now and then, as long as the run is worked on."""
    waiting = asyncio.ensure_future(service_of(request).over(record.id))
    try:
        while not (await asyncio.wait({waiting}, timeout=PING_SECONDS))[0]:
            yield PING
    finally:
        waiting.cancel()


async def _chunks(request: Request, record: RunRecord, model: str, with_usage: bool) -> AsyncIterator[bytes]:
    head: JsonObject = {"id": f"chatcmpl-{record.id}", "object": "chat.completion.chunk", "created": created(record)}
    head["model"] = model

    def chunk(delta: JsonObject, reason: str | None = None, **more: JsonValue) -> bytes:
        choice: JsonObject = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return _data(request, {**head, "choices": [choice], **more})

    yield chunk({"role": "assistant", "content": ""})
    async for comment in until_over(request, record):
        yield comment
    try:
        reply = finished(request, await service_of(request).over(record.id))
    except Problem as problem:
        yield _data(request, {"error": problem.body.error.model_dump(mode="json")})
        return
    yield chunk({"content": answer_text(reply)})
    yield chunk({}, "stop", aeon=own_of(reply))
    if with_usage:
        yield _data(request, {**head, "choices": [], "usage": _usage(reply)})
    yield b"data: [DONE]\n\n"


def _data(request: Request, value: JsonObject) -> bytes:
    return f"data: {service_of(request).hide(json.dumps(value, ensure_ascii=False))}\n\n".encode()


def _usage(reply: RunReply) -> JsonObject:
    used = reply.usage + reply.lost
    return {
        "prompt_tokens": used.prompt_tokens, "completion_tokens": used.generated_tokens, "total_tokens": used.tokens,
        "prompt_tokens_details": {"cached_tokens": used.cached_tokens},
    }  # fmt: skip

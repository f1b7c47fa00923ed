"""What routes share: the service, the owner of a request, its body, its run, and how values are sent."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable
from typing import Any, TypeVar, cast

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response, StreamingResponse

from aeon.schema import Frozen, JsonObject
from aeon.server.bodies import parse
from aeon.server.host import Host
from aeon.server.problems import Problem, ProblemDetails
from aeon.server.replies import RunReply, run_reply
from aeon.server.runs import RunRecord
from aeon.server.tokens import Token
from aeon.text import one_line

__all__ = [
    "PROBLEMS", "STREAMED", "body_of", "key_of", "owner_of", "reply_of", "run_of", "sent", "sent_json", "service_of",
    "streamed", "takes", "token_of",
]  # fmt: skip

B = TypeVar("B", bound=Frozen)
_LONGEST_KEY = 200
PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"description": "What is wrong, and what to do.", "content": {
        "application/problem+json": {"schema": {"$ref": f"#/components/schemas/{ProblemDetails.__name__}"}},
    }},
    "5XX": {"description": "What failed, and whether to try again.", "content": {
        "application/problem+json": {"schema": {"$ref": f"#/components/schemas/{ProblemDetails.__name__}"}},
    }},
}  # fmt: skip
"""What the description of every route says of errors."""


STREAMED: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}
"""What the description says of a route that may answer with a stream."""


def takes(kind: type[BaseModel]) -> dict[str, Any]:
    """What the description of a route says of its body."""
    schema = {"$ref": f"#/components/schemas/{kind.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def service_of(request: Request) -> Host:
    """The service of the application."""
    return cast("Host", request.app.state.service)


def reply_of(request: Request, record: RunRecord) -> RunReply:
    """The answer of a run that has ended or waits."""
    return run_reply(record, service_of(request).equipment.model.name)


def owner_of(request: Request) -> str:
    """Whose request it is; empty where the server has no tokens."""
    return token_of(request).owner


def token_of(request: Request) -> Token:
    """The token of a request."""
    return cast("Token", request.state.token)


async def body_of(kind: type[B], request: Request) -> B:
    """The body of a request. Raises ``Problem`` for what is none of this kind."""
    return parse(kind, await request.body())


def key_of(request: Request) -> str | None:
    """The idempotency key of a request, if it has one.

    Raises:
        Problem: it is too long, or no plain text.
    """
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    if not key.strip() or len(key) > _LONGEST_KEY or not key.isprintable():
        detail = f"Idempotency-Key: takes 1 to {_LONGEST_KEY} printable characters, such as a UUID"
        raise Problem(400, "invalid_key", detail)
    return key


async def run_of(request: Request, name: str) -> RunRecord:
    """The run of that id, if it belongs to who asks.

    Raises:
        Problem: there is none; the run of another is as if it were not there.
    """
    record = await service_of(request).find(name)
    if record is None or record.owner != owner_of(request):
        raise Problem(404, "unknown_job", f"there is no job {one_line(name, 60)!r}; GET /jobs lists yours")
    return record


def sent(request: Request, value: BaseModel, status: int = 200, **headers: str) -> Response:
    """A value as JSON."""
    text = service_of(request).hide(value.model_dump_json())
    return Response(text, status, {name.title(): one for name, one in headers.items()}, "application/json")


def sent_json(request: Request, value: JsonObject) -> Response:
    """A JSON object."""
    text = service_of(request).hide(json.dumps(value, ensure_ascii=False, allow_nan=False))
    return Response(text, media_type="application/json")


def streamed(frames: AsyncIterable[bytes], **headers: str) -> Response:
    """Events as they happen; what stands between here and the client is asked to keep none of them back."""
    named = {name.title(): value for name, value in headers.items()}
    return StreamingResponse(frames, headers={**named, "X-Accel-Buffering": "no"}, media_type="text/event-stream")

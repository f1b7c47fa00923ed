"""The application: its routes, what becomes of errors, and its description for programs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from functools import cache, partial
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp

from aeon.errors import AeonError
from aeon.server import agui, asking, chat, jobs, pages, responses
from aeon.server.bodies import BODIES
from aeon.server.guard import Guard
from aeon.server.host import Host
from aeon.server.problems import Problem, ProblemDetails, problem_of, response_of
from aeon.server.tokens import Tokens

__all__ = ["application"]

_log = logging.getLogger("aeon.server")
_REFERENCE = "#/components/schemas/{model}"


def application(
    service: Host,
    tokens: Tokens | None = None,
    hosts: Collection[str] = (),
    around: Callable[[ASGIApp], ASGIApp] = lambda app: app,
) -> ASGIApp:
    """The server's application over a service; ``tokens`` open it, if there are any, and ``hosts`` are its names.

    ``around`` puts something around it, behind what guards it.
    """
    app = FastAPI(title="Aeon", version="1", docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.service = service
    for part in (asking, jobs, chat, responses, agui, pages):
        app.include_router(part.router)
    for kind in (Problem, AeonError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, partial(_answered, service))
    app.openapi = cache(partial(_described, app, app.openapi))  # type: ignore[method-assign]
    return Guard(around(service.metrics.timed(app)), tokens, hosts)


async def _answered(service: Host, request: Request, error: Exception) -> Response:
    """The answer that an error gets."""
    problem = _problem(request, error)
    if problem.kind == "bug":
        _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return response_of(problem, service.hidden)


def _problem(request: Request, error: Exception) -> Problem:
    match error:
        case HTTPException(status_code=404):
            return Problem(404, "unknown_path", "there is nothing at this path; see /openapi.json")
        case HTTPException(status_code=405):
            allowed = (error.headers or {}).get("Allow", "")
            detail = f"{request.method} is not understood here; use {allowed or 'another method'}"
            return Problem(405, "wrong_method", detail, headers=error.headers)
        case HTTPException():
            return Problem(error.status_code, "refused", str(error.detail))
        case RequestValidationError():
            first = error.errors()[0]
            return Problem(422, "invalid", f"{'.'.join(map(str, first['loc'][1:]))}: {first['msg']}")
        case _:
            return problem_of(error)


def _described(app: FastAPI, plain: Any) -> dict[str, Any]:  # noqa: ANN401 - FastAPI's own method
    """The OpenAPI document, with the bodies that the routes read themselves."""
    document: dict[str, Any] = plain()
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    kinds: list[type[BaseModel]] = [*BODIES, chat.ChatBody, responses.ResponseBody, agui.AgentBody]
    _, definitions = models_json_schema([(kind, "validation") for kind in kinds], ref_template=_REFERENCE)
    schemas.update(definitions.get("$defs", {}))
    schemas["ProblemDetails"] = ProblemDetails.model_json_schema(ref_template=_REFERENCE)
    schemas.update(schemas["ProblemDetails"].pop("$defs", {}))
    return document

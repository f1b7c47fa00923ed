"""The window: pages that the server gives itself."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from aeon.server.inspection import KINDS, WINDOW
from aeon.server.problems import Problem

__all__ = ["index", "part", "router"]

router = APIRouter(include_in_schema=False)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


@router.get("/")
async def index() -> Response:
    """The window."""
    return _part_of("index.html")


@router.get("/window/{name}")
async def part(name: str) -> Response:
    """A part of it."""
    return _part_of(name)


def _part_of(name: str) -> Response:
    """A file of the window. Raises ``Problem`` where there is none of that name."""
    if name not in WINDOW:
        raise Problem(404, "unknown_path", "there is nothing at this path; see /openapi.json")
    kind = f"{KINDS[name[name.rindex('.') :]]}; charset=utf-8"
    return Response(WINDOW[name], media_type=kind, headers={"Content-Security-Policy": _POLICY})

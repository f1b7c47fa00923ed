"""Every error as problem details (RFC 9457), with the error's type, message and whether to try again inside."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import Response

from aeon.errors import (
    AeonError,
    Divergence,
    InputFileError,
    JournalError,
    MissingExtraError,
    ModelError,
    UnknownNameError,
    UsageError,
    WeightsError,
)
from aeon.schema import Frozen, JsonObject
from aeon.text import one_line

__all__ = ["MEDIA_TYPE", "ErrorBody", "Problem", "ProblemDetails", "problem_of", "process_ended", "response_of"]

MEDIA_TYPE = "application/problem+json"


class ErrorBody(Frozen):
    """What went wrong, and whether the same request may succeed later."""

    type: str
    message: str
    retryable: bool


class ProblemDetails(Frozen):
    """An error as clients get it. ``detail`` says what to do."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    error: ErrorBody


class Problem(Exception):
    """An error that is answered with this status. ``kind`` names it for programs, such as ``unknown_job``."""

    def __init__(
        self, status: int, kind: str, detail: str, retryable: bool = False, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.retryable = retryable
        self.headers = dict(headers or {})

    @property
    def error(self) -> JsonObject:
        """What went wrong, for an event."""
        data: JsonObject = self.body.error.model_dump(mode="json")
        return data

    @property
    def body(self) -> ProblemDetails:
        """The problem as data."""
        return ProblemDetails(
            title=HTTPStatus(self.status).phrase,
            status=self.status,
            detail=self.detail,
            error=ErrorBody(type=self.kind, message=self.detail, retryable=self.retryable),
        )


_KINDS: tuple[tuple[type[AeonError], int, str, bool], ...] = (
    (MissingExtraError, 501, "missing_extra", False),
    (UnknownNameError, 404, "unknown_name", False),
    (InputFileError, 409, "unusable_file", False),
    (UsageError, 422, "invalid", False),
    (Divergence, 409, "other_version", False),
    (JournalError, 500, "journal", True),
    (WeightsError, 503, "model_unavailable", True),
    (ModelError, 502, "model", True),
    (AeonError, 500, "engine", False),
)


def problem_of(error: Exception) -> Problem:
    """The problem that an exception is; what nobody foresaw says no more than that."""
    if isinstance(error, Problem):
        return error
    for kind, status, name, retryable in _KINDS:
        if isinstance(error, kind):
            return Problem(status, name, one_line(str(error), 500), retryable)
    return Problem(500, "bug", "something went wrong that nobody foresaw; the server's log names it", False)


def process_ended(why: str) -> Problem:
    """Why a run is not taken up any more that ended its process again and again."""
    return Problem(500, "process_ended", f"{why}, so it is not taken up any more; to try it all the same, resume it")


def response_of(problem: Problem, hide: Mapping[str, str] | None = None) -> Response:
    """The answer that a problem gets; ``hide`` has texts that no answer may hold, with what stands for each."""
    text = problem.body.model_dump_json()
    for secret, name in (hide or {}).items():
        text = text.replace(secret, name)
    return Response(text, status_code=problem.status, media_type=MEDIA_TYPE, headers=problem.headers)

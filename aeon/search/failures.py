"""What went wrong with a request, in the words of `SearchProblem`."""

from __future__ import annotations

import ssl

import httpx2

from aeon.schema import SearchProblem
from aeon.text import one_line

__all__ = ["of_error", "of_status"]


def of_status(status: int, where: str, wait: float | None = None) -> SearchProblem | None:
    """Return the problem that an HTTP status stands for, ``None`` for one of success."""
    if 200 <= status < 300:
        return None
    said = f"{where} answered with status {status}"
    match status:
        case 401 | 402 | 403 | 407 | 451:
            return SearchProblem(kind="forbidden", message=f"{said}: it is not given to everyone", retryable=False)
        case 408:
            return SearchProblem(kind="timeout", message=said, retryable=True, retry_after=wait)
        case 429:
            after = "" if wait is None else f" and asks to wait for {wait:g} s"
            message = f"{where} answered with status 429: too many requests{after}"
            return SearchProblem(kind="rate_limited", message=message, retryable=True, retry_after=wait)
        case 404 | 410:
            return SearchProblem(kind="unreachable", message=f"{said}: it is not there", retryable=False)
        case _:
            retryable = status == 425 or (status >= 500 and status not in (501, 505))
            return SearchProblem(kind="server", message=said, retryable=retryable, retry_after=wait)


def of_error(error: Exception, where: str) -> SearchProblem:
    """Return the problem that an exception of a request stands for."""
    cause = _tls(error)
    said = one_line(str(cause or error) or type(error).__name__, 160)
    if cause is not None:
        message = f"{where} has no certificate that holds for its name: {said}"
        return SearchProblem(kind="unreachable", message=message, retryable=False)
    match error:
        case TimeoutError() | httpx2.TimeoutException():
            return SearchProblem(kind="timeout", message=f"{where} did not answer in time", retryable=True)
        case httpx2.RemoteProtocolError():
            message = f"{where} did not send a whole HTTP response: {said}"
            return SearchProblem(kind="malformed", message=message, retryable=True)
        case _:
            return SearchProblem(kind="unreachable", message=f"{where} cannot be reached: {said}", retryable=True)


def _tls(error: BaseException) -> ssl.SSLCertVerificationError | None:
    """The certificate that does not hold, if that is what is behind an error."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, ssl.SSLCertVerificationError):
        seen = seen.__cause__ or seen.__context__
    return seen

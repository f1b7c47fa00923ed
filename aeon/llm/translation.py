"""The one place where the SDK's exceptions become Aeon's errors, and where it is decided what is worth another try."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2
import openai

from aeon.errors import (
    EndpointFailed,
    EndpointRejected,
    EndpointTimeout,
    EndpointUnreachable,
    MalformedResponse,
    ModelError,
    ModelNotFound,
    RateLimited,
    RequestRefused,
)

__all__ = [
    "BACKOFF_SECONDS",
    "RETRIED",
    "TRANSLATED",
    "backoff",
    "one_line",
    "refused_part",
    "retry_after",
    "translate",
    "unreadable",
]

BACKOFF_SECONDS = 0.5
"""The wait before the second attempt; doubles from then on, with jitter."""

LONGEST_BACKOFF_SECONDS = 20.0
LONGEST_DETAIL = 300
"""Characters of the endpoint's own words that an error message quotes."""

RETRIED = (RateLimited, EndpointFailed, EndpointTimeout, EndpointUnreachable)
"""What another attempt can cure."""

TRANSLATED = (openai.OpenAIError, httpx2.HTTPError, TimeoutError)
"""What an attempt can raise that `translate` understands."""

_OVERLOADED = 529
"""Anthropic's status for a request that it turns away because all users together ask too much."""

CONTEXT_WORDS = (
    "context length",
    "context_length",
    "context size",
    "context window",
    "maximum context",
    "too many tokens",
)


def one_line(text: str, secret: str | None = None) -> str:
    """The text on one line, cut to a readable length, with the secret blotted out."""
    blotted = text.replace(secret, "***") if secret else text
    flat = " ".join(blotted.split())
    return flat if len(flat) <= LONGEST_DETAIL else flat[:LONGEST_DETAIL] + "…"


def translate(error: BaseException, where: str, secret: str | None) -> ModelError:
    """Aeon's error for one of `TRANSLATED`; ``where`` names the endpoint and the model."""
    if isinstance(error, openai.APIStatusError):
        return _from_status(error, where, secret)
    if isinstance(error, openai.APIConnectionError):
        return _from_connection(error, error.__cause__, where, secret)
    if isinstance(error, httpx2.HTTPError):
        return _from_connection(error, error, where, secret)
    if isinstance(error, TimeoutError):
        return EndpointTimeout(
            f"{where} gave no whole answer within the deadline; allow more time or ask for fewer tokens"
        )
    return EndpointFailed(f"{where} reported an error: {one_line(str(error), secret)}; try again or look at its log")


def unreadable(error: Exception, where: str, secret: str | None) -> ModelError:
    """Aeon's error for any other exception that reading a reply raised."""
    detail = one_line(f"{type(error).__name__}: {error}", secret)
    return MalformedResponse(f"{where} sent something that cannot be read ({detail}); check what serves this address")


def _from_connection(error: Exception, cause: BaseException | None, where: str, secret: str | None) -> ModelError:
    if isinstance(cause, ModelError):  # of the guard
        return cause
    kind = type(cause).__name__
    if isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.UnsupportedProtocol, httpx2.ProxyError)):
        detail = one_line(str(cause), secret) or kind
        return EndpointUnreachable(f"cannot reach {where}: {detail}; check the base URL and that the server is running")
    if isinstance(error, (openai.APITimeoutError, httpx2.TimeoutException)):
        return translate(TimeoutError(), where, secret)
    return EndpointFailed(f"{where} broke off the connection ({kind}); try again or look at the server's log")


def _from_status(error: openai.APIStatusError, where: str, secret: str | None) -> ModelError:
    status = error.status_code
    detail = f"HTTP {status}: {_detail(error, secret)}"
    if status in (401, 403):
        return EndpointRejected(
            f"{where} rejected the API key ({detail}); set a valid key, for example in AEON_API_KEY"
        )
    if status == 404:
        return ModelNotFound(f"{where} does not serve this model ({detail}); check the model's name and the base URL")
    if status == 429:
        return RateLimited(f"{where} is limiting the rate ({detail}); wait, or lower the number of parallel calls")
    if status in (408, 504):
        return EndpointTimeout(f"{where} took too long ({detail}); try again or allow more time")
    if status == _OVERLOADED:
        overloaded = EndpointFailed(f"{where} is overloaded ({detail}); try again later")
        overloaded.unmetered = 0  # it turned the request away
        return overloaded
    if status >= 500:
        return EndpointFailed(f"{where} failed ({detail}); try again or look at the server's log")
    if any(words in detail.lower() for words in CONTEXT_WORDS):
        return RequestRefused(
            f"the prompt is longer than the context of {where} ({detail}); shorten it or raise the context"
        )
    return RequestRefused(f"{where} refused the request ({detail}); use a model or an endpoint that supports it")


def _detail(error: openai.APIStatusError, secret: str | None) -> str:
    body = error.body
    if isinstance(body, Mapping):
        message = body.get("message") or body.get("detail") or body.get("error")
        return one_line(str(message or body), secret)
    text = str(body or "").strip()
    return "an HTML page" if text.startswith("<") else one_line(text or error.message, secret)


def refused_part(error: openai.APIStatusError, parts: tuple[str, ...]) -> str | None:
    """Which of these request fields a 400 or 422 complains about, ``None`` if none of them."""
    if error.status_code not in (400, 422):
        return None
    named = error.param.split(".")[0] if isinstance(error.param, str) else ""
    if named in parts:
        return named
    text = f"{error.message} {error.body}"
    return next((part for part in parts if re.search(rf"\b{part}\b", text)), None)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that a ``Retry-After`` header asks to wait (a number or a date, RFC 9110 §10.2.3), else ``None``."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
        aware = when if when.tzinfo else when.replace(tzinfo=UTC)
        return max(0.0, (aware - (now or datetime.now(UTC))).total_seconds())
    except (ValueError, OverflowError):
        return None


def backoff(retry: int) -> float:
    """Seconds to wait before retry number ``retry`` (from 1) when the endpoint asked for no particular wait."""
    longest = min(BACKOFF_SECONDS * 2.0 ** (retry - 1), LONGEST_BACKOFF_SECONDS)
    return random.uniform(longest / 2, longest)

"""The one place where the SDK's exceptions become Aeon's errors, and where it is decided what is worth another try."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise

import httpx2

from aeon.errors import (
    EndpointFailed,
    EndpointRejected,
    EndpointTimeout,
    EndpointUnreachable,
    FieldRefused,
    MalformedResponse,
    ModelError,
    ModelNotFound,
    NotPermitted,
    RateLimited,
    RequestRefused,
)
from aeon.llm import sdk as openai

__all__ = [
    "BACKOFF_SECONDS",
    "RETRIED",
    "backoff",
    "one_line",
    "refused_addition",
    "refused_part",
    "refuses_system",
    "translate",
    "translated",
    "unreadable",
]

BACKOFF_SECONDS = 0.5
"""The wait before the second attempt; doubles from then on, with jitter."""

LONGEST_BACKOFF_SECONDS = 20.0
LONGEST_DETAIL = 300
"""Characters of the endpoint's own words that an error message quotes."""

RETRIED = (RateLimited, EndpointFailed, EndpointTimeout, EndpointUnreachable)
"""What another attempt can cure."""

_OVERLOADED = 529
"""Anthropic's status for a request that it turns away because all users together ask too much."""

REFUSALS = (400, 403, 404, 405, 422, 501)
"""The statuses with which endpoints refuse a field of a request."""

_MENTIONS = {
    "tools": ("tool", "tools", "tool_", "function", "functions", "function_"),
    "top_logprobs": ("top_logprobs", "logprobs"),
    "text": ("text.format", "response_format", "json_schema", "json_object"),
}
"""The names that a field has in what endpoints say of it, where that is not its own; ``tool_`` begins one."""

_SYSTEM_NAMES = (
    {"system", "role"}, {"system", "roles"}, {"roles", "alternate"}, {"developer", "instruction"},
    {"systeminstruction"}, {"system_instruction"},
)  # fmt: skip
"""The names that endpoints use together where the system's role is what they refuse."""

CONTEXT_WORDS = (
    "context length",
    "context_length",
    "context size",
    "context window",
    "maximum context",
    "too many tokens",
)


def one_line(text: str, secrets: Sequence[str] = ()) -> str:
    """The text on one line, cut to a readable length, with the secrets blotted out."""
    for secret in secrets:
        text = text.replace(secret, "***")
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST_DETAIL else flat[:LONGEST_DETAIL] + "…"


def translated() -> tuple[type[openai.OpenAIError], type[httpx2.HTTPError], type[TimeoutError]]:
    """What an attempt can raise that `translate` understands."""
    return (openai.OpenAIError, httpx2.HTTPError, TimeoutError)


def translate(error: BaseException, where: str, secrets: Sequence[str], field: str | None = None) -> ModelError:
    """Aeon's error for one of `translated`; ``where`` names the endpoint and the model, ``secrets`` are blotted out.

    ``field`` is the request field that the endpoint refuses, if it names one: then nothing else is wrong.
    """
    if isinstance(error, openai.APIStatusError):
        return _from_status(error, where, secrets, 400 if field else error.status_code)
    if isinstance(error, openai.APIConnectionError):
        return _from_connection(error, error.__cause__, where, secrets)
    if isinstance(error, httpx2.HTTPError):
        return _from_connection(error, error, where, secrets)
    if isinstance(error, TimeoutError):
        return EndpointTimeout(
            f"{where} gave no whole answer within the deadline; allow more time or ask for fewer tokens"
        )
    return EndpointFailed(f"{where} reported an error: {one_line(str(error), secrets)}; try again or look at its log")


def refused_addition(error: openai.APIStatusError, where: str, secrets: Sequence[str], field: str) -> ModelError:
    """Aeon's error where the endpoint refuses a field that the user added to the body."""
    return FieldRefused(
        f"{where} refuses {field}, which the extra body (AEON_BODY, body=) sets (HTTP {error.status_code}: "
        f"{_detail(error, secrets)}); change it or leave it out"
    )


def unreadable(error: Exception, where: str, secrets: Sequence[str]) -> ModelError:
    """Aeon's error for any other exception that reading a reply raised."""
    detail = one_line(f"{type(error).__name__}: {error}", secrets)
    return MalformedResponse(f"{where} sent something that cannot be read ({detail}); check what serves this address")


def _from_connection(error: Exception, cause: BaseException | None, where: str, secrets: Sequence[str]) -> ModelError:
    if isinstance(cause, ModelError):  # of the guard
        return cause
    kind = type(cause).__name__
    if isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.UnsupportedProtocol, httpx2.ProxyError)):
        detail = one_line(str(cause), secrets) or kind
        return EndpointUnreachable(f"cannot reach {where}: {detail}; check the base URL and that the server is running")
    if isinstance(error, (openai.APITimeoutError, httpx2.TimeoutException)):
        return translate(TimeoutError(), where, secrets)
    return EndpointFailed(f"{where} broke off the connection ({kind}); try again or look at the server's log")


def _from_status(error: openai.APIStatusError, where: str, secrets: Sequence[str], status: int) -> ModelError:
    detail = f"HTTP {error.status_code}: {_detail(error, secrets)}"
    if status == 401:
        return EndpointRejected(
            f"{where} rejected the API key ({detail}); set a valid key, for example in AEON_API_KEY"
        )
    if status == 403:
        return NotPermitted(
            f"{where} does not permit this ({detail}); check that the API key is right, and what it may do there"
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
    if status >= 500 and status != 501:
        return EndpointFailed(f"{where} failed ({detail}); try again or look at the server's log")
    if _is_too_long(detail):
        return RequestRefused(
            f"the prompt is longer than the context of {where} ({detail}); shorten it or raise the context"
        )
    return RequestRefused(f"{where} refused the request ({detail}); use a model or an endpoint that supports it")


def _detail(error: openai.APIStatusError, secrets: Sequence[str]) -> str:
    body = error.body
    if isinstance(body, Mapping):
        message = body.get("message") or body.get("detail") or body.get("error")
        return one_line(str(message or body), secrets)
    text = str(body or "").strip()
    return "an HTML page" if text.startswith("<") else one_line(text or error.message, secrets)


def refused_part(error: openai.APIStatusError, parts: Sequence[str], own: Sequence[str] = ()) -> str | None:
    """Which of these request fields a refusal complains about, ``None`` if none of them, or if the prompt is too long.

    Endpoints name it in ``param``, in the place of a fault, or in their words; some refuse with a 403 or a 404.
    ``own`` are fields that the user set, as paths with dots; words that may mean either mean one of the ``parts``.
    """
    if error.status_code not in REFUSALS or _is_too_long(str(error.body)):
        return None
    return _named_part(error, parts, own) or _mentioned_part(f"{error.message} {error.body}", parts, own)


def _named_part(error: openai.APIStatusError, parts: Sequence[str], own: Sequence[str]) -> str | None:
    param = error.param.replace("]", "").replace("[", ".").split(".") if isinstance(error.param, str) else []
    places = _faulty_places(error.body)
    paths = [f".{'.'.join(place)}." for place in (param, *places)]
    named = [field for field in own if any(f".{field}." in path for path in paths)]
    named += [name for name in (*param[:1], *chain.from_iterable(places)) if name in parts]
    return next(iter(named), None)


def _mentioned_part(text: str, parts: Sequence[str], own: Sequence[str]) -> str | None:
    told = _identifiers(text)
    names = {part: _MENTIONS.get(part, (part,)) for part in parts}
    names |= {field: (field.rpartition(".")[2],) for field in own}
    return next((field for field, those in names.items() if not told.isdisjoint(those)), None)


def _identifiers(text: str) -> set[str]:
    """The names of a text, each by itself, with the next one behind a dot, and its beginning: of tool_use ``tool_``.

    Each stands there as it is written, and in lower case.
    """
    paths = "".join(char if char.isalnum() or char in "_." else " " for char in text).split()
    names: set[str] = set()
    for path in paths:
        parts = path.split(".")
        names.update(parts, map(".".join, pairwise(parts)))
    names |= {f"{name.partition('_')[0]}_" for name in names if "_" in name}
    return names | {name.lower() for name in names}


def _faulty_places(body: object) -> list[list[str]]:
    """The places of the faults in a list of them, as web frameworks write it."""
    faults = body.get("detail") if isinstance(body, Mapping) else None
    places = [fault.get("loc") for fault in faults if isinstance(fault, Mapping)] if isinstance(faults, list) else []
    return [[str(name) for name in place] for place in places if isinstance(place, list)]


def _is_too_long(text: str) -> bool:
    return any(words in text.lower() for words in CONTEXT_WORDS)


def refuses_system(error: openai.APIStatusError) -> bool:
    """Whether an endpoint, or the template of its model, complains of messages of the system's role.

    Templates that raise are told as a fault of the server by some.
    """
    if error.status_code not in (*REFUSALS, 500):
        return False
    told = _identifiers(f"{error.message} {error.body}")
    return error.param == "instructions" or any(told >= names for names in _SYSTEM_NAMES)


def backoff(retry: int) -> float:
    """Seconds to wait before retry number ``retry`` (from 1) when the endpoint asked for no particular wait."""
    longest = min(BACKOFF_SECONDS * 2.0 ** (retry - 1), LONGEST_BACKOFF_SECONDS)
    return random.uniform(longest / 2, longest)

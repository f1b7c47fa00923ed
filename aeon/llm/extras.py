"""What a user adds to every request to an endpoint: headers, for gateways, and fields of the body, for a model."""

from __future__ import annotations

import hashlib
import json
import string
from collections.abc import Iterator, Mapping, Sequence

from aeon.errors import ConfigError
from aeon.schema.frozen import JsonObject

__all__ = ["BODY", "HEADERS", "digest", "extras", "merged", "own_fields", "plain_body", "plain_headers", "secrets_of"]

HEADERS = "AEON_HEADERS"
BODY = "AEON_BODY"

_HEADERS = f"the extra headers ({HEADERS}, headers=)"
_BODY = f"the extra body ({BODY}, body=)"
_NAME = frozenset(f"!#$%&'*+-.^_`|~{string.ascii_letters}{string.digits}")
"""What the name of a header is made of (RFC 9110 §5.6.2)."""
_FRAMING = (
    "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "host", "te",
    "trailer", "transfer-encoding", "upgrade",
)  # fmt: skip
"""Headers that say where a message goes, and where its parts begin and end."""
_LEAST_SECRET = 4
"""Characters below which a value hides nothing: blotted out, it would only make messages unreadable."""
_LEAST_WORD = 8
"""Characters of a word of a value, such as the key behind ``Bearer``, that is taken for a secret of its own."""


def extras(env: Mapping[str, str]) -> dict[str, JsonObject]:
    """``headers`` and ``body`` as the environment has them, each as far as it is set.

    Raises:
        ConfigError: one of them is no JSON object; the text repeats nothing of it.
    """
    named = (("headers", HEADERS), ("body", BODY))
    return {name: _object(env[variable], variable) for name, variable in named if variable in env}


def plain_headers(headers: Mapping[str, str] | None) -> dict[str, str]:
    """The headers, as each request can carry them.

    Raises:
        ConfigError: a name or a value can be none, or a header is not the user's to set; no value is repeated.
    """
    if not isinstance(headers, Mapping | None):
        raise ConfigError(f"{_HEADERS}: write an object of names and values")
    for number, (name, value) in enumerate((headers or {}).items(), 1):
        if not _is_name(name):
            raise ConfigError(f"{_HEADERS}: the name of header {number} can be none; write letters, digits and hyphens")
        if name.lower() in _FRAMING:
            raise ConfigError(f"{_HEADERS} may not set {name}, which belongs to the connection; leave it out")
        if not _is_value(value):
            raise ConfigError(f"{_HEADERS}: the value of {name} can be none; write plain text on one line")
    return dict(headers or {})


def plain_body(body: Mapping[str, object] | None, reserved: Sequence[str]) -> JsonObject:
    """The fields of a body, as they are merged over that of each request; ``reserved`` are those that Aeon decides.

    Raises:
        ConfigError: it is no JSON object, or sets what is reserved.
    """
    try:
        plain = json.loads(json.dumps(body or {}, allow_nan=False))
        merged({}, plain)
    except (TypeError, ValueError, AttributeError, RecursionError):
        plain = None
    if not isinstance(plain, dict):
        raise ConfigError(f"{_BODY}: write a JSON object")
    for field in reserved:
        if _sets(plain, field.split(".")):
            raise ConfigError(f"{_BODY} may not set {field}, which Aeon decides; leave it out")
    return plain


def merged(body: JsonObject, patch: JsonObject) -> JsonObject:
    """The body with the patch merged over it, as JSON Merge Patch says (RFC 7396): objects are merged, null removes."""
    result = dict(body)
    for name, value in patch.items():
        inner = result.get(name)
        if value is None:
            result.pop(name, None)
        elif isinstance(value, dict):
            result[name] = merged(inner if isinstance(inner, dict) else {}, value)
        else:
            result[name] = value
    return result


def own_fields(patch: JsonObject, body: JsonObject) -> tuple[str, ...]:
    """The fields that only the patch decides, as paths with dots: what it merges into is not its own."""
    return tuple(_own_fields(patch, body))


def digest(body: JsonObject) -> str:
    """A short name for a body that tells it from others."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]


def secrets_of(headers: Mapping[str, str]) -> tuple[str, ...]:
    """What no message may repeat of the headers: their values, and the long words in them; the longest first."""
    values = {value for value in headers.values() if len(value) >= _LEAST_SECRET}
    words = {word for value in values for word in value.split() if len(word) >= _LEAST_WORD}
    return tuple(sorted(values | words, key=lambda one: (-len(one), one)))


def _is_name(name: object) -> bool:
    """Whether a header can have it: letters, digits and what else a token may hold."""
    return isinstance(name, str) and name != "" and _NAME.issuperset(name)


def _is_value(value: object) -> bool:
    """Whether a header can have it: plain text on one line, without blanks at its ends."""
    if not isinstance(value, str) or value != value.strip():
        return False
    return value.isascii() and value.replace("\t", " ").isprintable()


def _object(written: str, variable: str) -> JsonObject:
    try:
        read = json.loads(written)
    except (ValueError, RecursionError) as error:
        at = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise ConfigError(f'{variable} is not JSON{at}; write an object such as {{"name": "value"}}') from None
    if not isinstance(read, dict):
        raise ConfigError(f'{variable} is no JSON object; write one such as {{"name": "value"}}')
    return read


def _sets(patch: JsonObject, path: Sequence[str]) -> bool:
    """Whether the patch touches what is at the path, however its names are spelt (``max_tokens``, ``maxTokens``)."""
    for name, value in patch.items():
        if _spelt(name) == _spelt(path[0]):
            return len(path) == 1 or not isinstance(value, dict) or _sets(value, path[1:])
    return False


def _spelt(name: str) -> str:
    return name.replace("_", "").lower()


def _own_fields(patch: JsonObject, body: JsonObject) -> Iterator[str]:
    for name, value in patch.items():
        inner = body.get(name)
        if isinstance(value, dict) and isinstance(inner, dict):
            yield from (f"{name}.{field}" for field in _own_fields(value, inner))
        else:
            yield name

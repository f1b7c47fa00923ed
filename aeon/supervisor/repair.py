"""Turns model text into a schema-valid value, or says what is wrong with it. Pure: no model, no I/O.

extract → parse strictly → mend the syntax if that fails → validate → take out of an envelope, and validate again.
Mending may move punctuation and nothing else, so that it never adds, drops or completes anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from aeon.errors import Malformed
from aeon.llm.strict_schema import without_nulls
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.supervisor.envelopes import respelt, unwrapped
from aeon.supervisor.extract import MAX_DEPTH, MAX_TEXT, extract_json
from aeon.supervisor.mend import mended
from aeon.supervisor.valid import faults, validator
from aeon.text import printable

__all__ = ["MAX_DEPTH", "MAX_DIGITS", "MAX_TEXT", "Parsed", "extract_json", "parse"]

MAX_DIGITS = 300
"""Digits of an integer beyond which it is refused; so every integer also fits a float."""


@dataclass(frozen=True)
class Parsed:
    """A schema-valid value; ``mended`` says that its syntax had to be repaired, or that it stood in an envelope."""

    value: JsonValue
    mended: bool


def parse(text: str, schema: JsonObject) -> Parsed:
    """The one JSON value that ``text`` holds, valid against ``schema`` (Draft 2020-12) and encodable as UTF-8.

    Raises:
        Malformed: there is no such value; the text names the path of each fault, ``$`` being the whole.
        ConfigError: ``schema`` itself is not valid, or refers to something outside itself.
    """
    against = validator(schema)
    parsed = _parsed(text)
    messages = faults(parsed.value, against)
    if not messages:
        return parsed
    plain = without_nulls(parsed.value, schema)  # strict mode has a model write null for what it leaves out
    if plain != parsed.value and not faults(plain, against):
        return Parsed(plain, parsed.mended)
    for value in _readings(parsed.value, schema):
        if _can_be_meant(value, schema) and not faults(value, against):
            return Parsed(value, mended=True)
    raise Malformed("; ".join(messages))


def _readings(value: JsonValue, schema: JsonObject) -> Iterator[JsonValue]:
    """What a value that does not fit may be instead: what lies in its envelope, its enumerations in their own case."""
    for inner in (value, *unwrapped(value, lambda text: _parsed(text).value)):
        spelt = respelt(inner, schema)
        yield from (inner, without_nulls(inner, schema), spelt, without_nulls(spelt, schema))


def _can_be_meant(value: JsonValue, schema: JsonObject) -> bool:
    """Whether a value is of the kind that a schema speaks of: one without a type says nothing of other kinds."""
    return isinstance(value, dict) or schema.keys().isdisjoint(("properties", "required"))


def _parsed(text: str) -> Parsed:
    """The one value that a text holds, whatever its shape.

    Raises:
        Malformed: there is none, or none that can be used.
    """
    try:
        literal, quoted = extract_json(text), False
    except Malformed:
        literal, quoted = extract_json(_unquoted(text)), True
    try:
        parsed = Parsed(_strict(literal), mended=quoted)
    except json.JSONDecodeError as error:
        parsed = Parsed(_mend(literal, error), mended=True)
    _refuse_unusable(parsed.value)
    return parsed


def _unquoted(text: str) -> str:
    """The text that a JSON string is, which the text is; else the text itself."""
    body = text.strip()
    try:
        inner = json.loads(body) if body[:1] == '"' == body[-1:] and len(body) <= MAX_TEXT else text
    except (ValueError, RecursionError):
        return text
    return inner if isinstance(inner, str) else text


def _strict(literal: str) -> JsonValue:
    """``literal`` as JSON and nothing more.

    Raises:
        json.JSONDecodeError: the syntax is wrong; mending may help.
        Malformed: the value is not one that JSON lets two readers agree on; mending would change it.
    """
    try:
        value: JsonValue = json.loads(
            literal,
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_integer,
        )
    except RecursionError as error:
        raise Malformed(f"$: the JSON object is nested deeper than {MAX_DEPTH} levels") from error
    return value


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value: dict[str, JsonValue] = {}
    for name, inner in pairs:
        if name in value:
            raise Malformed(f"$: the key {_excerpt(name)} stands more than once in one object")
        value[name] = inner
    return value


def _no_constant(name: str) -> JsonValue:
    raise Malformed(f"$: {name} is not a JSON number")


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise Malformed(f"$: {_excerpt(digits)} is beyond the range of numbers")
    return value


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise Malformed(f"$: an integer of {len(digits)} digits is refused; at most {MAX_DIGITS}")
    return int(digits)


def _excerpt(text: str) -> str:
    return ascii(text[:40])


def _mend(literal: str, fault: json.JSONDecodeError) -> JsonValue:
    """The value of ``literal`` once its punctuation is put right.

    Raises:
        Malformed: punctuation is not all that is wrong, or the value is one that the strict reader refuses.
    """
    try:
        return _strict(mended(literal))
    except json.JSONDecodeError as error:
        where = f"$: not valid JSON ({fault.msg.lower()} at character {fault.pos + 1})"
        raise Malformed(where) from error


def _texts(value: JsonValue) -> Iterator[str]:
    """Every string in ``value`` that is not a key."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _texts(child)


def _keys(value: JsonValue) -> Iterator[str]:
    """Every key in ``value``."""
    if isinstance(value, dict):
        yield from value
    if isinstance(value, list | dict):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _keys(child)


def _refuse_unusable(value: JsonValue) -> None:
    """Let no text pass that cannot be UTF-8 or that holds control characters.

    Raises:
        Malformed: a key or a string holds a lone surrogate or a control character.
    """
    for text in chain(_texts(value), _keys(value)):
        if (shown := printable(text)) != text:
            code = next(ord(one) for one, other in zip(text, shown, strict=True) if one != other)
            raise Malformed(f"$: a text holds U+{code:04X}, a control character or half of a surrogate pair")

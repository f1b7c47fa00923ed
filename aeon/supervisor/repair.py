"""Turns model text into a schema-valid value, or says what is wrong with it. Pure: no model, no I/O.

extract → parse strictly → mend the syntax if that fails → validate. Mending may move punctuation and nothing else: a
mended value that holds other content than the text is refused, so that it never adds, drops or completes anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice

import json_repair
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from referencing import Registry
from referencing.exceptions import Unresolvable

from aeon.errors import ConfigError, Malformed
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.supervisor.extract import MAX_DEPTH, MAX_TEXT, extract_json
from aeon.supervisor.prompt import clean, cut

__all__ = ["MAX_DEPTH", "MAX_DIGITS", "MAX_TEXT", "Parsed", "extract_json", "parse"]

MAX_DIGITS = 300
"""Digits of an integer beyond which it is refused; so every integer also fits a float."""

_MAX_MENDED = 50_000
_MOST_ERRORS = 5
_LONGEST_ERROR = 300

_UNUSABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_PYTHON_NAME = re.compile(r"\b(?:True|False|None)\b")
_JSON_NAMES = {"True": "true", "False": "false", "None": "null"}
_OPENING = "\"'\u201c\u2018"
_MARKS = rf"\s{_OPENING}\u201d\u2019`,:;{{}}\[\]\\"
_PUNCTUATION = re.compile(f"[{_MARKS}]+")
_LITERAL_START = re.compile(f"[^{_MARKS}]{{1,24}}")
_QUOTED_START = re.compile(f"[{_OPENING}]([^{_MARKS}]{{1,24}})")
_SWALLOWED = re.compile(r"""["']\s*[,:\]}{\[]+\s*["']""")


@dataclass(frozen=True)
class Parsed:
    """A schema-valid value; ``mended`` says that its syntax had to be repaired."""

    value: JsonValue
    mended: bool


def parse(text: str, schema: JsonObject) -> Parsed:
    """The one JSON value that ``text`` holds, valid against ``schema`` (Draft 2020-12) and encodable as UTF-8.

    Raises:
        Malformed: there is no such value; the text names the path of each fault, ``$`` being the whole.
        ConfigError: ``schema`` itself is not valid, or refers to something outside itself.
    """
    validator = _validator(json.dumps(schema))
    literal = extract_json(text)
    try:
        parsed = Parsed(_strict(literal), mended=False)
    except json.JSONDecodeError as error:
        parsed = Parsed(_mend(literal, error), mended=True)
    _refuse_unusable(parsed.value)
    faults = _problems(parsed.value, validator)
    if faults:
        raise Malformed("; ".join(faults))
    return parsed


def _problems(value: JsonValue, validator: Draft202012Validator) -> list[str]:
    """What is wrong with ``value``, at most five one-line texts that begin with a path.

    Raises:
        ConfigError: the schema refers to something outside itself, or to itself without end.
    """
    try:
        errors = list(islice(validator.iter_errors(value), _MOST_ERRORS))
        return [_line(best_match([error]) or error) for error in errors]
    except Unresolvable as error:
        raise ConfigError(f"schema: {error} cannot be resolved inside the schema") from error
    except RecursionError as error:
        raise ConfigError("schema: it refers to itself without end") from error


@lru_cache(maxsize=128)
def _validator(schema: str) -> Draft202012Validator:
    loaded = json.loads(schema)
    try:
        Draft202012Validator.check_schema(loaded)
    except SchemaError as error:
        raise ConfigError(f"schema: {_line(error)}") from error
    return Draft202012Validator(loaded, registry=Registry())


def _line(error: ValidationError | SchemaError) -> str:
    text = cut(f"{error.json_path}: {error.message}", _LONGEST_ERROR)
    return clean(" ".join(text.split()))


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
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in value if names.count(name) > 1)
        raise Malformed(f"$: the key {_shown(twice)} stands more than once in one object")
    return value


def _no_constant(name: str) -> JsonValue:
    raise Malformed(f"$: {name} is not a JSON number")


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise Malformed(f"$: {_shown(digits)} is beyond the range of numbers")
    return value


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise Malformed(f"$: an integer of {len(digits)} digits is refused; at most {MAX_DIGITS}")
    return int(digits)


def _shown(text: str) -> str:
    return ascii(text[:40])


def _mend(literal: str, fault: json.JSONDecodeError) -> JsonValue:
    """The value of ``literal`` once its punctuation is put right.

    Raises:
        Malformed: it cannot be mended, or only by adding, dropping or changing content.
    """
    where = f"$: not valid JSON ({fault.msg.lower()} at character {fault.pos + 1})"
    if len(literal) > _MAX_MENDED:
        raise Malformed(where)
    try:
        guess = json_repair.repair_json(literal, return_objects=True, skip_json_loads=True, strict=True)
        dumped = json.dumps(guess, ensure_ascii=False)
        value = _strict(dumped)
    except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError, AttributeError) as error:
        raise Malformed(where) from error
    swallowed = any(_SWALLOWED.search(text) for text in chain(_texts(value), _keys(value)))
    if swallowed or _content(literal) != _content(dumped) or not _was_quoted(value, literal):
        raise Malformed(where)
    return value


def _content(literal: str) -> str:
    """What JSON text says, without how it is punctuated: two texts of the same content differ in syntax only."""
    plain = _NUMBER.sub(_same_number, _ESCAPE.sub(_unescaped, literal))
    return _PUNCTUATION.sub("", _PYTHON_NAME.sub(lambda name: _JSON_NAMES[name.group()], plain))


def _unescaped(escape: re.Match[str]) -> str:
    code, letter = escape.groups()
    if code:
        return chr(int(code, 16))
    return " " if letter in "nrtbf" else str(letter)


def _same_number(number: re.Match[str]) -> str:
    digits = number.group()
    return digits if digits.isdigit() else repr(float(digits))


def _was_quoted(value: JsonValue, literal: str) -> bool:
    """Whether each text in ``value`` stood in quotes: a bare ``tru`` or ``NaN`` is no text."""
    quoted = {found.group(1) for found in _QUOTED_START.finditer(_ESCAPE.sub(_unescaped, literal))}
    for text in _texts(value):
        start = _LITERAL_START.match(text)
        if start and start.group() not in quoted:
            return False
    return True


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
        if found := _UNUSABLE.search(text):
            code = ord(found.group())
            raise Malformed(f"$: a text holds U+{code:04X}, a control character or half of a surrogate pair")

"""Holds a value against a JSON Schema, in bounded time whatever the value. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from aeon.errors import ConfigError, Malformed
from aeon.jsonschemas.fitting import surely_fitting
from aeon.jsonschemas.patterns import PatternValidator, bad_pattern
from aeon.jsonschemas.references import unresolved
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.supervisor.prompt import clean, cut

__all__ = ["MOST_CHECKS", "Against", "faults", "validator"]

MOST_CHECKS = 50_000
"""Comparisons of a keyword with a part of the value beyond which nothing more is checked."""

_MOST_FAULTS = 5
_LONGEST_FAULT = 300
_DEEP = 8

_Keyword = Callable[[Validator, JsonValue, JsonValue, JsonObject], Iterable[ValidationError] | None]
_left: ContextVar[Iterator[int]] = ContextVar("aeon_checks_left")


class Against(NamedTuple):
    """What values are held against: the keywords of a schema one by one, unless a value surely fits all of them."""

    keywords: Validator
    surely_fitting: Callable[[JsonValue], bool]


def validator(schema: JsonObject) -> Against:
    """What holds values against ``schema`` (Draft 2020-12, whatever draft it names).

    Raises:
        ConfigError: ``schema`` is no JSON Schema, or none that any value can be held against: it refers to what it
            does not hold, or to itself without end, or has a pattern that cannot be matched in linear time.
    """
    try:
        text = json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"schema: it is no JSON: {_text(error)}") from None
    return _build(text)


def faults(value: JsonValue, against: Against) -> list[str]:
    """The faults of ``value``, at most five one-line texts that begin with a path.

    Raises:
        Malformed: the value is too large or too deep to be checked.
        ConfigError: the schema refers to something outside itself, or to itself without end.
    """
    if against.surely_fitting(value):
        return []
    token = _left.set(iter(range(MOST_CHECKS)))
    try:
        errors = list(islice(against.keywords.iter_errors(value), _MOST_FAULTS))
        return [_line(best_match([error]) or error) for error in errors]
    except Unresolvable as error:
        raise ConfigError(f"schema: {error} cannot be resolved inside the schema") from error
    except RecursionError as error:
        if _depth(value) > _DEEP:
            raise Malformed("$: the value is nested deeper than its schema can be followed") from error
        raise ConfigError("schema: it refers to itself without end") from error
    finally:
        _left.reset(token)


@lru_cache(maxsize=128)
def _build(schema: str) -> Against:
    loaded = json.loads(schema)
    if isinstance(loaded, dict):
        loaded.pop("$schema", None)  # a reference to the root would go on under the draft named here
    try:
        Draft202012Validator.check_schema(loaded)
        problem = bad_pattern(loaded) or unresolved(loaded)
    except SchemaError as error:
        raise ConfigError(f"schema: {_line(error)}") from None
    except RecursionError:
        raise ConfigError("schema: it is nested too deeply") from None
    if problem:
        raise ConfigError(f"schema: {problem}")
    return Against(_Counting(loaded, registry=Registry()), surely_fitting(loaded))


def _text(error: Exception) -> str:
    return clean(" ".join(cut(str(error), _LONGEST_FAULT).split()))


def _line(error: ValidationError | SchemaError) -> str:
    text = cut(f"{error.json_path}: {error.message}", _LONGEST_FAULT)
    return clean(" ".join(text.split()))


def _depth(value: JsonValue) -> int:
    """How many containers lie within each other."""
    depth, level = 0, [value]
    while level:
        level = [inner for outer in level if isinstance(outer, dict | list) for inner in _inside(outer)]
        depth += 1
    return depth


def _inside(outer: dict[str, JsonValue] | list[JsonValue]) -> Iterable[JsonValue]:
    return outer.values() if isinstance(outer, dict) else outer


def _count_checks(name: str, keyword: _Keyword) -> _Keyword:
    """``keyword``, counted each time that it is applied. The ``unevaluated…`` ones cost the square of a size."""
    squared = name.startswith("unevaluated")

    def check(
        owner: Validator, argument: JsonValue, instance: JsonValue, schema: JsonObject
    ) -> Iterable[ValidationError] | None:
        size = len(instance) if squared and isinstance(instance, dict | list) else 0
        cost = 1 + size * size // 64
        if len(list(islice(_left.get(), cost))) < cost:
            raise Malformed(f"$: the value takes more than {MOST_CHECKS} checks against its schema")
        return keyword(owner, argument, instance, schema)

    return check


def _unique_items(_: Validator, argument: JsonValue, instance: JsonValue, __: JsonObject) -> Iterator[ValidationError]:
    """``uniqueItems`` in linear time: texts are compared, as numbers can be chosen so that their hashes collide."""
    if argument and isinstance(instance, list) and len(set(map(_canonical, instance))) < len(instance):
        yield ValidationError(f"{cut(repr(instance), _LONGEST_FAULT)} has non-unique elements")


def _canonical(item: JsonValue) -> str:
    return json.dumps(_same(item), sort_keys=True)


def _same(value: JsonValue) -> JsonValue:
    """``value`` with 1.0 written like 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_same(item) for item in value]
    if isinstance(value, dict):
        return {key: _same(item) for key, item in value.items()}
    return value


_KEYWORDS: dict[str, _Keyword] = {**PatternValidator.VALIDATORS, "uniqueItems": _unique_items}
_Counting: Callable[..., Validator] = extend(  # type: ignore[no-untyped-call]  # jsonschema has no types for it
    PatternValidator, {name: _count_checks(name, keyword) for name, keyword in _KEYWORDS.items()}
)

"""The border that a handler's value crosses: it is validated once, and is from then on what a journal gives back.

Most values hold nothing but text, numbers and such values again. That they fit their class, and come back from JSON as
they are, is seen without making anything; the tests for it follow from the class, once. All others go through JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import msgspec
from pydantic import TypeAdapter

from aeon.schema import Value
from aeon.schema.effects import Effect

__all__ = ["admitted"]

Test: TypeAlias = Callable[[object], bool]
_LARGE = 1 << 53


def admitted(effect: Effect, value: object) -> Value:
    """The value as a journal gives it back, or an error now.

    Raises:
        TypeError: it is not of the effect's result type.
        pydantic.ValidationError: one of its fields is not what it must be.
    """
    kind = effect.result
    if not isinstance(value, kind):
        raise TypeError(f"the handler of '{effect.phase}' returned {type(value).__name__}, not {kind.__name__}")
    if type(value) is kind and _sure(value):
        return value
    return kind.model_validate_json(value.model_dump_json(warnings=False))


def _sure(value: Value) -> bool:
    """Whether the value surely is valid, JSON gives it back as it is, and nobody can change what it holds."""
    kind = type(value)
    for field, (default, test) in zip(msgspec.structs.astuple(value), _tests(kind), strict=True):
        if field is not default and not test(field):
            return False
    return True


@cache
def _tests(kind: type[Value]) -> tuple[tuple[object, Test], ...]:
    """The default of each field, which is valid, and the test for anything else."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple((field.default, _test(hints[field.name])) for field in msgspec.structs.fields(kind))


def _test(hint: Any) -> Test:  # noqa: ANN401 - any annotation
    """What makes sure of a value with this annotation; where it cannot, it is false."""
    arguments, origin = get_args(hint), get_origin(hint)
    if isinstance(hint, type) and issubclass(hint, Value):
        return lambda value: type(value) is hint and _sure(value)
    if origin is Literal:
        return lambda value: type(value) is str and value in arguments
    if origin is tuple and arguments[1:] == (...,):
        return _each(_test(arguments[0]))
    if origin in (Union, UnionType):
        return _any_of(map(_test, arguments))
    return _plain(hint, arguments[0] if origin is Annotated else hint)


def _plain(hint: Any, base: object) -> Test:  # noqa: ANN401 - any annotation
    """What makes sure of a plain value: of exactly the type ``base``, if that is plain, and as pydantic has it."""
    exact = (base,) if base in _PLAIN else tuple(_PLAIN)
    fits = TypeAdapter(hint).validator.isinstance_python

    def test(value: object) -> bool:
        return type(value) in exact and _PLAIN[type(value)](value) and fits(value, strict=True)

    return test


def _each(test: Test) -> Test:
    def of_all(value: object) -> bool:
        return isinstance(value, tuple) and all(map(test, value))

    return of_all


def _any_of(tests: Iterable[Test]) -> Test:
    each = tuple(tests)
    return lambda value: any(test(value) for test in each)


def _small(number: float) -> bool:
    return -_LARGE < number < _LARGE


def _always(_: object) -> bool:
    return True


_PLAIN: dict[type, Callable[..., bool]] = {
    str: str.isascii,
    bool: _always,
    type(None): _always,
    int: _small,
    float: _small,
}
"""What makes sure that JSON gives a plain value back as it is: no unusual text, no NaN, no huge number."""

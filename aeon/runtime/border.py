"""The border that a handler's value crosses: it is validated once, and is from then on what a journal gives back."""

from __future__ import annotations

from collections.abc import Callable

from aeon.kernel.effects import Effect
from aeon.schema import Value

__all__ = ["admitted"]

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
    if type(value) is kind:
        fields = value.own_fields()
        if all(map(_plain, fields.values())):
            return kind.of_fields(fields)
    return kind.model_validate_json(value.model_dump_json())


def _plain(value: object) -> bool:
    """Whether JSON surely gives it back as it is, and nobody can change it: no list or object, no unusual text.

    Raises:
        pydantic.ValidationError: it is a value, or holds one, whose fields are not what they must be.
    """
    check = _PLAIN.get(type(value))
    return check(value) if check else isinstance(value, Value) and _sound(value)


def _sound(value: Value) -> bool:
    """Whether each field of a value within another one is plain, and validation leaves it as it is."""
    fields = value.own_fields()
    valid = value.of_fields(fields)
    for name, field in fields.items():
        after = getattr(valid, name)
        if not _plain(field) or (after is not field and (type(after) is not type(field) or after != field)):
            return False
    return True


def _small(number: float) -> bool:
    return -_LARGE < number < _LARGE


_PLAIN: dict[type, Callable[..., bool]] = {
    str: str.isascii,
    bool: lambda _: True,
    type(None): lambda _: True,
    int: _small,
    float: _small,
    tuple: lambda items: all(map(_plain, items)),
}

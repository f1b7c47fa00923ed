"""The base of the values that a run makes by the hundred: as small as a tuple, and unseen by the garbage collector.

pydantic says what is valid, and reads and writes JSON, as for any model of its own; `msgspec.Struct` is what holds it:
a value is one block of memory without a dictionary, copied in C.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast, dataclass_transform, get_type_hints

import msgspec
from pydantic import GetCoreSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema, SchemaSerializer, core_schema

__all__ = ["Value"]

_raw = msgspec.StructMeta.__call__
_fields = msgspec.structs.asdict
_copy = msgspec.structs.replace


class _ValueMeta(msgspec.StructMeta):
    """Makes each subclass of `Value` frozen, its fields keywords, and has its constructor validate."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], frozen: bool = True) -> Any:  # noqa: ANN401
        return super().__new__(mcs, name, bases, namespace, frozen=frozen, kw_only=True, gc=False)

    @property
    def model_fields(cls) -> dict[str, msgspec.structs.FieldInfo]:
        """The fields by name."""
        return {field.name: field for field in msgspec.structs.fields(cast("type[Value]", cls))}

    if not TYPE_CHECKING:  # type checkers know the constructor by the fields

        def __call__(cls, /, **fields):
            return _adapter(cls).validator.validate_python(fields)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Value(msgspec.Struct, metaclass=_ValueMeta, frozen=True):
    """An immutable value that accepts no field it does not know.

    Used like a pydantic model, and as a field of one. It cannot be part of a reference cycle, because whatever it holds
    was made before it; so it need not be tracked.
    """

    @classmethod
    def made(cls, **fields: object) -> Self:
        """A value out of fields that are known to be right: they are not validated, which takes most of the time."""
        value: Self = _raw(cls, **fields)
        return value

    model_construct = made

    def changed(self, **fields: object) -> Self:
        """A copy with these fields set to these values, which are not validated."""
        return _copy(self, **fields)

    def model_copy(self, *, update: dict[str, Any] | None = None, deep: bool = False) -> Self:
        """The same under pydantic's name. Nothing in it changes, so that ``deep`` makes no difference."""
        return _copy(self, **(update or {}))

    def fields(self) -> dict[str, Any]:
        """The value of each field by name."""
        return _fields(self)

    def all_fields(self, holds: Callable[[object], bool]) -> bool:
        """Whether this holds for the value of every field; for a default, which the class was made with, it does."""
        pairs = zip(msgspec.structs.astuple(self), _defaults(type(self)), strict=True)
        return all(value is default or holds(value) for value, default in pairs)

    @classmethod
    def model_validate(cls, value: object, *, strict: bool | None = None) -> Self:
        """The value that these fields, or this value, are.

        Raises:
            pydantic.ValidationError: they are none.
        """
        found: Self = _adapter(cls).validate_python(value, strict=strict)
        return found

    @classmethod
    def model_validate_json(cls, text: str | bytes) -> Self:
        """The value that this JSON is.

        Raises:
            pydantic.ValidationError: it is none.
        """
        found: Self = _adapter(cls).validate_json(text)
        return found

    def model_dump(self, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - those of `TypeAdapter.dump_python`
        """The fields as a dictionary; ``mode="json"``: of what JSON has."""
        found: dict[str, Any] = _adapter(type(self)).dump_python(self, **options)
        return found

    def model_dump_json(self, **options: Any) -> str:  # noqa: ANN401 - those of `TypeAdapter.dump_json`
        """The fields as a JSON object."""
        return _adapter(type(self)).dump_json(self, **options).decode()

    @classmethod
    def model_json_schema(cls, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - those of `TypeAdapter.json_schema`
        """The JSON Schema of such a value."""
        return _adapter(cls).json_schema(**options)

    @property
    def __pydantic_serializer__(self) -> SchemaSerializer:
        """What pydantic writes a value with where only its base is known."""
        serializer = _adapter(type(self)).serializer
        assert isinstance(serializer, SchemaSerializer)
        return serializer

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        def given(value: object, validate: Callable[[object], dict[str, object]]) -> object:
            return value if isinstance(value, cls) else _raw(cls, **validate(value))

        hints = get_type_hints(cls, include_extras=True)
        fields = {}
        for field in msgspec.structs.fields(cls):
            kind = handler.generate_schema(hints[field.name])
            if not field.required:
                kind = core_schema.with_default_schema(kind, default=field.default)
            fields[field.name] = core_schema.typed_dict_field(kind, required=field.required)
        shape = core_schema.typed_dict_schema(fields, cls=cls, cls_name=cls.__name__, extra_behavior="forbid")
        written = core_schema.plain_serializer_function_ser_schema(_fields, return_schema=shape)
        return core_schema.no_info_wrap_validator_function(
            given, shape, serialization=written, ref=f"{cls.__module__}.{cls.__qualname__}:{id(cls)}"
        )


V = TypeVar("V", bound=Value)


@cache
def _adapter(kind: type[V]) -> TypeAdapter[V]:
    return TypeAdapter(kind)


@cache
def _defaults(kind: type[Value]) -> tuple[object, ...]:
    """The default of each field of that kind, in order."""
    return tuple(field.default for field in msgspec.structs.fields(kind))

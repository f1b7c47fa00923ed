"""The base of the values that a run makes by the hundred: as small as a tuple, and unseen by the garbage collector.

One rule: the constructor makes a value out of fields that the type checker has seen, and validates nothing; `changed`
copies it. Where a value comes from outside (JSON, a journal, a handler's return) it is validated once, by pydantic:
`model_validate`, `model_validate_json`. Why pydantic there and a `msgspec.Struct` here: docs/experiments.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal, Self, TypeVar, cast, dataclass_transform, get_type_hints

import msgspec
from pydantic import ConfigDict, GetCoreSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema, SchemaSerializer, core_schema

from aeon.schema.frozen import cut_repr

__all__ = ["Value"]

_fields = msgspec.structs.asdict


class _ValueMeta(msgspec.StructMeta):
    """Makes each kind of `Value` frozen, with keywords only, and untracked by the garbage collector."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], frozen: bool = True) -> Any:  # noqa: ANN401
        return super().__new__(
            mcs, name, bases, namespace, frozen=frozen, kw_only=True, gc=False, repr_omit_defaults=True
        )

    @property
    def model_fields(cls) -> dict[str, msgspec.structs.FieldInfo]:
        """The fields by name."""
        return _fields_of(cls)


@cache
def _fields_of(kind: type) -> dict[str, msgspec.structs.FieldInfo]:
    """The fields of a kind of value, which are found out once: it takes a while to evaluate their annotations."""
    return {field.name: field for field in msgspec.structs.fields(cast("type[Value]", kind))}


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Value(msgspec.Struct, metaclass=_ValueMeta, frozen=True):
    """An immutable value that accepts no field it does not know.

    It can be a field of a pydantic model. It takes part in no reference cycle, since all that it holds was there before
    it; so it need not be tracked.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    def __repr__(self) -> str:
        return cut_repr(super().__repr__())

    def changed(self, **fields: object) -> Self:
        """A copy with these fields set to these values, which are not validated.

        Raises:
            TypeError: there is no such field.
        """
        return msgspec.structs.replace(self, **fields)

    def faults(self) -> Iterable[str]:
        """What in its fields does not fit together, each with its key: validation refuses a value that has any."""
        return ()

    def fields(self) -> dict[str, Any]:
        """The value of each field by name."""
        return _fields(self)

    @classmethod
    def model_validate(cls, value: object, *, strict: bool | None = None) -> Self:
        """The value that these fields, or this value, are.

        Raises:
            pydantic.ValidationError: a field is missing, unknown or not what it must be.
        """
        valid: Self = _adapter(cls).validate_python(value, strict=strict)
        return valid

    @classmethod
    def model_validate_json(cls, text: str | bytes) -> Self:
        """The value that this JSON is.

        Raises:
            pydantic.ValidationError: the text is no JSON, or a field is missing, unknown or not what it must be.
        """
        valid: Self = _adapter(cls).validate_json(text)
        return valid

    def model_dump(
        self,
        *,
        mode: Literal["python", "json"] = "python",
        include: AbstractSet[str] | None = None,
        exclude: AbstractSet[str] = frozenset(),
    ) -> dict[str, Any]:
        """The fields as a dictionary: all, or those to include, without those to exclude.

        ``mode="json"``: with nothing in it but what JSON has.
        """
        dumped: dict[str, Any] = _adapter(type(self)).dump_python(self, mode=mode)
        return {name: it for name, it in dumped.items() if (include is None or name in include) and name not in exclude}

    def model_dump_json(self, *, exclude_defaults: bool = False, warnings: bool = True) -> str:
        """The fields as a JSON object; without those that are the default, if ``exclude_defaults``.

        ``warnings``: about fields that are not what they must be.
        """
        adapter = _adapter(type(self))
        return adapter.dump_json(self, exclude_defaults=exclude_defaults, warnings=warnings).decode()

    @classmethod
    def model_json_schema(cls, mode: Literal["validation", "serialization"] = "validation") -> dict[str, Any]:
        """The JSON Schema of such a value, as it is accepted or as it is written."""
        return _adapter(cls).json_schema(mode=mode)

    @property
    def __pydantic_serializer__(self) -> SchemaSerializer:
        """What pydantic writes it with where a field says only that it is some value."""
        return _adapter(type(self)).serializer

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        def valid(value: object, validate: Callable[[object], dict[str, Any]]) -> object:
            made = value if isinstance(value, cls) else cls(**validate(value))
            for fault in made.faults():
                raise ValueError(fault)
            return made

        shape = _Fields(cls).__get_pydantic_core_schema__(source, handler)
        written = core_schema.plain_serializer_function_ser_schema(_fields, return_schema=shape)
        return core_schema.no_info_wrap_validator_function(
            valid, shape, serialization=written, ref=f"{cls.__module__}.{cls.__qualname__}:{id(cls)}"
        )


@dataclass(frozen=True)
class _Fields:
    """Marks a dictionary as the fields of one kind of value."""

    kind: type[Value]

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        hints = get_type_hints(self.kind, include_extras=True)
        fields = {}
        for field in msgspec.structs.fields(self.kind):
            schema = handler.generate_schema(hints[field.name])
            if not field.required:
                schema = core_schema.with_default_schema(schema, default=field.default)
            fields[field.name] = core_schema.typed_dict_field(schema, required=field.required)
        return core_schema.typed_dict_schema(fields, cls=self.kind, extra_behavior="forbid")


V = TypeVar("V", bound=Value)


@cache
def _adapter(kind: type[V]) -> TypeAdapter[V]:
    return TypeAdapter(kind, config=ConfigDict(title=kind.__name__))

"""What a tool returned, made into a JSON value that is safe to keep: valid UTF-8, finite, and of bounded size."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any

from pydantic import Field
from pydantic_core import PydanticSerializationError, to_jsonable_python

from aeon.errors import ToolFailed
from aeon.schema.frozen import Frozen, JsonValue
from aeon.schema.turns import TableRead
from aeon.text import one_line, printable

__all__ = ["MAX_DEPTH", "ToolOutput", "bounded"]

_MOST_ITEMS = 100_000
_MOST_OBJECTS = 1_000_000
_SIMPLE = frozenset({str, int, float, bool, type(None)})
_LONG = 100_000_000
_ADDRESS = re.compile(r"<.* at 0x[0-9a-fA-F]+>", re.DOTALL)
MAX_DEPTH = 64
"""How many lists and objects a value that a tool takes or gives may stand in."""


class ToolOutput(Frozen):
    """What a tool gave: a JSON value, whether it was cut at the byte cap, and how long the call took.

    ``tables`` say how the tables were read that it asked.
    """

    value: JsonValue
    cut: bool = False
    seconds: float = Field(0.0, ge=0)
    tables: tuple[TableRead, ...] = ()


def bounded(value: object, limit: int) -> tuple[JsonValue, bool]:
    """Any Python value as a JSON value of about ``limit`` bytes, and whether it was cut.

    A text above the limit keeps its first ``limit`` bytes and says so at its end; any other value above it becomes its
    JSON text, cut likewise. Dates, sets, dataclasses and models become their JSON forms, what an iterator gives a list,
    anything else its ``str``. Raises ``ToolFailed`` for nesting beyond ``MAX_DEPTH``, which a journal could not be read
    back with, for an iterator of more than 100,000 items, wherever it stands, for more than 1,000,000 lists and
    objects, and for what has no JSON form: NaN, bytes that are no UTF-8, cycles, integers beyond 4,300 digits, and
    objects that are told by their address alone.
    """
    if isinstance(value, bytes | bytearray | memoryview):
        value = _decode(bytes(value))
    if isinstance(value, str):
        text, cut = _cut(value, limit)
        return text, cut
    try:
        value = value if type(value) in _SIMPLE else _Listing().of(value)
        plain = to_jsonable_python(value, fallback=_shown, bytes_mode="utf8", inf_nan_mode="constants")
        text = json.dumps(plain, ensure_ascii=False, allow_nan=False)
    except (PydanticSerializationError, ValueError, TypeError, RecursionError) as error:
        raise ToolFailed(f"the result has no JSON form: {one_line(str(error))}") from None
    if _is_deep(plain):
        raise ToolFailed(f"the result is nested deeper than {MAX_DEPTH} levels; return less at once")
    excerpt, cut = _cut(text, limit)
    return (excerpt, True) if cut else (_clean(plain), False)


class _Listing:
    """Makes lists of the iterators in a value, wherever they stand, since one may be without end.

    A model of pydantic keeps its own form: in one, an iterator is refused.
    """

    def __init__(self) -> None:
        self._left = _MOST_OBJECTS
        self._around: set[int] = set()
        self._model = ""

    def of(self, value: object) -> object:
        """The value with lists for iterators; as it is where it stands in itself or too deep."""
        if id(value) in self._around or len(self._around) > MAX_DEPTH:
            return value
        self._left -= 1
        if self._left < 0:
            raise ToolFailed(f"the result holds more than {_MOST_OBJECTS:,} lists and objects; return less at once")
        self._around.add(id(value))
        try:
            return self._of(value)
        finally:
            self._around.discard(id(value))

    def _of(self, value: object) -> object:
        if isinstance(value, dict):
            return self._mapped(value)
        if isinstance(value, list | tuple | set | frozenset | deque):
            return self._listed(value)
        if getattr(type(value), "__pydantic_serializer__", None) is not None:
            self._look_into(value)
        elif is_dataclass(value) and not isinstance(value, type):
            return self._mapped({one.name: getattr(value, one.name) for one in fields(value)})
        elif isinstance(value, Iterator):
            if self._model:
                raise ToolFailed(f"the result is a {self._model} with a {type(value).__name__} in it; put a list there")
            return self._listed(_items(value))
        return value

    def _mapped(self, value: Mapping[Any, object]) -> object:
        return {key: one if type(one) in _SIMPLE else self.of(one) for key, one in value.items()}

    def _listed(self, value: Collection[object]) -> object:
        return [one if type(one) in _SIMPLE else self.of(one) for one in value]

    def _look_into(self, model: object) -> None:
        outer, self._model = self._model, type(model).__name__
        self._mapped(vars(model))
        self._model = outer


def _items(iterator: Iterator[object]) -> list[object]:
    items = list(islice(iterator, _MOST_ITEMS + 1))
    if len(items) > _MOST_ITEMS:
        raise ToolFailed(f"the result is an iterator of more than {_MOST_ITEMS:,} items; return a list of fewer")
    return items


def _shown(value: object) -> str:
    """The text of an object that is no JSON; one that says nothing but what it is and where, is none."""
    text = str(value)
    if callable(value) or _ADDRESS.fullmatch(text):
        kind = type(value).__name__
        raise ToolFailed(f"the result holds a {kind}, which has no JSON form; return texts, numbers, lists or objects")
    return text


def _is_deep(value: JsonValue) -> bool:
    """Return whether something in the value stands in more than ``MAX_DEPTH`` lists and objects."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for item in level for inner in _inside(item)]
    return bool(level)


def _inside(item: JsonValue) -> Iterable[JsonValue]:
    return item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"the result is {len(data):,} bytes that are no UTF-8 text (byte {error.start:,})"
        raise ToolFailed(message) from None


def _cut(text: str, limit: int) -> tuple[str, bool]:
    """Return the printable text, cut at ``limit`` bytes; what is beyond the cut is only counted."""
    long = len(text) > _LONG  # what is counted in bytes is copied first
    size = len(text) if long else len(text.encode("utf-8", "replace"))
    if size <= limit:
        return printable(text), False
    kept = text[:limit].encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")
    least = "at least " if long and not text.isascii() else ""
    return f"{printable(kept)}… [cut: {least}{size:,} bytes, the first {limit:,} shown]", True


def _clean(value: JsonValue) -> JsonValue:
    """Return the value with every text in it printable; the depth was bounded when it was made."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {printable(key): _clean(item) for key, item in value.items()}
    return value

"""How a table is to be read, as its owner states it in a TOML file beside it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from aeon.errors import ToolFailed
from aeon.tables.conventions import CONVENTIONS, Convention
from aeon.tables.reading import Reading
from aeon.text import one_line

__all__ = ["COMMON", "NOTHING_STATED", "Stated", "StatedColumn", "as_toml", "beside", "read", "stating"]

COMMON = "tables.toml"
"""The file that states the readings of all files of its folder."""
_MOST_BYTES = 1024 * 1024
_BY_EXAMPLE = {one.example: one for one in CONVENTIONS}


def _known(encoding: str) -> str:
    """The encoding. Raises ``ValueError`` for the name of none."""
    try:
        "a".encode(encoding)
    except (LookupError, ValueError):
        raise ValueError(f"there is no encoding {encoding[:40]!r}") from None
    return encoding


Encoding = Annotated[str, AfterValidator(_known)]
Row = Annotated[int, Field(ge=1)]
Numbers = Literal["1,234.5", "1.234,5", "1 234,5", "1 234.5", "1'234.5", "1'234,5"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StatedColumn(_Strict):
    """What a column is: its type, its unit, how its numbers are written, in which order day and month stand."""

    type: Literal["text", "number", "day", "moment", "truth"] | None = None
    unit: str | None = None
    numbers: Numbers | None = None
    days: Literal["dmy", "mdy"] | None = None


class Stated(_Strict):
    """A reading, or the parts of it that are stated; rows are counted from 1.

    ``header`` are the rows of names, ``first`` and ``last`` those between which the table stands; ``totals`` the rows
    that are sums of others, none where it is empty; ``nothing`` the cells that hold no value. ``columns`` are by name,
    ``sheets`` those of a workbook by theirs; ``encoding`` is that of a text.
    """

    header: tuple[Row, ...] | None = None
    first: Row | None = None
    last: Row | None = None
    totals: tuple[Row, ...] | None = None
    numbers: Numbers | None = None
    nothing: tuple[str, ...] = ()
    encoding: Encoding | None = None
    columns: dict[str, StatedColumn] = Field(default_factory=dict)
    sheets: dict[str, Stated] = Field(default_factory=dict)

    def of_sheet(self, name: str) -> Stated:
        """What is stated of one sheet; of all where nothing is stated of it."""
        return self.sheets.get(name, self)

    def convention(self, column: str) -> Convention | None:
        """How the numbers of a column are written, if that is stated."""
        own = self.columns.get(column)
        example = (own and own.numbers) or self.numbers
        return _BY_EXAMPLE[example] if example else None

    @property
    def is_placed(self) -> bool:
        """Whether it says where the table stands."""
        return self.header is not None or self.first is not None or self.last is not None


NOTHING_STATED = Stated()


def beside(path: Path) -> Path | None:
    """The file that states how ``path`` is read: of its own name, or that of its folder."""
    own, common = path.with_suffix(".toml"), path.with_name(COMMON)
    return next((one for one in (own, common) if one.is_file()), None)


def stating(names: Iterable[str]) -> set[str]:
    """Those of the files that state how others are read, by their names."""
    every = [PurePath(name) for name in names]
    stems = {one.with_suffix("") for one in every if one.suffix != ".toml"}
    found = (one for one in every if one.suffix == ".toml")
    return {str(one) for one in found if one.name == COMMON or one.with_suffix("") in stems}


def as_toml(reading: Reading, note: str = "") -> str:
    """The reading as a file that states it, below a ``note`` of one line."""
    lines = [f"# {note}"] if note else []
    lines += [f"header = {[*reading.header]}", f"totals = {[*reading.totals]}"]
    for column in (one for one in reading.columns if not one.units_of):
        lines += ["", f"[columns.{_text(column.name)}]", f"type = {_text(column.kind)}"]
        lines += [f"unit = {_text(column.unit)}"] if column.unit else []
        lines += [f"numbers = {_text(column.convention.example)}"] if column.convention else []
        lines += [f"days = {_text(column.order)}"] if column.order else []
        lines += [f"# open: {one_line(column.doubt, 200)}"] if column.doubt else []
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def read(path: Path, name: str) -> Stated:
    """What the file at ``path`` states of the file ``name``. Raises ``ToolFailed`` in one line for what is wrong."""
    try:
        data = path.read_bytes()
        if len(data) > _MOST_BYTES:
            raise ToolFailed(f"{path.name}: it has more than 1 MB")
        found = tomllib.loads(data.decode("utf-8-sig"))
        return Stated.model_validate(found.get(name, {}) if path.name == COMMON else found)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ToolFailed(f"{path.name}: {one_line(place, 60)}: {one_line(first['msg'], 120)}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ToolFailed(f"{path.name}: {one_line(str(error), 120)}") from None

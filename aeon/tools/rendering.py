"""The output of any tool as text for a prompt: numbered sentences, a table in a few tokens, or compact JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line, printable
from aeon.tools.textparts import TextPart, TextParts, parts_of

__all__ = ["shown"]

_BYTES = 16_384
_TO_QUOTE = re.compile(r"[\n\r\t|]|\A\s|\s\Z|\A\Z|\A(?:NULL|true|false|-?[\d.]+)\Z")
"""Texts that would be read as something else in a row: as two cells, as nothing, as a number."""


def shown(output: JsonValue, number: int, most_bytes: int = _BYTES) -> str:
    """The output of tool call ``number`` as a prompt shows it, in at most about ``most_bytes``.

    Sentence n is marked ``[number.n]``, as `lines_of` counts them. What is left out is said at the end.
    """
    if (parts := parts_of(output)) is not None:
        return _parts(parts, number, most_bytes)
    if isinstance(output, dict) and _is_table(output):
        return _table(output, most_bytes)
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, separators=(",", ":"))
    return _cut(printable(text), most_bytes)


def _cut(text: str, most_bytes: int) -> str:
    data = text.encode()
    if len(data) <= most_bytes:
        return text
    return f"{data[:most_bytes].decode(errors='ignore')}… [cut: {len(data):,} bytes, the first {most_bytes:,} shown]"


def _parts(parts: TextParts, number: int, most_bytes: int) -> str:
    lines: list[str] = [f"({parts.note})"] if parts.note else []
    left, count, total = most_bytes - len(parts.note.encode()), 0, sum(len(part.sentences) for part in parts.parts)
    for part in parts.parts:
        text = _head(part)
        for sentence, before in _sentences(part):
            piece = f"{before}[{number}.{count + 1}] {sentence}"
            left -= len(piece.encode())
            if left < 0:
                break
            text, count = text + piece, count + 1
        lines.append(text)
        if left < 0:
            lines.append(f"[cut: {total - count:,} more sentences are not shown]")
            break
    return "\n".join(lines)


def _head(part: TextPart) -> str:
    page = f", page {part.page}" if part.page is not None else ""
    heading = f": {one_line(part.heading, 100)}" if part.heading else ""
    return f"{one_line(part.source, 200)}{page}{heading}"


def _sentences(part: TextPart) -> Iterator[tuple[str, str]]:
    """Each sentence on one line, and what stands before it: a break that a text has stays, one in a sentence not."""
    for place, (_, _, text, before) in enumerate(part.sentences):
        yield printable(" ".join(text.split())), before if place else "\n"


def _is_table(output: JsonObject) -> bool:
    columns, rows = output.get("columns"), output.get("rows")
    is_wide = isinstance(columns, list) and isinstance(rows, list) and isinstance(output.get("total"), int)
    return is_wide and all(isinstance(row, list) and len(row) == len(columns) for row in rows)  # type: ignore[arg-type, union-attr]


def _table(output: JsonObject, most_bytes: int) -> str:
    total, every = output["total"], _rows(output)
    lines = [next(every)]
    left = most_bytes - len(lines[0].encode())
    for line in every:
        left -= len(line.encode()) + 1
        if left < 0:
            break
        lines.append(line)
    count = len(lines) - 1
    more = "more than " if output.get("more") else ""
    own = "; written in the query, read from no table" if output.get("written") is True else ""
    of = f" of {more}{total:,}" if count != total or more else ""
    return "\n".join([*lines, f"({count:,}{of} row{'s' * (total != 1)}{own}{_units(output)})"])


def _units(output: JsonObject) -> str:
    """The units of the columns that have one."""
    units = output.get("units")
    told = [f"{_value(name)} in {_value(unit)}" for name, unit in units.items()] if isinstance(units, dict) else []
    return f"; {', '.join(told)}" if told else ""


def _rows(output: JsonObject) -> Iterator[str]:
    """The names of the columns, then each row; what is no number is said in its place."""
    yield " | ".join(map(_value, _listed(output["columns"])))
    special = {(place[0], place[1]): str(place[2]) for place in map(_listed, _listed(output.get("not_finite")))}
    for at, row in enumerate(_listed(output["rows"])):
        yield " | ".join(special.get((at, place)) or _value(cell) for place, cell in enumerate(_listed(row)))


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _value(cell: JsonValue) -> str:
    """A cell, so that a text is never taken for a number, nothing, or two cells."""
    if cell is None:
        return "NULL"
    if isinstance(cell, str) and not _TO_QUOTE.search(cell):
        return printable(cell)
    return json.dumps(cell, ensure_ascii=False, separators=(",", ":"))

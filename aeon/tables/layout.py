"""Where the tables of a grid stand: titles and notes around them, rows of names, blank rows between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aeon.tables.days import is_day, is_moment
from aeon.tables.numerals import numeral
from aeon.tables.reading import LeftOut
from aeon.tables.shapes import is_nothing, shape
from aeon.text import one_line

__all__ = ["Grid", "Region", "header_rows", "names", "regions"]

Grid = Sequence[Sequence[str]]
"""Rows of cells, empty ones as "", of any width."""

_MOST_HEADER = 4
_LONGEST_LEFT = 100
"""Characters that are told of rows that are left out."""
_COUNTED, _LONG = 3, 10
"""Rows whose numbers count on, and digits that such a number has not."""
_MOST, _LABELLED, _RARE = 0.5, 0.8, 0.1
"""The share of values that make a column one of them, of labels that rows have, and of cells that have a rare shape."""
_NARROW, _SEVERAL = 0.5, 4
"""The share of a table's usual number of filled cells below which a row above it is no row of names, and how many cells
make it one in any case."""


@dataclass(frozen=True)
class Region:
    """A part of a grid: its rows from ``top`` to before ``end``, the first ``header`` of which are names.

    ``left_out`` are rows around it that belong to it and are not in it.
    """

    top: int
    end: int
    header: int
    left_out: tuple[LeftOut, ...] = ()


class _Body:
    """What the rows of a table have in their columns."""

    def __init__(self, rows: Grid) -> None:
        self._shapes = [Counter(map(shape, cells)) for cells in _columns(rows)]
        self._values = {at for at, found in enumerate(self._shapes) if _share(found, _is_value) > _MOST}
        labels = sum(bool(row and row[0]) for row in rows)
        self._is_labelled = labels > _LABELLED * len(rows) and 0 not in self._values

    def is_headed_by(self, row: Sequence[str], above: Grid) -> bool:
        """Whether a row before them has names, below others or as the first.

        It has no values as they have; below others it has texts where they have values, or stands under a row without a
        label, as one of years does.
        """
        told = {at: shape(row[at]) for at in self._values if at < len(row) and row[at]}
        usual = [self._is_usual(at, text) for at, text in told.items()]
        has_no_label = self._is_labelled and not row[0]
        if not above:
            return has_no_label or not told or not all(usual)
        return not any(usual) and self._goes_below(told, above, has_no_label)

    def _goes_below(self, told: Mapping[int, str], above: Grid, has_no_label: bool) -> bool:
        """Whether the row is one of names: of each column of values that the row above names, it has a name at most."""
        is_worded = not any(self._is_value(at, text) or is_nothing(text) for at, text in told.items())
        if has_no_label:
            return is_worded or not above[0][0]
        named = {at for at, cell in enumerate(above[-1]) if cell}
        return is_worded and len(told) > 1 and self._values <= {*told} | named

    def is_named_by(self, row: Sequence[str]) -> bool:
        """Whether a row has a text over each column of values, of which there are some."""
        cells = [row[at] if at < len(row) else "" for at in self._values]
        return bool(cells) and all(cell and not _is_value(shape(cell)) for cell in cells)

    def has(self, row: Sequence[str]) -> bool:
        """Whether a row may be one of them: a value where they have some."""
        told = [_is_value(shape(row[at])) for at in self._values if at < len(row) and row[at]]
        return bool(told) and all(told)

    def _is_value(self, at: int, text: str) -> bool:
        """Whether a cell of a shape is a value, and no day over a column that has none."""
        return _is_value(text) and not (is_day(text) and not any(map(is_day, self._shapes[at])))

    def _is_usual(self, at: int, text: str) -> bool:
        found = self._shapes[at]
        return _is_value(text) and found[text] > _RARE * found.total()


def regions(grid: Grid) -> list[Region]:
    """The tables of a grid, one below the other; none of an empty one."""
    blocks = _blocks(grid)
    found: list[Region] = []
    waiting: list[tuple[int, int]] = []
    for top, end in blocks:
        goes_on = bool(found) and _goes_on(grid, found[-1], top, end)
        if not (goes_on or _is_table(grid, top, end)):
            waiting.append((top, end))
            continue
        if goes_on:
            notes = tuple(_left(grid, a, b, "notes") for a, b in waiting)
            found[-1] = Region(found[-1].top, end, found[-1].header, (*found[-1].left_out, *notes))
        else:
            found.append(_region(grid, top, end, waiting))
        waiting = []
    if not found:
        return [_whole(grid, blocks)] if blocks else []
    behind = tuple(_left(grid, top, end, "notes below it") for top, end in waiting)
    last = found[-1]
    found[-1] = Region(last.top, last.end, last.header, (*last.left_out, *behind))
    return found


def header_rows(rows: Grid) -> int:
    """How many of the first rows are names of columns; 0 if the first is a row like the others."""
    if len(rows) < 2:
        return 1
    body = _Body(rows[max(1, len(rows) // 2) :])
    if any(map(_is_counted, zip(*rows[:_COUNTED], strict=False))):
        return 0
    count = 0
    while count < min(_MOST_HEADER, len(rows) - 1) and body.is_headed_by(rows[count], rows[:count]):
        count += 1
    return count


def _is_counted(cells: Sequence[str]) -> bool:
    """Whether the first cells of a column are numbers that count on: then the first is no name."""
    if len(cells) < _COUNTED or not all(cell.isdecimal() and len(cell) < _LONG for cell in cells):
        return False
    first = int(cells[0])
    return [*map(int, cells)] == [*range(first, first + _COUNTED)]


def names(rows: Grid, width: int) -> list[str]:
    """The name of each column from its rows of names; one of a row above stands for the empty cells behind it, too."""
    filled = [_spread(row, width, is_last=number == len(rows) - 1) for number, row in enumerate(rows)]
    parts = ([row[at] for row in filled if row[at]] for at in range(width))
    return [" ".join(dict.fromkeys(part)) for part in parts]


def _blocks(grid: Grid) -> list[tuple[int, int]]:
    """The parts of a grid between empty rows."""
    found: list[tuple[int, int]] = []
    for number, row in enumerate(grid):
        if any(row):
            if found and found[-1][1] == number:
                found[-1] = (found[-1][0], number + 1)
            else:
                found.append((number, number + 1))
    return found


def _is_table(grid: Grid, top: int, end: int) -> bool:
    """Whether a block has rows of several cells: titles and notes have one."""
    return sum(_filled(row) > 1 for row in grid[top:end]) > 1


def _goes_on(grid: Grid, before: Region, top: int, end: int) -> bool:
    """Whether a block behind an empty row has more rows of the table above: of its kinds, without names of its own."""
    body = grid[before.top + before.header : before.end]
    rows = grid[top:end]
    return bool(body) and _usual(rows) <= _usual(grid[before.top : before.end]) and _Body(body).has(rows[0])


def _region(grid: Grid, top: int, end: int, above: Sequence[tuple[int, int]]) -> Region:
    """The table of a block: from its first row that is wide enough to its last one, blocks above it being titles."""
    start = _start(grid, top, end)
    stop = _stop(grid, start, end)
    left = [_left(grid, a, b, "a title above it") for a, b in above]
    left += [_left(grid, top, start, "a title above it")] if start > top else []
    left += [_left(grid, stop, end, "notes below it")] if stop < end else []
    return Region(start, stop, header_rows(grid[start:stop]), tuple(left))


def _left(grid: Grid, top: int, end: int, why: str) -> LeftOut:
    """Rows of a grid that are left out, with what they say."""
    cells = (cell for row in grid[top:end] for cell in row if cell)
    return LeftOut(top + 1, end, why, one_line("; ".join(cells), _LONGEST_LEFT))


def _start(grid: Grid, top: int, end: int) -> int:
    """Where a table begins in a block, below its titles."""
    usual = _usual(grid[top:end])
    start = next((at for at in range(top, end - 1) if not _is_title(grid[at], usual)), end - 1)
    below = next((at for at in range(start, end) if not _is_comment(grid[at])), end)
    has_names = start < below < end - 1 and _Body(grid[below + 1 : end]).is_named_by(grid[below])
    return below if has_names else start


def _is_comment(row: Sequence[str]) -> bool:
    """Whether a row begins with the sign of a comment, which may also stand before the names of columns."""
    return bool(row) and row[0].startswith("#")


def _stop(grid: Grid, start: int, end: int) -> int:
    """Where a table ends in a block, above its notes."""
    longest = max((len(row[0]) for row in grid[start:end] if row and _filled(row) > 1), default=0)
    return next((at for at in range(end, start + 2, -1) if not _is_note(grid[at - 1], longest)), min(end, start + 2))


def _whole(grid: Grid, blocks: Sequence[tuple[int, int]]) -> Region:
    """A grid of single cells: a table of one column."""
    top, end = blocks[0][0], blocks[-1][1]
    rows = [row for row in grid[top:end] if any(row)]
    return Region(top, end, header_rows(rows))


def _is_title(row: Sequence[str], usual: int) -> bool:
    """Whether a row above a table is none of it: it has few cells, the first of them, or what is no text."""
    if _filled(row) >= max(2, min(_NARROW * usual, _SEVERAL)):
        return False
    return bool(row and row[0]) or (_filled(row) == 1 and any(_is_value(shape(cell)) for cell in row))


def _usual(rows: Grid) -> int:
    """How many cells most rows have filled."""
    counts = Counter(_filled(row) for row in rows if any(row))
    return max(counts, key=lambda width: (counts[width], width)) if counts else 0


def _filled(row: Sequence[str]) -> int:
    return sum(map(bool, row))


def _is_note(row: Sequence[str], longest: int) -> bool:
    """Whether a row is one text at the margin, longer than any label of a row."""
    return _filled(row) == 1 and bool(row[0]) and len(row[0]) > longest and not _is_value(shape(row[0]))


def _columns(rows: Grid) -> list[list[str]]:
    """The cells of each column that hold something."""
    width = max(map(len, rows))
    return [[row[at] for row in rows if at < len(row) and row[at] and not is_nothing(row[at])] for at in range(width)]


def _share(shapes: Counter[str], holds: Callable[[str], bool]) -> float:
    """Of how many cells with some shapes that holds."""
    return sum(count for text, count in shapes.items() if holds(text)) / max(1, shapes.total())


def _is_value(text: str) -> bool:
    """Whether cells of a shape are numbers, days or times."""
    return numeral(text) is not None or is_day(text) or is_moment(text)


def _spread(row: Sequence[str], width: int, *, is_last: bool) -> list[str]:
    """A row of names with each one also over the empty cells behind it, unless it is the lowest.

    A single one that is not over the first column stands for all columns but that.
    """
    cells = [*row, *[""] * width][:width]
    if _filled(cells) == 1 and not cells[0] and width > 2:
        return ["", *[max(cells)] * (width - 1)]
    if is_last:
        return cells
    last = ""
    for at, cell in enumerate(cells):
        last = cell or (last if at else "")
        cells[at] = last
    return cells

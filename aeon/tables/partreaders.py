"""What single parts of an .xlsx file say: its styles, comments and pivot tables, element by element."""

from __future__ import annotations

from aeon.tables.marks import Place
from aeon.tables.numberformats import Shown, shown_by
from aeon.tables.xmlparts import Attributes, place_of

__all__ = ["Comments", "Pivot", "Styles"]

_PERCENT = {9: "0%", 10: "0.00%"}
"""The formats that every workbook has and that decide, by their numbers; those of money depend on the machine."""
_MOST_COMMENT = 1_000


class Styles:
    """The styles of cells, by their numbers, that show a number otherwise than it is stored."""

    def __init__(self) -> None:
        self.shown: dict[int, Shown] = {}
        self._codes = dict(_PERCENT)
        self._is_of_cells = False
        self._count = 0

    def start(self, name: str, attributes: Attributes) -> None:
        """Take the beginning of an element."""
        if name == "numFmt":
            self._codes[int(attributes["numFmtId"])] = attributes["formatCode"]
        elif name in ("cellXfs", "cellStyles", "dxfs"):
            self._is_of_cells = name == "cellXfs"
        elif name == "xf" and self._is_of_cells:
            shown = shown_by(self._codes.get(int(attributes.get("numFmtId", "0")), ""))
            if shown:
                self.shown[self._count] = shown
            self._count += 1


class Comments:
    """The comments of a sheet by their places, the answers of a thread behind each other."""

    def __init__(self) -> None:
        self.found: dict[Place, str] = {}
        self._place: Place | None = None
        self._is_text = False

    def start(self, name: str, attributes: Attributes) -> None:
        """Take the beginning of an element."""
        if name in ("comment", "threadedComment"):
            self._place = place_of(attributes.get("ref", ""))
            if self._place:
                self.found[self._place] = f"{self.found.get(self._place, '')} ".lstrip()
        self._is_text = name in ("t", "text")

    def text(self, text: str) -> None:
        """Take a text that stands in an element."""
        if self._place and self._is_text:
            self.found[self._place] = (self.found[self._place] + text)[:_MOST_COMMENT]


class Pivot:
    """The rows of a pivot table that are sums of other rows of it."""

    def __init__(self) -> None:
        self._first = 0
        self._levels: list[int] = []
        self._sums: set[int] = set()
        self._parent = ""

    @property
    def totals(self) -> list[int]:
        """Their numbers: rows that are said to be sums, and those above the parts which they sum."""
        below = [*self._levels[1:], 0]
        return [
            self._first + at
            for at, level in enumerate(self._levels)
            if at in self._sums or (below[at] > level and at + 1 not in self._sums)
        ]

    def start(self, name: str, attributes: Attributes) -> None:
        """Take the beginning of an element."""
        if name == "location":
            place = place_of(attributes["ref"].partition(":")[0])
            self._first = (place.row if place else 0) + int(attributes["firstDataRow"])
        elif name in ("rowItems", "colItems", "pageFields", "dataFields"):
            self._parent = name
        elif name == "i" and self._parent == "rowItems":
            if attributes.get("t", "data") not in ("data", "blank"):
                self._sums.add(len(self._levels))
            self._levels.append(int(attributes.get("r", "0")))
        elif name == "x" and self._parent == "rowItems" and self._levels:
            self._levels[-1] += 1

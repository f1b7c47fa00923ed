"""What stands in the XML of an .xlsx sheet and is no value: formulas, errors, formats, hidden rows and columns."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from aeon.tables.marks import Place, Span, Spans
from aeon.tables.xmlparts import TRUE, Attributes, place_of

__all__ = ["SheetReader", "SheetXml"]

_TEXTS = ("s", "str", "inlineStr", "b", "e")


@dataclass
class SheetXml:
    """What was found: cells with formulas and with errors by their columns, those with a style by column and style.

    A formula whose value is a text is not among the ``formulas``: an empty text is a value.
    """

    formulas: Spans[int] = field(default_factory=Spans)
    errors: Spans[int] = field(default_factory=Spans)
    formatted: Spans[tuple[int, int]] = field(default_factory=Spans)
    hidden_rows: tuple[Span, ...] = ()
    hidden_columns: list[Span] = field(default_factory=list)


class SheetReader:
    """Takes the elements of a sheet one after the other; ``styles`` are those whose cells are wanted."""

    def __init__(self, styles: Collection[int]) -> None:
        self._styles = {str(style) for style in styles}
        self._found = SheetXml()
        self._hidden = Spans[int]()
        self._row = self._column = 0
        self._cell: Attributes = {}
        self._actions: dict[str, Callable[[Attributes], None]] = {
            "c": self._on_cell,
            "f": self._on_formula,
            "row": self._on_row,
            "col": self._on_column,
            "extLst": self._on_extension,
        }

    def start(self, name: str, attributes: Attributes) -> None:
        """Take the beginning of an element."""
        action = self._actions.get(name)
        if action:
            action(attributes)

    def result(self) -> SheetXml:
        """What was found in all of them."""
        self._found.hidden_rows = tuple(self._hidden.get(0, ()))
        return self._found

    def _on_row(self, attributes: Attributes) -> None:
        self._row = int(attributes.get("r", self._row + 1))
        self._column = -1
        if attributes.get("hidden") in TRUE:
            self._hidden.add(0, self._row)

    def _on_column(self, attributes: Attributes) -> None:
        if attributes.get("hidden") in TRUE:
            self._found.hidden_columns.append(Span(int(attributes["min"]) - 1, int(attributes["max"]) - 1))

    def _on_cell(self, attributes: Attributes) -> None:
        self._cell = attributes
        if "r" not in attributes:
            self._column += 1
        kind = attributes.get("t", "n")
        if kind == "e":
            row, column = self._place()
            self._found.errors.add(column, row)
        elif self._styles and kind not in _TEXTS and attributes.get("s", "0") in self._styles:
            row, column = self._place()
            self._found.formatted.add((column, int(attributes.get("s", "0"))), row)

    def _on_formula(self, _: Attributes) -> None:
        if self._cell.get("t") not in ("str", "e"):
            row, column = self._place()
            self._found.formulas.add(column, row)

    def _on_extension(self, _: Attributes) -> None:
        self._cell = {"t": "str"}  # formulas below it are those of no cell

    def _place(self) -> Place:
        """Where the cell stands; one that does not say so stands behind the one before it."""
        reference = self._cell.get("r")
        if reference is None:
            return Place(self._row, self._column)
        place = place_of(reference)
        if place is None:
            raise ValueError("its XML has a cell without a place")
        self._column = place.column
        return place

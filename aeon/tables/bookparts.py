"""What an .xlsx file says of its sheets beside their values (Office Open XML, ECMA-376)."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from aeon.tables.marks import Comment, Place, Span
from aeon.tables.numberformats import Shown
from aeon.tables.package import Links, Package, targets
from aeon.tables.partreaders import Comments, Pivot, Styles
from aeon.tables.sheetxml import SheetReader, SheetXml
from aeon.tables.xmlparts import TRUE, Attributes
from aeon.text import one_line

__all__ = ["BookParts", "SheetParts"]

_BROKEN = (ValueError, KeyError, OSError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True)
class SheetParts:
    """What the parts of a sheet say: its own XML, its comments, and the rows of its pivot tables that are sums."""

    xml: SheetXml
    comments: tuple[Comment, ...]
    totals: tuple[int, ...]


class BookParts:
    """The parts of one workbook, of which ``main`` names the sheets.

    ``is_uncomputed`` says that formulas are to be computed when it is opened: what is saved of them may be old.
    """

    def __init__(self, package: Package, main: str) -> None:
        self._package = package
        self._links = package.links(main)
        self._sheets: dict[str, str] = {}
        self.is_uncomputed = False
        package.parse(main, self._on_book)
        styles = Styles()
        for target in targets(self._links, "styles"):
            package.parse(target, styles.start)
        self._shown = styles.shown

    @classmethod
    def of(cls, archive: zipfile.ZipFile) -> BookParts | None:
        """Those of an archive; ``None`` of a workbook of another kind. Raises ``ValueError`` for what is broken."""
        try:
            package = Package(archive)
            main = next(iter(targets(package.links(), "officeDocument")), "")
            return cls(package, main) if main.casefold().endswith(".xml") else None
        except _BROKEN as error:
            raise ValueError(_reason(error)) from None

    def sheet(self, name: str) -> SheetParts:
        """What is said of the sheet of a name. Raises ``ValueError`` for what cannot be read."""
        try:
            reader = SheetReader(self._shown)
            self._package.parse(self._sheets[name], reader.start)
            links = self._package.links(self._sheets[name])
            return SheetParts(reader.result(), self._comments(links), self._totals(links))
        except _BROKEN as error:
            raise ValueError(_reason(error)) from None

    def shown(self, xml: SheetXml) -> Iterator[tuple[int, Span, Shown]]:
        """The cells of a sheet that are shown otherwise than they are stored, as rows of a column."""
        for (column, style), spans in xml.formatted.items():
            yield from ((column, span, self._shown[style]) for span in spans)

    def _on_book(self, name: str, attributes: Attributes) -> None:
        if name == "sheet":
            links = (self._links.get(value) for key, value in attributes.items() if key.endswith(":id"))
            self._sheets[attributes["name"]] = next((target for _, target in filter(None, links)), "")
        elif name == "calcPr":
            self.is_uncomputed = attributes.get("fullCalcOnLoad") in TRUE

    def _totals(self, links: Links) -> tuple[int, ...]:
        """The rows of the pivot tables of a sheet that are sums of others."""
        rows: set[int] = set()
        for target in targets(links, "pivotTable"):
            pivot = Pivot()
            self._package.parse(target, pivot.start)
            rows.update(pivot.totals)
        return tuple(sorted(rows))

    def _comments(self, links: Links) -> tuple[Comment, ...]:
        """The comments of a sheet. Where a cell has a thread, that stands for the note which says so."""
        found: dict[Place, str] = {}
        for kind in ("comments", "threadedComment"):
            comments = Comments()
            for target in targets(links, kind):
                self._package.parse(target, comments.start, comments.text)
            found |= comments.found
        return tuple(Comment(place, text) for place, text in sorted(found.items()))


def _reason(error: Exception) -> str:
    return one_line(f"{type(error).__name__}: {error}" if isinstance(error, KeyError) else str(error), 100)

"""The text of a Word file (.docx) as Markdown: its headings, lists and tables."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from aeon.documents.extras import library
from aeon.documents.plain import clean
from aeon.errors import ToolFailed
from aeon.text import one_line

__all__ = ["docx_text"]

_MOST_UNPACKED = 100_000_000
_MOST_RATIO = 100
_OLD_WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How an old Word file (.doc) begins, and every encrypted one."""
_HEADING = re.compile(r"Title|Heading ([1-9])")


def docx_text(data: bytes, label: str) -> str:
    """Return what a Word file says in its body, without page headers, footnotes and text boxes.

    Raises ``ToolFailed`` for a file that is broken, encrypted or too large when unpacked, and ``MissingExtraError``
    without the extra ``docx``.
    """
    docx = library("docx", "docx")
    if data.startswith(_OLD_WORD):
        raise ToolFailed(f"{label} is encrypted or an old Word file (.doc): save it as .docx without a password")
    try:
        _check_size(data, label)
        return "".join(_parts(docx.Document(io.BytesIO(data))))
    except (ToolFailed, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - python-docx, zipfile and lxml raise anything for a broken package
        raise ToolFailed(f"{label} is broken: {one_line(str(error) or type(error).__name__, 120)}") from None


def _check_size(data: bytes, label: str) -> None:
    """Refuse a file that would grow too much; what the file says of itself is what is unpacked at most."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        size = sum(entry.file_size for entry in package.infolist())
    if size > _MOST_UNPACKED or size > _MOST_RATIO * len(data):
        raise ToolFailed(f"{label} is refused: unpacked, its {len(data):,} bytes would be {size:,}")


def _parts(document: Any) -> Iterator[str]:  # noqa: ANN401 - python-docx has no types
    """The paragraphs and rows, each with the line breaks behind it."""
    styles = {style.style_id: style.name or "" for style in document.styles}
    for block in document.iter_inner_content():
        yield from _rows(block) if hasattr(block, "rows") else _paragraph(block, styles)
        yield "\n"


def _paragraph(paragraph: Any, styles: dict[str, str]) -> Iterator[str]:  # noqa: ANN401 - python-docx has no types
    text = clean(paragraph.text).strip()
    if not text:
        return
    properties = paragraph._p.pPr
    style = styles.get(paragraph._p.style or "", "")
    heading = _HEADING.fullmatch(style)
    if heading:
        yield f"{'#' * min(int(heading[1] or 1), 6)} {' '.join(text.split())}\n"
    elif style.startswith("List") or (properties is not None and properties.numPr is not None):
        yield f"- {text}\n"
    else:
        yield f"{text}\n"


def _rows(table: Any) -> Iterator[str]:  # noqa: ANN401 - python-docx has no types
    """The rows of a table; cells that were merged are one."""
    for row in table.rows:
        cells = {id(cell._tc): " ".join(clean(cell.text).split()) for cell in row.cells}
        if any(cells.values()):
            yield " | ".join(cells.values()) + "\n"

"""The text of a PDF file, page by page, with its lines joined to paragraphs."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

from aeon.documents.extras import library
from aeon.documents.plain import clean
from aeon.errors import ToolFailed
from aeon.text import one_line

__all__ = ["pdf_pages", "pdf_title"]

_SHORT = 0.7
"""Share of the width of a page below which a line ends its paragraph."""
_NARROW = 40
"""Characters: on a page of narrower lines, each line stands alone."""
_PASSWORD = 4
"""PDFium's code for a file that only a password opens."""

_DIVISION = "\ufffe"
"""What PDFium puts for a hyphen at the end of a line, together with the line break."""
_HYPHEN = re.compile(r"([^\W\d_]+)[-\u00ad\u2010]\Z")
_JOINT = re.compile(r"\w[-\u2010]\Z")
_STARTS_BLOCK = re.compile(r"\s*(?:[•‣◦▪*\u2013-]\s|\(?\d{1,3}[.)]\s|\([a-z]\)\s|\d+(?:\.\d+)+\s|§)")
_COMPOUND = re.compile(r"[^\W\d_]+-[^\W\d_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_CONTINUES = re.compile(r"[^\W\d_]|[,;-]")


def pdf_pages(data: bytes, label: str) -> list[str]:
    """Return the text of each page; joined, they are the text of the file.

    PDFium is not safe for several threads. Raises ``ToolFailed`` for a file that is broken, encrypted or without text,
    and ``MissingExtraError`` without the extra ``pdf``.
    """
    pdfium = library("pypdfium2", "pdf")
    raw = _raw_pages(pdfium, data, label)
    if not any(page.strip() for page in raw):
        raise ToolFailed(f"{label} holds no text (a scan?): it needs text recognition first")
    hyphenated = {word.lower() for page in raw for word in _COMPOUND.findall(page)}
    pages: list[str] = []
    after = ""
    for page in reversed(raw):
        text = _paragraphs(page, hyphenated)
        pages.append(_ended(text, after))
        after = text or after
    return pages[::-1]


def pdf_title(data: bytes) -> str:
    """Return the title that a PDF file states of itself, "" if it states none or cannot be opened.

    Raises ``MissingExtraError`` without the extra ``pdf``.
    """
    pdfium = library("pypdfium2", "pdf")
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError:
        return ""
    try:
        return clean(str(document.get_metadata_value("Title"))).strip()
    except UnicodeError:
        return ""
    finally:
        document.close()


def _raw_pages(pdfium: ModuleType, data: bytes, label: str) -> list[str]:
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD:
            raise ToolFailed(f"{label} is encrypted: a password is needed") from None
        raise ToolFailed(f"{label} is broken: {one_line(str(error), 120)}") from None
    try:
        return [_raw_page(pdfium, document, number) for number in range(len(document))]
    finally:
        document.close()


def _raw_page(pdfium: ModuleType, document: Any, number: int) -> str:  # noqa: ANN401 - pypdfium2 is optional
    """The text of one page, "" for a broken one."""
    try:
        page = document[number]
        try:
            text_page = page.get_textpage()
            try:
                return str(text_page.get_text_range()).replace(_DIVISION, "-\n")
            finally:
                text_page.close()
        finally:
            page.close()
    except pdfium.PdfiumError:
        return ""


def _paragraphs(page: str, hyphenated: set[str]) -> str:
    """The page with the lines of a paragraph on one line, and a blank line between paragraphs."""
    lines = [line.strip() for line in re.split(r"\r\n?|\n", page)]
    width = _width(lines)
    parts: list[str] = []
    last = ""
    for line in lines:
        if parts and line and _continues(last, line, width):
            parts[-1] = _joined(parts[-1], line, hyphenated)
        elif line:
            parts.append(line)
        last = line
    return "\n\n".join(clean(part.replace("\u00ad", "")) for part in parts)


def _width(lines: list[str]) -> int:
    """The length that nine lines of ten have at most."""
    lengths = sorted(len(line) for line in lines if line)
    return lengths[len(lengths) * 9 // 10] if lengths else 0


def _continues(last: str, line: str, width: int) -> bool:
    """Whether a line goes on with the paragraph of the line above it."""
    if not last or _STARTS_BLOCK.match(line):
        return False
    if _HYPHEN.search(last[-60:]) and line[0].islower():
        return True
    return width >= _NARROW and len(last) >= _SHORT * width


def _joined(paragraph: str, line: str, hyphenated: set[str]) -> str:
    """The paragraph with the next line; a word that was divided at the end of the line is whole again."""
    match = _HYPHEN.search(paragraph[-60:])
    if match is None or not line[0].islower():
        return f"{paragraph}{line}" if _JOINT.search(paragraph[-2:]) else f"{paragraph} {line}"
    tail = _LETTERS.match(line)
    word = f"{match[1]}-{tail[0] if tail else ''}".lower()
    return f"{paragraph}{line}" if word in hyphenated else f"{paragraph[:-1]}{line}"


def _ended(page: str, after: str) -> str:
    """The page with what stands between it and the next one: a blank line, if no sentence runs across."""
    if not page or not after:
        return page
    runs_on = bool(_CONTINUES.match(page[-1])) and after[0].islower()
    return page + ("\n" if runs_on else "\n\n")

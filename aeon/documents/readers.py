"""The text of a file: plain text, HTML, PDF and Word."""

from __future__ import annotations

import importlib.metadata
import itertools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from aeon.documents.docx import docx_text
from aeon.documents.html import html_source, html_text, html_title
from aeon.documents.pdf import pdf_pages, pdf_title
from aeon.documents.plain import decode
from aeon.errors import ToolFailed
from aeon.text import one_line

__all__ = [
    "CONTENT_TYPES", "DOCUMENT_SUFFIXES", "MOST_BYTES", "Reader", "Text", "content", "read", "read_bytes", "text_of",
]  # fmt: skip

DOCUMENT_SUFFIXES = (".txt", ".md", ".rst", ".log", ".html", ".htm", ".pdf", ".docx")
"""How the names of the files end that can be read."""

MOST_BYTES = 64_000_000
"""The size up to which a file is read."""


@dataclass(frozen=True)
class Text:
    """What a file says. ``pages`` is where each page begins, in characters, if the file has pages.

    ``title`` is what the file says beside its text, as in the head of a page; ``extractor`` is the library that made
    the text out of the bytes, with its version, or "Aeon".
    """

    text: str
    pages: tuple[int, ...] = ()
    title: str = ""
    extractor: str = "Aeon"


Reader: TypeAlias = Callable[[bytes, str, str], Text]
"""Makes the text out of the bytes, the name in errors and the charset that a server names, "" for none."""


def read(path: Path, label: str) -> Text:
    """Return the text of a file; ``label`` is its name in errors. Raises as `content` and `text_of`."""
    _check(path.suffix, label)
    return text_of(content(path, label), path.suffix, label)


def text_of(data: bytes, suffix: str, label: str) -> Text:
    """Return the text of the bytes of a file whose name ends so; ``label`` is its name in errors.

    No text holds a control character or a lone surrogate. Raises ``ToolFailed`` with one line for a file that cannot
    be read or holds no text, and ``MissingExtraError`` if an extra is needed for it that is not installed.
    """
    _check(suffix, label)
    return _read(_READERS[suffix.lower()], data, label, "")


def read_bytes(data: bytes, content_type: str, label: str, charset: str = "") -> Text:
    """Return the text of what a server sent as one of the `CONTENT_TYPES`; ``charset`` is the one that it names.

    Raises as `text_of`.
    """
    reader = CONTENT_TYPES.get(content_type)
    if reader is None:
        raise ToolFailed(f"{label} cannot be read: its type is {one_line(content_type, 60)!r}")
    return _read(reader, data, label, charset)


def _read(reader: Reader, data: bytes, label: str, charset: str) -> Text:
    text = reader(data, label, charset)
    if not text.text.replace("\ufffd", "").strip():
        raise ToolFailed(f"{label} holds no text")
    return text


def _check(suffix: str, label: str) -> None:
    if suffix.lower() not in _READERS:
        raise ToolFailed(f"{label} cannot be read: only {', '.join(DOCUMENT_SUFFIXES)} can")


def content(path: Path, label: str) -> bytes:
    """Return the bytes of a file; ``label`` is its name in errors.

    Raises ``ToolFailed`` for one that cannot be read or is larger than `MOST_BYTES`.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(MOST_BYTES + 1) if size <= MOST_BYTES else b""
    except OSError as error:
        raise ToolFailed(f"{label} cannot be read: {error.strerror or error}") from None
    if max(size, len(data)) > MOST_BYTES:
        raise ToolFailed(f"{label} is too large: {size / 1e6:,.1f} MB, at most {MOST_BYTES / 1e6:,.0f} MB are read")
    return data


def _plain(data: bytes, label: str, charset: str) -> Text:
    return Text(decode(data, label, charset))


def _html(data: bytes, label: str, charset: str) -> Text:
    title = html_title(html_source(data, label, charset))
    return Text(html_text(data, label, charset), title=title, extractor=_made_by("trafilatura"))


def _docx(data: bytes, label: str, charset: str) -> Text:
    return Text(docx_text(data, label), extractor=_made_by("python-docx"))


def _pdf(data: bytes, label: str, charset: str) -> Text:
    pages = pdf_pages(data, label)
    begins = itertools.accumulate((len(page) for page in pages[:-1]), initial=0)
    return Text("".join(pages), tuple(begins), pdf_title(data), _made_by("pypdfium2"))


@cache
def _made_by(distribution: str) -> str:
    return f"{distribution} {importlib.metadata.version(distribution)}"


_READERS: dict[str, Reader] = {
    ".txt": _plain,
    ".md": _plain,
    ".rst": _plain,
    ".log": _plain,
    ".html": _html,
    ".htm": _html,
    ".pdf": _pdf,
    ".docx": _docx,
}

CONTENT_TYPES: Mapping[str, Reader] = {
    "text/html": _html,
    "application/xhtml+xml": _html,
    "text/plain": _plain,
    "text/markdown": _plain,
    "text/x-markdown": _plain,
    "application/json": _plain,
    "application/pdf": _pdf,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": _docx,
}
"""The content types that can be read, with their readers."""

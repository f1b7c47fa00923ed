"""The text of a file: plain text, HTML, PDF and Word."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from aeon.documents import formats
from aeon.documents.metadata import PageFacts
from aeon.documents.opening import opened
from aeon.documents.plain import decode
from aeon.errors import ToolFailed
from aeon.isolation.limits import MEGABYTE, Limits
from aeon.isolation.pool import MOST_MEMORY, Deadline, Exceeded, Unread, isolated
from aeon.text import one_line

__all__ = [
    "CONTENT_TYPES", "DOCUMENT_SUFFIXES", "MOST_BYTES", "Reader", "Text", "content", "read", "read_bytes", "read_page",
    "text_of",
]  # fmt: skip

DOCUMENT_SUFFIXES = (".txt", ".md", ".rst", ".log", ".html", ".htm", ".pdf", ".docx")
"""How the names of the files end that can be read."""

MOST_BYTES = 64_000_000
"""The size up to which a file is read."""


T = TypeVar("T")


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


Reader: TypeAlias = Callable[[bytes, str, str, Deadline | None], Text]
"""Makes the text out of the bytes, the name in errors, and the charset that a server names, "" for none.

The last is the deadline by which it has to be made, if there is one.
"""

_MEMORY = 384 * MEGABYTE
_MEMORY_A_BYTE = 12
_SECONDS, _SECONDS_A_MEGABYTE, _MOST_SECONDS = 10.0, 1.0, 60.0
_MOST_TEXT = 64 * MEGABYTE


def read(path: Path, label: str) -> Text:
    """Return the text of a file; ``label`` is its name in errors. Raises as `content` and `text_of`."""
    _check(path.suffix, label)
    return text_of(content(path, label), path.suffix, label)


def text_of(data: bytes, suffix: str, label: str, deadline: Deadline | None = None) -> Text:
    """Return the text of the bytes of a file whose name ends so; ``label`` is its name in errors.

    No text holds a control character or a lone surrogate. What is not plain text is read in a process of its own, by
    the ``deadline``, if there is one.

    Raises:
        ToolFailed: the file cannot be read, takes too much to read (`Exceeded`), was not read in time (`Unread`), or
            holds no text.
        MissingExtraError: an extra is needed for it that is not installed.
    """
    _check(suffix, label)
    return _filled(_READERS[suffix.lower()](data, label, "", deadline), label)


def read_bytes(data: bytes, content_type: str, label: str, charset: str = "", deadline: Deadline | None = None) -> Text:
    """Return the text of what a server sent as one of the `CONTENT_TYPES`; ``charset`` is the one that it names.

    Raises as `text_of`.
    """
    reader = CONTENT_TYPES.get(content_type)
    if reader is None:
        raise ToolFailed(f"{label} cannot be read: its type is {one_line(content_type, 60)!r}")
    return _filled(reader(data, label, charset, deadline), label)


def read_page(data: bytes, label: str, charset: str, address: str, deadline: Deadline | None) -> tuple[Text, PageFacts]:
    """Return the text of an HTML page and what the page says of itself. Raises as `text_of`."""
    arguments = {"label": label, "charset": charset, "address": address}
    text, facts = _isolated(formats.page, tuple[Text, PageFacts], data, arguments, deadline)
    return _filled(text, label), facts


def _filled(text: Text, label: str) -> Text:
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
        with opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(MOST_BYTES + 1) if size <= MOST_BYTES else b""
    except OSError as error:
        raise ToolFailed(f"{label} cannot be read: {error.strerror or error}") from None
    if max(size, len(data)) > MOST_BYTES:
        raise ToolFailed(f"{label} is too large: {size / 1e6:,.1f} MB, at most {MOST_BYTES / 1e6:,.0f} MB are read")
    return data


def _plain(data: bytes, label: str, charset: str, deadline: Deadline | None) -> Text:
    if deadline is not None and deadline.left() <= 0:
        raise Unread(f"{label} is not read: there was no time left to read it")
    return Text(decode(data, label, charset))


def _by(work: Callable[[bytes, str, str], Mapping[str, object]]) -> Reader:
    """The reader that has the work done in a process of its own."""

    def reader(data: bytes, label: str, charset: str, deadline: Deadline | None) -> Text:
        return _isolated(work, Text, data, {"label": label, "charset": charset}, deadline)

    return reader


def _isolated(
    work: Callable[..., object], gives: type[T], data: bytes, arguments: Mapping[str, str], deadline: Deadline | None
) -> T:
    size = len(data) / MEGABYTE
    limits = Limits(
        memory=min(_MEMORY + _MEMORY_A_BYTE * len(data), MOST_MEMORY),
        seconds=min(_SECONDS + _SECONDS_A_MEGABYTE * size, _MOST_SECONDS),
        output=_MOST_TEXT,
    )
    try:
        return isolated(work, gives, limits, arguments, data, deadline)
    except (Exceeded, Unread) as error:
        raise type(error)(f"{arguments['label']} is not read: {error}") from None


_html, _pdf, _docx = _by(formats.html), _by(formats.pdf), _by(formats.docx)

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

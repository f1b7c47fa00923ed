"""The text of an HTML page as Markdown, without its menus."""

from __future__ import annotations

import html
import logging
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from aeon.documents.extras import library
from aeon.documents.plain import clean, decode, word_set

__all__ = ["html_source", "html_text", "html_title"]

_LONGEST_SEARCHED = 1_000_000
"""Characters up to which the main part of a page is searched for; of a longer one, everything is taken."""
_SMALL = 1_000
"""Characters of text up to which a page is taken as a whole."""
_LEAST_SHARE = 0.5
"""Share of a page's words that its main part has to have; else more than menus was left out."""

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,200}\?>", re.IGNORECASE)
_BODY = re.compile(r"<body\b[^>]*>", re.IGNORECASE)
_BODY_END = re.compile(r"</body\s*>", re.IGNORECASE)
_ARTICLE = re.compile(r"<(/?)article\b", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")
_BLANKS = re.compile(r"[ \t\r\f\v\u00a0]+")
_SPACE = re.compile(r"\s+")
_TITLE = re.compile(r"<title\b[^>]{0,200}>([^<]{0,1000})</title", re.IGNORECASE)
_HEAD = 100_000
"""Characters within which the title of a page stands."""
_BLANK_LINES = re.compile(r"\n\s*\n")
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)

_DROPPED = word_set("script style noscript template head nav svg iframe object button select textarea")
_BLOCKS = word_set(
    "p div section article main header footer aside ul ol dl dt dd table thead tbody tfoot caption blockquote pre "
    "address figure figcaption form fieldset details summary hr body"
)
_PREFIXES = {f"h{level}": f"\n\n{'#' * level} " for level in range(1, 7)} | {"li": "\n- ", "br": "\n"}
_NOT_IN_ROWS = ("table", "h1", "h2", "h3", "h4", "li")


def html_text(data: bytes, label: str, charset: str = "") -> str:
    """Return what a page says, with its headings and tables. Nothing is ever fetched for it.

    ``charset`` is what the server says of the page, and goes before what the page says of itself. Raises ``ToolFailed``
    for bytes that are no text and ``MissingExtraError`` without the extra ``html``.
    """
    trafilatura, lxml = library("trafilatura", "html"), library("lxml.html", "html")
    page = html_source(data, label, charset)
    title, everything = _everything(lxml, page)
    is_searched = len(everything) > _SMALL and len(page) <= _LONGEST_SEARCHED
    main = _main(trafilatura, page) if is_searched else ""
    text = main if len(main.split()) >= _LEAST_SHARE * len(everything.split()) else everything
    return f"# {title}\n\n{text}" if title and text and not _HEADING.search(text) else text


def html_title(page: str) -> str:
    """Return what the source of a page calls itself in its head, "" if it does not."""
    match = _TITLE.search(page[:_HEAD])
    return clean(_SPACE.sub(" ", html.unescape(match[1])).strip()) if match else ""


def html_source(data: bytes, label: str, charset: str = "") -> str:
    """Return the source of a page as text. Raises ``ToolFailed`` for bytes that are no text."""
    own = _CHARSET.search(data[:4096])
    return _DECLARATION.sub("", decode(data, label, charset or (own[1].decode("ascii") if own else "")), count=1)


def _main(trafilatura: ModuleType, page: str) -> str:
    """The main part of the page as trafilatura finds it, "" if it finds none."""
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    settings = trafilatura.settings.use_config()
    for name in ("MIN_EXTRACTED_SIZE", "MIN_OUTPUT_SIZE"):
        settings.set("DEFAULT", name, "1")
    try:
        text = trafilatura.extract(
            _framed(page),
            output_format="markdown",
            include_tables=True,
            include_comments=False,
            fast=True,  # without its other extractors, which lose headings and tables
            config=settings,
        )
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - it guesses at any page; where it fails, the whole page is taken
        return ""
    return clean(_ESCAPED.sub(r"\1", text or ""))


def _framed(page: str) -> str:
    """The page with its whole body marked as its main part.

    Where nothing is marked, trafilatura takes the paragraphs and loses headings and tables between them; where several
    articles are, it takes the first one.
    """
    if sum(not match[1] for match in _ARTICLE.finditer(page)) > 1:
        page = _ARTICLE.sub(r"<\1section", page)
    body, body_end = _BODY.search(page), _BODY_END.search(page)
    start = body.end() if body else 0
    end = body_end.start() if body_end and body_end.start() > start else len(page)
    return f"{page[:start]}<main>{page[start:end]}</main>{page[end:]}"


def _everything(lxml: ModuleType, page: str) -> tuple[str, str]:
    """The title of the page and all its text but scripts and menus."""
    if not page.strip():
        return "", ""
    parser = lxml.HTMLParser(remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = lxml.document_fromstring(page, parser=parser)
    except lxml.etree.LxmlError as error:
        if getattr(error, "code", None) == lxml.etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from None
        return "", ""
    parts = _parts(lxml.etree.iterwalk(root, events=("start", "end")))
    lines = (_BLANKS.sub(" ", line).strip() for line in "".join(parts).split("\n"))
    title = _SPACE.sub(" ", root.findtext(".//title") or "").strip()
    return clean(title), clean(_BLANK_LINES.sub("\n\n", "\n".join(lines)).strip())


def _parts(walk: Any) -> Iterator[str]:  # noqa: ANN401 - lxml has no types
    """The text of each element with the marks around it; a row of a table is one line."""
    row: object = None
    for event, element in walk:
        if event == "end":
            yield _after(element.tag, row is not None)
            yield _flat(element.tail, False)
            row = None if element is row else row
        elif element.tag in _DROPPED:
            walk.skip_subtree()
        else:
            if row is None and element.tag == "tr" and next(element.iter(*_NOT_IN_ROWS), None) is None:
                row = element
            yield _before(element.tag, row is not None)
            yield _flat(element.text, element.tag == "pre")


def _before(tag: str, in_row: bool) -> str:
    if in_row:
        return {"tr": "\n", "td": "| ", "th": "| "}.get(tag, " " if tag in _BLOCKS or tag == "br" else "")
    return _PREFIXES.get(tag, "\n\n" if tag in _BLOCKS or tag in ("tr", "td", "th") else "")


def _after(tag: str, in_row: bool) -> str:
    if in_row:
        return {"tr": "|\n", "td": " ", "th": " "}.get(tag, " " if tag in _BLOCKS else "")
    return "\n" if tag == "li" else "\n\n" if tag in _BLOCKS or (tag in _PREFIXES and tag != "br") else ""


def _flat(text: str | None, keeps_lines: bool) -> str:
    return (text or "") if keeps_lines else _SPACE.sub(" ", text or "")

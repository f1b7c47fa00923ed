"""What an HTML page says of itself beside its text."""

from __future__ import annotations

import logging
from typing import NamedTuple

from aeon.documents.extras import library
from aeon.documents.html import html_source
from aeon.documents.plain import clean

__all__ = ["PageFacts", "page_facts"]

_LONGEST_SEARCHED = 1_000_000
"""Characters up to which a page is searched for these facts."""
_LONGEST_TITLE = 300


class PageFacts(NamedTuple):
    """Title, date of publication as YYYY-MM-DD, and the address that the page names as its own; "" for what is unknown.

    A page can say anything here.
    """

    title: str = ""
    published: str = ""
    canonical: str = ""


def page_facts(data: bytes, address: str, charset: str = "") -> PageFacts:
    """Return what the page at an address says of itself, in tags and JSON-LD; the date may be in the address too.

    Raises ``ToolFailed`` for bytes that are no text and ``MissingExtraError`` without the extra ``html``.
    """
    trafilatura = library("trafilatura", "html")
    page = html_source(data, address, charset)
    if not page.strip() or len(page) > _LONGEST_SEARCHED:
        return PageFacts()
    for name in ("trafilatura", "htmldate"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        facts = trafilatura.extract_metadata(page, default_url=address, extensive=False)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - it guesses at any page; what it does not find is unknown
        return PageFacts()
    title = " ".join(clean(facts.title or "").split())[:_LONGEST_TITLE]
    return PageFacts(title, facts.date or "", clean(facts.url or ""))

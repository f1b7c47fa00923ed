"""The text of HTML, PDF and Word files and of pages of the web: what runs in a process of its own."""

from __future__ import annotations

import importlib.metadata
import itertools
from collections.abc import Mapping
from typing import Any

from aeon.documents.docx import docx_text
from aeon.documents.html import html_source, html_text, html_title
from aeon.documents.metadata import page_facts
from aeon.documents.pdf import pdf_pages, pdf_title

__all__ = ["docx", "html", "page", "pdf"]


def html(data: bytes, label: str, charset: str) -> Mapping[str, Any]:
    """The fields of a `Text` from a page. Raises as `html_text`."""
    title = html_title(html_source(data, label, charset))
    return {"text": html_text(data, label, charset), "title": title, "extractor": _made_by("trafilatura")}


def page(data: bytes, label: str, charset: str, address: str) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The fields of a `Text` from a page of the web, and those of its `PageFacts`. Raises as `html_text`."""
    return html(data, label, charset), tuple(page_facts(data, address, charset))


def pdf(data: bytes, label: str, charset: str) -> Mapping[str, Any]:
    """The fields of a `Text` from a PDF file. Raises as `pdf_pages`."""
    pages = pdf_pages(data, label)
    begins = tuple(itertools.accumulate((len(one) for one in pages[:-1]), initial=0))
    return {"text": "".join(pages), "pages": begins, "title": pdf_title(data), "extractor": _made_by("pypdfium2")}


def docx(data: bytes, label: str, charset: str) -> Mapping[str, Any]:
    """The fields of a `Text` from a Word file. Raises as `docx_text`."""
    return {"text": docx_text(data, label), "extractor": _made_by("python-docx")}


def _made_by(distribution: str) -> str:
    return f"{distribution} {importlib.metadata.version(distribution)}"

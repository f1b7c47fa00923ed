"""The shapes in which a report is written to a file."""

from __future__ import annotations

import json
from collections.abc import Callable

from aeon.engines.report.html import to_html
from aeon.engines.report.record import Report
from aeon.errors import UsageError
from aeon.text import printable

__all__ = ["export_of"]


def _items(result: Report) -> str:
    return json.dumps(list(result.items), ensure_ascii=False, indent=2) + "\n"


def _json(result: Report) -> str:
    return result.model_dump_json(indent=2) + "\n"


def _markdown(result: Report) -> str:
    return f"{result.answer}\n"


_SHAPES: dict[str, Callable[[Report], str]] = {
    ".items.json": _items, ".json": _json, ".html": to_html, ".htm": to_html, ".md": _markdown,
}  # fmt: skip


def export_of(path: str) -> Callable[[Report], str]:
    """The function that writes a report in the shape that the end of a file's name says.

    Raises:
        UsageError: it says none.
    """
    writes = next((shape for suffix, shape in _SHAPES.items() if path.lower().endswith(suffix)), None)
    if writes is None:
        raise UsageError(f"{path}: a report is written as .md, .html, .items.json or .json; name the file so")
    return lambda result: printable(writes(result))

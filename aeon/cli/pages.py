"""The page that a finished run of research or of a report is written as."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aeon.cli.output import write_new
from aeon.engines.report import export as reports
from aeon.engines.report.program import REPORT
from aeon.engines.research import export as research
from aeon.engines.research.program import RESEARCH
from aeon.errors import UsageError
from aeon.observability.lines import Line, Span, visible
from aeon.schema import Conclusion

__all__ = ["Page"]


class Page:
    """Writes what a run of an engine ended with to a file, in the shape that the end of the file's name says.

    Raises:
        UsageError: the name says none, or the engine has no page.
    """

    def __init__(self, path: str, engine: str) -> None:
        self._path = path
        self._text = _text_of(path, engine)

    def __call__(self, result: Conclusion, question: str) -> list[Line]:
        """Write it, and say where it is.

        Raises:
            InputFileError: it cannot be written.
        """
        write_new(self._path, self._text(result, question))
        return [(Span("written ", "dim"), Span(visible(self._path)))]


def _text_of(path: str, engine: str) -> Callable[[Any, str], str]:
    if engine == RESEARCH.name:
        return research.export_of(path)
    if engine == REPORT.name:
        report = reports.export_of(path)
        return lambda result, question: report(result)
    raise UsageError(f"--out: only research and reports are written as a page; this run is of {engine}")

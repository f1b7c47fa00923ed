"""The page that a finished run of research or of a report is written as."""

from __future__ import annotations

from collections.abc import Callable

from aeon.cli.output import check_new, write_new
from aeon.engines.report import export as report_pages
from aeon.engines.report.record import Report
from aeon.engines.research import export as research_pages
from aeon.engines.research.record import Research
from aeon.errors import UsageError
from aeon.schema import Conclusion

__all__ = ["write_page"]


def write_page(path: str, result: Conclusion, question: str) -> None:
    """Write the answer or the report in the shape that the end of the file's name says.

    Raises:
        UsageError: it says none, or the run is of another engine.
        InputFileError: the file is there, or cannot be written.
    """
    page = _page(path, result, question)
    check_new(path, "a page")
    write_new(path, page())


def _page(path: str, result: Conclusion, question: str) -> Callable[[], str]:
    match result:
        case Research():
            research = research_pages.export_of(path)
            return lambda: research(result, question)
        case Report():
            report = report_pages.export_of(path)
            return lambda: report(result)
        case _:
            raise UsageError(f"--out: only research and reports are written as a page; this run is of {result.engine}")

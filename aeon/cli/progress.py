"""A progress bar for the fetching of a model: drawn on a terminal, a line each tenth elsewhere; on standard error."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn, TransferSpeedColumn,
)  # fmt: skip

from aeon.llm.download import Progress as Fetched

__all__ = ["ProgressBar"]


class ProgressBar:
    """A context manager; ``report`` is to be told how far the fetching has come. Without a report it shows nothing."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._console = Console(file=sys.stderr, highlight=False, markup=False)
        self._bar = Progress(
            TextColumn("{task.description}", markup=False), BarColumn(bar_width=None), DownloadColumn(),
            TransferSpeedColumn(), TimeRemainingColumn(), console=self._console, transient=True,
        )  # fmt: skip
        self._task: TaskID | None = None
        self._tenths = -1
        self._source = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        if self._task is not None:
            self._bar.stop()
        if self._source and kind is None:
            self._console.print(f"fetched and verified {self._title}")

    def report(self, fetched: Fetched) -> None:
        """Show the bytes done of those in all."""
        if fetched.source != self._source:
            self._source = fetched.source
            self._console.print(f"fetching {self._title} from {fetched.source}", soft_wrap=True)
        if self._console.is_terminal:
            self._draw(fetched)
        elif (tenths := fetched.done * 10 // fetched.total) > self._tenths:
            self._tenths = tenths
            self._console.print(f"  {fetched.done / 1e6:,.0f} of {fetched.total / 1e6:,.0f} MB")

    def _draw(self, fetched: Fetched) -> None:
        if self._task is None:
            self._task = self._bar.add_task("", total=fetched.total, completed=fetched.done)
            self._bar.start()
        self._bar.update(self._task, completed=fetched.done)

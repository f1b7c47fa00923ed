"""A progress bar for the fetching of a model: drawn on a terminal, a line each tenth elsewhere; on standard error."""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    SpinnerColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from aeon.llm.adapter import LLMAdapter
from aeon.llm.catalogue import CATALOGUE, CatalogueEntry
from aeon.llm.download import Progress as Fetched
from aeon.llm.local import Local
from aeon.llm.weights import find, pull

__all__ = ["ProgressBar", "fetch", "fetch_weights"]


class ProgressBar:
    """Shows one fetching. A context manager: enter it when the fetching begins; ``report`` shows how far it is."""

    def __init__(self, title: str, total: int) -> None:
        self._title = title
        self._console = Console(file=sys.stderr, highlight=False, markup=False)
        self._bar = Progress(
            SpinnerColumn(), BarColumn(bar_width=None), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn(),
            console=self._console, transient=True, redirect_stdout=False,
        )  # fmt: skip
        self._task = self._bar.add_task("", total=total)
        self._tenths = 0
        self._source = ""

    def __enter__(self) -> Self:
        self._console.print(f"fetching {self._title}", soft_wrap=True)
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        if self._console.is_terminal:
            self._bar.stop()
        if kind is None:
            self._console.print(f"fetched and verified {self._title}", soft_wrap=True)

    def report(self, fetched: Fetched) -> None:
        """Show the bytes done of those in all."""
        if fetched.source != self._source:
            self._source = fetched.source
            self._console.print(f"  from {fetched.source}", soft_wrap=True)
        if self._console.is_terminal:
            self._bar.update(self._task, completed=fetched.done)
        elif (tenths := fetched.done * 10 // fetched.total) > self._tenths:
            self._tenths = tenths
            self._console.print(f"  {fetched.done / 1e6:,.0f} of {fetched.total / 1e6:,.0f} MB")


def fetch(entry: CatalogueEntry, quiet: bool = False) -> Path:
    """The path of the entry's weights; where they are not in the cache they are fetched, with a bar unless ``quiet``.

    Raises:
        WeightsError: they could not be made ready.
    """
    cached = find(entry)
    if cached is not None:
        return cached
    if quiet:
        return pull(entry)
    with ProgressBar(entry.title, entry.size) as bar:
        return pull(entry, bar.report)


def fetch_weights(model: LLMAdapter, quiet: bool = False) -> None:
    """Fetch the weights of a model of the catalogue, if it is one; not where it could not be used then.

    Raises:
        WeightsError: they could not be made ready.
        MissingExtraError, InputFileError: as `Local.check`.
    """
    if isinstance(model, Local):
        model.check()
        if model.name in CATALOGUE:
            fetch(CATALOGUE[model.name], quiet)

"""The runs in a database, for commands: loaded when a command needs them, since they need an extra."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from aeon.documents.extras import library

if TYPE_CHECKING:
    from aeon.durable.jobs import Jobs

__all__ = ["durable_module", "jobs_in"]


def durable_module(name: str) -> ModuleType:
    """A module of the package for durable runs.

    Raises:
        MissingExtraError: the extra ``durable`` is not installed.
    """
    library("dbos", "durable", "--durable")
    return library(f"aeon.durable.{name}", "durable", "--durable")


@contextmanager
def jobs_in(url: str, create: bool = False) -> Iterator[Jobs]:
    """The runs in the database at ``url``; ``create`` makes its tables.

    Raises:
        MissingExtraError: the extra ``durable`` is not installed.
        UsageError: the URL is none.
        InputFileError: the database cannot be used.
    """
    with durable_module("jobs").Jobs(url, create) as jobs:
        yield jobs

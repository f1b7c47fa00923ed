"""What the tests of searching share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from search.web import Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    """A fresh site on a free port."""
    with serving() as fresh:
        yield fresh


@pytest.fixture
def other() -> Iterator[Site]:
    """A second site on another port."""
    with serving() as fresh:
        yield fresh

"""What the tests of the model adapters share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from played_endpoint import Endpoint, served

from aeon.llm import translation


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A fresh endpoint on a free port."""
    with served() as played:
        yield played


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache."""
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "home"))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hardly any wait between attempts."""
    monkeypatch.setattr(translation, "BACKOFF_SECONDS", 0.01)

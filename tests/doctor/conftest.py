"""What the tests of the doctor share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from doctor.played_liar import Liar
from played_endpoint import served

from aeon.llm import translation


@pytest.fixture
def liar() -> Iterator[Liar]:
    """A fresh endpoint on a free port, which does not lie until it is told to."""
    with served() as endpoint:
        yield Liar(endpoint)


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache, and hardly any wait between attempts."""
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(translation, "BACKOFF_SECONDS", 0.01)

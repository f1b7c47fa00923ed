"""Settings that all tests share."""

from __future__ import annotations

import pytest
from hypothesis import settings
from measured import every_judgment

settings.register_profile("aeon", deadline=None)  # a busy machine is no failure: nothing here is about time
settings.load_profile("aeon")


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every judgment of the models that tests play decide, as if it had been measured on them."""
    found = every_judgment("scripted", "obliging", "played")
    monkeypatch.setattr("aeon.supervisor.judge.calibrations", lambda: found)

"""What every test shares: the marker that names the requirements a test covers."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", "requirement(*ids): the requirements, such as K1, that this test covers")

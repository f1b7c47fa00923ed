"""Each test that drives a run is made twice: straight, and with a replay after every effect."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kernel.rehearsal import both_ways, set_mode

pytest_generate_tests = both_ways


@pytest.fixture(autouse=True)
def mode(request: pytest.FixtureRequest) -> Iterator[None]:
    """How runs are driven."""
    yield from set_mode(request)

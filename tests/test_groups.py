"""How the tests are divided over processes."""

from __future__ import annotations

import pytest


def test_tests_of_the_real_models_run_in_one_process(request: pytest.FixtureRequest) -> None:
    """They would take each other's cores: where tests are divided by groups, they are one."""
    if not request.config.getoption("loadgroup", default=False):
        pytest.skip("the tests are not divided by groups")
    models = [
        item for item in request.session.items if item.get_closest_marker("tiny") or item.get_closest_marker("embedded")
    ]
    assert [item.nodeid for item in models if not item.nodeid.endswith("@models")] == []

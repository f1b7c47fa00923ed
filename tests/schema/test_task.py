"""Tasks hold only what a journal can keep."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from aeon import Task


@pytest.mark.parametrize(
    "fields",
    [
        {"context": "a\udcff"},
        {"criteria": ("fine", "\ud800")},
        {"answer_schema": {"enum": ["\ud800"]}},
        {"answer_schema": {"properties": {"\ud800": {}}}},
    ],
)
def test_a_lone_surrogate_is_refused_at_once(fields: dict[str, Any]) -> None:
    """Not only when the first line of a journal is to be written."""
    with pytest.raises(ValidationError, match="lone surrogate"):
        Task(text="What?", **fields)
    assert Task(text="What?", context="😀", answer_schema={"enum": ["😀"]}).model_dump_json()

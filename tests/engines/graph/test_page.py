"""The page on graphs says what is so: its code runs, and draws what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "graph.md"


@pytest.mark.requirement("E2a")
def test_the_code_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """A graph of one's own is built and drawn."""
    exec("\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)), {"__name__": "page"})
    assert "write -->|too short| write" in capsys.readouterr().out

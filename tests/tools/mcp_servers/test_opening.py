"""MCP servers as they are opened: how long that may take, and where the list of their tools ends."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from aeon import Config, build
from aeon.errors import ToolFailed, UsageError
from aeon.llm.scripted import Scripted
from aeon.schema import Budget
from aeon.testing.obliging import oblige
from aeon.tools.mcp.servers import start_seconds_of

from .playing import hostile, opened


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "home"))


@pytest.mark.requirement("E7a")
@pytest.mark.parametrize("mode", ["circles", "blank"])
def test_a_list_whose_cursor_leads_nowhere_ends(tmp_path: Path, mode: str) -> None:
    """A cursor that never changes, and one that is empty: the tools of the server are there, once each."""
    with opened(tmp_path, hostile(mode)) as servers:
        assert [tool.name for tool in servers.tools] == ["hostile_echo", "hostile_write", "hostile_put"]


@pytest.mark.requirement("E7")
def test_servers_start_at_once_and_no_longer_than_the_run_may_take(tmp_path: Path) -> None:
    """Four slow ones take as long as one; and where the run has one second, so has the start of one that is silent."""
    began = time.monotonic()
    with opened(tmp_path, *(hostile("slow") for _ in range(4))):
        assert time.monotonic() - began < 4 * 1.5
    began = time.monotonic()
    with pytest.raises(ToolFailed, match=r"it did not answer within 1 s; AEON_MCP_START_SECONDS gives it more"):
        build(Scripted(oblige), mcp=[hostile("silent")], config=Config(budget=Budget(seconds=1)))
    assert time.monotonic() - began < 8


@pytest.mark.requirement("E7")
def test_how_long_a_start_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable says it, half a minute without; a run that has less time than that has no more for it."""
    assert (start_seconds_of({}), start_seconds_of({}, 5.0), start_seconds_of({}, 500.0)) == (30.0, 5.0, 30.0)
    assert start_seconds_of({"AEON_MCP_START_SECONDS": "90"}) == 90.0
    with pytest.raises(UsageError, match="AEON_MCP_START_SECONDS: 'soon' is no number of seconds above 0"):
        start_seconds_of({"AEON_MCP_START_SECONDS": "soon"})

"""The thread in which MCP servers live: whoever asks it for something gets an answer, also as it ends."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import Any

import pytest

from aeon.errors import ToolFailed
from aeon.tools.mcp.hub import Hub

pytestmark = pytest.mark.requirement("E7a")


async def _said() -> str:
    return "said"


def test_what_is_asked_while_it_lives_is_done_and_afterwards_refused() -> None:
    """In one line that says so."""
    hub = Hub()
    assert hub.run(_said()) == "said"
    hub.close()
    with pytest.raises(ToolFailed, match="the MCP servers of the run were closed"):
        hub.run(_said())


class Late(Hub):
    """Is asked by somebody who looked before it was stopped, when its loop goes round no more."""

    late: Future[Any]

    def _refuse(self) -> None:
        self._stopping = asyncio.Event()
        self.late = self._begun(_said())
        super()._refuse()


def test_what_is_asked_too_late_to_be_begun_is_refused() -> None:
    """Nobody would ever do it, so nobody may wait for it."""
    hub = Late()
    hub.close()
    with pytest.raises(ToolFailed, match="the MCP servers of the run were closed"):
        hub.late.result(5)
    with pytest.raises(ToolFailed, match="were closed"):
        hub.run(_said())

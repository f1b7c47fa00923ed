"""Sees what a run has to answer its task with."""

from __future__ import annotations

from aeon.engines.auto.effects import LookAround
from aeon.engines.auto.values import Surroundings
from aeon.proof.alike import numbers_of
from aeon.tools.registry import ToolRegistry

__all__ = ["Surveyor"]


class Surveyor:
    """Looks at the tools of a run, and counts in its task. Asks no model."""

    def __init__(self, tools: ToolRegistry) -> None:
        every = [tools.get(name) for name in tools.names]
        providers = [tool.provider for tool in every if tool.provider is not None]
        self._tables = len({table.name for tool in every for table in tool.tables})
        self._texts = any(tool.reading for tool in every)
        self._searches = tuple(one.name for one in providers if not one.local)

    async def look_around(self, effect: LookAround) -> Surroundings:
        """What is there, and what the task's words count."""
        return Surroundings(
            tables=self._tables,
            texts=self._texts,
            searches=self._searches,
            numbers=len(numbers_of(effect.task.text)),
        )

"""Lessons for a run, out of the file of lessons, and into it."""

from __future__ import annotations

import asyncio

from aeon.engines.graph.effects import NoteLesson, Recall
from aeon.experience.store import Experience
from aeon.schema.experience import Lessons, Noted

__all__ = ["Memory"]


class Memory:
    """Finds and keeps lessons; without a file, there are none."""

    def __init__(self, path: str) -> None:
        self._experience = Experience(path) if path else None

    async def recall(self, effect: Recall) -> Lessons:
        """The lessons of tasks like the effect's, the most similar first.

        Raises:
            ToolFailed: the file cannot be used any more.
        """
        if self._experience is None:
            return Lessons()
        return await asyncio.to_thread(self._found, self._experience, effect)

    @staticmethod
    def _found(kept: Experience, effect: Recall) -> Lessons:
        found = kept.find(effect.task.text, effect.project, effect.least, effect.most, effect.days)
        return found.changed(patterns=kept.patterns(effect.category, effect.project, effect.most, effect.days))

    async def note(self, effect: NoteLesson) -> Noted:
        """Keep a lesson; one of the same run takes its place, so that a run that is resumed teaches once.

        Raises:
            ToolFailed: the file cannot be used any more.
        """
        if self._experience is None:
            return Noted()
        await asyncio.to_thread(self._experience.keep, effect.lesson, effect.days)
        return Noted(id=effect.lesson.id)

"""What a planner is told of plans before this one, and of other tasks like it."""

from __future__ import annotations

from aeon.multipass.effects import DraftPlan
from aeon.supervisor.prompt import fence, load, render

__all__ = ["earlier"]

_LONGEST_PROBLEMS = 1_200
_LONGEST_LESSONS = 1_600


def earlier(effect: DraftPlan) -> str:
    """The problems of earlier plans and the lessons of other tasks, each in a fence; "" where there are none.

    Both hold words of tools, models and files: they are data, whatever they say.
    """
    parts = []
    if effect.lessons:
        told = "\n".join(f"- {one}" for one in effect.lessons)
        parts.append(render(load("aeon.plan", "lessons.md"), lessons=fence("lessons", told, _LONGEST_LESSONS)))
    if effect.problems:
        told = "\n".join(f"- {one}" for one in effect.problems)
        parts.append(render(load("aeon.plan", "problems.md"), problems=fence("problems", told, _LONGEST_PROBLEMS)))
    return "\n".join(parts)

"""The part that all prompts of a run share: how to work, with which tools, on which task.

It comes first and never changes within a run, so that an endpoint's prefix cache serves it to every module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from aeon.schema import LONGEST_CONTEXT, LONGEST_TASK, Clarification, Task
from aeon.supervisor.prompt import Prompt, cut, fence, load, render

__all__ = ["Briefing"]

_LONGEST_ANSWER = 1_000
_LONGEST_MATERIAL = 6_000


@dataclass(frozen=True)
class Briefing:
    """What every module tells the model first. ``tools`` describes the tools of the run, one a line.

    ``material`` says what they can be used on. It comes from files, so it is fenced and no instruction.
    Of a task or a context that is too long, start and end are shown, with a mark between them: `Task.unread` has them.
    """

    tools: str = ""
    material: str = ""

    def prompt(self, task: Task, question: str) -> Prompt:
        """A prompt that asks ``question`` about ``task``."""
        system = render(load("aeon.supervisor", "briefing.md"), tools=self.tools or "(none)")
        parts = [fence("tools", self.material, _LONGEST_MATERIAL)] if self.material else []
        parts.append(f"TASK: {cut(task.text, LONGEST_TASK)}")
        if task.background:
            parts.append(fence("context", task.background, LONGEST_CONTEXT))
        if task.criteria:
            parts.append("The answer must meet:\n" + "\n".join(f"- {criterion}" for criterion in task.criteria))
        if task.clarifications:
            parts.append("What was asked, and the answer:\n" + "\n".join(map(_clarification_line, task.clarifications)))
        return Prompt(system=system, user="\n\n".join([*parts, question]))

    def frame(self, task: Task) -> Callable[[str], Prompt]:
        """A function that puts a question about ``task`` into a prompt."""
        return partial(self.prompt, task)


def _clarification_line(clarification: Clarification) -> str:
    return f"- {cut(clarification.question, _LONGEST_ANSWER)} {cut(clarification.answer, _LONGEST_ANSWER)}"

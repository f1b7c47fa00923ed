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
_INSTRUCTIONS = "## Instructions of the user"


@dataclass(frozen=True)
class Briefing:
    """What every module tells the model first. ``tools`` describes the tools of the run, one a line.

    ``material`` says what they can be used on. It comes from files, so it is fenced and no instruction.
    ``instructions`` are the user's own, in every prompt, and never cut.
    Of a task or a context that is too long, start and end are shown, with a mark between them: `Task.unread` has them.
    """

    tools: str = ""
    material: str = ""
    instructions: str = ""

    def prompt(self, task: Task, question: str) -> Prompt:
        """A prompt that asks ``question`` about ``task``."""
        system = render(load("aeon.supervisor", "briefing.md"), tools=self.tools or "(none)")
        parts = [fence("tools", self.material, _LONGEST_MATERIAL)] if self.material else []
        return Prompt(system=self.instructed(system), user="\n\n".join([*parts, self.facts(task), question]))

    def instructed(self, system: str) -> str:
        """A system text with the user's instructions behind it, where there are some."""
        if not self.instructions.strip():
            return system
        return f"{system.rstrip()}\n\n{_INSTRUCTIONS}\n{self.instructions.strip()}"

    def facts(self, task: Task, longest: int = LONGEST_TASK) -> str:
        """The task with its context, its criteria and what was clarified; text and context so long at most."""
        parts = [f"TASK: {cut(task.text, longest)}"]
        if task.background:
            parts.append(fence("context", task.background, min(longest, LONGEST_CONTEXT)))
        if task.criteria:
            numbered = (f"{number}. {criterion}" for number, criterion in enumerate(task.criteria, 1))
            parts.append("The answer must meet:\n" + "\n".join(numbered))
        if task.clarifications:
            parts.append("What was asked, and the answer:\n" + "\n".join(map(_clarification_line, task.clarifications)))
        return "\n\n".join(parts)

    def frame(self, task: Task) -> Callable[[str], Prompt]:
        """A function that puts a question about ``task`` into a prompt."""
        return partial(self.prompt, task)


def _clarification_line(clarification: Clarification) -> str:
    return f"- {cut(clarification.question, _LONGEST_ANSWER)} {cut(clarification.answer, _LONGEST_ANSWER)}"

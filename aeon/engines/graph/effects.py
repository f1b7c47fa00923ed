"""What a graph or loop program asks for, beside the steps and plans of the multi-pass engine."""

from __future__ import annotations

from aeon.engines.graph.values import Choice, Classified, Look, Looked, Reflection, Verdict
from aeon.schema.effects import EffectOf, Role
from aeon.schema.experience import Lesson, Lessons, Noted
from aeon.schema.plan import Plan, StepResult

__all__ = ["ChooseLook", "Classify", "NoteLesson", "Recall", "Reflect", "TakeLook", "Verify"]


class Classify(EffectOf[Classified]):
    """How complex is the task? It needs no tool only with a probability of at least ``threshold``."""

    phase = "classify"
    role: Role = "planner"
    threshold: float = 0.9


class Recall(EffectOf[Lessons]):
    """Which lessons, at most ``most``, are of tasks that are at least so similar (0-1)? None older than ``days``.

    And in which ways were tasks of this ``category`` done so far?
    """

    phase = "recall"
    category: str = ""
    project: str = ""
    least: float = 0.7
    most: int = 5
    days: int = 180


class ChooseLook(EffectOf[Choice]):
    """What is worth looking at after this failure, in view of the looks that were taken?"""

    phase = "choose_look"
    role: Role = "planner"
    plan: Plan
    failure: str
    looks: tuple[Looked, ...] = ()


class TakeLook(EffectOf[StepResult]):
    """Take this look."""

    phase = "look"
    look: Look

    @property
    def subject(self) -> str:
        """The action and what it is about."""
        return f"{self.look.action} {self.look.argument}".strip()


class Reflect(EffectOf[Reflection]):
    """Why did the work fail, in view of what was seen, and what should a new plan do otherwise?"""

    phase = "reflect"
    role: Role = "planner"
    plan: Plan
    failure: str
    looks: tuple[Looked, ...] = ()


class Verify(EffectOf[Verdict]):
    """Do the results answer the task? Asked of a model in the role of a verifier."""

    phase = "verify"
    role: Role = "verifier"
    plan: Plan


class NoteLesson(EffectOf[Noted]):
    """Keep this lesson, and drop those older than ``days``."""

    phase = "note_lesson"
    lesson: Lesson
    days: int = 180

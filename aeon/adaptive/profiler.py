"""One question about the task before it starts: how deep, how vague, how many steps."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aeon.kernel.effects import InferProfile
from aeon.schema import Frozen, TaskProfile
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import fence, load, render
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Profiler"]

Level = Literal["low", "medium", "high"]
_SHARE: dict[str, float] = {"low": 0.1, "medium": 0.5, "high": 0.9}


class _ProfileReply(Frozen):
    """What the model is asked for: words where it would have to make numbers up."""

    rationale: str = Field(max_length=200)
    reasoning_depth: int = Field(ge=1, le=5)
    ambiguity: Level
    information_sufficiency: Level
    dependency_complexity: Level
    expected_step_count: int = Field(ge=1, le=12)
    expected_tool_usage: Literal["none", "minimal", "moderate", "extensive"]
    output_breadth: Literal["narrow", "moderate", "broad"]
    confidence_requirement: Level


class Profiler:
    """Infers a ``TaskProfile`` with one model call; levels become 0.1, 0.5 and 0.9."""

    def __init__(self, supervisor: Supervisor, briefing: Briefing) -> None:
        self._supervisor = supervisor
        self._briefing = briefing

    async def infer(self, effect: InferProfile) -> TaskProfile:
        """The profile of the effect's task; with ``previous``, a new one in view of the issues."""
        again = ""
        if effect.previous is not None:
            again = f"\nIt was judged to have depth {effect.previous.reasoning_depth}. "
            again += "Since then these issues came up:\n"
            again += fence("issues", "\n".join(effect.issues), 1_500)
        question = render(load("aeon.adaptive", "profile.md"), again=again)
        reply = await self._supervisor.structured(
            self._briefing.prompt(effect.task, question), _ProfileReply, max_tokens=240
        )
        fields = reply.value.model_dump()
        for name in ("ambiguity", "information_sufficiency"):
            fields[name] = _SHARE[fields[name]]
        return TaskProfile.model_validate(fields)

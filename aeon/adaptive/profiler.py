"""How hard a task is: one question about it before it starts, and whether it is vague, where a model can tell."""

from __future__ import annotations

import contextlib
from typing import Literal

from pydantic import Field

from aeon.errors import CompletionError
from aeon.multipass.effects import InferProfile
from aeon.runtime.ledger import current_ledger
from aeon.schema import Frozen, TaskProfile
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.supervisor.prompt import fence, load, render
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Profiler"]

Level = Literal["low", "medium", "high"]
_SAMPLES = 3
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
    """Infers a ``TaskProfile`` with one call for its words; levels become 0.1, 0.5 and 0.9.

    On an endpoint that was measured to tell vague tasks, the ambiguity is the calibrated probability that the task is
    vague instead: judged once a run. The word stands where the calls for the words would not be left after it, or
    nothing usable is said. ``waits``: a task is not profiled before its first pass, as long as there is no reason to.
    """

    def __init__(self, supervisor: Supervisor, briefing: Briefing, waits: bool = False) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._judge = Judge(supervisor, samples=_SAMPLES)
        self._waits = waits

    async def infer(self, effect: InferProfile) -> TaskProfile:
        """The profile of the effect's task; with ``previous``, a new one in view of the issues."""
        if self._waits and effect.previous is None:
            return TaskProfile(inferred=False)
        vague = await self._vague(effect)  # first, so that the prompts after it share their beginning
        again = ""
        if effect.previous is not None and effect.previous.inferred:
            again = f"\nIt was judged to have depth {effect.previous.reasoning_depth}. "
            again += "Since then these issues came up:\n"
            again += fence("issues", "\n".join(effect.issues), 1_500)
        question = render(load("aeon.adaptive", "profile.md"), again=again)
        reply = await self._supervisor.structured(
            self._briefing.prompt(effect.task, question), _ProfileReply, max_tokens=240
        )
        fields = reply.value.model_dump()
        fields["information_sufficiency"] = _SHARE[fields["information_sufficiency"]]
        fields["ambiguity"] = _SHARE[fields["ambiguity"]] if vague is None else vague
        return TaskProfile.model_validate(fields)

    async def _vague(self, effect: InferProfile) -> float | None:
        """How likely it is that the task is vague; ``None`` without a usable judgment."""
        spec = judgment("task_vague")
        if not await self._judge.decides(spec):
            return None
        if effect.previous is not None and effect.previous.inferred:
            return effect.previous.ambiguity
        if current_ledger().calls_left() < await self._judge.most_calls(spec) + 1 + self._supervisor.repairs:
            return None
        with contextlib.suppress(CompletionError):
            return round((await self._judge.ask(spec, {"task": effect.task.text})).score, 3)
        return None

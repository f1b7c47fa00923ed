"""How hard a task is: one short structured reply before it starts, or crisp questions of a small model."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Literal, get_args

from pydantic import Field

from aeon.errors import CompletionError
from aeon.multipass.effects import InferProfile
from aeon.runtime.ledger import current_ledger
from aeon.schema import Frozen, JsonObject, JsonValue, Level, TaskProfile, ToolUsage, WorkForm
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.supervisor.prompt import Prompt, fence, load, render
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Profiler"]

Breadth = Literal["narrow", "moderate", "broad"]
_SAMPLES = 3
_DEPTHS = ("1", "2", "3", "4", "5")
_MOST_TOKENS = 400
_LONGEST_TASK = 4_000
_LONGEST_ISSUES = 1_500
_LONGEST_MATERIAL = 2_000


class _ProfileReply(Frozen):
    """What the model is asked for."""

    rationale: str
    reasoning_depth: int = Field(ge=1, le=5)
    ambiguity: float = Field(ge=0, le=1)
    information_sufficiency: float = Field(ge=0, le=1)
    dependency_complexity: Level
    expected_step_count: int = Field(ge=1, le=50)
    expected_tool_usage: ToolUsage
    output_breadth: Breadth
    confidence_requirement: Level


class Profiler:
    """Infers a ``TaskProfile``.

    All fields are asked for in one structured reply. With ``short``, a model that works by programs and tells
    probabilities is asked only for the digit of the depth, and whether the task is vague, a token each; the rest of the
    profile stays as it is by default. ``form`` is how the model works, or finds that out; it stands in the profile. A
    reply that cannot be used gives the default profile, which says why.
    """

    def __init__(
        self,
        supervisor: Supervisor,
        briefing: Briefing,
        form: WorkForm | Callable[[], Awaitable[WorkForm]] | None = None,
        short: bool = False,
    ) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._judge = Judge(supervisor, samples=_SAMPLES)
        self._form = form
        self._short = short

    async def infer(self, effect: InferProfile) -> TaskProfile:
        """The profile of the effect's task; with ``previous``, a new one in view of the issues.

        Raises:
            ModelError: the endpoint gave no answer at all.
            AllowanceExhausted: the prompt is too long, or the ledger does not admit a call.
        """
        form = await self._form() if callable(self._form) else self._form
        crisp = self._short and form == "program" and (await self._supervisor.capabilities()).logprobs
        try:
            profile = await (self._asked_crisply if crisp else self._asked)(effect)
        except CompletionError as error:
            return TaskProfile(inferred=False, form=form, problem=str(error))
        return profile.changed(form=form)

    async def _asked(self, effect: InferProfile) -> TaskProfile:
        """Every field, as the model says."""
        reply = await self._supervisor.structured(
            self._prompt(effect), _ProfileReply, schema=_SCHEMA, max_tokens=_MOST_TOKENS
        )
        return TaskProfile.model_validate(reply.value.model_dump())

    def _prompt(self, effect: InferProfile) -> Prompt:
        """All fields are asked for, in view of what is at hand."""
        at_hand = " Tools and files are at hand where it needs them." if self._briefing.tools else ""
        question = render(load("aeon.adaptive", "profile.md"), at_hand=at_hand, again=_again(effect))
        prompt, material = self._brief(effect, question), self._briefing.material
        shown = fence("at hand", material, _LONGEST_MATERIAL) if material else ""
        return replace(prompt, user="\n\n".join(filter(None, [shown, prompt.user])))

    def _brief(self, effect: InferProfile, question: str) -> Prompt:
        """A short prompt about the task."""
        system = self._briefing.instructed(load("aeon.adaptive", "profile_system.md").strip())
        return Prompt(system=system, user=f"{self._briefing.facts(effect.task, _LONGEST_TASK)}\n\n{question.strip()}")

    async def _asked_crisply(self, effect: InferProfile) -> TaskProfile:
        """The likeliest depth, and how likely the task is vague."""
        vague = await self._vague(effect)
        question = render(load("aeon.adaptive", "depth.md"), again=_again(effect))
        shares = await self._supervisor.probabilities(self._brief(effect, question), _DEPTHS)
        depth, share = max(zip(_DEPTHS, shares, strict=True), key=lambda pair: pair[1])
        asked = TaskProfile(
            reasoning_depth=int(depth), rationale=f"depth {depth} of 5 is the likeliest: {share:.2f}; no more was asked"
        )
        return asked if vague is None else asked.changed(ambiguity=vague)

    async def _vague(self, effect: InferProfile) -> float | None:
        """How likely it is that the task is vague, judged once a run; ``None`` without a usable judgment."""
        spec = judgment("task_vague")
        if effect.previous is not None and effect.previous.inferred:
            return effect.previous.ambiguity
        calls = await self._judge.most_calls(spec) + 1
        if current_ledger().calls_left() < calls or not await self._judge.decides(spec):
            return None
        with contextlib.suppress(CompletionError):
            return round((await self._judge.ask(spec, {"task": effect.task.text})).score, 3)
        return None


def _again(effect: InferProfile) -> str:
    """What came up since the former profile."""
    if effect.previous is None or not effect.previous.inferred:
        return ""
    said = f"\nIt was judged to have depth {effect.previous.reasoning_depth}. Since then these issues came up:\n"
    return said + fence("issues", "\n".join(effect.issues), _LONGEST_ISSUES)


def _words(kind: object) -> JsonValue:
    return {"type": "string", "enum": list(get_args(kind))}


def _schema() -> JsonObject:
    """The schema of the reply, as strict modes want it: every key is required, and no other allowed."""
    share: JsonValue = {"type": "number", "minimum": 0, "maximum": 1}
    properties: dict[str, JsonValue] = {
        "rationale": {"type": "string"}, "reasoning_depth": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
        "ambiguity": share, "information_sufficiency": share, "dependency_complexity": _words(Level),
        "expected_step_count": {"type": "integer"}, "expected_tool_usage": _words(ToolUsage),
        "output_breadth": _words(Breadth), "confidence_requirement": _words(Level),
    }  # fmt: skip
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip


_SCHEMA = _schema()

"""The answer: text, or an object where the task has a schema for it."""

from __future__ import annotations

import json

from pydantic import JsonValue, RootModel

from aeon.kernel.effects import Synthesize
from aeon.schema import Answer, Plan
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import fence, load, render
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Synthesizer"]

_LONGEST_RESULTS = 6_000


class _Anything(RootModel[JsonValue]):
    """Whatever the task's own schema allows."""


class Synthesizer:
    """Writes the answer from the outputs of the complete steps; ``output_tokens`` limits its length."""

    def __init__(self, supervisor: Supervisor, briefing: Briefing, output_tokens: int = 512) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._output_tokens = output_tokens

    async def synthesize(self, effect: Synthesize) -> Answer:
        """The answer to the effect's task, an object validated against ``answer_schema`` where there is one."""
        caveat = f"The work ended early ({effect.caveat}): say what is missing.\n" if effect.caveat and not_all_done(effect.plan) else ""
        question = render(
            load("aeon.synthesis", "answer.md"),
            results=fence("results", effect.plan.results() or "(no step was completed)", _LONGEST_RESULTS),
            caveat=caveat,
        )
        prompt = self._briefing.prompt(effect.task, question)
        if effect.task.answer_schema is None:
            text = await self._supervisor.text(prompt, max_tokens=self._output_tokens)
            return Answer(text=text.value)
        reply = await self._supervisor.structured(
            prompt, _Anything, schema=effect.task.answer_schema, max_tokens=self._output_tokens
        )
        return Answer(text=json.dumps(reply.value.root, ensure_ascii=False), value=reply.value.root)


def not_all_done(plan: Plan) -> bool:
    """Whether some step of the plan still waits to be run."""
    return any(step.status == "pending" for step in plan.steps)

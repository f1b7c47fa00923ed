"""The answer: text, or an object where the task has a schema for it."""

from __future__ import annotations

import json

from pydantic import JsonValue, RootModel

from aeon.multipass.effects import Synthesize
from aeon.schema import Answer, JsonObject
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import cut, fence, load, render
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Synthesizer"]

_LONGEST_RESULTS = 4_000
_LONGEST_TASK = 1_000
_SCALARS = ("string", "number", "integer", "boolean", "null")
_UNCHECKED = "(unchecked, no step was completed) "


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
        question = _question(effect)
        prompt = self._briefing.prompt(effect.task, question)
        if effect.task.answer_schema is None:
            text = await self._supervisor.text(prompt, max_tokens=self._output_tokens)
            return Answer(text=text.value if effect.plan.results() else f"{_UNCHECKED}{text.value}")
        answer_schema = effect.task.answer_schema
        bare = answer_schema.get("type") in _SCALARS  # a model is asked for an object or an array, never for less
        schema = _in_object(answer_schema) if bare else answer_schema
        reply = await self._supervisor.structured(prompt, _Anything, schema=schema, max_tokens=self._output_tokens)
        value = reply.value.root
        value = value["answer"] if bare and isinstance(value, dict) else value
        return Answer(text=json.dumps(value, ensure_ascii=False), value=value)


def _in_object(schema: JsonObject) -> JsonObject:
    """A schema for an object whose only member ``answer`` fits the given one."""
    return {"type": "object", "properties": {"answer": schema}, "required": ["answer"], "additionalProperties": False}


def _question(effect: Synthesize) -> str:
    """What to ask for: the answer from the results, with what is missing; without any result, one that says so."""
    results = effect.plan.results()
    if not results:
        return load("aeon.synthesis", "unchecked.md")
    unfinished = any(step.status == "pending" for step in effect.plan.steps)
    caveat = f"The work ended early ({effect.caveat}): say what is missing.\n" if effect.caveat and unfinished else ""
    fenced = fence("results", results, _LONGEST_RESULTS)
    task = cut(effect.task.text, _LONGEST_TASK)
    return render(load("aeon.synthesis", "answer.md"), results=fenced, task=task, caveat=caveat)

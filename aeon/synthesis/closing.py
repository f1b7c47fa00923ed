"""The answer of a run whose steps a model did turn by turn: its own text as it stands, or one that joins several."""

from __future__ import annotations

import json

from aeon.multipass.effects import Synthesize
from aeon.multipass.plans import answer_steps, is_by_programs
from aeon.schema import Answer, JsonObject, Plan, Step
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.objects import value_for
from aeon.supervisor.prompt import Prompt, characters, fence, load, render
from aeon.supervisor.supervisor import Supervisor
from aeon.synthesis.wording import worded
from aeon.tools.rendering import shown

__all__ = ["Closer"]

_LONGEST_RESULT = 6_000
_SHORTEST_RESULT = 300
_LONGEST_CAVEAT = 400
_NOT_STATED = "not stated in what was searched"
_RESERVED = 1_000
"""Bytes of a prompt that marks, roles and the request itself may take beside the texts."""


class Closer:
    """Gives the answer; ``output_tokens`` limits its length. ``brief``: values that programs gave as they are."""

    def __init__(self, supervisor: Supervisor, briefing: Briefing, output_tokens: int, brief: bool = False) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._output_tokens = output_tokens
        self._brief = brief

    async def close(self, effect: Synthesize) -> Answer:
        """The answer: the text of the step that gives it, word for word; else one from what all steps gave.

        Values that programs gave are put into a sentence; what was not found is told as the step tells it.

        A task with a schema gets an object that is valid against it, from the same results.

        Raises:
            CompletionError: the model gave nothing usable.
            ModelError, AllowanceExhausted: it could not be asked.
        """
        steps = answer_steps(effect.plan)
        if effect.task.answer_schema is not None:
            return await self._object(effect, effect.task.answer_schema)
        if _came_to_nothing(effect.plan):
            return Answer(text=_nothing(effect.plan))
        if len(steps) == 1 and steps[0].status == "complete":
            return await self._whole(effect, steps[0])
        prompt = await self._prompt(effect)
        reply = await self._supervisor.text(prompt, max_tokens=self._output_tokens, tell=True)
        return Answer(text=reply.value)

    async def _whole(self, effect: Synthesize, step: Step) -> Answer:
        """The answer that one step gives."""
        if step.output is None:
            return Answer(text=step.problem or _NOT_STATED)
        if self._brief or step.mode != "program":
            return Answer(text=str(step.output))
        said = await worded(self._supervisor, effect.task, [str(step.output)], _basis(step))
        return Answer(text=said.text, problem=said.problem)

    async def _object(self, effect: Synthesize, schema: JsonObject) -> Answer:
        value = await value_for(self._supervisor, await self._prompt(effect), schema, self._output_tokens)
        return Answer(text=json.dumps(value, ensure_ascii=False), value=value)

    async def _prompt(self, effect: Synthesize) -> Prompt:
        telling = _telling(effect.plan)
        system, facts = self._briefing.instructed(""), self._briefing.facts(effect.task)
        beside = f"{system}{facts}{effect.task.answer_schema}"
        room = (await self._supervisor.bounds()).prompt_bytes - len(beside.encode("utf-8", "replace")) - _RESERVED
        told = [_gave(step) for step in telling]
        limit = characters("".join(told), room) // max(1, len(told))
        limit = max(_SHORTEST_RESULT, min(_LONGEST_RESULT, limit))
        results = "\n".join(fence(step.id, text, limit) for step, text in zip(telling, told, strict=True))
        why = fence("ending", effect.caveat, _LONGEST_CAVEAT)  # it may quote what a tool gave
        caveat = f"{why}\nThe work ended early, for this reason: say what is missing.\n" if effect.caveat else ""
        question = render(load("aeon.synthesis", "merge.md"), results=results or "(nothing)", caveat=caveat)
        return Prompt(system=system, user=f"{facts}\n\n{question}")


def _basis(step: Step) -> str:
    """What a result of programs was found by: the sentences that it was quoted from, else what was asked for it."""
    cited = [text for use in step.uses for lines in use.lines for text in lines.texts]
    asked = (str(next(iter(use.arguments.values()), "")) for use in step.uses)
    return " ".join(dict.fromkeys(cited)) or "; ".join(dict.fromkeys(asked))


def _came_to_nothing(plan: Plan) -> bool:
    """Whether programs were written for every step, and none of them gave anything."""
    return bool(plan.steps) and all(map(is_by_programs, plan.steps)) and not _telling(plan)


def _nothing(plan: Plan) -> str:
    """What is told where no step found anything: why, each reason once."""
    reasons = dict.fromkeys(step.problem for step in plan.steps if step.problem)
    return "; ".join(["No step was completed", *reasons])


def _telling(plan: Plan) -> list[Step]:
    """The steps that found something: all complete ones, else earlier versions, and those that were broken off."""
    done = [step for step in plan.steps if step.status == "complete"]
    done = done or [step for step in plan.steps if step.status == "invalid" and step.output is not None]
    return [*done, *(step for step in plan.steps if step.status in ("pending", "failed") and step.uses)]


def _gave(step: Step) -> str:
    """What a step gave; of one that came to no end, what its tools did."""
    if step.output is not None:
        return f"{step.description}\n{step.output}"
    done = [use for use in step.uses if not use.problem]
    found = "\n".join(
        shown(use.output, number, _LONGEST_RESULT // max(1, len(done))) for number, use in enumerate(done, 1)
    )
    return f"{step.description}\n(broken off; its tools gave)\n{found}"

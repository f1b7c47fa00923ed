"""Puts the answer of a tree into words, and keeps what contradicts it."""

from __future__ import annotations

import json

from aeon.engines.contractive.effects import Collapse
from aeon.engines.contractive.showing import shown
from aeon.engines.contractive.values import Candidate, Collapsed
from aeon.runtime.ledger import current_ledger
from aeon.schema import JsonObject
from aeon.supervisor.objects import value_for
from aeon.supervisor.prompt import Prompt, fence
from aeon.supervisor.supervisor import Supervisor
from aeon.synthesis.wording import worded
from aeon.text import one_line

__all__ = ["Collapser"]

_LONGEST, _SENTENCE = 200, 6
_OBJECT_TOKENS = 512
_AS_JSON = "Give the answer as the JSON that is asked for."


class Collapser:
    """Words answers."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    async def collapse(self, effect: Collapse) -> Collapsed:
        """The answer, an object where the task has a schema for it; and the answers that many samples gave instead.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: no object that fits could be had.
        """
        best = effect.best
        if best is None:
            return Collapsed(text=f"No answer was found: {one_line(effect.task.text, _LONGEST)}")
        if effect.task.answer_schema is not None:
            return await self._object(effect, best, effect.task.answer_schema)
        if len(best.answer.split()) >= _SENTENCE:
            text, problem = best.answer, ""
        else:
            text, problem = await worded(self._supervisor, effect.task, [best.answer])
        text = f"{text}{_against(effect)}"
        current_ledger().retell(text)
        return Collapsed(text=text, short=best.answer, problem=problem)

    async def _object(self, effect: Collapse, best: Candidate, schema: JsonObject) -> Collapsed:
        asked = f"{shown(effect.task)}\n{fence('answer', best.answer, _LONGEST)}\n{_AS_JSON}"
        value = await value_for(self._supervisor, Prompt("", asked), schema, _OBJECT_TOKENS)
        return Collapsed(text=json.dumps(value, ensure_ascii=False), value=value, short=best.answer)


def _against(effect: Collapse) -> str:
    """The answers that contradict it, with how many samples gave each; "" where there are none."""
    told = ", ".join(_told(one, effect.samples) for one in effect.others)
    return f"\nThe samples did not agree: of {effect.samples}, {told}." if told else ""


def _told(one: Candidate, samples: int) -> str:
    rejected = " (which the peer rejects)" if one.verdict == "reject" else ""
    return f"{round(one.share * samples)} said {one_line(one.answer, _LONGEST)}{rejected}"

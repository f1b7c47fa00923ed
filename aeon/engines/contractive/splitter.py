"""Splits a question into smaller ones: with another prompt each time, and with how relevant each of them is."""

from __future__ import annotations

from aeon.engines.contractive.effects import Decompose
from aeon.engines.contractive.relevance import relevance
from aeon.engines.contractive.showing import shown
from aeon.engines.contractive.values import Part, Parts
from aeon.schema import JsonObject
from aeon.schema.frozen import Frozen
from aeon.supervisor.prompt import Prompt, fence, load, render
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["Splitter"]

_PROMPTS = ("split-1.md", "split-2.md", "split-3.md")
_TOKENS, _MOST_TOKENS = 48, 512
"""Tokens that a sub-question has, and all of them at most."""
_LONGEST = 300
_MOST = 20
_LONGEST_ASKED = 1_000


class _Questions(Frozen):
    questions: tuple[str, ...]


class Splitter:
    """Has a model split questions."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    async def split(self, effect: Decompose) -> Parts:
        """The sub-questions; more than were asked for where the model gives more, since what is left out is on record.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
            ToolFailed: this SQLite has no full-text search.
        """
        how = render(load("aeon.engines.contractive", _PROMPTS[effect.attempt % len(_PROMPTS)]), most=str(effect.most))
        asked = fence("questions", "\n".join(effect.asked), _LONGEST_ASKED)
        again = f"\nAsk other questions than these:\n{asked}" if effect.asked else ""
        prompt = Prompt(how, f"{shown(effect.task)}{again}")
        limits_items = (await self._supervisor.capabilities()).json_schema
        reply = await self._supervisor.structured(
            prompt,
            _Questions,
            max_tokens=min(_MOST_TOKENS, _TOKENS * effect.most + _TOKENS),
            schema=_schema(effect.most if limits_items else _MOST),
            repairs=1,
        )
        questions = [one_line(text, _LONGEST) for text in reply.value.questions[:_MOST] if text.strip()]
        whole = f"{effect.task.text}\n{effect.task.background}"
        shares = relevance(whole, questions)
        return Parts(parts=tuple(Part(question=q, relevance=r) for q, r in zip(questions, shares, strict=True)))


def _schema(most: int) -> JsonObject:
    items: JsonObject = {"type": "string", "minLength": 1, "maxLength": _LONGEST}
    return {
        "type": "object",
        "properties": {"questions": {"type": "array", "items": items, "minItems": 1, "maxItems": most}},
        "required": ["questions"],
        "additionalProperties": False,
    }

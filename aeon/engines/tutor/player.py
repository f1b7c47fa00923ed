"""The player: a model that chooses one of the offered moves, or writes a move of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from pydantic import ConfigDict

from aeon.engines.tutor.effects import PlayerMove, Said
from aeon.engines.tutor.moves import MOVES
from aeon.errors import Malformed
from aeon.schema import JsonObject, JsonValue
from aeon.schema.frozen import Frozen
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Player", "preferred"]

_PACKAGE = "aeon.engines.tutor"
_LONGEST_QUESTION = 1_500
_LONGEST_BOARD = 2_600
_LONGEST_MOVES = 2_400
_CHOICE_TOKENS, _MOVE_TOKENS = 16, 256
_DIGITS = 9
"""Moves whose numbers are told apart by their first token."""
_HALF = 0.5
_SURE = 0.9
"""Probability from which on a move of the model stands before the order in which moves are offered."""
_MOVE: JsonObject = {
    "type": "object",
    "properties": {
        "move": {"enum": [*MOVES]},
        "action": {"type": "object"},
        "claim": {"type": ["object", "integer"]},
        "statement": {"type": "object"},
        "claims": {"type": "array", "items": {"type": "integer"}},
        "answer": {"type": "string"},
        "undecidable": {"type": "boolean"},
    },
    "required": ["move"],
    "additionalProperties": False,
}
"""The outline of a move: the whole schema is longer than a prompt may be, and the tutor types every move anyway."""


class _Choice(Frozen):
    """The number of a move."""

    move: int


class _Written(Frozen):
    """A move as it was written, whatever it is."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Player:
    """Asks a model for each move. What it is shown holds neither the rules nor what would win."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    async def move(self, effect: PlayerMove) -> Said:
        """The move that the model makes.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        return await (self._written(effect) if effect.form == "free" else self._chosen(effect))

    async def _chosen(self, effect: PlayerMove) -> Said:
        moves = "\n".join(f"{number}. {option.label}" for number, option in enumerate(effect.options, 1))
        asked = f"{_shown(effect)}\n{fence('moves', moves, _LONGEST_MOVES)}\nWhich move is best now? Give its number"
        numbers = [str(number) for number in range(1, len(effect.options) + 1)]
        if len(numbers) <= _DIGITS and (await self._supervisor.capabilities()).logprobs:
            prompt = Prompt(load(_PACKAGE, "player.md"), f"{asked} only.", fixed=True)
            with contextlib.suppress(Malformed):  # it would say something else than a number: then it writes one
                likely = await self._supervisor.probabilities(prompt, numbers, least=_HALF)
                return Said(move=effect.options[preferred(likely)].said)
        prompt = Prompt(load(_PACKAGE, "player.md"), f"{asked}.", fixed=True)
        return Said(move=effect.options[await self._numbered(prompt, len(numbers)) - 1].said)

    async def _numbered(self, prompt: Prompt, most: int) -> int:
        """The number that the model writes, from 1."""
        numbers: list[JsonValue] = [*range(1, most + 1)]
        schema: JsonObject = {
            "type": "object",
            "properties": {"move": {"enum": numbers}},
            "required": ["move"],
            "additionalProperties": False,
        }
        reply = await self._supervisor.structured(prompt, _Choice, max_tokens=_CHOICE_TOKENS, schema=schema, repairs=1)
        return reply.value.move

    async def _written(self, effect: PlayerMove) -> Said:
        asked = f"{_shown(effect)}\nWhat is your move?"
        prompt = Prompt(load(_PACKAGE, "player_free.md"), asked, fixed=True)
        reply = await self._supervisor.structured(prompt, _Written, max_tokens=_MOVE_TOKENS, schema=_MOVE, repairs=1)
        return Said(move=reply.value.model_dump(mode="json"))


def preferred(likely: Sequence[float]) -> int:
    """The place of the move that is made: the likeliest, where the model is sure of it, else the first.

    Moves are offered in an order that wins more games than a small model that chooses freely.
    """
    best = max(range(len(likely)), key=lambda place: likely[place])
    return best if likely[best] >= _SURE else 0


def _shown(effect: PlayerMove) -> str:
    """The question, and what is known. What a task's answer must meet is not shown: it would be what wins."""
    task = effect.task
    parts = [f"QUESTION: {cut(task.text, _LONGEST_QUESTION)}"]
    parts += [fence("context", task.background, _LONGEST_QUESTION)] if task.background else []
    said = "\n".join(f"{one.question} {one.answer}" for one in task.clarifications)
    parts += [fence("said", said, _LONGEST_QUESTION)] if said else []
    parts.append(fence("board", "\n".join(effect.board) or "nothing was seen yet", _LONGEST_BOARD))
    parts += [fence("tutor", effect.message, _LONGEST_QUESTION)] if effect.message else []
    return "\n".join(parts)

"""A text that programs found to be wanted: written in one call, with what was looked up for it as material."""

from __future__ import annotations

from collections.abc import Iterator

from aeon.multipass.effects import TakeTurn
from aeon.schema import Exchange, ToolUse, Turn
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import Prompt, characters, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.rendering import shown

__all__ = ["TextWriter"]

_LONGEST_MATERIAL = 6_000
_LONGEST_SENTENCES = 9_000
_LONGEST_TEXT = 4_000
_LONGEST_OBJECTION = 2_000
_RESERVED = 1_000
"""Bytes of a prompt that marks and roles may take beside the texts."""
_MENDED = "This was written before, and that was found in it. Write the whole text again, with that mended."


class TextWriter:
    """Writes texts of ``output_tokens`` at most; the briefing's material is what there is beside the sentences."""

    def __init__(self, supervisor: Supervisor, briefing: Briefing, output_tokens: int) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._output_tokens = output_tokens

    async def turn(self, effect: TakeTurn) -> Turn:
        """The text; it says itself what it rests on, so it cites nothing.

        Raises:
            CompletionError: nothing usable was written, or it was cut off; repairs included.
            ModelError, AllowanceExhausted: the model could not be asked.
        """
        system = self._briefing.instructed(load("aeon.execution", "write.md").strip())
        room = (await self._supervisor.bounds()).prompt_bytes - len(system.encode()) - _RESERVED
        again = "\n".join(_again(effect.exchanges[-1:]))
        room -= len(again.encode())
        task = self._briefing.facts(
            effect.task, characters(f"{effect.task.text}{effect.task.background}", room * 2 // 3)
        )
        room -= len(task.encode())
        told = "\n".join(_told(use) for one in effect.exchanges for use in one.uses if not use.problem)
        sentences = fence("sentences", told, min(_LONGEST_SENTENCES, characters(told, room * 2 // 3))) if told else ""
        room, material = room - len(sentences.encode()), self._briefing.material
        known = fence("what there is", material, min(_LONGEST_MATERIAL, characters(material, room))) if material else ""
        prompt = Prompt(system, "\n\n".join(filter(None, (known, sentences, task, again))))
        return Turn(text=(await self._supervisor.text(prompt, max_tokens=self._output_tokens, tell=True)).value)


def _told(use: ToolUse) -> str:
    """The sentences that were looked up, below the names of their texts; of another tool what it gave."""
    lines = [line for one in use.lines for line in (f"({one.source})", *one.texts)]
    return "\n".join(lines) or shown(use.output, 1)


def _again(last: tuple[Exchange, ...]) -> Iterator[str]:
    """An earlier text, and what was found in it."""
    for one in last:
        if one.objection:
            yield fence("earlier text", one.turn.text, _LONGEST_TEXT)
            yield fence("found", one.objection, _LONGEST_OBJECTION)
            yield _MENDED

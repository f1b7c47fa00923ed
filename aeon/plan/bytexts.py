"""Whether a question is one for the texts of a folder, as a model tells that has all of them before it."""

from __future__ import annotations

from aeon.plan.parting import is_compared, is_of_several
from aeon.plan.prompts import Asked
from aeon.schema import Agreement, Derivation, JsonValue
from aeon.supervisor.shelf import Shelf
from aeon.supervisor.short_answers import bare, is_absent, is_same
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.material import Material
from aeon.tools.registry import ToolRegistry
from aeon.tools.texts import every_text

__all__ = ["ByTexts"]


class ByTexts:
    """Asks whether the texts say it; ``tables``: whether there are tables that may say it instead."""

    def __init__(self, supervisor: Supervisor, tools: ToolRegistry, tables: bool) -> None:
        self._supervisor = supervisor
        self._tools = tools
        self._tables = tables

    async def told(self, asked: Asked) -> bool | None:
        """Whether the texts say it, as far as a model can tell; ``None`` where that is not to be asked.

        So it is where there are no texts, or not only these, or the answer is worked out from what they say. Told that
        it may say that they do not, a model says so of nineteen in twenty questions over ``scripts/bench/folders``
        that tables decide, and of half of those that the texts decide.

        Raises:
            ModelError: the endpoint gave no answer at all.
        """
        question = asked.about.text
        if asked.task.context or is_of_several(question) or is_compared(question) or asked.about.is_computed:
            return None
        texts = await every_text(self._tools, question)
        if texts is None:
            return None
        return not self._tables or bool(await Shelf(self._supervisor, texts).stated(question))

    async def confirmed(self, asked: Asked, value: JsonValue) -> Agreement | None:
        """What all texts say to the question, where it is this value; else ``None``."""
        texts = await every_text(self._tools, asked.about.text)
        read = await self.read(asked, texts, value) if texts is not None else None
        return None if read is None or read.disagrees else read

    async def read(self, asked: Asked, texts: Material, value: JsonValue) -> Agreement | None:
        """What these texts say to the question, held against a value; ``None`` where they say nothing."""
        reply = await Shelf(self._supervisor, texts).second(asked.about.text)
        answer = bare(reply.value) if reply is not None else ""
        if reply is None or is_absent(answer):
            return None
        agrees = is_same(asked.about.text, str(value), answer)
        return Agreement(derivations=(Derivation(method="reading", text=reply.value, answer=answer, agrees=agrees),))

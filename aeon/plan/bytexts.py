"""Whether a question is one for the texts of a folder, as a model tells that has all of them before it."""

from __future__ import annotations

from aeon.errors import AllowanceExhausted, CompletionError
from aeon.plan.parting import is_compared, is_of_several
from aeon.plan.prompts import Asked
from aeon.plan.sources import SQL
from aeon.runtime.ledger import current_ledger
from aeon.schema import Derivation
from aeon.supervisor.plainly import bare, is_absent
from aeon.supervisor.shelf import Shelf
from aeon.supervisor.supervisor import Supervisor
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

        So it is where there are no texts, or not only these, or the answer is worked out from what they say. Where
        words speak for the tables, too, what the texts say has to be held for right.

        Raises:
            ModelError: the endpoint gave no answer at all.
        """
        question = asked.about.text
        if asked.task.context or is_of_several(question) or is_compared(question) or asked.about.is_computed:
            return None
        texts = await every_text(self._tools, question)
        if texts is None:
            return None
        return not self._tables or await Shelf(self._supervisor, texts).says(question, doubted=SQL in asked.functions)

    async def read(self, asked: Asked) -> Derivation | None:
        """What the texts say to the question; ``None`` where there are none, or they say nothing."""
        question = asked.about.text
        texts = await every_text(self._tools, question)
        if texts is None or current_ledger().calls_left() <= 1:
            return None
        try:
            text = (await Shelf(self._supervisor, texts).answer(question)).value
        except (CompletionError, AllowanceExhausted):
            return None
        answer = bare(text)
        return None if is_absent(answer) else Derivation(method="reading", text=text, answer=answer, agrees=True)

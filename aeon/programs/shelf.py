"""Short questions to a model that has whole texts before it: all of them share one beginning, which is read once."""

from __future__ import annotations

from aeon.schema import LONGEST_TASK
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Reply, Supervisor
from aeon.tools.material import Material, material

__all__ = ["Shelf"]

_READ = "I have read them."
_LONGEST = 14_000
_ANSWER_TOKENS = 60
_SHORT = "Answer in a few words."


class Shelf:
    """The texts that questions are put to; ``whole``: they are all that there are."""

    def __init__(self, supervisor: Supervisor, texts: Material) -> None:
        self._supervisor = supervisor
        self.whole = texts.whole
        self._shown = fence("files", material(texts.sentences), _LONGEST)

    async def answer(self, question: str) -> Reply[str]:
        """A short answer, with how likely the model was to write it.

        What is asked stands behind the texts; these are a turn of their own, so that all prompts begin alike.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        asked = f"Question: {cut(question, LONGEST_TASK)}\n{_SHORT}"
        prompt = Prompt(load("aeon.programs", "shelf.md"), asked, ((self._shown, _READ),), fixed=self.whole)
        return await self._supervisor.text(prompt, max_tokens=_ANSWER_TOKENS, repairs=0, likelihood=True)

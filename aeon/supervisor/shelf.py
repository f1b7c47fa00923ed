"""Short questions to a model that has whole texts before it: all of them share one beginning, which is read once."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.errors import AllowanceExhausted, CompletionError
from aeon.runtime.ledger import current_ledger
from aeon.schema import LONGEST_TASK, Source
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.short_answers import bare, is_absent
from aeon.supervisor.supervisor import Reply, Supervisor
from aeon.tools.material import Material, material

__all__ = ["Shelf"]

_READ = "I have read them."
_LONGEST = 14_000
_ANSWER_TOKENS, _SENTENCE_TOKENS = 60, 80
_SHORT = "Answer in a few words."
_STATED = f"{_SHORT} If the files do not say it, reply: not stated"
_SENTENCE = "Answer in one sentence."


class Shelf:
    """The texts that questions are put to; ``sources`` are their sentences, ``whole``: all that there are."""

    def __init__(self, supervisor: Supervisor, texts: Material) -> None:
        self._supervisor = supervisor
        self.whole = texts.whole
        self._shown = fence("files", material(texts.sentences), _LONGEST)
        self.sources: Sequence[Source] = texts.sentences

    def of(self, sentences: Sequence[Source]) -> Shelf:
        """A shelf of these sentences alone."""
        return Shelf(self._supervisor, Material(sentences=tuple(sentences), whole=False))

    async def answer(self, question: str) -> Reply[str]:
        """A short answer, with how likely the model was to write it.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        return await self._asked(question, _SHORT, _ANSWER_TOKENS)

    async def second(self, question: str) -> Reply[str] | None:
        """A short answer beside another one; ``None`` where no call can be spared, or nothing usable comes."""
        return await self._beside(question, _SHORT, _ANSWER_TOKENS)

    async def stated(self, question: str) -> str | None:
        """What a model answers that may say that the texts do not state it, "" where it does; ``None`` as above."""
        reply = await self._beside(question, _STATED, _ANSWER_TOKENS)
        answer = bare(reply.value) if reply is not None else None
        return "" if answer is not None and is_absent(answer) else answer

    async def sentence(self, question: str) -> str | None:
        """A whole sentence that answers the question; ``None`` as above."""
        reply = await self._beside(question, _SENTENCE, _SENTENCE_TOKENS)
        return reply.value.strip() if reply is not None else None

    async def _beside(self, question: str, how: str, most: int) -> Reply[str] | None:
        if not self.sources or current_ledger().calls_left() <= 1:
            return None
        try:
            return await self._asked(question, how, most)
        except (CompletionError, AllowanceExhausted):
            return None

    async def _asked(self, question: str, how: str, most: int) -> Reply[str]:
        """What is asked stands behind the texts; these are a turn of their own, so that all prompts begin alike."""
        asked = f"Question: {cut(question, LONGEST_TASK)}\n{how}"
        prompt = Prompt(load("aeon.supervisor", "shelf.md"), asked, ((self._shown, _READ),), fixed=self.whole)
        return await self._supervisor.text(prompt, max_tokens=most, repairs=0, likelihood=True)

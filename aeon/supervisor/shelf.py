"""Short questions to a model that has whole texts before it: all of them share one beginning, which is read once.

Of 70 questions of ``scripts/bench/folders`` that texts decide 45 short answers were right; each takes a second and a
half on one core once the texts are read.
"""

from __future__ import annotations

from collections.abc import Sequence

from aeon.errors import AllowanceExhausted, CompletionError
from aeon.runtime.ledger import current_ledger
from aeon.schema import LONGEST_TASK, Source
from aeon.supervisor.plainly import bare, is_absent
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Reply, Supervisor
from aeon.text import one_line
from aeon.tools.material import Material, material

__all__ = ["Shelf"]

_READ = "I have read them."
_LONGEST = 14_000
_LONGEST_ANSWER = 200
_ANSWER_TOKENS, _SENTENCE_TOKENS = 60, 80
_RIGHT = 0.7
"""How right a model holds an answer from which on the tables are not asked."""
_SHORT = "Answer in a few words."
_STATED = f"{_SHORT} If the files do not say it, reply: not stated"
_SENTENCE = "Answer in one sentence."
_IS_RIGHT = "Is the proposed answer right? Answer Yes or No."


class Shelf:
    """The texts that questions are put to; ``sources`` are their sentences."""

    def __init__(self, supervisor: Supervisor, texts: Material) -> None:
        self._supervisor = supervisor
        self._kept = texts.whole
        self._shown = fence("files", material(texts.sentences), _LONGEST)
        self.sources: Sequence[Source] = texts.sentences

    async def says(self, question: str, doubted: bool) -> bool:
        """Whether the texts seem to answer a question that tables may answer, too; ``doubted``: rather these.

        Told that it may say that they do not, a model says so of nine in ten questions that tables decide or no file
        does, and of four in ten that the texts decide. Of these it holds four in ten answers for right all the same,
        and hardly one of the others.
        """
        try:
            answer = await self.stated(question)
            if answer and not doubted:
                return True
            if not answer and not doubted:
                answer = bare((await self.answer(question)).value)
        except (CompletionError, AllowanceExhausted):
            return False
        right = await self.right(question, answer) if not is_absent(answer) else None
        return right is not None and right >= _RIGHT

    async def stated(self, question: str) -> str:
        """What a model answers that may say that the texts do not state it; "" where it does, or says nothing.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        answer = bare((await self._asked(question, _STATED, _ANSWER_TOKENS)).value)
        return "" if is_absent(answer) else answer

    async def answer(self, question: str) -> Reply[str]:
        """A short answer, with how likely the model was to write it.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        return await self._asked(question, _SHORT, _ANSWER_TOKENS)

    async def sentence(self, question: str) -> str:
        """A whole sentence that answers the question; "" where none comes, or no call is left for it."""
        if current_ledger().calls_left() <= 1:
            return ""
        try:
            return (await self._asked(question, _SENTENCE, _SENTENCE_TOKENS)).value.strip()
        except (CompletionError, AllowanceExhausted):
            return ""

    async def right(self, question: str, answer: str) -> float | None:
        """How likely the model holds an answer to be right (0-1); ``None`` where it cannot be asked, or told."""
        if current_ledger().calls_left() <= 1 or not (await self._supervisor.capabilities()).logprobs:
            return None
        proposed = f"Proposed answer: {one_line(answer, _LONGEST_ANSWER)}\n{_IS_RIGHT}"
        try:
            return await self._supervisor.probability(self._prompt(question, proposed))
        except (CompletionError, AllowanceExhausted):
            return None

    async def _asked(self, question: str, how: str, most: int) -> Reply[str]:
        prompt = self._prompt(question, how)
        return await self._supervisor.text(prompt, max_tokens=most, repairs=0, likelihood=True)

    def _prompt(self, question: str, how: str) -> Prompt:
        """The question behind the texts; these are a turn of their own, so that it begins like every other."""
        asked = f"Question: {cut(question, LONGEST_TASK)}\n{how}"
        return Prompt(load("aeon.supervisor", "shelf.md"), asked, ((self._shown, _READ),), fixed=self._kept)

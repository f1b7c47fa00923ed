"""What a conversation keeps of its turns for the next one.

What the user said is context, on which claims may rest. What was answered is a program's word: it is shown, too, and
proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aeon.engines.contractive.record import Contractive
from aeon.schema import Conclusion, Task
from aeon.schema.task import LONGEST_CONTEXT
from aeon.supervisor.prompt import cut
from aeon.text import one_line

__all__ = ["ANSWERED", "ASKED", "Turn", "task_after"]

ASKED = "What the user said earlier in this conversation, the latest last. What is asked now may be about it."
ANSWERED = "What was answered in it, which may be wrong:"
_QUESTION, _ANSWER, _PART = 600, 1_200, 160
_PARTS = 6
_GAP = "\n\n"


@dataclass(frozen=True)
class Turn:
    """What was asked and answered. ``parts`` are sub-questions with their answers, which a tree found on the way."""

    question: str
    answer: str
    parts: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, question: str, result: Conclusion) -> Turn:
        """The turn that ended so; of a tree, with the answers of its nodes that the peer did not reject."""
        nodes = result.tree[1:] if isinstance(result, Contractive) else ()
        return cls(question, result.answer, tuple((one.question, one.answer) for one in nodes if one.used))

    @property
    def asked(self) -> str:
        """What the user said, as a later turn is shown it."""
        return f"asked: {cut(self.question, _QUESTION)}"

    @property
    def answered(self) -> str:
        """The answer as a later turn is shown it, with the first words of what it answers."""
        lines = [f"asked: {one_line(self.question, _PART)}", f"answered: {cut(self.answer, _ANSWER)}"]
        found = (f"{one_line(part, _PART)} {one_line(answer, _PART)}" for part, answer in self.parts[:_PARTS])
        return "\n".join([*lines, *(f"found on the way: {one}" for one in found)])


def task_after(turns: Sequence[Turn], text: str, most: int = LONGEST_CONTEXT) -> Task:
    """The task of the next turn, with the latest turns that fit beside it, in at most so many characters.

    Raises:
        UsageError, ValidationError: the text is no task.
    """
    kept: list[Turn] = []
    left = most - len(f"{ASKED}{ANSWERED}") - 2 * len(_GAP)
    for turn in reversed(turns):
        left -= len(f"{turn.asked}{turn.answered}") + 2 * len(_GAP)
        if left < 0:
            break
        kept.insert(0, turn)
    if not kept:
        return Task(text=text)
    context = _GAP.join([ASKED, *(turn.asked for turn in kept)])
    return Task(text=text, context=context, earlier=_GAP.join([ANSWERED, *(turn.answered for turn in kept)]))

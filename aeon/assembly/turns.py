"""What a conversation keeps of its turns for the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aeon.engines.contractive.record import Contractive
from aeon.schema import Conclusion
from aeon.schema.task import LONGEST_CONTEXT
from aeon.supervisor.prompt import cut
from aeon.text import one_line

__all__ = ["Turn", "context_of"]

_HEAD = "Said earlier in this conversation, the latest last. What is asked now may be about it."
_QUESTION, _ANSWER, _PART = 600, 1_200, 160
_PARTS = 6


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
    def text(self) -> str:
        """It as a later turn is shown it."""
        lines = [f"asked: {cut(self.question, _QUESTION)}", f"answered: {cut(self.answer, _ANSWER)}"]
        found = (f"{one_line(part, _PART)} {one_line(answer, _PART)}" for part, answer in self.parts[:_PARTS])
        return "\n".join([*lines, *(f"found on the way: {one}" for one in found)])


def context_of(turns: Sequence[Turn], most: int = LONGEST_CONTEXT) -> str:
    """The context of the next turn in at most so many characters: the latest turns that fit; "" where none does."""
    kept: list[str] = []
    left = most - len(_HEAD)
    for turn in reversed(turns):
        left -= len(turn.text) + 2
        if left < 0:
            break
        kept.insert(0, turn.text)
    return "\n\n".join([_HEAD, *kept]) if kept else ""

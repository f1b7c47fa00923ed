"""Which of the answers each sentence tells that a model worded."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.documents.sentences import sentences
from aeon.engines.research.answered import Part, Told, alone
from aeon.engines.research.texts import terms

__all__ = ["parts_of"]


def parts_of(text: str, answers: Sequence[Told]) -> list[Part]:
    """The sentences of a text; each answer alone where there is no text, or a sentence tells none of them."""
    cut = [text[one.start : one.end] for one in sentences(text)]
    if len(cut) == 1:
        return [Part(text, tuple(answers))]
    parts = [Part(one, tuple(answer for answer in answers if _tells(one, answer))) for one in cut]
    return parts if _is_whole(parts, answers) else alone(answers)


def _is_whole(parts: Sequence[Part], answers: Sequence[Told]) -> bool:
    """Whether every answer is told, and every sentence tells one."""
    said = [answer for part in parts for answer in part.answers]
    return all(one in said for one in answers) and all(part.answers for part in parts)


def _tells(sentence: str, answer: Told) -> bool:
    """Whether a sentence has an answer: its words and numbers, or it itself where it has but common words."""
    said = answer.finding.answer
    words = terms(said)
    if words:
        return words <= terms(sentence)
    return re.search(rf"(?<!\w){re.escape(said)}(?!\w)", sentence, re.IGNORECASE) is not None

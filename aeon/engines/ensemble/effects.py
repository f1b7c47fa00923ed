"""What an ensemble asks for beside what its members ask for."""

from __future__ import annotations

from aeon.engines.contractive.effects import Classify
from aeon.engines.ensemble.values import Merged
from aeon.schema.effects import EffectOf

__all__ = ["CompareAnswers", "MergeAnswers"]


class CompareAnswers(Classify):
    """Which of these answers of members mean the same, to each other and to the answers that are ``known``?"""

    phase = "compare_answers"

    @property
    def subject(self) -> str:
        """What it is, in words."""
        return "compare answers"


class MergeAnswers(EffectOf[Merged]):
    """Which one answer holds all that these say, if they can all stand?"""

    phase = "merge_answers"
    answers: tuple[str, ...]

    @property
    def subject(self) -> str:
        """What it is, in words."""
        return "merge answers"

"""What an ensemble asks for beside what its members ask for."""

from __future__ import annotations

from aeon.engines.contractive.effects import Classify

__all__ = ["CompareAnswers"]


class CompareAnswers(Classify):
    """Which of these answers of members mean the same, to each other and to the answers that are ``known``?"""

    phase = "compare_answers"

    @property
    def subject(self) -> str:
        """What it is, in words."""
        return "compare answers"

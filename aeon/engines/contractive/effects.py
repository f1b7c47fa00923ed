"""What a contractive program asks for."""

from __future__ import annotations

from aeon.engines.contractive.values import Candidate, Classes, Collapsed, Parts, Reviewed, Samples, Solved
from aeon.schema.effects import EffectOf, Role

__all__ = ["Classify", "Collapse", "Decompose", "Review", "Sample"]


class Sample(EffectOf[Samples]):
    """What are ``most`` short answers to the question of this node, each drawn by itself?

    ``solved`` are the answers to parts of it. Each answer takes at most ``tokens``, with ``steps`` in lines before it.
    """

    phase = "sample"
    place: str
    most: int
    tokens: int
    temperature: float = 0.7
    steps: bool = False
    solved: tuple[Solved, ...] = ()

    @property
    def subject(self) -> str:
        """The node."""
        return f"{self.place} sample"


class Classify(EffectOf[Classes]):
    """Which of these answers mean the same, to each other and to the answers of the classes that are ``known``?"""

    phase = "classify"
    role: Role = "verifier"
    place: str
    answers: tuple[str, ...]
    known: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """The node."""
        return f"{self.place} classes"


class Decompose(EffectOf[Parts]):
    """Into which smaller questions, at most ``most``, can the question be split?

    ``attempt`` counts from 0: each has a prompt of its own. ``asked`` are sub-questions that there were already.
    """

    phase = "decompose"
    role: Role = "planner"
    place: str
    most: int
    attempt: int = 0
    asked: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """The node."""
        return f"{self.place} split"


class Review(EffectOf[Reviewed]):
    """Is this the right answer to the question? Asked of the peer, who sees no sample."""

    phase = "review"
    role: Role = "peer"
    place: str
    answer: str
    solved: tuple[Solved, ...] = ()

    @property
    def subject(self) -> str:
        """The node."""
        return f"{self.place} review"


class Collapse(EffectOf[Collapsed]):
    """The answer to the task in words: ``best``, and ``others`` that contradict it, from so many ``samples``."""

    phase = "collapse"
    best: Candidate | None = None
    others: tuple[Candidate, ...] = ()
    samples: int = 0

    @property
    def subject(self) -> str:
        """What it is, in a word."""
        return "answer"

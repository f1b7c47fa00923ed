"""How an ensemble ends: the rows of its decision table, what counts as a vote, and the most that it may ask."""

from __future__ import annotations

from dataclasses import dataclass

from aeon.kernel.decide import BUDGET, CLARIFICATION, Rule, Signals

__all__ = ["NO_ANSWER", "TABLE", "EnsembleSignals"]

NO_ANSWER = frozenset(
    {
        "failed", "unknown_outcome", "waiting", "overspent", "interrupted", "calls_exhausted", "tokens_exhausted",
        "seconds_exhausted", "cost_exhausted", "unanswered", "partial", "stuck", "turns_exhausted", "nothing_to_see",
    }
)  # fmt: skip
"""How a member ends that gave no answer to vote for: for reasons of every engine, then for those of shipped ones."""


@dataclass(slots=True)
class EnsembleSignals(Signals):
    """What the rows rest on: the votes so far.

    ``seats`` is how many members there are, ``left`` how many were not asked. ``cast`` counts votes, ``most`` those of
    the class that is ahead. ``sound``: a member of that class ended well. ``merged``: one answer was made of those that
    ended well by themselves.
    """

    seats: int = 0
    left: int = 0
    cast: int = 0
    most: int = 0
    sound: bool = False
    merged: bool = False

    @property
    def majority(self) -> bool:
        """Whether no other class can catch up."""
        return 2 * self.most > self.seats

    @property
    def sound_majority(self) -> bool:
        """Whether no other class can catch up, and one of its members ended well."""
        return self.majority and self.sound

    @property
    def hopeless(self) -> bool:
        """Whether no class can get a majority any more, whatever the members say that are left."""
        return self.seats > 0 and 2 * (self.most + self.left) <= self.seats

    @property
    def silent(self) -> bool:
        """Whether there will be no majority because nobody voted."""
        return self.hopeless and self.cast == 0

    @property
    def thin(self) -> bool:
        """Whether there will be no majority because too few voted: if all votes were one, they would be none."""
        return self.hopeless and 2 * (self.cast + self.left) <= self.seats

    @property
    def ahead(self) -> str:
        """The votes in words."""
        return f"{self.most} of {self.seats} members gave the same answer"


TABLE: tuple[Rule, ...] = (
    Rule(
        "agreed",
        "sound_majority",
        "{s.ahead}",
        sufficient=True,
        when="more than half of all members gave the same answer, and one of these was good enough by itself",
    ),
    Rule(
        "doubted",
        "majority",
        "{s.ahead}, and none of them ended well by itself",
        when="more than half of all members gave the same answer, and none of these was good enough by itself",
    ),
    Rule(
        "merged",
        "merged",
        "no answer has a majority; those that were good enough by themselves can all stand, and are merged",
        sufficient=True,
        when="no answer can have a majority, and the model made one of those that were good enough by themselves: "
        "texts which it says can all stand",
    ),
    Rule(
        "unanswered",
        "silent",
        "no member gave an answer",
        when="no member gave an answer",
    ),
    Rule(
        "too_few_votes",
        "thin",
        "only {s.cast} of {s.seats} members gave an answer, too few for a majority",
        when="so many votes are missing that those that are there make no majority",
    ),
    Rule(
        "disagreement",
        "hopeless",
        "no answer has a majority: at most {s.ahead}",
        when="no answer can have a majority any more",
    ),
    BUDGET,
    CLARIFICATION,
)
"""How a vote ends; asked after each round."""

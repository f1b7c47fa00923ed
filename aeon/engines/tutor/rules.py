"""When a proof game ends: its rows of the decision table, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

from aeon.engines.tutor.config import TutorConfig
from aeon.kernel.decide import BUDGET, CLARIFICATION, Rule, Signals

__all__ = ["TABLE", "TutorSignals", "most_calls"]


@dataclass(slots=True)
class TutorSignals(Signals):
    """What the rows rest on. ``stands``: an answer does, and its observations were made again.

    ``undecidable``: it is that its claims cannot be decided. ``judged``: a model was asked whether it answers the task;
    ``answers`` is what it said, ``None`` where it said nothing that counts. ``blind`` says why there is nothing to look
    at.
    ``lost``: the player is stuck, and no hint card is left; ``hinted``: one was given. ``turns`` of at most
    ``most_turns`` were taken.
    """

    stands: bool = False
    undecidable: bool = False
    judged: bool = False
    answers: bool | None = None
    blind: str = ""
    lost: bool = False
    hinted: bool = False
    turns: int = 0
    most_turns: int = 1

    @property
    def answered(self) -> bool:
        """Whether the answer has decided claims that answer the task."""
        return self.stands and self.answers is True and not self.undecidable

    @property
    def open(self) -> bool:
        """Whether what the task asks for cannot be decided."""
        return self.stands and self.answers is True and self.undecidable

    @property
    def beside(self) -> bool:
        """Whether the answer does not answer the task."""
        return self.stands and self.answers is False

    @property
    def unjudged(self) -> bool:
        """Whether nobody says if it does, or can be asked any more."""
        return self.stands and self.answers is None and (self.judged or bool(self.exhausted))

    @property
    def no_card(self) -> str:
        """Why no hint card can be given, in words."""
        return "no hint card is left" if self.hinted else "there was no hint card to give"


TABLE: tuple[Rule, ...] = (
    Rule(
        "proved",
        "answered",
        "its observations were made again after turn {s.turns}",
        sufficient=True,
        when="the player answered with claims that are decided, the checker has seen again what they rest on, and a "
        "model judged that they answer the task",
    ),
    Rule(
        "undecidable",
        "open",
        "what would decide it cannot be seen",
        when="the player answered that a claim is open, every look that could decide it was taken again in vain, and a "
        "model judged that the task asks for it",
    ),
    Rule(
        "not_proved",
        "beside",
        "what its claims say does not answer the task",
        when="the claims of the answer stand, and a model judged that they do not answer the task",
    ),
    Rule(
        "unverified",
        "unjudged",
        "nobody could judge whether its claims answer the task",
        when="the claims of the answer stand, and no model that counts judged whether they answer the task: it was "
        "measured to be bad at that, gave nothing usable, or no call is left",
    ),
    Rule(
        "nothing_to_see",
        "blind",
        "{s.blind}",
        when="the run has no folder, or none that has files",
    ),
    Rule(
        "stuck",
        "lost",
        "the player went in circles, and {s.no_card}",
        when="the same move came three times, moves went in a circle, or four turns gave nothing new, and all hint "
        "cards were given, or there were none",
    ),
    Rule(
        "turns_exhausted",
        "turns",
        "all {s.most_turns} turns are taken",
        ">=",
        "$most_turns",
        when="as many turns were taken as the configuration allows",
    ),
    BUDGET,
    CLARIFICATION,
)


def most_calls(config: TutorConfig) -> int:
    """The most model calls of a game: those of a move, each turn, and of the judgment of its answer."""
    return config.turns * config.caps.player_move + config.caps.judge_answer

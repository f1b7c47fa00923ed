"""When a proof game ends: its rows of the decision table, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

from aeon.engines.tutor.config import TutorConfig
from aeon.kernel.decide import BUDGET, CLARIFICATION, Rule, Signals

__all__ = ["TABLE", "TutorSignals", "most_calls"]


@dataclass(slots=True)
class TutorSignals(Signals):
    """What the rows rest on. ``answered``: an answer stands, and its observations were made again.

    ``undecidable``: so does one that its claims cannot be decided. ``blind`` says why there is nothing to look at.
    ``lost``: the player is stuck, and no hint card is left; ``hinted``: one was given. ``turns`` of at most
    ``most_turns`` were taken.
    """

    answered: bool = False
    undecidable: bool = False
    blind: str = ""
    lost: bool = False
    hinted: bool = False
    turns: int = 0
    most_turns: int = 1

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
        when="the player answered with claims that are decided, and the checker has seen again what they rest on",
    ),
    Rule(
        "undecidable",
        "undecidable",
        "what would decide it cannot be seen",
        when="the player answered that a claim is open, and every look that could decide it was taken again in vain",
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
    """The most model calls of a game: those of a move, each turn."""
    return config.turns * config.caps.player_move

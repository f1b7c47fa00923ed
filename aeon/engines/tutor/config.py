"""Every setting of a proof game."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aeon.engines.tutor.gamerules import RULES, GameRule
from aeon.schema.config import Caps, Settings
from aeon.schema.frozen import Written

__all__ = ["Points", "TutorCaps", "TutorConfig"]


class TutorCaps(Caps):
    """Model calls that one effect of each phase may make, repairs and retries included."""

    player_move: int = Field(default=5, ge=0)
    find_tables: int = Field(default=0, ge=0)
    act: int = Field(default=0, ge=0)
    recheck: int = Field(default=0, ge=0)
    judge_answer: int = Field(default=5, ge=0)


class Points(Written):
    """What a move scores. One that was made before scores nothing."""

    observed: int = 1
    proved: int = 3
    refuted: int = 1
    reformulated: int = Field(default=1, description="beside what the new claim scores, if it is decided")
    overturned: int = Field(default=2, description="a challenge after which a verdict is another one")
    answered: int = 5
    illegal: int = -1


class TutorConfig(Settings):
    """The configuration of a proof game.

    ``form`` is what a player says: the number of an offered move, or a move of its own as JSON. ``rules`` stand in the
    place of the shipped ones.
    """

    turns: int = Field(default=16, ge=1, le=20_000)
    form: Literal["menu", "free"] = "menu"
    options: int = Field(default=8, ge=2, le=40, description="moves that a player is offered")
    hints: int = Field(default=5, ge=0, le=5, description="hint cards for a player who is stuck")
    messages: bool = Field(default=True, description="tell the player what the tutor says of its moves")
    points: Points = Points()
    rules: tuple[GameRule, ...] = RULES
    caps: TutorCaps = TutorCaps()

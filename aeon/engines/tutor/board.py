"""The board as a player is shown it: the newest looks and claims, in few lines."""

from __future__ import annotations

from aeon.engines.tutor.actions import Listing, Unseen
from aeon.engines.tutor.game import Game, newest

__all__ = ["board_lines"]

_LOOKS = 3
_LINES = 14
_FIRST = 8


def board_lines(game: Game) -> list[str]:
    """What a player needs to choose a move: the newest looks, oldest first, and the verdicts on the newest claims.

    Of the newest look more is shown than of those before it; the list of files is left out once there are others.
    """
    looks = [one for one in newest(game.seen, _LOOKS + 1) if not isinstance(one.observation, Listing | Unseen)]
    looks = looks[:_LOOKS] or newest(game.seen, 1)
    shown: list[list[str]] = []
    for place, one in enumerate(looks):
        lines = one.observation.shown()
        shown.append(lines[: _LINES if not place else _FIRST // place])
    return [*(line for lines in reversed(shown) for line in lines), *game.lines()]

"""A reply as whoever listens hears it: a part of it while the model writes, the rest before the call ends."""

from __future__ import annotations

from random import Random

from aeon.llm.hearing import hearing

__all__ = ["Spoken"]

_MOST = 4
"""Pieces of each part."""


class Spoken:
    """A text in pieces that follow from the seed. Where nobody listens nothing is drawn."""

    def __init__(self, text: str, seed: int) -> None:
        self._text = text
        self._heard = hearing()
        self._chance = Random(seed)
        self._said = 0

    def begin(self) -> None:
        """Begin the text, be it once more, and say a part of it."""
        if self._heard is not None:
            self._heard.begin()
            self._said = 0
            self._say(self._chance.randint(0, len(self._text)))

    def repeat(self, attempts: int) -> None:
        """Begin once more, if there were further attempts."""
        if attempts:
            self.begin()

    def rest(self) -> None:
        """Say what is left."""
        if self._heard is not None:
            self._say(len(self._text))

    def _say(self, end: int) -> None:
        cuts = sorted(self._chance.randint(self._said, end) for _ in range(self._chance.randint(0, _MOST - 1)))
        for at in (*cuts, end):
            if at > self._said and self._heard is not None:
                self._heard.hear(self._text[self._said : at])
                self._said = at

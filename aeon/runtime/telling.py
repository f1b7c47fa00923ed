"""The text that a model writes for one effect, as observers are told of it: piece by piece, one text at a time."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Tell", "Telling"]

Tell = Callable[[str, bool], None]
"""Is told a piece, and whether a new text begins with it."""


class Telling:
    """What is told of an effect's text. The pieces since the last beginning are the text.

    Nothing is told any more once it is closed.
    """

    __slots__ = ("_anew", "_pieces", "_tell")

    def __init__(self, tell: Tell) -> None:
        self._tell: Tell | None = tell
        self._pieces: list[str] = []
        self._anew = True

    @property
    def begun(self) -> bool:
        """Whether anything was told."""
        return bool(self._pieces)

    def begin(self) -> None:
        """Have the next piece begin a new text: what was told is void."""
        self._anew = True

    def add(self, piece: str) -> None:
        """Tell the next piece."""
        if self._tell is None:
            return
        begins, self._anew = self._anew, False
        if begins:
            self._pieces = []
        self._pieces.append(piece)
        self._tell(piece, begins)

    def settle(self, text: str) -> None:
        """Tell what is missing for the text to be this one; all of it anew where it began otherwise."""
        told = "" if self._anew else "".join(self._pieces)
        if text == told and not (self._anew and self._pieces):
            return
        if not text.startswith(told):
            self.begin()
            told = ""
        self.add(text[len(told) :])

    def retract(self) -> None:
        """Tell that there is no text, if one was told."""
        if self._pieces:
            self.begin()
            self.add("")

    def close(self) -> None:
        """Tell nothing any more: the effect has its outcome."""
        self._tell = None

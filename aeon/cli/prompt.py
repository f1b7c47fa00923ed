"""Asks a person at the terminal."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
from collections.abc import Callable
from contextlib import AbstractContextManager

from aeon.asking.answers import meant, no_option
from aeon.errors import Waiting
from aeon.observability.lines import short
from aeon.schema import Question

__all__ = ["Prompt"]

Say = Callable[[str], None]
_DEFAULT_WIDTH = 40


class Prompt:
    """An answerer for the terminal that is standard input; it may be called in any thread.

    ``paused`` keeps everything else off the terminal while it is entered, and gives what prints on it.
    """

    def __init__(self, paused: Callable[[], AbstractContextManager[Say]]) -> None:
        self._paused = paused
        self._wake: int | None = None

    def __call__(self, question: Question) -> str:
        """The answer to a question that the person has before their eyes already.

        Raises:
            Waiting: Ctrl-C or Ctrl-D; there is no answer now.
        """
        woken, self._wake = os.pipe()
        try:
            with self._paused() as say:
                return self._answer(question, woken, say)
        finally:
            wake, self._wake = self._wake, None
            os.close(wake)
            os.close(woken)

    def give_up(self) -> bool:
        """Leave the question open, if one is; whether one was. For a signal handler."""
        wake = self._wake
        if wake is None:
            return False
        with contextlib.suppress(OSError):  # answered in this very moment
            os.write(wake, b"!")
        return True

    def _answer(self, question: Question, woken: int, say: Say) -> str:
        with contextlib.suppress(termios.error):  # what was typed before the question is no answer to it
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
        while True:
            default = f" [{short(question.default, _DEFAULT_WIDTH)}]" if question.default else ""
            say(f"           your answer{default}: ")
            said = _line(sys.stdin.fileno(), woken)
            if said is None:
                say("\n")
                raise Waiting(question.text)
            if other := no_option(question, said):
                say(f"           {other} is none of the {len(question.options)} options\n")
            elif answer := meant(question, said):
                return answer


def _line(terminal: int, woken: int) -> str | None:
    """What is typed up to the end of the line; ``None`` where that is given up."""
    data = b""
    while not data.endswith(b"\n"):
        ready, _, _ = select.select([terminal, woken], [], [])
        more = b"" if woken in ready else os.read(terminal, 4096)
        if not more:
            return None
        data += more
    return data.decode("utf-8", "replace")

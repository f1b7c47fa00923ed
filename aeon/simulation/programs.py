"""Programs of a model that works by them: sensible ones, and every way in which they can be odd."""

from __future__ import annotations

import re
from dataclasses import dataclass

from aeon.simulation.words import Words

__all__ = ["Writer"]

_PROGRAM, _QUERY, _RULE = "a short Python program", "Write one DuckDB query", "Reply with the program only"
_WORKED, _WORDED = "Solve the problem step by step", "Answer the question in one short sentence"
_SELECT = "SELECT price FROM rolls WHERE name = '{word}'"
_CALLS = {
    "measure": "measure('{word}', {times})", "look_up": "look_up('{word}')", "post": "post('{word}')",
    "ring": "ring({times})", "sql": f'sql("{_SELECT}")',
}  # fmt: skip
_RESULT = re.compile(r"<data result>\n(.*)\n</data>", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ODD = (
    "while True: pass", "print('done')", "import os\nprint(os.getcwd())", "print((1", "", "print()", "print(1 / 0)",
    "print(measure(7, 'often'))", "print(launch_missiles('at once'))", "print(post('now'))", "print(nothing)", "x = 1",
    "print(9 ** 9 ** 9)", "print('not stated')", "```python\nprint(2 + 2)\n```", "print(sql('DROP TABLE t'))",
    "\n".join(f"a{n} = measure('rolls', {n % 9 + 1})\nprint(a{n})" for n in range(40)), "print(write('a letter'))",
    "I would rather not say.",
)  # fmt: skip
_SHARE_OF_CALLS, _SHARE_OF_WRITING, _SHARE_OF_ODD = 0.75, 0.1, 0.6


@dataclass(frozen=True)
class Writer:
    """Writes by the chance of ``words``; where these are bad, mostly what no host may stumble over."""

    words: Words

    def reply(self, system: str, user: str) -> str | None:
        """What the model says to a prompt for a program, or for the sentence of a result; ``None`` to any other."""
        if _WORDED in system:
            return self._worded(user)
        if _WORKED in system:
            return self._worked()
        if _QUERY in system:
            return self._odd() if self._is_odd() else self._filled(_SELECT)
        if _PROGRAM in system or _RULE in system:
            return self._odd() if self._is_odd() else self._program(system, user)
        return None

    def _program(self, system: str, user: str) -> str:
        """Some sums over numbers that stand there and over what functions give, or a wish to write."""
        chance = self.words.chance
        there = [call for name, call in _CALLS.items() if f"{name}(" in system]
        if chance.random() < _SHARE_OF_WRITING:
            return f"print(write('{self.words.sentence()}'))"
        if not there or chance.random() > _SHARE_OF_CALLS:
            return self.words.program(_NUMBER.findall(user)[-6:])
        called = [chance.choice(there) for _ in range(chance.randint(1, 2))]
        lines = [f"v{n} = {self._filled(call)}" for n, call in enumerate(called)]
        last = chance.choice((" + ", ", ")).join(f"v{n}" for n in range(len(lines)))
        return "\n".join([*lines, f"print({last})"])

    def _filled(self, call: str) -> str:
        return call.format(word=self.words.sentence(1, 2), times=self.words.chance.randint(1, 9))

    def _worked(self) -> str:
        """Lines of a calculation, and mostly an answer at their end."""
        total = self.words.chance.randint(1, 400) / 4
        return f"{self.words.sentence()}: {total}" + ("" if self.words.bad else f"\nAnswer: {total}")

    def _worded(self, user: str) -> str:
        """The result in a sentence; a bad one has other values."""
        found = _RESULT.search(user)
        return f"{self.words.sentence()} 4711" if found is None or self.words.bad else f"It is {found[1]}"

    def _is_odd(self) -> bool:
        return self.words.bad and self.words.chance.random() < _SHARE_OF_ODD

    def _odd(self) -> str:
        return self.words.chance.choice(_ODD)

"""Which constants of a program are quotations, and of which sentence."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction

from aeon.language.dates import read_days
from aeon.programs.evidence import Evidence
from aeon.programs.stated import stated_numbers
from aeon.schema import JsonObject, JsonValue, Source
from aeon.text import one_line

__all__ = ["NOT_STATED", "Quotes", "UnfitError", "UnstatedError", "place_of"]

NOT_STATED = "not stated"
_LONGEST_VALUE = 80
_USUAL = frozenset({0, 1, 2, 3, 4, 5, 7, 10, 12, 24, 30, 52, 60, 90, 100, 365, 1000, 3600, 0.5, 0.01})
"""Numbers that no text needs to state: of the calendar, of per cent, of halves. One that a line cites is quoted."""


def place_of(value: JsonValue, source: Source) -> JsonObject:
    """The arguments of a call that quotes a value from the sentence that it stands in."""
    return {"value": value, "source": source.source, "start": source.start, "end": source.end}


class UnfitError(Exception):
    """The program does something that no step can do."""


class UnstatedError(UnfitError):
    """The program has a value that stands neither in the task nor in a sentence, or a name without one.

    Its text says so for the model.
    """


class Quotes:
    """Finds the sentence of the ``evidence`` that a constant was copied from; ``cited`` are those that each line names.

    What is ``known`` from the task need not be quoted.
    """

    def __init__(self, evidence: Evidence, cited: Mapping[int, tuple[int, ...]], known: str) -> None:
        self._evidence = evidence
        self._cited = cited
        self._known = known.casefold()
        self._numbers = stated_numbers(known)

    @property
    def there(self) -> bool:
        """Whether there are sentences to quote."""
        return bool(self._evidence.sources)

    def cites(self, value: ast.expr) -> bool:
        """Whether the line of a value names a sentence that there is."""
        return bool(self._named(value))

    def _named(self, value: ast.expr) -> list[Source]:
        """The sentences that the line of a value names."""
        cited, sources = self._cited.get(getattr(value, "lineno", 0), ()), self._evidence.sources
        return [sources[number - 1] for number in cited if 1 <= number <= len(sources)]

    def _near(self, value: ast.expr) -> tuple[int, ...]:
        """The numbers of the sentences that the line of a value names, then of those beside them: models miscount."""
        cited = self._cited.get(getattr(value, "lineno", 0), ())
        return (*cited, *(number + way for number in cited for way in (-1, 1)))

    def source(self, value: ast.Constant, printed: bool = False) -> Source | None:
        """The sentence that the constant stands in; ``None`` where it needs none.

        What the task says needs none, but a text of it that is ``printed`` has one where a sentence has it.

        Raises:
            UnstatedError: it needs one, and none states it.
        """
        said = value.value
        if not self.there or not isinstance(said, str | int | float):
            return None
        cited = self._near(value)
        if self._is_known(said):
            return self._evidence.find(said, cited) if printed and isinstance(said, str) and said else None
        usual = not isinstance(said, str) and said in _USUAL
        source = self._evidence.find(said, cited, only=usual)
        if source is None and not usual:
            raise UnstatedError(f"{one_line(str(said), _LONGEST_VALUE)} stands in no sentence")
        return source

    def reading(self, value: ast.Constant) -> Source | None:
        """The sentence that a text cites and does not stand in: what that says is the answer, the text a reading of it.

        So is a yes or a no, in any language. One with a figure has to stand there.
        """
        said, named = value.value, self._named(value)
        if not isinstance(said, str) or said in ("", NOT_STATED) or not named or any(map(str.isdigit, said)):
            return None
        return named[0] if self.place(value) is None else None

    def place(self, value: ast.Constant) -> Source | None:
        """The sentence that a text stands in, if one has it."""
        return self._evidence.find(value.value, self._near(value)) if isinstance(value.value, str) else None

    def day(self, said: str) -> str:
        """A day that may be read in two ways, such as 3/4/2026, as the sentences have it; else as it is."""
        read = read_days(said)
        stated = [day for day in read if self._evidence.find(day) is not None]
        written = [one for one in self._evidence.sources if said in one.text]
        return stated[0] if len(read) > 1 and len(stated) == 1 and not written else said

    def _is_known(self, said: str | float) -> bool:
        if isinstance(said, str):
            return said in ("", NOT_STATED) or said.casefold() in self._known
        return Fraction(str(said)) in self._numbers

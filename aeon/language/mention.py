"""A value as it stands in a text, with every way to read it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from aeon.language.readings import Read, read

if TYPE_CHECKING:
    from aeon.schema import ClaimKind

__all__ = ["Form", "Mention", "mentioned"]


class Form(NamedTuple):
    """One way to read a text: the notation, and the value in it."""

    form: str
    read: Read


class Mention(NamedTuple):
    """Characters ``start`` to ``end`` of a text that name a value; ``forms`` are its readings, the likeliest first.

    ``certain`` is false for a capitalised word that may be an ordinary one: it begins a sentence, say. ``later`` is
    what is left of a name without a first word that may only begin the sentence. ``parts`` are the values that it is
    made of where it is none as a whole, as ``1,2,3``.
    """

    start: int
    end: int
    text: str
    kind: ClaimKind
    forms: tuple[Form, ...]
    certain: bool = True
    later: Mention | None = None
    parts: tuple[Mention, ...] = ()

    def moved(self, by: int) -> Mention:
        """The same mention in a text that this one is a part of."""
        parts = tuple(part.moved(by) for part in self.parts)
        later = self.later.moved(by) if self.later else None
        return self._replace(start=self.start + by, end=self.end + by, later=later, parts=parts)


def mentioned(kind: ClaimKind, start: int, text: str, forms: Iterable[str]) -> Mention | None:
    """The mention that a text is in those of the notations in which it can be read; ``None`` if there is none."""
    found: dict[tuple[str, str], Form] = {}
    for form in forms:
        try:
            value = read(text, form)
        except ValueError:
            continue
        found.setdefault((value.value, value.unit), Form(form, value))
    return Mention(start, start + len(text), text, kind, tuple(found.values())) if found else None

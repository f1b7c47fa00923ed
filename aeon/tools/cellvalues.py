"""The values of columns that stand in a text, as whole words and as they are written in the tables."""

from __future__ import annotations

from aeon.language.unspaced import is_unspaced
from aeon.language.words import WORD
from aeon.tools.database import Database
from aeon.tools.tableinfo import Named
from aeon.tools.valuefile import LONGEST

__all__ = ["values_named"]

_MOST_NAMED = 6
_LONGEST_TEXT = 3_000


def values_named(database: Database, text: str) -> tuple[Named, ...]:
    """The values of columns of text that stand in a text, in its order, six at most; of two that overlap the longer.

    In a script that puts no spaces between words a value may stand anywhere.
    """
    text = text[:_LONGEST_TEXT]
    found = database.named(_phrases(text), text.lower().replace("\x00", "") if is_unspaced(text) else "")
    return tuple(_placed({*found}, text)[:_MOST_NAMED])


def _placed(found: set[Named], text: str) -> list[Named]:
    """The values that are no part of another, in the order in which they stand first."""
    longest = [one for one in found if not any(_is_part(one.value, other.value) for other in found)]
    return sorted(longest, key=lambda one: (_place(one.value, text), one))


def _place(value: str, text: str) -> int:
    """Where a value stands first; one in an unspaced script may stand within what would be a word elsewhere."""
    return text.lower().find(value.lower()) if is_unspaced(value) else _spaced(text).find(_spaced(value))


def _phrases(text: str) -> list[str]:
    """The words of a text, one or several that follow each other, as short as a value that is looked for."""
    words = WORD.findall(text.lower().replace("_", " "))
    found: set[str] = set()
    for start in range(len(words)):
        phrase = ""
        for word in words[start:]:
            phrase = f"{phrase} {word}".lstrip()
            if len(phrase) > LONGEST:
                break
            found.add(phrase)
    return sorted(found)


def _is_part(value: str, other: str) -> bool:
    """Whether a value is only a part of another one, such as ``table`` of ``table lamp``."""
    part, whole = (value.lower(), other.lower()) if is_unspaced(value) else (_spaced(value), _spaced(other))
    return len(part) < len(whole) and part in whole


def _spaced(text: str) -> str:
    return f" {' '.join(WORD.findall(text.lower().replace('_', ' ')))} "

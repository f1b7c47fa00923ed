"""What a task names, and nothing that an answer cites speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aeon.documents.sentences import sentences
from aeon.documents.words import stems
from aeon.grounding.mentions import mentions

__all__ = ["names_in", "unnamed"]

_NO_NAME = re.compile(r"I(?:['\u2019]\w+)?")
_POSSESSIVE = re.compile("['\u2019]s$")


def names_in(text: str) -> list[str]:
    """The proper names of a text, each once."""
    return list(dict.fromkeys(one.text for one in mentions(text) if one.kind == "name"))


def unnamed(task: str, text: str) -> tuple[str, ...]:
    """The names of a task of whose words a text has half at most, in their order.

    An answer that rests on such a text may be about somebody else: of 89 that a judge found supported 75 had every name
    in what they cite, and 65 of these were right; of the other 14 it was 6. A single word with which a sentence begins
    need not be a name.
    """
    begins = {one.start for one in sentences(task)}
    opening = {task[start:].split()[0].strip(" ,:;.!?") for start in begins if task[start:].strip()}
    known = stems(text)
    return tuple(
        name
        for name in names_in(task)
        if name not in opening and not _NO_NAME.fullmatch(name) and _is_missing(list(_words(name)), known)
    )


def _words(name: str) -> Iterator[frozenset[str]]:
    """The stems of each word of a name that has any."""
    return filter(None, (stems(_POSSESSIVE.sub("", word)) for word in name.split()))


def _is_missing(words: list[frozenset[str]], known: frozenset[str]) -> bool:
    return bool(words) and 2 * sum(word <= known for word in words) <= len(words)

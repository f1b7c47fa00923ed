"""What a task names, and nothing that an answer cites speaks of."""

from __future__ import annotations

import re
import unicodedata

from aeon.documents.sentences import sentences
from aeon.engines.research.common import stems
from aeon.language.literals import is_german
from aeon.proof.mentions import mentions

__all__ = ["names_in", "unnamed"]

_WORD = re.compile(r"[\w'\u2019-]+")
_NO_NAME = re.compile(r"I(?:['\u2019]\w+)?")


def names_in(text: str) -> list[str]:
    """The proper names of a text, each once."""
    return list(dict.fromkeys(one.text for one in mentions(text) if one.kind == "name"))


def unnamed(task: str, text: str) -> tuple[str, ...]:
    """The names of a task of whose words a text has half at most, in their order.

    An answer that rests on such a text may be about somebody else: of 89 that a judge found supported 77 had every name
    in what they cite, and 66 of these were right; of the other 12 it was 5.

    A single word with which a sentence begins need not be a name. What stands behind the last question says how to
    answer. None are told where capitals tell no names: in German, and in capitals throughout. Accents do not count.
    """
    asked, known = task[: task.rfind("?") + 1] or task, stems(_plain(text))
    if is_german(asked) or asked.isupper():
        return ()
    names = [name for name in names_in(asked) if name not in _opening(asked) and not _NO_NAME.fullmatch(name)]
    return tuple(name for name in names if _is_missing(_plain(name), known))


def _opening(text: str) -> frozenset[str]:
    """The words with which the sentences of a text begin."""
    return frozenset(word for one in sentences(text) for word in _WORD.findall(text[one.start : one.end])[:1])


def _is_missing(name: str, known: frozenset[str]) -> bool:
    words = [*filter(None, map(stems, name.split()))]
    return bool(words) and 2 * sum(word <= known for word in words) <= len(words)


def _plain(text: str) -> str:
    """A text without accents."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))

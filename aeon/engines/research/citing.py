"""The answer as it is shown: its sentences with the numbers of what they cite, and what to know of the search."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from aeon.engines.research.effects import Cite
from aeon.engines.research.values import Citation, Cited, Drafted, Sentence
from aeon.text import one_line

__all__ = ["composed", "refusal", "sought", "unworded", "with_limits"]

_LIMITED = "Search capabilities were limited; the answer is based on partial information."
_MOST_SEARCHED = 8
_LONGEST_NEAREST = 250
_OWN_LINE = re.compile(r"(?:[-*+•|#>]|\d+[.)])\s|\n")
"""How a text begins that begins a line: an item of a list, a row, a heading."""


def composed(parts: Sequence[Drafted]) -> tuple[str, tuple[Sentence, ...]]:
    """The sentences one behind the other, each with the numbers of the sources that it cites before its last mark."""
    text, sentences, apart = "", list[Sentence](), False
    for part in parts:
        plain = part.text.strip()
        if not plain:
            continue
        before, apart = apart, bool(_OWN_LINE.match(part.text))
        text += ("\n" if before or apart else " ") if text else ""
        start, text = len(text), text + _marked(plain, part.citations)
        sentences.append(Sentence(start=start, end=len(text), citations=part.citations))
    return text, tuple(sentences)


def _marked(plain: str, citations: Sequence[Citation]) -> str:
    marks = "".join(f"[{number}]" for number in dict.fromkeys(one.number for one in citations))
    if not marks:
        return plain
    ends = unicodedata.category(plain[-1]) == "Po" and len(plain) > 1
    return f"{plain[:-1]} {marks}{plain[-1]}" if ends else f"{plain} {marks}"


def unworded(effect: Cite) -> Cited:
    """What was answered while the texts were read, with what it rests on; nobody held it against that."""
    if not effect.draft:
        return Cited(text=with_limits(effect, f"No answer could be made ({sought(effect)})."))
    text, sentences = composed(effect.draft)
    return Cited(text=with_limits(effect, text), sentences=sentences)


def refusal(effect: Cite, missing: Sequence[str] = (), nearest: Sequence[Citation] = ()) -> Cited:
    """That there is no answer, and what was searched for; where nothing could be, that alone is said.

    ``missing`` is what the model says of it. The longest of the ``nearest`` sentences is named: who asked can tell.
    """
    if effect.unsearched and set(effect.searched) <= set(effect.unsearched):
        what = "Nothing could be searched, so this is open"
    else:
        what = "The sources do not say" if effect.sources.entries else "No source was found for this"
    said = "; ".join(one_line(one, 300) for one in missing) or one_line(effect.task.text, 200)
    text = f"{what}: {said} ({sought(effect)}){_nearest(effect, nearest)}."
    return Cited(text=with_limits(effect, text), missing=tuple(missing))


def _nearest(effect: Cite, nearest: Sequence[Citation]) -> str:
    if not nearest:
        return ""
    longest = max(nearest, key=lambda one: len(one.source.text))
    titles = {entry.number: entry.document.title for entry in effect.sources.entries}
    place = one_line(titles.get(longest.number) or longest.source.source, 100)
    return f'; the nearest sentence: "{one_line(longest.source.text, _LONGEST_NEAREST)}" ({place})'


def sought(effect: Cite) -> str:
    """What was searched for, and what could not be."""
    searched = [query for query in effect.searched if query not in effect.unsearched]
    failed = f"could not be searched for: {_listed(effect.unsearched)}"
    if not searched and effect.unsearched:
        return failed
    return f"searched for: {_listed(searched)}" + f"; {failed}" * bool(effect.unsearched)


def _listed(queries: Sequence[str]) -> str:
    """The first eight queries, and how many more."""
    more = len(queries) - _MOST_SEARCHED
    shown = "; ".join(one_line(query, 100) for query in queries[:_MOST_SEARCHED])
    return (shown or "nothing") + (f"; and {more} more" if more > 0 else "")


def with_limits(effect: Cite, text: str) -> str:
    """The text, and below it that not every search could be done, where that is so and something was searched."""
    is_partial = effect.limited and set(effect.searched) > set(effect.unsearched)
    return f"{text}\n{_LIMITED}" if is_partial else text

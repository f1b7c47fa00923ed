"""The answer as it is shown: its sentences with the numbers of what they cite, and what to know of the search."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.engines.research.effects import Cite
from aeon.engines.research.values import Citation, Cited, Drafted, Sentence

__all__ = ["composed", "sought", "unworded", "with_limits"]

_LIMITED = "Search capabilities were limited; the answer is based on partial information."
_MOST_SEARCHED = 8
_ENDS = frozenset(".!?:…\uff1a\u3002\uff01\uff1f\u061f\u0964\u06d4")
"""What a sentence ends with."""
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
    return f"{plain[:-1]} {marks}{plain[-1]}" if plain[-1] in _ENDS and plain[:-1] else f"{plain} {marks}"


def unworded(effect: Cite) -> Cited:
    """What was answered while the texts were read, with what it rests on; nobody held it against that."""
    if not effect.draft:
        return Cited(text=with_limits(effect, f"No answer could be made ({sought(effect)})."))
    text, sentences = composed(effect.draft)
    return Cited(text=with_limits(effect, text), sentences=sentences)


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
    shown = "; ".join(" ".join(query.split())[:100] for query in queries[:_MOST_SEARCHED])
    return (shown or "nothing") + (f"; and {more} more" if more > 0 else "")


def with_limits(effect: Cite, text: str) -> str:
    """The text, and below it that not every search could be done, where that is so and something was searched."""
    is_partial = effect.limited and set(effect.searched) > set(effect.unsearched)
    return f"{text}\n{_LIMITED}" if is_partial else text

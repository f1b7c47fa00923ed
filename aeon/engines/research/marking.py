"""Numbers of sources in an answer: the host alone writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from aeon.engines.research.effects import Cite
from aeon.engines.research.values import Citation, Finding

__all__ = ["LABELLED", "evidence_of", "listed", "marked", "sought", "unmarked", "with_limits"]

LABELLED = re.compile(r"(?<!\s)\s*[\[【]((?:[\d.,;&\s\u2013-]|and|to)*)(?:[\]】]|$)")
"""What a reader takes for a citation: numbers in square brackets."""
_NUMBERS = re.compile(r"\d+(?:\.\d+)?")
_MARK = re.compile(r"\d{1,3}(?:\.\d{1,3})?")
_LIMITED = "Search capabilities were limited; the answer is based on partial information."
_MOST_SEARCHED = 8


def unmarked(text: str) -> str:
    """The text without numbers in square brackets that a reader would take for citations, as ``[3]``."""

    def left(match: re.Match[str]) -> str:
        return "" if all(map(_MARK.fullmatch, _NUMBERS.findall(match[1]))) else match[0]

    return LABELLED.sub(left, text)


def evidence_of(findings: Sequence[Finding]) -> tuple[Citation, ...]:
    """The sentences that findings rest on, each once."""
    every = [one for finding in findings if finding.answer for one in finding.evidence]
    return tuple({(one.number, one.source.start): one for one in every}.values())


def marked(text: str, evidence: Sequence[Citation]) -> str:
    """A sentence with the numbers of what it cites before its full stop, and with no others that look like them."""
    plain = unmarked(text).strip()
    marks = "".join(f"[{number}]" for number in dict.fromkeys(one.number for one in evidence))
    stop = plain[-1] if plain[-1:] in (".", "!", "?") else ""
    return f"{plain.removesuffix(stop) if stop else plain} {marks}{stop or '.'}"


def listed(searched: Sequence[str]) -> str:
    """What was searched for, the first eight queries and how many more."""
    more = len(searched) - _MOST_SEARCHED
    return ("; ".join(searched[:_MOST_SEARCHED]) or "nothing") + (f"; and {more} more" if more > 0 else "")


def sought(effect: Cite, worded: Callable[[str], str] = str) -> str:
    """What was searched for, and what could not be; ``worded`` gives a query as it is shown."""
    searched = [worded(query) for query in effect.searched if query not in effect.unsearched]
    failed = listed([*map(worded, effect.unsearched)])
    if not searched and effect.unsearched:
        return f"could not be searched for: {failed}"
    return f"searched for: {listed(searched)}" + f"; could not be searched for: {failed}" * bool(effect.unsearched)


def with_limits(effect: Cite, text: str) -> str:
    """The text, and below it that not every search could be done, where that is so and something was searched."""
    is_partial = effect.limited and set(effect.searched) > set(effect.unsearched)
    return f"{text}\n{_LIMITED}" if is_partial else text

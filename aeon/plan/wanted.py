"""The words by which a question says what it is about, and what it asks for or the number of."""

from __future__ import annotations

import re

from aeon.documents.words import is_common

__all__ = ["asked_for", "counted", "counts_in_german", "done", "kinds", "things"]

_I = re.IGNORECASE
_PLACE = r"\b(?:the|an?|(?:of|from|for|in|at|to|by|with|per)(?!\s+(?:the|an?)\b))"
_NOT_NOUN = (
    r"(?:of|in|on|at|for|from|to|with|by|per|than|as|and|or|that|which|who|is|are|was|were|be|do|does|did|has|have|had|"
    r"will|would|can|could|should|if|when|where|between|during|before|after|since|until|over|under)\b"
)
_NOUN = rf"(?!{_NOT_NOUN})[^\W\d_]+"
_PRICED = rf"(?!costs?\b){_NOUN}"
_THING = re.compile(rf"{_PLACE}\s+(?:{_PRICED}\s+)??({_PRICED})\b(?!\s+{_PRICED})", _I)
"""The thing behind a preposition or an article; the first of two words says what kind of thing it is.

What it costs is none: "What does a wetsuit cost?" names a wetsuit.
"""
_WHAT = re.compile(
    r"\b(?:what|which)\s+((?:[^\W\d_]+\s+)?)([^\W\d_]+)\s+(?:do|does|did|is|are|was|were|has|have|had|will)\b", _I
)
_ASKED_FOR = re.compile(
    rf"\b(?:what|which)(?:\s+(?:is|are|was|were)|['\u2019]s)\s+(?:(?:the|our|my|his|her|their|your|its)\b|\S+['\u2019]s?\b)"
    rf"(?:\s+{_NOUN})*?\s+({_NOUN})(?:\s+number)?(?=\s+(?:for|of|at|to|in|on|from|with)\b|\s*[?.,]|\s*$)|"
    rf"\b(?:in|on|at|under) (?:which|what) ({_NOUN})\b|"
    rf"^\W*(?!(?:how|why|whose|whom|what)\b)(?:(?:the|our|my)\s+)?(?:{_NOUN}\s+){{0,2}}?({_NOUN})"
    r"(?=\s+(?:for|of|at|in|on|from|per)\b[^.?!]*\?\s*$)",
    _I,
)
"""What it asks for: the code of the alarm, the phone number, in which street; "profit on one jug?"."""
_DET = r"(?:the|an?|our|their|its|all|each|every|it|them|more|most|fewer|less|many|much|any|some|no)\b"
_DONE = re.compile(
    rf"\b(?:(?:do|does|did)(?:\s+{_DET})?(?:\s+(?!{_DET}){_NOUN})+?|(?:have|has|had|needs?|wants?|used|able)\s+to)"
    rf"\s+((?!{_DET}){_NOUN})(?=\s*(?:{_NOT_NOUN}|{_DET}|[^\w\s]|\d|$))",
    _I,
)
"""What is done, behind who does it: the Marlin did *carry* them."""
_COUNTED = re.compile(
    r"\b(?:how many|number of|wie ?viele)\s+(?:(?:more|fewer|other|different)\s+)?"
    rf"(?:(?:{_NOUN}\s+)??({_NOUN})(?=\s+(?:is|are|was|were|do|does|did|have|has|had|can|will|may|must)\b)|([^\W\d_]+))",
    _I,
)
"""What is counted: of two words before a verb the second one, as the bits of drill bits."""
_HOW_MANY_DE = re.compile(r"\bwie ?viele\b", _I)


def things(text: str) -> list[str]:
    """The things that a text names behind a preposition or an article."""
    return _THING.findall(text)


def kinds(text: str) -> list[tuple[str, str]]:
    """What a text asks for by "which" or "what", each with the word before it, or ""."""
    return [(kind.strip(), what) for kind, what in _WHAT.findall(text)]


def asked_for(text: str) -> list[str]:
    """What a text asks for: the code of the alarm."""
    return list(map("".join, _ASKED_FOR.findall(text)))


def done(text: str) -> set[str]:
    """What is done, as a text says it."""
    return {word.casefold() for word in _DONE.findall(text)}


def counted(text: str) -> str:
    """What a text asks the number of; "" where it asks for no number, or only says how many more."""
    found = _COUNTED.search(text)
    word = (found[1] or found[2]) if found else ""
    return "" if is_common(word) else word.casefold()


def counts_in_german(text: str) -> bool:
    """Whether a text asks how many there are in German."""
    return _HOW_MANY_DE.search(text) is not None

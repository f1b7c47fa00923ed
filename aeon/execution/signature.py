"""The name below a letter: whose it is only the person who sends it can say."""

from __future__ import annotations

import re

from aeon.documents.words import stems

__all__ = ["unsigned"]

_YOURS = (
    r"(?:(?:best|kind|kindest|warm|warmest|many) (?:regards|wishes)|regards|greetings|all the best|"
    r"yours(?: (?:sincerely|faithfully|truly))?|sincerely(?: yours)?|(?:many )?thanks|thank you|cheers|love|"
    r"mit (?:freundlichen|besten|herzlichen) gr\u00fc(?:\u00df|ss)en|"
    r"(?:viele|beste|liebe|herzliche) gr\u00fc(?:\u00df|ss)e)"
)
_LINE = r"\s*\n[ \t]*(?!P\.? ?S\b)\S[^\n]{0,59}"
_BEHIND = r"(?<=,)(?: [^\W\d_a-z][\w.-]*){1,4}"
_SIGNED = re.compile(
    rf"^(?P<closing>(?i:[ \t>*_]*{_YOURS}[,.!]?[*_]*))(?P<name>(?:{_LINE}){{1,3}}|{_BEHIND})\s*\Z", re.MULTILINE
)
_GREETED = re.compile(
    r"^[ \t>*_]*(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|to whom|subject|liebe|lieber|hallo|"
    r"guten (?:morgen|tag|abend)|sehr geehrte)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""What begins a letter: a list may end in "Thanks" too."""
_OPEN = re.compile(r"[\[<(]")
_NAME = "[your name]"


def unsigned(text: str, said: str) -> str:
    """A letter without a name below it that nobody gave: the place is left to the person who sends it.

    ``said`` is what the person said. A small model signs with the first name that a file has.
    """
    signed = _SIGNED.search(text) if _GREETED.search(text) else None
    if signed is None or _OPEN.search(signed["name"]) or stems(signed["name"]) <= stems(said):
        return text
    return f"{text[: signed.end('closing')]}\n{_NAME}"

"""A short answer out of many sentences, as a model gives it that is neither told to cite nor that they may not say it.

On 16 questions over texts of ``scripts/bench/folders`` it was right 11 times, where an answer with its sentence behind
examples was 8 times; of 7 that both gave 6 were right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from aeon.documents.telling import numbered
from aeon.documents.words import stems
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.proof.readings import NUMBER_WORDS
from aeon.runtime.ledger import current_ledger
from aeon.schema import LONGEST_TASK, Source
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Reply, Supervisor

__all__ = ["MOST_SENTENCES", "bare", "is_absent", "is_same", "read_plainly"]

MOST_SENTENCES = 30
"""Sentences that are shown; of 14, eight of twelve answers were right, of 30 ten, of whole texts ten as well."""
_ANSWER_TOKENS = 60
_LONGEST_SENTENCES = 12_500
_CITED = re.compile(r"[\[(]\s*(?:sentences?\s*)?\d{1,3}(?:\s*(?:,|and|-)\s*\d{1,3})*\s*[\])]")
_SAID = r"(?:stat|mention|specif|provid|indicat|contain|includ|giv|say|said|tell|told|find|found|determin|know)\w*"
_ABSENT = re.compile(
    rf"(?:\b(?:not|cannot)|n[\u2019']t)(?: \w+){{0,2}}? {_SAID}|\bnot in the (?:sentence|text|passage)|"
    r"\bno (?:sentence|information|mention|text|answer)\b|\bunknown\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.,])-?\d+(?:[.,]\d+)*(?: ?%)?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_CLOCK = re.compile(
    r"(?P<hours>\d{1,2})(?:[:.](?P<minutes>\d\d))? ?(?P<half>[ap])\.?m\b\.?|(?P<h>\d{1,2}):(?P<m>\d\d)", re.IGNORECASE
)
_DENIED = re.compile(r"\b(?:not|no|never|none|without|except)\b|n[\u2019']t\b", re.IGNORECASE)


async def read_plainly(supervisor: Supervisor, question: str, sources: Sequence[Source]) -> Reply[str] | None:
    """What the model makes of the sentences; ``None`` where it cannot be asked, or gives nothing usable."""
    if not sources or current_ledger().calls_left() <= 1:
        return None
    shown = fence("sentences", "\n".join(numbered(sources, files=True)), _LONGEST_SENTENCES)
    asked = f"{shown}\nQuestion: {cut(question, LONGEST_TASK)}"
    prompt = Prompt(load("aeon.supervisor", "plain.md"), asked, fixed=True)
    try:
        return await supervisor.text(prompt, max_tokens=_ANSWER_TOKENS, repairs=0, likelihood=True)
    except (CompletionError, AllowanceExhausted):
        return None


def bare(reply: str) -> str:
    """The answer of a reply, without the numbers of sentences, quotes and a full stop."""
    return _CITED.sub("", reply).strip().strip("\"'").removesuffix(".").strip()


def is_absent(answer: str) -> bool:
    """Whether an answer says that the sentences do not say it, or nothing."""
    return not answer or bool(_ABSENT.search(answer))


def is_same(one: str, other: str) -> bool:
    """Whether two short answers are the same: the same numbers, and all words of one of them in the other.

    Neither may deny what the other does not. A number is the same in words, with marks and with zeros behind its point;
    a time of day in either form.
    """
    numbers, words = zip(*map(_parts, (one, other)), strict=True)
    few, many = sorted(words, key=len)
    denied = bool(_DENIED.search(one)) is bool(_DENIED.search(other))
    return denied and numbers[0] == numbers[1] and few <= many and bool(few or numbers[0])


def _parts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The numbers of a text, and the words that say what it is about."""
    text = _THOUSANDS.sub("", _CLOCK.sub(_time, text.casefold()))
    found = {_plain(number) for number in _NUMBER.findall(text)}
    spelt = {str(NUMBER_WORDS[word]) for word in re.findall(r"[^\W\d_]+", text) if word in NUMBER_WORDS}
    words = frozenset(word for word in stems(_NUMBER.sub(" ", text)) if word not in NUMBER_WORDS)
    return frozenset(found | spelt), words


def _time(match: re.Match[str]) -> str:
    """A time of day as the minutes since midnight."""
    hours, minutes = int(match["hours"] or match["h"]), int(match["minutes"] or match["m"] or 0)
    hours = hours if match["half"] is None else hours % 12 + 12 * (match["half"] == "p")
    return f" {hours * 60 + minutes}min "


def _plain(number: str) -> str:
    """A number without zeros behind its point, as it is where it has several points."""
    unit = "%" * number.endswith("%")
    try:
        return f"{Decimal(number.removesuffix('%').strip().replace(',', '.')).normalize():f}{unit}"
    except InvalidOperation:
        return number

"""Whether two are the same in something, or both are something: each is asked about alone, and the host compares.

Asked for both at once, a small model says yes or no by what it read of one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.documents.plain import word_set
from aeon.engines.research.common import stems
from aeon.engines.research.measures import value_of
from aeon.engines.research.questions import asks_yes_no
from aeon.engines.research.shortnames import written_out
from aeon.engines.research.values import Comparison, Finding, Relation
from aeon.proof.mentions import mentions
from aeon.supervisor.prompt import Prompt, cut, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["alike", "is_alike", "sides_alike", "speaks_of_both"]

_TOKENS = 80
_LONGEST_QUESTION = 600
_BOTH, _YES, _NO = 2, "yes", "no"
_SAME = re.compile(r"\bsame\b", re.IGNORECASE)
_OF_BOTH = re.compile(r"\b(?:same|both)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_LITTLE = word_set("a an at by in of on the year")
_SAME_IN = re.compile(
    r"(?P<verb>\w+) (?P<one>.+?) ?(?P<of>\b(?:at|in|on|from|by|of|to|for|with|under|near))? ?\b"
    r"the same (?P<what>[^?]+)\?",
    re.IGNORECASE,
)
_EXAMPLES = (
    (
        "Do Anna Kern and Pavel Ros teach at the same school?",
        "At which school does Anna Kern teach?\nAt which school does Pavel Ros teach?",
    ),
    (
        "Are the Velda and the Orne both rivers in Norway?",
        "Is the Velda a river in Norway?\nIs the Orne a river in Norway?",
    ),
    (
        "Is the treasurer of the club the same person as its chairman?",
        "Who is the treasurer of the club?\nWho is the chairman of the club?",
    ),
    (
        "Are Tom Hale and the drummer Jo Finn members of the same party?",
        "Which party is Tom Hale a member of?\nWhich party is Jo Finn a member of?",
    ),
    (
        "Are Ostrava Castle and the Old Mint both castles in the same region?",
        "In which region is Ostrava Castle?\nIn which region is the Old Mint?",
    ),
    (
        "Were both the tower and the chapel painted by the same artist?",
        "Which artist painted the tower?\nWhich artist painted the chapel?",
    ),
)


def is_alike(question: str) -> bool:
    """Whether a yes or no is asked for: whether two are the same in something, or both are something."""
    return asks_yes_no(question) and _OF_BOTH.search(question) is not None


async def sides_alike(supervisor: Supervisor, question: str) -> Comparison | None:
    """The question as one about each of two; ``None`` where the model names no two that the question is about.

    Raises:
        ModelError: the endpoint gave no answer at all.
    """
    prompt = Prompt(load("aeon.engines.research", "alike.md"), cut(question, _LONGEST_QUESTION), _EXAMPLES, fixed=True)
    reply = await supervisor.said(prompt, max_tokens=_TOKENS)
    if reply is None:
        return None
    relation: Relation = "same" if _SAME.search(question) else "both"
    lines = [_opened(line.strip()) for line in reply.splitlines() if line.strip()]
    if not _are_two(lines, question) or not all(_is_side(line, question, relation == "both") for line in lines):
        return None
    return Comparison(question=question, sides=(lines[0], lines[1]), relation=relation)


def _are_two(lines: Sequence[str], question: str) -> bool:
    """Whether the lines ask about two different things, and together name all that the question does."""
    if len(lines) != _BOTH or stems(lines[0]) == stems(lines[1]):
        return False
    asked = _names(question)
    named = [asked & _names(line) for line in lines]
    return named[0] | named[1] == asked and (len(asked) < _BOTH or all(one < asked for one in named))


def _names(text: str) -> frozenset[str]:
    return frozenset(one.text for one in mentions(text) if one.kind == "name")


def _opened(line: str) -> str:
    """A question of one of the two, which asks what it is: "at the same site" makes no sense of one alone."""
    found = _SAME_IN.fullmatch(line) if asks_yes_no(line) and " as " not in line else None
    if found is None:
        return line
    which = f"{found['of'] or ''} which {found['what']}".strip()
    return f"{which[0].upper()}{which[1:]} {found['verb'].casefold()} {found['one']}?"


def _is_side(line: str, question: str, is_plain: bool) -> bool:
    """Whether a line asks for one of the two: a yes or no if that ``is_plain``, of nothing that was not spoken of."""
    is_own = line.endswith("?") and not _OF_BOTH.search(line) and all(name in question for name in _names(line))
    return is_own and asks_yes_no(line) == is_plain


def alike(asked: Comparison, one: Finding, other: Finding) -> Finding:
    """Yes or no, by what was found of each; no answer where that is none."""
    nothing = Finding(question=asked.question, asked=True)
    answers = (one.answer, other.answer)
    if asked.relation == "both":
        if not {*answers} <= {_YES, _NO}:
            return nothing
        is_so: bool | None = {*answers} == {_YES}
    else:
        is_so = _same(*answers)
    if is_so is None:
        return nothing
    evidence = tuple(dict.fromkeys((*one.evidence, *other.evidence)))
    return nothing.changed(answer=_YES if is_so else _NO, evidence=evidence)


def speaks_of_both(finding: Finding, cited: str) -> bool:
    """Whether what is ``cited`` for a yes or no about two has all names of the question; of another finding, yes."""
    if finding.answer not in (_YES, _NO) or not is_alike(finding.question):
        return True
    said = stems(cited)
    return all(stems(name) <= said for name in _names(finding.question))


def _same(one: str, other: str) -> bool | None:
    """Whether two answers name the same; ``None`` where they may.

    They do with the same words, where one only goes on behind the other or is its short form; with a number, where that
    is the same, and the words beside it, or one has none. One that the other has within it may be another: York and New
    York.
    """
    if _goes_on(one, other) or _goes_on(other, one) or written_out((one, other)):
        return True
    if _is_value(one) or _is_value(other):
        return value_of(one) == value_of(other) != "" and _beside(one, other)
    left, right = stems(one), stems(other)
    if left == right:
        return True
    return None if left < right or right < left else False


def _is_value(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _beside(one: str, other: str) -> bool:
    """Whether two that have one value have the same words beside it, or one has none, or both are a day."""
    if value_of(one).startswith(("'", '"')):
        return True
    left, right = (frozenset(_WORD.findall(text.casefold())) - _LITTLE for text in (one, other))
    return left == right or not left or not right


def _goes_on(short: str, long: str) -> bool:
    """Whether one text is the other, or has more behind it: "Harbour Choir", and "the Harbour Choir of Dale"."""
    begun, whole = (_ARTICLE.sub("", text.strip()).casefold() for text in (short, long))
    return bool(begun) and f"{whole} ".startswith(f"{begun} ")

"""What a pronoun in the next question of a task means: the answer to the one before it, or what that one is about."""

from __future__ import annotations

import re

__all__ = ["referred"]

_NAMED = re.compile(r"[A-Z]|\d{3}")
_PRONOUN = re.compile(r"\b(it|he|she|they|him|them|this|that)\b(?!\s+(?:is|was)\s+that\b)", re.IGNORECASE)
_POSSESSED = re.compile(r"\b(its|his|her|their)\b", re.IGNORECASE)
_OF_A_THING = frozenset({"it", "its", "this", "that"})
_OF_A_PERSON = frozenset({"he", "him", "his", "she", "her"})
_ASKED = re.compile(r"\b(who|whom|whose|what|when|where|which|why|how)\b", re.IGNORECASE)
_PERSONS, _THINGS = frozenset({"who", "whom", "whose"}), frozenset({"what", "which"})
_FIGURE = re.compile(r"\d")
_PART = "[A-Z][\\w'\u2019-]*"
_NAME = re.compile(rf"(?<=\s)(?!I\b){_PART}(?: (?:of |the |de |von )?{_PART})*")
_DETERMINERS = "the|our|this|these|your|an?"
_ENDED = re.compile(
    r"(?=\s(?:in|on|at|by|for|to|with|from|before|after|into|under|over|until|since|during|between|through|up|down|out|"
    r"off|who|whom|whose|which|that|where|when|as|last|first|ever|still|now|always|also|often|his|her|its|their)\b|"
    rf"(?<!\sof)\s(?:{_DETERMINERS})\s|[?,;]|$)"
)
_NOUNS = re.compile(rf"\b((?:{_DETERMINERS}) [a-z].*?){_ENDED.pattern}", re.IGNORECASE)
_TURNED = re.compile(
    rf"\b(?:(is|are|was|were)|do|does|did|has|have|had|can|could|will|would|may|must|should) (?=(?:{_DETERMINERS}) )",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"(?:\w+(?:ed|en|wn|rn)|built|made|held|kept|set|sold|bought|found|laid|cut|lost|shut|begun|won|done|put|hung|cast|dug|"
    r"sunk|struck|lit|led|fed|paid|sent|said|told|taught|caught|brought|run|left|met|spent|lent|stuck|hit|shot)"
)
"""Words that say what was done, at the end of "When was the mill built?"."""
_HOLDS = re.compile(
    rf"(?:what|which) (?:is|are|was|were) (?:the|our) [\w ]+? of (?=(?:{_DETERMINERS}) )", re.IGNORECASE
)
_NAMING = re.compile(r"(?:what|which) (?:is|are|was|were) the (?:names?|titles?) ", re.IGNORECASE)
_LIKENED = re.compile(rf"(?:what|which) [a-z]+ (?:is|are|was|were) (?:{_DETERMINERS}) ", re.IGNORECASE)
"""What a thing is like: "What colour is the hut?"."""


def referred(question: str, before: str, answer: str) -> str:
    """A question with what its pronoun means in the place of it, if it has one and names nothing.

    That is the ``answer`` to the question ``before`` it, where that asks for a person and the pronoun is one's, or for
    a thing and the pronoun is a thing's; else what that question is about: of "Who set up the wheel?" no "it" is who
    did, and of "When was the mill built?" none is a year. Where that is not told, the question stays as it is.
    """
    if _NAMED.search(question[1:]):
        return question
    owned = _POSSESSED.search(question)
    found = owned or _PRONOUN.search(question)
    meant = _meant(found[0].casefold(), before, answer) if found else ""
    if found is None or not meant:
        return question
    ending = "'s" if owned else ""
    return f"{question[: found.start()]}{meant}{ending}{question[found.end() :]}"


def _meant(pronoun: str, before: str, answer: str) -> str:
    asked = _ASKED.search(before)
    word = asked[0].casefold() if asked else ""
    if (word in _PERSONS and pronoun not in _OF_A_THING) or (word in _THINGS and _is_thing(before, answer)):
        return answer
    return (_named(before) if pronoun in _OF_A_PERSON else "") or _about(before)


def _is_thing(question: str, answer: str) -> bool:
    """Whether the answer to what or which is a thing itself: no figure, and not what something else is like."""
    is_told = _LIKENED.match(question) or (_HOLDS.match(question) and not _NAMING.match(question))
    return not is_told and _FIGURE.search(answer) is None


def _named(question: str) -> str:
    """The first name in a question, "" where it has none."""
    found = _NAME.search(question)
    return found[0] if found else ""


def _about(question: str) -> str:
    """What a question is about: the first thing that it names with an article, else its first name; "" for neither.

    Of "What is the height of the mill?" that is the mill; of "When was the mill built?" the last word says what was
    done.
    """
    held = _HOLDS.match(question)
    rest = question[held.end() :] if held else question
    found = _NOUNS.search(rest)
    if found is None:
        return _named(question)
    *_, noun = found[1].rpartition(" of ")
    turned = next((one for one in _TURNED.finditer(rest) if one.end() == found.start()), None)
    words = found[1].split()
    if turned is None or len(noun.split()) <= len(("the", "mill")):
        return found[1]
    has_verb = not turned[1] or _DONE.fullmatch(words[-1])
    return " ".join(words[:-1] if has_verb else words)

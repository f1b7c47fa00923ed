"""The form that a task asks of its answer, as far as it can be counted."""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from aeon.documents.words import stems

__all__ = ["Items", "asks_form", "form_faults", "items"]

_I = re.IGNORECASE

_TO_SAY = re.compile(
    r"\b(?:e-?mails?|letters?|notes?|messages?|notices?|reminders?)\b[^.?!:;]*?\bthat\s+(?P<said>[^.?!:;\n]{1,200})", _I
)
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "twelve": 12,
}  # fmt: skip
_N = r"(\d{1,4}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r")(?! (?:few|couple|dozen|hundred|number)\b)"
_MANY = rf"(?!an?\b){_N}"
_MOST = r"(?:at most|no more than|not more than|up to|a maximum of|maximum|max\.?|under|fewer than|less than|within)"
_JSON = re.compile(
    r"\b(?:as|in|return|output|give|reply|respond|answer|only|valid)\W+"
    r"(?:(?:only|just|valid|plain|raw|an?|one|the|single|answer|result|it|me|with|in|as)\W+){0,5}JSON\b"
    r"|\b(?:an?|one|single|valid|plain) JSON (?:object|array|list)\b",
    _I,
)
_CODE_ONLY = re.compile(r"\b(?:only|just) (?:the |with )?(?:\w+ )?code\b|\bcode only\b|\bno explanation\b", _I)
_ONE_WORD = re.compile(
    r"\b(?:in|with|as|only|just|reply with|answer with)\s+(?:exactly |only )?(?:one|a single|1) word\b"
    r"|\bone word only\b",
    _I,
)
_EXACT = re.compile(
    rf"\b(?:in|with|using|write|give|exactly)\s+(?:exactly )?{_N} (?:\w+ )?sentences?\b|\b{_N}-sentence\b", _I
)
_OR_LESS = r"(?:,? (?:at (?:the )?most|or (?:less|fewer)|maximum|max\b|tops))"
_MOST_SENTENCES = re.compile(rf"\b{_MOST} {_N} (?:\w+ )?sentences?\b|\b{_N} sentences?{_OR_LESS}", _I)
_MOST_WORDS = re.compile(rf"\b{_MOST} {_N} words\b|\b{_N} words{_OR_LESS}", _I)
_EXACT_WORDS = re.compile(rf"\bexactly {_N} words\b", _I)
_LIST = re.compile(
    rf"\b(?:list(?: of)?|name|give(?: me)?|suggest|write|propose)\s+(?:exactly |only )?{_MANY} (?:\w+ ){{0,6}}?"
    rf"[^.?!]{{0,300}}\b(?:one|each)\b[^.?!]{{0,20}}\b(?:per|on|a|its own|in its own|in a) (?:\w+ )?line\b",
    _I,
)
_POINTS = re.compile(rf"\b{_MANY} (?:\w+ )?(?:bullet points?|bullets)\b|\b(?:in|as) {_MANY} (?:\w+ )?points\b", _I)
_LINES = re.compile(rf"\b(?:exactly|of|with|in|using) (?:exactly )?{_MANY} (?:\w+ )?lines\b(?! of code)", _I)
_LANGUAGE = re.compile(
    r"\b(?:translat\w+|languages?|kanji|alphabet|script|in (?:arabic|chinese|czech|german|greek|hebrew|hindi|japanese|"
    r"korean|mandarin|persian|russian|thai|ukrainian))\b",
    _I,
)
_REFUSES = re.compile(
    r"\W*(?:(?:certainly|sure|of course)\b[^:\n]{0,60}:\s+)?"
    r"(?:(?:(?:I[\u2019']m|I am) sorry|I apologi[sz]e)(?: for (?:the|any) \w+)?[,.]? (?:but )?)?"
    r"(?:as an? (?:AI\b|artificial intelligence|(?:large )?language model)|"
    r"I (?:cannot|can[\u2019']t) (?:assist|help|access|provide)|"
    r"I(?: am|[\u2019']m) not (?:sure|able)\b|"
    r"I (?:do not|don[\u2019']t) have (?:access|any (?:specific )?information))",
    _I,
)
"""How a model begins that does not do what it was asked for."""
_SHORT = 20
_FOREIGN = 0.2
"""The share of letters of another script above which a text is in another language."""
_SENTENCE_END = re.compile(r"(?<![.!?])[.!?]++[\"')\]\u201d\u2019]*(?=\s+[\"'(\[\u201c\u2018]*[A-ZÄÖÜ0-9]|\s*$)")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|Mr|Mrs|Ms|Dr|Prof|St|No|approx|U\.S|a\.m|p\.m)\.", _I)
_BULLET = re.compile(r"^[^\S\n]*(?:[-*•]|\d+[.)])\s+\S", re.MULTILINE)
_FENCE = re.compile(r"^\s*```[^\n]*\n.*\n?```\s*$", re.DOTALL)


def asks_form(task: str) -> bool:
    """Whether the task says in words what form its answer has."""
    patterns = (
        _JSON, _CODE_ONLY, _ONE_WORD, _EXACT, _MOST_SENTENCES, _MOST_WORDS, _EXACT_WORDS, _LIST, _POINTS, _LINES
    )  # fmt: skip
    return any(pattern.search(task) for pattern in patterns)


class Items(NamedTuple):
    """A text in so many sentences, lines or points."""

    number: int
    unit: str

    def joined(self, items: Sequence[str]) -> str:
        """The text of these items; where one of so many sentences holds several, the first of it."""
        if self.unit == "sentences":
            return " ".join(found[0] for item in items if (found := _split(item)))
        mark = "- " if self.unit == "points" else ""
        return "\n".join(f"{mark}{item.strip()}" for item in items)


def items(task: str) -> Items | None:
    """The items that the task asks for by number, ``None`` if it says no exact number of them."""
    if _JSON.search(task) or _MOST_SENTENCES.search(task):
        return None
    rules = ((_EXACT, "sentences"), (_LIST, "lines"), (_LINES, "lines"), (_POINTS, "points"))
    found = ((pattern.search(task), unit) for pattern, unit in rules)
    return next((Items(_number(next(filter(None, m.groups()))), unit) for m, unit in found if m), None)


def form_faults(task: str, answer: str) -> list[str]:
    """What of the form that the task asks for in words the answer does not have, each in a few words for the model.

    Counted are sentences, words, lines and points; JSON is parsed. A refusal has no form. What cannot be counted is not
    looked at.
    """
    return list(_faults(task, answer.strip()))


def _faults(task: str, answer: str) -> Iterator[str]:
    if _REFUSES.match(answer):
        yield "the answer must do the task, and not say what its author is or cannot do"
    if not _LANGUAGE.search(task) and _is_foreign(task, answer):
        yield "the answer must be in the language of the task"
    if fault := _whole(task):
        yield from filter(None, (fault(answer),))
        return
    yield from _counted(task, answer)
    if asks_form(task) and _repeats(answer):
        yield "it says a sentence twice"
    if not _LANGUAGE.search(task) and (said := _message(task)) and not stems(said) & stems(answer):
        yield f"it must say that {said}"


def _message(task: str) -> str:
    """What a letter is to say, where the task has several words for that: an e-mail to Ann that her frame is ready."""
    found = _TO_SAY.search(task)
    return found["said"].strip() if found and len(stems(found["said"])) > 1 else ""


def _whole(task: str) -> Callable[[str], str] | None:
    """What is looked for where the task asks for JSON, for code or for one word; ``None`` where it asks for neither."""
    if _JSON.search(task):
        return lambda said: "" if _is_json(said) else "the answer must be JSON and nothing else"
    if _CODE_ONLY.search(task):
        return lambda said: "" if _is_code(said) else "the answer must be code and nothing else"
    if _ONE_WORD.search(task):
        return lambda said: "" if len(said.split()) == 1 else "the answer must be one word"
    return None


def _is_code(answer: str) -> bool:
    return _FENCE.match(answer) is not None or "```" not in answer


def _counted(task: str, answer: str) -> Iterator[str]:
    """The faults of length: of each kind that the task names."""
    rules: tuple[tuple[re.Pattern[str], Callable[[str], int], str, bool], ...] = (
        (_MOST_SENTENCES, _sentences, "sentences", True),
        (_EXACT, _sentences, "sentences", False),
        (_MOST_WORDS, _words, "words", True),
        (_EXACT_WORDS, _words, "words", False),
        (_LIST, _lines, "lines", False),
        (_LINES, _lines, "lines", False),
        (_POINTS, _points, "points", False),
    )
    seen: set[str] = set()
    for pattern, count, unit, at_most in rules:
        match = pattern.search(task)
        if match is None or unit in seen:
            continue
        seen.add(unit)
        wanted, there = _number(next(filter(None, match.groups()))), count(answer)
        if there > wanted or (there < wanted and not at_most):
            yield f"it has {there} {unit}, and must have {'at most' if at_most else 'exactly'} {wanted}"


def _repeats(answer: str) -> bool:
    """Whether a sentence of some length stands in the answer twice."""
    said = [part.strip().casefold() for part in _SENTENCE_END.split(answer) if len(part) > _SHORT]
    return len(set(said)) < len(said)


def _is_foreign(task: str, answer: str) -> bool:
    """Whether a part of the answer is in a script that the task is not written in."""
    scripts = [_script(char) for char in answer if char.isalpha()]
    own = {_script(char) for char in task if char.isalpha()}
    return bool(own) and sum(script not in own for script in scripts) > _FOREIGN * len(scripts)


def _script(char: str) -> str:
    """The first word of a letter's name, such as LATIN; ``ª`` and ``º`` are Latin too."""
    return unicodedata.name(unicodedata.normalize("NFKC", char)[:1], "").split(" ")[0]


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text.lower()]


def _is_json(answer: str) -> bool:
    text = answer.removeprefix("```json").removeprefix("```").removesuffix("```")
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _sentences(answer: str) -> int:
    text = _ABBREVIATION.sub(lambda match: match[0].replace(".", ""), answer)
    ended = _SENTENCE_END.findall(text)
    return len(ended) + (not re.search(r"[.!?][\"')\]\u201d\u2019]*\s*$", text))


def _split(text: str) -> list[str]:
    """The sentences of a text."""
    shown = _ABBREVIATION.sub(lambda match: match[0].replace(".", "\0"), text)
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(shown)), len(text)]
    return [one for a, b in itertools.pairwise(ends) if (one := text[a:b].strip())]


def _words(answer: str) -> int:
    return len(re.findall(r"[^\W_][\w'\u2019-]*", answer))


def _lines(answer: str) -> int:
    return sum(bool(line.strip()) for line in answer.splitlines())


def _points(answer: str) -> int:
    return len(_BULLET.findall(answer))

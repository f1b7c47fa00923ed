"""The plan of a text that is to be written from the files: what is read for it, and the writing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from aeon.documents.words import content_words, stem, stems
from aeon.plan.sources import LOOKUP, About
from aeon.schema import JsonObject, JsonValue, Plan, Step, Task, ToolCall, Writing
from aeon.supervisor.form import asks_form
from aeon.text import one_line
from aeon.tools.registry import ToolRegistry
from aeon.tools.texts import READ_TEXTS

__all__ = ["FromTexts"]

_I = re.IGNORECASE
_WISHES = r"(?:^|[.!?:;,\n]\s*|\b(?:and|then|please|kindly|(?:can|could|would|will) you|(?:you |me |us )?to|me|us)\s+)"
_LETTER = (
    r"(?:e-?mails?|letters?|notes?|notices?|announcements?|memos?|messages?|articles?|posts?|paragraphs?|repl(?:y|ies)|"
    r"answers?|invitations?|reminders?|leaflets?|posters?|texts?|speech(?:es)?|newsletters?)"
)
_SAYING = r"(?:sentences?|lines?|words)(?= (?:that |to )?(?:invit|remind|tell|thank|announc|warn|inform)\w*\b)"
"""Sentences that are a letter, since they are to invite, or to remind."""
_SUMMARY = r"(?:summar(?:y|ies)|overviews?|recaps?|outlines?|digests?|reports?)"
_WRITTEN = re.compile(
    rf"{_WISHES}(?:summari[sz]e|sum up|outline|recap|compare(?![^?]*\?))\b|"
    rf"{_WISHES}(?:please )?(?:write|draft|compose|prepare|give|make|create|send)\b[^.?!:]*?"
    rf"\b(?:{_LETTER}|{_SUMMARY}|{_SAYING})\b|"
    rf"\b(?:an?|the|short|brief|quick) {_SUMMARY} of\b|\b(?:main|key) points?\b",
    _I,
)
"""What asks for running text: a summary, a comparison, a letter."""
_LISTED = re.compile(
    rf"{_WISHES}(?:explain(?! (?:(?:to )?(?:me|us) )?(?:how (?:many|much|long|often|far|old)|when|who|which|where)\b)|"
    r"describe|tell (?:me|us) about)\b|"
    r"\bwhat (?:was|were|has been|have we|did (?:we|they|the \w+)) (?:\w+ )?(?:decided?|agreed?|discuss(?:ed)?|"
    r"resolved?|settled?)\b(?! to (?!do\b)\w)|"
    r"\bwhat (?:do|does|did) (?!(?:I|we|you|he|she|it|they|one|somebody|people)\b)[^?]{3,80}? "
    r"(?:say|tell|state|announce|write)\b|"
    r"\bwhat (?:are|were) (?:\w+ ){1,4}?(?:rules|terms|conditions|arrangements|duties|tasks|steps|instructions|"
    r"highlights)\b",
    _I,
)
"""What asks for all that the texts say of something, each thing on a line: rules, decisions, what a letter says."""
_A_LETTER = re.compile(rf"\b(?:{_LETTER}|sentences?|lines?|words)$", _I)
_KINDS = stems(
    "minutes letter email mail notes quote reminders agenda contract report newsletter manual handbook invoice "
    "policies rules terms prices"
)
"""Kinds of documents."""
_INVENTED = re.compile(r"\b(?:poems?|haikus?|limericks?|stor(?:y|ies)|jokes?|songs?|function|script|JSON)\b", _I)
_ALL_FILES = re.compile(r"\b(?:these|the|all|my|our|this) (?:\w+ )?(?:files?|documents?|folder|texts?|papers)\b", _I)
_ABOUT = re.compile(
    r"\b(?:about|regarding|concerning|on the subject of|inviting (?:them|him|her)?|"
    r"(?:explain(?:s|ing)|say(?:s|ing)|telling) (?:to )?(?:them |him |her |people )?(?:that|what|how))\b(?=\s+\w)|:\s",
    _I,
)
_GENERAL = stems(
    "explain describe summarise summarize sum outline recap compare write draft compose prepare give make create send "
    "email mail letter note notice announcement memo message article post paragraph reply answer invitation reminder "
    "leaflet poster text speech newsletter summary overview digest report list points main key short brief quick "
    "friendly polite please decide agree discuss resolve settle say tell state announce work cost new old rule policy "
    "term condition arrangement duty task step instruction highlight sentence bullet line word everything thing "
    "invite inviting remind reminding thank thanking inform informing warn warning "
    "somebody someone people file document folder member customer staff friend neighbour use exactly json object made "
    "two three four five six seven eight nine ten"
)
"""Words for the form of a text, for whom it is, and for what every folder has."""
_FIGURES = re.compile(r"\d+")
_WORD = re.compile(r"[\w'-]+")
_NAME = re.compile(r"(?<=[a-z,] )(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|JSON\b)[A-Z][a-z]{2,}")
_THE = re.compile(
    r"\bthe (\w{3,})(?=\s*[?.,:;]|\s*$| (?:do|does|did|works?|is|are|was|were|in|on|for|at|of|from|to|and|with)\b)"
)
_WHY = re.compile(r"\b(?:explain|describe)(?: to \w+(?: \w+)?)? why\b", _I)
"""What asks for reasons: of what is nobody's own these stand in no file."""
_NAMED = 2 / 3
"""The share of the words of a document's name that name it; or of the words of a task that its name and title have."""
_KNOWN, _KNOWN_OWN = 0.6, 0.5
_MOST_DOCUMENTS = 6
_BY_LINES = "Write a list, a line for each thing."


class _Wish(NamedTuple):
    """What sort of text is asked for: a letter to somebody, or a line for each thing; ``rest`` is what else is said."""

    is_letter: bool
    by_lines: bool
    rest: str


class FromTexts:
    """Plans what is to be written from the texts of a folder."""

    def __init__(self, tools: ToolRegistry) -> None:
        self._titles = tools.get(READ_TEXTS).texts if READ_TEXTS in tools.names else {}

    def plan(self, task: Task, about: About) -> Plan | None:
        """The plan; ``None`` where no text is asked for, or one that has nothing to do with the files.

        What is somebody's own, and no text knows, is looked up, which says so; a summary or a letter about words that
        the tables know is left to whoever asks these.
        """
        wish = _wish(task.text) if self._titles else None
        if wish is None:
            return None
        named, topic = self._named(wish), _topic(task.text)
        if named or _is_known(topic, about):
            part = topic if not named or _ABOUT.search(task.text) else ""
            return _written(task, named, part, wish)
        of_tables = not wish.by_lines and _subject(topic) & about.tables
        return _looked_up(task) if about.is_own and not of_tables else None

    def _named(self, wish: _Wish) -> tuple[str, ...]:
        """The documents that a task names: by names and titles, by the kind of document, or all of them at once."""
        asked = frozenset({*stems(wish.rest), *_FIGURES.findall(wish.rest)})
        shares = {name: max(_share(_name(name), asked), _share(asked - _GENERAL, self._words(name)))
                  for name in self._titles}  # fmt: skip
        best = max(shares.values(), default=0.0)
        if best >= _NAMED:
            return tuple(name for name, share in shares.items() if share == best)[:_MOST_DOCUMENTS]
        only = [] if wish.is_letter else [name for name in self._titles if asked & _KINDS & self._words(name)]
        if len(only) == 1:  # the minutes, where there are no others
            return tuple(only)
        return tuple(self._titles)[:_MOST_DOCUMENTS] if _ALL_FILES.search(wish.rest) else ()

    def _words(self, name: str) -> frozenset[str]:
        """The words of the name and the title of a document."""
        return _name(name) | stems(self._titles[name])


def _wish(text: str) -> _Wish | None:
    """What sort of text is asked for; ``None`` where none is, or one that is made up."""
    listed, written = bool(_LISTED.search(text)), _WRITTEN.search(text)
    if not (listed or written) or _INVENTED.search(text):
        return None
    is_letter = written is not None and _A_LETTER.search(written[0]) is not None
    rest = f"{text[: written.start()]} {text[written.end() :]}" if written and is_letter else text
    return _Wish(is_letter, by_lines=written is None and not asks_form(text), rest=rest)


def _written(task: Task, named: Sequence[str], topic: str, wish: _Wish) -> Plan:
    """The plan of what is written from these documents, or what they, or all, say on a topic."""
    what = ", ".join(one_line(name, 60) for name in named) or "the texts"
    arguments: JsonObject = {"question": topic, "documents": list[JsonValue](named)}
    read = Step(id="s1", description=f"read {what}", action=ToolCall(tool=READ_TEXTS, arguments=arguments))
    text = f"{task.text}\n{_BY_LINES}" if wish.by_lines else task.text
    writing = Writing(task=text, grounded=True)
    write = Step(id="s2", description="write it", action=writing, dependencies=(read.id,))
    return Plan(steps=(read, write), answer=(write.id,)).numbered()


def _name(path: str) -> frozenset[str]:
    """The words of the name of a file."""
    name = PurePath(path).stem.replace("-", " ").replace("_", " ")
    return stems(name) | frozenset(_FIGURES.findall(name)) or frozenset({name.casefold()})


def _share(words: frozenset[str], there: frozenset[str]) -> float:
    return len(words & there) / len(words) if words else 0.0


def _topic(text: str) -> str:
    """The words for what a text is to be about, without those that say in which form and for whom."""
    behind = _ABOUT.search(text)
    topic = text[behind.end() :] if behind else text
    return " ".join(word for word in _WORD.findall(topic) if stem(word) not in _GENERAL) or text


def _is_known(topic: str, about: About) -> bool:
    """Whether the files say something about a topic, as far as words tell.

    Of what is somebody's own, or of a name or "the tin" that stands there, they know half of the words, or the like of
    them. Else most of them stand in the sentences that are nearest to it.
    """
    own = _subject(topic)
    near = stems(" ".join(f"{one.source} {one.heading} {one.text}" for one in about.evidence.sources))
    if about.is_own or _names_of(about.text) & near:
        known, least = len(own & (about.texts | about.both | about.akin)), _KNOWN_OWN
    else:
        known, least = 0 if _WHY.search(about.text) else sum(stem(word) in near for word in own), _KNOWN
    return known > 0 and known >= least * len(own)


def _subject(topic: str) -> frozenset[str]:
    """The words that say what a topic is about."""
    return frozenset(word for word in content_words(topic) if word.isalpha() and stem(word) not in _GENERAL)


def _names_of(text: str) -> frozenset[str]:
    """The stems of the names that a text has, and of the things that it takes for known: the tin."""
    return frozenset(map(stem, (*_NAME.findall(text), *_THE.findall(text))))


def _looked_up(task: Task) -> Plan:
    step = Step(id="s1", description="answer", action=ToolCall(tool=LOOKUP, arguments={"question": task.text}))
    return Plan(steps=(step,), answer=(step.id,)).numbered()

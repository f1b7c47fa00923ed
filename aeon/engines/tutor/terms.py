"""The texts that are worth looking for: what a task quotes, names like identifiers, and its other words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = [
    "asked_of",
    "asks_number",
    "counts_lines",
    "files_named",
    "identifiers",
    "key_value",
    "quoted",
    "terms",
    "told_before",
    "words",
]

_QUOTED = re.compile(r"[\"“`]([^\"”`\n]{2,80})[\"”`]|(?<!\w)'([^'\n]{2,80})'(?!\w)")
_TOKEN = re.compile(r"[^\s,;:!?()\[\]{}<>\"“”`']+")
_IDENTIFIER = re.compile(r"[\w./-]*(?:\d|_|\w[./-]\w)[\w./-]*|[A-Z]{2,}|[a-z]+[A-Z]\w*")
_WORD = re.compile(r"[^\W\d_]{4,}")
_COUNTS = re.compile(r"\bhow many|\bnumber of|\bcount\b", re.IGNORECASE)
_COUNTS_LINES = re.compile(
    r"\b(?:how many|number of|count) (?:of )?(?:the )?(?:\w+ )?"
    r"(?:lines|entries|rows|files|times|matches|occurrences)\b|\bhow often\b",
    re.IGNORECASE,
)
_WHICH_LINE = re.compile(r"[^.?!]{0,300}\bwhich line\b", re.IGNORECASE)
_COMMON = frozenset({
    "about", "after", "also", "answer", "any", "before", "between", "code", "come", "contain", "contains", "does",
    "each", "earlier", "event", "every", "exactly", "file", "files", "first", "folder", "from", "function",
    "have", "hold", "holds", "import", "imports", "into", "line", "lines", "list", "many", "module", "modules",
    "more", "most", "much", "named", "number", "only", "other", "python", "says", "should", "than", "that",
    "their", "them", "then", "there", "these", "they", "this", "total", "what", "when", "where", "which", "while",
    "with", "would",
})  # fmt: skip


def asks_number(question: str) -> bool:
    """Whether a question is for how many there are."""
    return _COUNTS.search(question) is not None


def counts_lines(question: str) -> bool:
    """Whether a question is for how many lines, entries or the like there are, which no single line says."""
    return _COUNTS_LINES.search(question) is not None


def told_before(question: str) -> tuple[str, ...]:
    """What a question for a line quotes before the sentence that asks which line it is: another one is meant."""
    return tuple(quoted(question.removesuffix(asked_of(question))))


def asked_of(question: str) -> str:
    """The sentence that asks which line it is, and what follows; the whole of another question."""
    asked = _WHICH_LINE.search(question)
    return question[asked.start() :] if asked else question


def quoted(text: str) -> Iterator[str]:
    """What stands in quotes."""
    return (match[1] or match[2] for match in _QUOTED.finditer(text))


def identifiers(text: str) -> Iterator[str]:
    """Tokens that no plain word is: with digits, underscores, dots or capitals within."""
    tokens = (token.strip(".-/") for token in _TOKEN.findall(text))
    return (token for token in tokens if len(token) > 1 and _IDENTIFIER.fullmatch(token))


def key_value(text: str) -> Iterator[str]:
    """Settings as they are written: ``name=value``."""
    return (token.strip(".") for token in _TOKEN.findall(text) if re.fullmatch(r"\w+=[\w.-]+", token.strip(".")))


def words(text: str) -> Iterator[str]:
    """Plain words that may say what is looked for."""
    return (word for word in _WORD.findall(text) if word.lower() not in _COMMON)


def files_named(text: str, files: Iterable[str]) -> list[str]:
    """The files that a text names, by path or by name."""
    tokens = {token.strip(".") for token in _TOKEN.findall(text)}
    return [path for path in files if path in tokens or path.rpartition("/")[2] in tokens]


def terms(text: str, files: Iterable[str]) -> list[str]:
    """What to look for in lines, the most telling first: quotes, settings, identifiers, words; no names of files."""
    named = {part for path in files_named(text, files) for part in (path, path.rpartition("/")[2])}
    found = [*quoted(text), *key_value(text), *identifiers(text), *words(text)]
    return [one for one in dict.fromkeys(found) if one not in named]

"""The texts that are worth looking for: what a task quotes, names like identifiers, and its other words.

They are told apart by how they are written; which of its other words are uncommon is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

__all__ = ["files_named", "identifiers", "marked", "modules_named", "modules_of", "quoted", "terms"]

_QUOTED = re.compile(r"[\"“`]([^\"”`\n]{2,80})[\"”`]|(?<!\w)'([^'\n]{2,80})'(?!\w)")
_TOKEN = re.compile(r"[^\s,;:!?()\[\]{}<>\"“”`']+")
_IDENTIFIER = re.compile(r"[\w./-]*(?:\d|_|\w[./-]\w)[\w./-]*|[A-Z]{2,}|[a-z]+[A-Z]\w*")
_MODULE = re.compile(r"[a-z_][\w.]*")


def quoted(text: str) -> Iterator[str]:
    """What stands in quotes."""
    return (match[1] or match[2] for match in _QUOTED.finditer(text))


def identifiers(text: str) -> Iterator[str]:
    """Tokens that no plain word is: with digits, underscores, dots or capitals within."""
    tokens = (token.strip(".-/") for token in _TOKEN.findall(text))
    return (token for token in tokens if len(token) > 1 and _IDENTIFIER.fullmatch(token))


def _settings(text: str) -> Iterator[str]:
    """Settings as they are written: ``name=value``."""
    return (token.strip(".") for token in _TOKEN.findall(text) if re.fullmatch(r"\w+=[\w.-]+", token.strip(".")))


def marked(text: str) -> list[str]:
    """What stands out by how it is written: quotes, settings, identifiers; each once."""
    return [*dict.fromkeys((*quoted(text), *_settings(text), *identifiers(text)))]


def files_named(text: str, files: Iterable[str]) -> list[str]:
    """The files that a text names, by path or by name."""
    tokens = {token.strip(".") for token in _TOKEN.findall(text)}
    return [path for path in files if path in tokens or path.rpartition("/")[2] in tokens]


def modules_of(files: Iterable[str]) -> dict[str, str]:
    """The Python files of a folder, each by the name that it is imported by."""
    return {path.removesuffix(".py").replace("/", "."): path for path in files if path.endswith(".py")}


def modules_named(text: str, known: Collection[str], files: Iterable[str]) -> list[str]:
    """The modules that a text names: those that are known, and what looks like one and is no file."""
    named = {*identifiers(text)} - {*files} | {word for word in re.findall(r"\w+", text) if word in known}
    return sorted(name for name in named if _MODULE.fullmatch(name))


def terms(text: str, files: Iterable[str], words: Iterable[str]) -> list[str]:
    """What to look for in lines: what stands out in a text, then its uncommon ``words``; no names of files."""
    named = {part for path in files_named(text, files) for part in (path, path.rpartition("/")[2])}
    return [one for one in dict.fromkeys((*marked(text), *words)) if one not in named]

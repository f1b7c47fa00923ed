"""Paths and values as TOML writes them: ``prices."gpt-4.1-mini".input = 0.4``."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping

__all__ = ["MOST_DEPTH", "Path", "assignment", "dotted", "toml"]

MOST_DEPTH = 32
"""How deep tables of settings may be nested."""

Path = tuple[str, ...]
"""The names that lead to a setting, outermost first."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STEP = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^.="']*?)\s*([.=])""")


def dotted(path: Iterable[str | int]) -> str:
    """The path with dots between its names; a name with other than letters, digits, ``_`` and ``-`` is quoted."""
    return ".".join(_key(str(name)) for name in path)


def assignment(text: str) -> tuple[Path, str]:
    """The path and the value of ``PATH=VALUE``, both as text.

    Raises:
        ValueError: a name or the equals sign is missing, or a quote does not end.
    """
    names: list[str] = []
    position = 0
    while match := _STEP.match(text, position):
        name, mark = match.groups()
        if not name:
            break
        names.append(tomllib.loads(f"name = {name}")["name"] if name[0] in "'\"" else name)
        position = match.end()
        if mark == "=":
            return tuple(names), text[position:]
    raise ValueError(text)


def toml(value: object) -> str:
    """The value as it stands in a file, on one line and in printable characters; an absent limit is ``"none"``."""
    match value:
        case None:
            return '"none"'
        case tuple() | list():
            return f"[{', '.join(map(toml, value))}]"
        case Mapping():
            return f"{{{', '.join(f'{_key(name)} = {toml(inner)}' for name, inner in value.items())}}}"
        case str():
            return f'"{"".join(map(_escape, value))}"'
        case _:
            return json.dumps(value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else toml(name)


def _escape(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08x}"

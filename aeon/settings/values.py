"""Values as text, as they stand in a variable or behind ``--set``: TOML, read by the type of the setting."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from typing import Literal, get_origin

from aeon.errors import UsageError
from aeon.settings.tree import ALIASES, Setting, find, parts

__all__ = ["assignments", "put", "toml", "value"]


def assignments(texts: Sequence[str]) -> dict[str, object]:
    """``["budget.calls=20", …]`` in the shape of a file of settings; of two for one setting the later counts.

    Raises:
        UsageError: one is no assignment.
        ConfigError: there is no such setting; guesses which was meant.
    """
    whole: dict[str, object] = {}
    for text in texts:
        path, equals, given = text.partition("=")
        path = path.strip()
        if not equals or not path:
            raise UsageError(f"--set {text}: should look like convergence.completeness=0.8")
        setting = find(path)
        put(whole, ALIASES.get(path, path), value(setting, given))
    return whole


def value(setting: Setting | None, text: str) -> object:
    """What the text says for this setting; bare words are strings. ``None``: a section, which takes an inline table."""
    kind = None if setting is None else setting.type
    if (kind is str or get_origin(kind) is Literal) and text.strip()[:1] not in ("'", '"'):
        return text
    if get_origin(kind) is tuple and text.strip()[:1] != "[":
        return tuple(part.strip() for part in text.split(","))
    return _read(text.strip())


def put(whole: dict[str, object], path: str, given: object) -> None:
    """Set the value at a path with dots, and make the sections above it where they are missing."""
    *sections, name = parts(path)
    for each in sections:
        inner = whole.setdefault(each, {})
        if not isinstance(inner, dict):
            whole[each] = inner = {}
        whole = inner
    whole[name] = given


def toml(given: object) -> str:
    """The value as it stands in a file; a limit that is absent is ``"none"``, and left out of a table's entries."""
    match given:
        case Mapping():
            return f"{{{', '.join(f'{toml(str(key))} = {toml(it)}' for key, it in given.items() if it is not None)}}}"
        case None:
            return '"none"'
        case tuple() | list():
            return f"[{', '.join(map(toml, given))}]"
        case str():
            return f'"{"".join(map(_escaped, given))}"'
        case _:
            return json.dumps(given)


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"


def _read(text: str) -> object:
    try:
        read = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return read["value"] if set(read) == {"value"} else text

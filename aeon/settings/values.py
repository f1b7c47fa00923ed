"""Values as text, as they stand in a variable or behind ``--set``: TOML or JSON, read by the type of the setting."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args, get_origin

from pydantic import BaseModel

from aeon.errors import ConfigError, UsageError
from aeon.settings.notation import MOST_DEPTH, Path, assignment, dotted
from aeon.settings.tree import members, tree

__all__ = ["assignments", "merged", "nested", "value"]


def assignments(model: type[BaseModel], texts: Sequence[str]) -> dict[str, object]:
    """``["budget.calls=20", …]`` in the shape of a file of settings; of two for one setting the later counts.

    Raises:
        UsageError: one does not look like PATH=VALUE.
        ConfigError: the model has no such setting, or a table is neither TOML nor JSON; guesses which was meant.
    """
    settings, whole = tree(model), dict[str, object]()
    for text in texts:
        try:
            path, content = assignment(text)
        except ValueError:
            example = dotted(next(iter(settings.settings), ("PATH",)))
            raise UsageError(f"--set {text}: should look like {example}=VALUE") from None
        path = settings.second_names.get(path, path)
        annotation = settings.type_at(path)
        if annotation is None:
            raise ConfigError(settings.unknown(path))
        whole = merged(whole, nested(path, value(annotation, content, f"{dotted(path)}: ")))
    return whole


def value(annotation: object, text: str, where: str) -> object:
    """The value that the text has for a setting of this type; bare words are strings, and ``a,b`` is a list.

    Raises:
        ConfigError: it begins like a table and is neither TOML nor JSON; the message begins with ``where``.
    """
    content, types = text.strip(), {get_origin(member) or member: member for member in members(annotation)}
    if types.keys() & {str, Literal} and content[:1] not in ("'", '"'):
        return text
    if content[:1] != "[" and (lists := types.keys() & {tuple, list, set, frozenset}):
        item = get_args(types[lists.pop()])[0]
        return tuple(value(item, part.strip(), where) for part in text.split(","))
    read = _read(content, where)
    if _too_deep(read):  # before two of them are merged
        raise ConfigError(f"{where}is nested too deeply")
    return read


def _too_deep(value: object) -> bool:
    below = [value]
    for _ in range(MOST_DEPTH):
        below = [inner for one in below for inner in _within(one)]
    return bool(below)


def _within(value: object) -> Iterable[object]:
    match value:
        case Mapping():
            return value.values()
        case list():
            return value
    return ()


def _read(text: str, where: str) -> object:
    try:
        read = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return _table(text, where) if text[:1] == "{" else text
    return read["value"] if set(read) == {"value"} else text


def _table(text: str, where: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_once)
    except ValueError as error:
        raise ConfigError(f"{where}is neither a TOML table on one line nor JSON: {error}") from None
    except RecursionError:
        raise ConfigError(f"{where}is nested too deeply") from None


def _once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{dotted((twice,))} stands there twice")
    return dict(pairs)


def nested(path: Path, content: object) -> dict[str, object]:
    """The tables that lead to a value, with nothing else in them."""
    name, *below = path
    return {name: nested(tuple(below), content) if below else content}


def merged(data: Mapping[str, object], overrides: Mapping[str, object]) -> dict[str, object]:
    """Settings in the shape of a file, with overrides put over them, table by table."""
    whole = dict(data)
    for name, content in overrides.items():
        below = whole.get(name)
        if isinstance(below, Mapping) and isinstance(content, Mapping):
            content = merged(below, content)
        whole[name] = content
    return whole

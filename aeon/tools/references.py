"""References such as ``$s1`` in a step's arguments: finding them, and putting earlier outputs in their place."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from aeon.errors import ToolArgumentError
from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["REFERENCE", "WHOLE", "references", "substitute"]

REFERENCE = re.compile(r"\$([a-z][a-z0-9_]*)")
"""A reference anywhere in a text; its group is the step's id."""

WHOLE = re.compile(r"\s*\$([a-z][a-z0-9_]*)\s*")
"""A text that is one reference and nothing else."""

_NEEDS_PARENTHESES = re.compile(r"-.*|\d+/\d+")
_NUMBER = re.compile(r"-?\d[\d_,]*(\.\d+)?([eE][+-]?\d+)?|-?\d+/\d+")
_MAX_INLINE = 200
_MAX_DEPTH = 64


def references(value: JsonValue) -> tuple[str, ...]:
    """Return the ids that the texts in the value refer to, each once, in order of appearance; keys are ignored."""
    names: dict[str, None] = {}
    stack: list[JsonValue] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            names.update(dict.fromkeys(REFERENCE.findall(item)))
        elif isinstance(item, list):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            stack.extend(reversed(item.values()))
    return tuple(names)


def substitute(arguments: JsonObject, outputs: Mapping[str, JsonValue]) -> JsonObject:
    """Return the arguments with outputs in the place of references; what is put in is not searched again.

    What names no output stays as it is: a dollar sign may just stand in a text.

    A text that is exactly one reference becomes the output itself, its type kept. Inside a longer text a scalar is
    written out exactly; a negative number or a fraction such as 1/3 gets parentheses, so that ``$s1 * 2`` and
    ``2 / $s1`` mean what they say. Raises ``ToolArgumentError`` where an output does not fit inside a text: a list, an
    object, null, or a text of several lines or above 200 characters.
    """

    def fill(text: str) -> JsonValue:
        whole = WHOLE.fullmatch(text)
        return outputs[whole[1]] if whole and whole[1] in outputs else REFERENCE.sub(put, text)

    def put(match: re.Match[str]) -> str:
        return _inline(match[1], outputs[match[1]]) if match[1] in outputs else match[0]

    return {key: _map(value, fill) for key, value in arguments.items()}


def _map(value: JsonValue, change: Callable[[str], JsonValue], depth: int = 0) -> JsonValue:
    """Return the value with every text in it changed."""
    if depth > _MAX_DEPTH:
        raise ToolArgumentError(f"arguments: nested deeper than {_MAX_DEPTH} levels")
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map(item, change, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: _map(item, change, depth + 1) for key, item in value.items()}
    return value


def _inline(step: str, value: JsonValue) -> str:
    """Return the scalar as it is written inside a longer text."""
    text = _scalar_text(value)
    if text is None or len(text) > _MAX_INLINE or len(text.splitlines()) > 1:
        raise ToolArgumentError(f"the output of ${step} does not fit inside a longer text; it must be a short scalar")
    if _NUMBER.fullmatch(text) and _NEEDS_PARENTHESES.fullmatch(text):
        return f"({text})"
    return text


def _scalar_text(value: JsonValue) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 8 * _MAX_INLINE:
        return None
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else None

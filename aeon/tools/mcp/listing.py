"""A tool as a server lists it, and what of it a run takes: its text is data, its schema is closed and without words."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass

from aeon.jsonschemas.patterns import subschemas
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line

__all__ = ["PARTS", "Listed"]

PARTS = ("description", "parameters", "result", "hints")
"""What is approved of a tool, part by part."""

_WORDS = ("description", "title", "examples", "$comment", "$schema", "$id", "deprecated", "default")
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_VERBATIM = ("const", "enum", "required", "dependentRequired")
_NAME = re.compile(r"[A-Za-z0-9_.$-]{1,64}")
_LONGEST_CHOICE = 60
_LARGEST_SCHEMA = 16_384
_LONGEST_TEXT, _LONGEST_NOTE = 400, 100


@dataclass(frozen=True)
class Listed:
    """A tool by the name that its server gives it. ``schema`` is of its parameters, ``result`` of what it gives.

    The hints are what the server says of it, or ``None``: they are believed as far as its user believes the server.
    ``needs_task``: in 2025-11-25, it is called as a task or not at all. That is how it is spoken to, and not approved.
    """

    name: str
    description: str
    schema: JsonObject
    result: JsonObject | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    needs_task: bool = False

    @property
    def fingerprints(self) -> dict[str, str]:
        """The SHA-256 of each part that is approved."""
        hints: list[JsonValue] = [self.read_only, self.destructive, self.idempotent]
        parts: tuple[JsonValue, ...] = (self.description, self.schema, self.result, hints)
        return {name: _sha256(part) for name, part in zip(PARTS, parts, strict=True)}

    @property
    def harmless(self) -> bool:
        """Whether calling it changes nothing: it says that it only reads, and does not say that it destroys."""
        return self.read_only is True and self.destructive is not True

    @property
    def repeatable(self) -> bool:
        """Whether a call of unknown outcome may be made again."""
        return self.harmless or self.idempotent is True

    @property
    def parameters(self) -> JsonObject:
        """The schema for plans and their arguments: without the server's words, and closed where it says nothing."""
        bare = _bare(self.schema)
        assert isinstance(bare, dict)
        bare.setdefault("properties", {})
        bare.setdefault("additionalProperties", False)
        return bare

    @property
    def text(self) -> str:
        """What the server says of the tool and its parameters, cut: data for a prompt, never an instruction."""
        properties = self.schema.get("properties")
        notes = [
            f"{key}: {one_line(text, _LONGEST_NOTE)}"
            for key, schema in (properties.items() if isinstance(properties, dict) else ())
            if isinstance(schema, dict) and isinstance(text := schema.get("description"), str) and text.strip()
        ]
        return " | ".join([one_line(self.description, _LONGEST_TEXT), *notes])

    @property
    def problem(self) -> str:
        """Why no run can take the tool; empty if it can."""
        if len(json.dumps(self.schema)) > _LARGEST_SCHEMA:
            return f"its schema has more than {_LARGEST_SCHEMA:,} characters"
        return next(filter(None, map(_problem, subschemas(self.schema))), "")


def _sha256(part: JsonValue) -> str:
    text = json.dumps(part, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _bare(schema: JsonValue) -> JsonValue:
    """The schema without what only says something to a reader."""
    if isinstance(schema, list):
        return [_bare(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    result: JsonObject = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, dict):
            result[key] = {name: _bare(one) for name, one in value.items()}
        elif key not in _WORDS:
            result[key] = value if key in _VERBATIM else _bare(value)
    return result


def _problem(schema: JsonObject) -> str:
    """What of a schema cannot stand in a prompt as it is: names and choices that are texts."""
    properties, choices = schema.get("properties"), schema.get("enum", schema.get("const"))
    for name in properties if isinstance(properties, dict) else ():
        if not _NAME.fullmatch(name):
            return f"a parameter is called {one_line(name, 60)!r}"
    for choice in choices if isinstance(choices, list) else [choices]:
        if isinstance(choice, str) and (len(choice) > _LONGEST_CHOICE or not choice.isprintable()):
            return f"a choice is a text: {one_line(choice, 60)!r}"
    return ""

"""JSON Schemas of pydantic models, made short enough to show to a small model. Pure."""

from __future__ import annotations

import json
from functools import lru_cache

from pydantic import BaseModel

from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["described", "schema_of"]

_NAMES = ("properties", "patternProperties", "$defs", "dependentSchemas")
_DROPPED = {"title", "discriminator"}
_VERBATIM = {"const", "enum", "default", "examples", "required"}


def schema_of(model: type[BaseModel]) -> JsonObject:
    """The JSON Schema of ``model``: references written out, titles and class docstrings left out.

    A model that contains itself keeps its references. Fields with a default are not required.
    """
    loaded: JsonObject = json.loads(_schema_text(model))
    return loaded


def described(schema: JsonObject) -> str:
    """How to ask for a value of ``schema`` in words, where the endpoint does not enforce it."""
    compact = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"Answer with one JSON object and nothing else. It must fit this JSON Schema:\n{compact}"


@lru_cache(maxsize=128)
def _schema_text(model: type[BaseModel]) -> str:
    whole = model.model_json_schema()
    definitions: dict[str, JsonValue] = whole.pop("$defs", {})
    loops = {name for name in definitions if _reaches(name, name, definitions)}
    short = _short(whole, definitions, loops, of_class=True)
    if isinstance(short, dict) and loops:
        short["$defs"] = {name: _short(definitions[name], definitions, loops, of_class=True) for name in sorted(loops)}
    return json.dumps(short)


def _short(node: JsonValue, definitions: dict[str, JsonValue], loops: set[str], *, of_class: bool = False) -> JsonValue:
    if isinstance(node, list):
        return [_short(child, definitions, loops) for child in node]
    if not isinstance(node, dict):
        return node
    target = _target(node)
    if target is not None and target not in loops:
        return _inline(target, node, definitions, loops)
    dropped = _DROPPED | ({"description"} if of_class and "properties" in node else set())
    return {key: _member(key, value, definitions, loops) for key, value in node.items() if key not in dropped}


def _inline(target: str, node: dict[str, JsonValue], definitions: dict[str, JsonValue], loops: set[str]) -> JsonValue:
    """The definition behind a reference to ``target``; keywords beside the reference win over its own."""
    inner = _short(definitions[target], definitions, loops, of_class=True)
    beside = _short({key: value for key, value in node.items() if key != "$ref"}, definitions, loops)
    return {**inner, **beside} if isinstance(inner, dict) and isinstance(beside, dict) else inner


def _member(key: str, value: JsonValue, definitions: dict[str, JsonValue], loops: set[str]) -> JsonValue:
    """The value of one schema keyword; under ``properties`` and the like the keys are names, not keywords."""
    if key in _VERBATIM:
        return value
    if key in _NAMES and isinstance(value, dict):
        return {name: _short(child, definitions, loops) for name, child in value.items()}
    return _short(value, definitions, loops)


def _target(node: dict[str, JsonValue]) -> str | None:
    reference = node.get("$ref")
    return reference.removeprefix("#/$defs/") if isinstance(reference, str) else None


def _reaches(start: str, goal: str, definitions: dict[str, JsonValue]) -> bool:
    """Whether the definition ``start`` refers to ``goal``, directly or through others."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        nodes: list[JsonValue] = [definitions[waiting.pop()]]
        while nodes:
            node = nodes.pop()
            if isinstance(node, list):
                nodes.extend(node)
            elif isinstance(node, dict):
                nodes.extend(node.values())
                target = _target(node)
                if target == goal:
                    return True
                if target in definitions and target not in seen:
                    seen.add(target)
                    waiting.append(target)
    return False

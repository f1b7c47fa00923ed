"""Regular expressions of JSON Schemas, matched in time that is linear in the text, whatever the pattern.

Python's own engine takes exponential time for patterns such as ``(a+)+$``, and a text that a model wrote would be
matched while a whole run waits. The engine here has neither look-around nor back references.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from pydantic_core import SchemaError, SchemaValidator, core_schema

from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line

__all__ = ["PatternValidator", "bad_pattern", "subschemas"]

_VERBATIM = ("const", "enum", "default", "examples")
_NAMES = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def bad_pattern(schema: JsonValue) -> str:
    """Say in a line what is wrong with the first pattern of a schema that cannot be matched; nothing if all can."""
    keyed = False
    nodes = list(subschemas(schema))
    for node in nodes:
        names = node.get("patternProperties")
        keyed = keyed or isinstance(names, dict)
        for pattern in (node.get("pattern"), *(names if isinstance(names, dict) else ())):
            if isinstance(pattern, str) and (reason := _reason(pattern)):
                return f"the pattern {one_line(repr(pattern), 80)} cannot be used: {reason}"
    if keyed and any("unevaluatedProperties" in node for node in nodes):  # jsonschema matches these by itself
        return "patternProperties cannot be used together with unevaluatedProperties; say additionalProperties"
    return ""


def subschemas(schema: JsonValue) -> Iterator[JsonObject]:
    """Give the schema and every schema in it; what stands in ``const``, ``enum`` and the like is none."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            yield node
            for key, value in node.items():
                if key in _NAMES and isinstance(value, dict):
                    waiting.extend(value.values())
                elif key not in _VERBATIM:
                    waiting.append(value)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> SchemaValidator:
    return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))


def _reason(pattern: str) -> str:
    try:
        _compiled(pattern)
    except (SchemaError, UnicodeError) as error:
        lines = str(error).strip().splitlines()
        return one_line(lines[-1].removeprefix("error: ").strip(), 120)
    return ""


def _matches(pattern: str, text: str) -> bool:
    return _compiled(pattern).isinstance_python(text)


def _pattern(owner: Validator, pattern: str, instance: JsonValue, _: JsonObject) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(
    owner: Draft202012Validator, patterns: Mapping[str, JsonObject], instance: JsonValue, _: JsonObject
) -> Iterator[ValidationError]:
    members = instance.items() if isinstance(instance, dict) else ()
    for pattern, schema in patterns.items():
        for name, value in members:
            if _matches(pattern, name):
                yield from owner.descend(value, schema, path=name, schema_path=pattern)


def _additional_properties(
    owner: Validator, allowed: JsonValue, instance: JsonValue, schema: JsonObject
) -> Iterator[ValidationError]:
    """As the keyword is, where the names that fit a pattern are not there."""
    patterns = schema.get("patternProperties")
    if isinstance(patterns, dict) and isinstance(instance, dict):
        instance = {key: value for key, value in instance.items() if not any(_matches(one, key) for one in patterns)}
    plain = {key: value for key, value in schema.items() if key != "patternProperties"}
    yield from _ADDITIONAL(owner, allowed, instance, plain) or ()


_ADDITIONAL = Draft202012Validator.VALIDATORS["additionalProperties"]
PatternValidator: type[Draft202012Validator] = extend(  # type: ignore[no-untyped-call]  # jsonschema has no types for it
    Draft202012Validator,
    {"pattern": _pattern, "patternProperties": _pattern_properties, "additionalProperties": _additional_properties},
)
"""A validator of Draft 2020-12 that matches patterns in linear time."""

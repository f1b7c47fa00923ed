"""Whether a JSON Schema's references lead somewhere, and to an end. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from aeon.jsonschemas.patterns import subschemas
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line

__all__ = ["unresolved"]

_REFERENCES = ("$ref", "$dynamicRef")
_LISTS = ("allOf", "anyOf", "oneOf")
_SINGLE = ("not", "if", "then", "else")
_LONGEST_CHAIN = 100


class _DanglingError(Exception):
    """A reference leads nowhere, or to what is no schema."""


class _Visit(NamedTuple):
    node: JsonObject
    ahead: Iterator[JsonObject]


def unresolved(schema: JsonValue) -> str:
    """Say in a line which reference leads nowhere, to no schema, or back to itself; nothing where all is well.

    A schema that contains itself, as a tree does, is fine: a value comes to an end. One that refers to itself for the
    same value never does.
    """
    nodes = list(subschemas(schema))
    if not any(reference in node for node in nodes for reference in _REFERENCES):
        return ""
    if any(isinstance(node.get("$id"), str) for node in nodes if node is not schema):
        return "it holds schemas with an $id of their own; refer to them by #/$defs/NAME instead"
    try:
        return _References(schema).endless(nodes)
    except _DanglingError as error:
        return str(error)


class _References:
    """What the parts of a schema refer to; each target is held against the rules of schemas once."""

    def __init__(self, schema: JsonValue) -> None:
        resource = DRAFT202012.create_resource(schema)
        base = resource.id() or ""
        self._resolver: Any = Registry().with_resource(base, resource).resolver(base)
        self._checked = {id(schema)}

    def endless(self, nodes: list[JsonObject]) -> str:
        """Say whether a schema, for one value, applies itself to it again: a search in depth, without recursion."""
        finished: set[int] = set()
        for start in nodes:
            path = [_Visit(start, self._applied(start))] if id(start) not in finished else []
            under_way = {id(start)}
            while path:
                following = next(path[-1].ahead, None)
                if following is None:
                    done = id(path.pop().node)
                    finished.add(done)
                    under_way.discard(done)
                elif id(following) in under_way:
                    return "it refers to itself without end"
                elif len(path) == _LONGEST_CHAIN:
                    return f"more than {_LONGEST_CHAIN} references lead from one to the next"
                elif id(following) not in finished:
                    under_way.add(id(following))
                    path.append(_Visit(following, self._applied(following)))
        return ""

    def _applied(self, node: JsonObject) -> Iterator[JsonObject]:
        """The schemas that hold for the same value as ``node`` does."""
        listed: list[JsonValue] = [node.get(keyword) for keyword in _SINGLE]
        for keyword in _LISTS:
            several = node.get(keyword)
            listed += several if isinstance(several, list) else []
        dependent = node.get("dependentSchemas")
        listed += dependent.values() if isinstance(dependent, dict) else []
        for keyword in _REFERENCES:
            if isinstance(reference := node.get(keyword), str):
                listed.append(self._target(reference))
        yield from (one for one in listed if isinstance(one, dict))

    def _target(self, reference: str) -> JsonValue:
        shown = one_line(repr(reference), 80)
        try:
            target: Any = self._resolver.lookup(reference).contents
            if id(target) not in self._checked:
                Draft202012Validator.check_schema(target)
                self._checked.add(id(target))
        except (Unresolvable, ValueError, LookupError, TypeError, AttributeError):
            raise _DanglingError(f"the reference {shown} leads nowhere inside it") from None
        except SchemaError:
            raise _DanglingError(f"the reference {shown} leads to what is no schema") from None
        return cast("JsonValue", target)

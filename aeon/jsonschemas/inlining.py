"""JSON Schemas with their references written out. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["MOST_NODES", "inlined"]

MOST_NODES = 10_000
"""Objects and lists of a schema beyond which it is refused: definitions that use each other twice double at each."""

_HOLDERS = ("$defs", "definitions")
_NAMES = ("properties", "patternProperties", "dependentSchemas", *_HOLDERS)
_DROPPED = {"title", "discriminator"}
_VERBATIM = {"const", "enum", "default", "examples", "required", "dependentRequired"}
_ANNOTATIONS = {"description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"}


def inlined(schema: JsonObject) -> JsonObject:
    """``schema`` with its references written out, without titles, and without descriptions of objects it refers to.

    Definitions that contain themselves are kept under ``$defs``, and so are the references to them.

    Raises:
        ValueError: a reference leads to none of the schema's definitions, or the schema becomes too large.
    """
    whole = {key: value for key, value in schema.items() if key not in _HOLDERS}
    definitions = dict(_definitions(schema))
    loops = {name for name in definitions if _reaches(name, name, definitions)}
    writer = _Writer(definitions, loops)
    written = writer.write(whole, of_class=True)
    result: JsonObject = written if isinstance(written, dict) else {"allOf": [written]}
    if loops:
        result["$defs"] = {name: writer.write(definitions[name], of_class=True) for name in sorted(loops)}
    return result


def _definitions(schema: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    for holder in _HOLDERS:
        held = schema.get(holder)
        if isinstance(held, dict):
            yield from held.items()


class _Writer:
    """Writes nodes of a schema out; ``loops`` are the definitions that stay references."""

    def __init__(self, definitions: Mapping[str, JsonValue], loops: set[str]) -> None:
        self._definitions, self._loops = definitions, loops
        self._left = MOST_NODES

    def write(self, node: JsonValue, *, of_class: bool = False) -> JsonValue:
        if not isinstance(node, dict | list):
            return node
        self._left -= 1
        if self._left < 0:
            raise ValueError(f"with its references written out it has more than {MOST_NODES:,} parts")
        if isinstance(node, list):
            return [self.write(child) for child in node]
        target = _target(node)
        if target is None:
            return self.members(node, of_class=of_class)
        if target not in self._definitions:
            raise ValueError(f"{node['$ref']!r} leads to none of its $defs")
        return self.members(node) if target in self._loops else self._inline(target, node)

    def members(self, node: JsonObject, *, of_class: bool = False) -> JsonObject:
        """The keywords of a schema; under ``properties`` and the like the keys are names, not keywords."""
        dropped = _DROPPED | ({"description"} if of_class and "properties" in node else set())
        return {key: self._member(key, value) for key, value in node.items() if key not in dropped}

    def _member(self, key: str, value: JsonValue) -> JsonValue:
        if key in _VERBATIM:
            return value
        if key in _NAMES and isinstance(value, dict):
            return {name: self.write(child) for name, child in value.items()}
        return self.write(value)

    def _inline(self, target: str, node: JsonObject) -> JsonValue:
        """The definition behind a reference, and the keywords beside the reference, which hold too."""
        inner = self.write(self._definitions[target], of_class=True)
        beside = self.members({key: value for key, value in node.items() if key != "$ref"})
        if not beside:
            return inner
        both = isinstance(inner, dict) and not (inner.keys() & beside.keys() - _ANNOTATIONS)
        return {**inner, **beside} if isinstance(inner, dict) and both else {**beside, "allOf": [inner]}


def _target(node: JsonObject) -> str | None:
    """The definition that a schema refers to; a reference to anything else gives a name that no definition has."""
    reference = node.get("$ref")
    if not isinstance(reference, str):
        return None
    holder, _, name = reference.removeprefix("#/").partition("/")
    return name if reference.startswith("#/") and holder in _HOLDERS else reference


def _reaches(start: str, goal: str, definitions: Mapping[str, JsonValue]) -> bool:
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
                if target is not None and target in definitions and target not in seen:
                    seen.add(target)
                    waiting.append(target)
    return False

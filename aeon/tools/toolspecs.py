"""The tools of a registry as a model is told of them."""

from __future__ import annotations

from collections.abc import Iterator

from aeon.schema.llm import ToolSpec
from aeon.tools.registry import ToolRegistry
from aeon.tools.tool import Tool

__all__ = ["hints", "specs"]


def specs(registry: ToolRegistry) -> tuple[ToolSpec, ...]:
    """Name, description and JSON Schema of each tool that is offered; the schema describes the parameters."""
    return tuple(
        ToolSpec(name=one.name, description=" ".join(one.description.split()), parameters=one.parameters)
        for one in _offered(registry)
    )


def hints(registry: ToolRegistry) -> str:
    """What the tools can be used on, for the system prompt: of a folder its `Files.material`. Data, no instruction."""
    return "\n".join(one.hint for one in _offered(registry) if one.hint)


def _offered(registry: ToolRegistry) -> Iterator[Tool]:
    return (registry.get(name) for name in registry.offered)

"""JSON Schemas of pydantic models, made short enough to show to a small model. Pure."""

from __future__ import annotations

import json
from functools import lru_cache

from pydantic import BaseModel

from aeon.jsonschemas.inlining import inlined
from aeon.schema.frozen import JsonObject

__all__ = ["described", "schema_of"]


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
    return json.dumps(inlined(model.model_json_schema()))

"""JSON Schemas of pydantic models, made short enough to show to a small model. Pure."""

from __future__ import annotations

import json
from functools import lru_cache

from pydantic import BaseModel

from aeon.jsonschemas.inlining import inlined
from aeon.schema.frozen import JsonObject

__all__ = ["schema_of"]


def schema_of(model: type[BaseModel]) -> JsonObject:
    """The JSON Schema of ``model``: references written out, titles and class docstrings left out.

    A model that contains itself keeps its references. Fields with a default are not required.
    """
    loaded: JsonObject = json.loads(_schema_text(model))
    return loaded


@lru_cache(maxsize=128)
def _schema_text(model: type[BaseModel]) -> str:
    return json.dumps(inlined(model.model_json_schema()))

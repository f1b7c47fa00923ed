"""Asking an endpoint which models it serves."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from pydantic import BaseModel, Field, ValidationError

from aeon.errors import ConfigError, ModelError
from aeon.llm.connections import Connections
from aeon.llm.translation import translate, translated

__all__ = ["MOST_LISTED", "only_model"]

ANSWER_SECONDS = 10.0
MOST_NAMES = 8
MOST_LISTED = 10_000
"""Models beyond which a list is not read."""
_LONGEST_NAME = 100


class _Model(BaseModel):
    id: str


class _Listing(BaseModel):
    data: list[_Model] = Field([], max_length=MOST_LISTED, fail_fast=True)


def only_model(base_url: str, api_key: str | None, headers: Mapping[str, str] | None = None) -> str:
    """The name of the only model that the endpoint serves; blocks until it answers. ``headers`` go with the request.

    Raises `ConfigError` if it serves several or tells none, and `ModelError` if it cannot be asked.
    """
    with ThreadPoolExecutor(1) as thread:  # the caller's may have an event loop of its own
        served = thread.submit(asyncio.run, _listed(Connections(base_url, api_key, added=headers))).result()
    if len(served) == 1:
        return served[0]
    names = ", ".join(name[:_LONGEST_NAME] for name in served[:MOST_NAMES]) + (" …" if len(served) > MOST_NAMES else "")
    choice = f"it serves {len(served)} models: {names}" if served else "it does not list its models"
    raise ConfigError(f"which model of {base_url}? {choice}; name one in AEON_MODEL, or append it to the URL as #name")


async def _listed(connections: Connections) -> list[str]:
    """The names of the models that the endpoint lists, none where it has no such list. Raises `ModelError`."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            client = await connections.client()
            text = await client.get("/models", cast_to=str, options=connections.options())
        return [model.id for model in _Listing.model_validate_json(text).data]
    except ValidationError:
        return []
    except ModelError:
        raise
    except translated() as error:
        raise translate(error, connections.base_url, connections.secrets) from None
    finally:
        await connections.aclose()

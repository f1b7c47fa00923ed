"""Asking an endpoint which models it serves."""

from __future__ import annotations

import openai
from pydantic import BaseModel, ValidationError

from aeon.errors import ConfigError
from aeon.llm.connections import is_loopback
from aeon.llm.translation import TRANSLATED, translate

__all__ = ["only_model"]

ANSWER_SECONDS = 10.0
MOST_NAMES = 8


class _Model(BaseModel):
    id: str


class _Listing(BaseModel):
    data: list[_Model] = []


def only_model(base_url: str, api_key: str | None) -> str:
    """The name of the only model that the endpoint serves; blocks until it answers.

    Raises `ConfigError` if it serves several or tells none, and `ModelError` if it cannot be asked.
    """
    options: openai.RequestOptions = {} if api_key else {"headers": {"Authorization": openai.Omit()}}
    with openai.OpenAI(
        base_url=base_url,
        api_key=api_key or "none",
        max_retries=0,
        timeout=ANSWER_SECONDS,
        http_client=openai.DefaultHttpxClient(trust_env=not is_loopback(base_url)),
    ) as client:
        try:
            served = _Listing.model_validate_json(client.get("/models", cast_to=str, options=options)).data
        except ValidationError:
            served = []
        except TRANSLATED as error:
            raise translate(error, base_url, api_key) from None
    if len(served) == 1:
        return served[0].id
    names = ", ".join(model.id for model in served[:MOST_NAMES]) + (" …" if len(served) > MOST_NAMES else "")
    choice = f"it serves {len(served)} models: {names}" if served else "it does not list its models"
    raise ConfigError(f"which model of {base_url}? {choice}; name one in AEON_MODEL, or append it to the URL as #name")

"""What Aeon uses of OpenAI's SDK, loaded with the first request: loading it takes longer than loading all of Aeon."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openai import (
        APIConnectionError,
        APIStatusError,
        APITimeoutError,
        AsyncOpenAI,
        AsyncStream,
        DefaultAsyncHttpxClient,
        Omit,
        OpenAIError,
        RequestOptions,
        Timeout,
    )

__all__ = [
    "APIConnectionError",
    "APIStatusError",
    "APITimeoutError",
    "AsyncOpenAI",
    "AsyncStream",
    "DefaultAsyncHttpxClient",
    "Omit",
    "OpenAIError",
    "RequestOptions",
    "Timeout",
]


def __getattr__(name: str) -> object:
    """The SDK's object of that name, loaded on first use (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module 'aeon.llm.sdk' has no attribute '{name}'")
    value: object = getattr(importlib.import_module("openai"), name)
    globals()[name] = value
    return value

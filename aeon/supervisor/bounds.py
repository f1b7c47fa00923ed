"""How large one call may be: what the configuration allows, and no more than was measured to fit the context."""

from __future__ import annotations

from typing import NamedTuple

from aeon.schema.llm import Capabilities

__all__ = ["Bounds", "bounds"]

_SAFETY = 0.9
"""The share of the measured room that is used: texts differ in how many bytes a token has."""


class Bounds(NamedTuple):
    """The most bytes of a prompt and the most tokens of an answer."""

    prompt_bytes: int
    output_tokens: int


def bounds(can: Capabilities, prompt_bytes: int, output_tokens: int) -> Bounds:
    """The bounds of a call: those given, lowered so that both fit a context length that was measured.

    At most a quarter of the context is for the answer. A length that the endpoint only claims changes nothing.
    """
    if can.context_tokens is None or can.bytes_per_token is None:
        return Bounds(prompt_bytes, output_tokens)
    output = min(output_tokens, max(1, can.context_tokens // 4))
    room = int((can.context_tokens - output) * can.bytes_per_token * _SAFETY)
    return Bounds(min(prompt_bytes, room), output)

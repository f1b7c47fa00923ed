"""How a simulated endpoint counts tokens, and what it says of that: not every one counts as the host expects."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import NamedTuple

from aeon.schema import LLMRequest, Usage
from aeon.simulation.faults import Scenario

__all__ = ["Counting", "Said", "counting"]

_SPARSE, _DENSE = 4, 1
_HIDDEN = (40, 600, 20_000)
_SHARE_OF_WRONG_COUNTS = 0.15
_MUCH, _TIMES = 100_000_000, 6


class Said(NamedTuple):
    """What an endpoint says that a call took, and the kind of fault that this is, "" for none."""

    usage: Usage
    fault: str


@dataclass(frozen=True)
class Counting:
    """An endpoint's count: bytes for a token, tokens before each prompt that nobody sees, how often it is wrong.

    ``over`` and ``under``: its counts are now and then far more, or less, than there is.
    """

    bytes_per_token: int
    hidden: int
    over: bool
    under: bool

    def usage(self, request: LLMRequest, text: str) -> Usage:
        """What one attempt takes that gives this text, but for what is hidden."""
        prompt = _prompt_bytes(request, self.bytes_per_token == _DENSE) // self.bytes_per_token
        generated = min(request.max_tokens, _size(text) // self.bytes_per_token + 1)
        return Usage(calls=1, prompt_tokens=prompt, generated_tokens=generated)

    def said(self, request: LLMRequest, true: Usage, drawn: float) -> Said:
        """What the endpoint says that a call took; ``drawn`` (0 to 1) decides whether that is wrong.

        What it counts too little is one of nothing, or of no calls: nobody could take that for a count.
        """
        whole = true.changed(prompt_tokens=true.prompt_tokens + self.hidden)
        kind = "dense" if self.bytes_per_token == _DENSE else ""
        kind = "hidden_prompt" if self.hidden else kind
        share = drawn / _SHARE_OF_WRONG_COUNTS
        if share >= 1 or not (self.over or self.under):
            return Said(whole, kind)
        if self.over and (share < 0.5 or not self.under):
            return Said(_too_much(whole, share), "over_reported")
        return Said(Usage() if share < 0.75 else true.changed(calls=0), "under_reported")


def counting(scenario: Scenario) -> Counting:
    """How the endpoint of a scenario counts."""
    hidden = scenario.chance("hidden").choice(_HIDDEN)
    return Counting(
        _DENSE if "dense" in scenario.faults else _SPARSE,
        hidden if "hidden_prompt" in scenario.faults else 0,
        "over_reported" in scenario.faults,
        "under_reported" in scenario.faults,
    )


def _too_much(true: Usage, share: float) -> Usage:
    """More than there was: a little, many times as much, or more than any run may spend."""
    if share < 0.15:
        return true.changed(generated_tokens=true.generated_tokens * _TIMES)
    if share < 0.3:
        return true.changed(prompt_tokens=true.prompt_tokens * _TIMES)
    return true.changed(prompt_tokens=true.prompt_tokens + _MUCH)


def _prompt_bytes(request: LLMRequest, whole: bool) -> int:
    """The bytes of a prompt; of the ``whole`` one, with its schema and its tools."""
    size = sum(_size(message.content) for message in request.messages)
    if not whole:
        return size
    calls = (call for message in request.messages for call in message.calls)
    size += sum(_size(call.name) + _size(call.arguments) for call in calls)
    size += _size(json.dumps(request.json_schema)) if request.json_schema is not None else 0
    return size + sum(_size(one.name) + _size(json.dumps(one.parameters)) for one in request.tools)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))

"""How much a model that thinks before it answers may write, within the bound of the run. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from aeon.llm.marks import starts_with_thought
from aeon.schema.llm import Capabilities, LLMResponse
from aeon.schema.usage import Price, Usage

__all__ = ["Room", "thinks"]


def thinks(response: LLMResponse, can: Capabilities) -> bool:
    """Whether the model thought before this answer, or is known to."""
    return can.hidden_reasoning or response.thought or starts_with_thought(response.text)


@dataclass(frozen=True)
class Room:
    """What the bound of a run counts for one call: ``prompt`` tokens and ``generated`` ones, at a ``price`` if known.

    A prompt is mostly far smaller than it may be. What it leaves, and what the calls before it left, thoughts may take:
    together the calls never take more than the bound counts for them.
    """

    prompt: int
    generated: int
    price: Price | None
    context: int | None

    def left(self, prompt: int, before: Usage) -> int:
        """The tokens that a call may generate after a prompt of at most so many; ``before`` is what others took."""
        calls = before.calls + 1
        tokens = calls * (self.prompt + self.generated) - before.tokens - prompt
        if self.context is not None:
            tokens = min(tokens, self.context - prompt)
        return min(tokens, self._affordable(calls, prompt, before)) if self._costs else tokens

    @property
    def _costs(self) -> bool:
        return self.price is not None and self.price.output > 0

    def _affordable(self, calls: int, prompt: int, before: Usage) -> int:
        """As many as cost no more than the bound counts."""
        assert self.price is not None
        most = calls * self.price.of(Usage(prompt_tokens=self.prompt, generated_tokens=self.generated))
        left = most - before.cost - self.price.of(Usage(prompt_tokens=prompt))
        return int(left / self.price.output * 1_000_000 * (1 - 1e-12))

"""A model in the role of a verifier: its verdict is a value of a schema, never a word looked for in prose."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aeon.engines.graph.effects import Verify
from aeon.engines.graph.values import Verdict
from aeon.schema import Frozen
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import fence, load, render
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Verifier"]

_TOKENS = 120
_LONGEST_RESULTS = 3_000


class _Reply(Frozen):
    reason: str = Field(max_length=240)
    verdict: Literal["yes", "no"]


class Verifier:
    """Asks whether results answer the task."""

    def __init__(self, supervisor: Supervisor, briefing: Briefing) -> None:
        self._supervisor = supervisor
        self._briefing = briefing

    async def verify(self, effect: Verify) -> Verdict:
        """The model's verdict.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        results = fence("results", effect.plan.results(), _LONGEST_RESULTS)
        question = render(load("aeon.engines.graph", "verify.md"), results=results)
        prompt = self._briefing.prompt(effect.task, question)
        reply = await self._supervisor.structured(prompt, _Reply, max_tokens=_TOKENS, repairs=1)
        return Verdict(says=reply.value.verdict, reason=reply.value.reason.strip() or "no reason given", by="model")

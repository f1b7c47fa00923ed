"""An independent peer: another model, which sees the question and one answer, and none of the samples."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aeon.engines.contractive.effects import Review
from aeon.engines.contractive.showing import shown
from aeon.engines.contractive.values import Reviewed
from aeon.errors import CompletionError, ModelError
from aeon.schema.frozen import Frozen
from aeon.supervisor.prompt import Prompt, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["Peer"]

_LONGEST_ANSWER, _LONGEST_ISSUE = 400, 200
_TOKENS = 200
_ASKED = "Say what is wrong with the proposed answer, if anything, your verdict, and how likely (0-1) it is right."


class _Verdict(Frozen):
    issue: str
    verdict: Literal["approved", "minor_revision", "major_revision", "reject"]
    score: float = Field(ge=0, le=1)


class Peer:
    """Has the peer's model review answers."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    async def review(self, effect: Review) -> Reviewed:
        """The peer's score of the answer, in the form that its endpoint is good at.

        A probability of "Yes" where the endpoint tells it; else a verdict with a score.

        Raises:
            CompletionError: the peer gave no usable review, or cannot be reached; the run goes on without it.
            AllowanceExhausted: nothing is left for a review.
        """
        try:
            return await self._reviewed(effect)
        except ModelError as error:
            raise CompletionError(f"the peer {self._supervisor.llm.name} gave no review: {error}") from error

    async def _reviewed(self, effect: Review) -> Reviewed:
        how = load("aeon.engines.contractive", "peer.md")
        case = f"{shown(effect.task)}\n{fence('proposed answer', effect.answer, _LONGEST_ANSWER)}"
        if (await self._supervisor.capabilities()).logprobs:
            prompt = Prompt(how, f"{case}\nIs the proposed answer right? Answer Yes or No.", fixed=True)
            return Reviewed(score=round(await self._supervisor.probability(prompt), 6))
        prompt = Prompt(how, f"{case}\n{_ASKED}", fixed=True)
        said = (await self._supervisor.structured(prompt, _Verdict, max_tokens=_TOKENS, repairs=1)).value
        return Reviewed(score=said.score, said=said.verdict, issue=one_line(said.issue, _LONGEST_ISSUE))

"""Chain of thought and self-consistency: the baselines of every engine, at a number of samples or of tokens.

They share the prompt of the contractive engine's samples, their seeds and the sums done again by the host, so that they
differ from its trees in nothing but what is made of the samples.
"""

from __future__ import annotations

from dataclasses import dataclass

from aeon.engines.contractive.classifier import Classifier
from aeon.engines.contractive.effects import Classify, Sample
from aeon.engines.contractive.entropy import most_common
from aeon.engines.contractive.presets import PRESETS, Limits
from aeon.engines.contractive.sampler import Sampler
from aeon.llm.adapter import LLMAdapter
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Task, Usage
from aeon.supervisor.supervisor import Supervisor

__all__ = ["MOST", "Vote", "Voter", "enough"]

MOST = 20
"""Samples of a vote, at most."""
_CALLS = 10_000


def enough(samples: int, tokens: int, budget: float, least: int = 1, most: int = MOST) -> bool:
    """Whether so many samples that took so many tokens are as many as a budget of tokens buys.

    They are drawn until they have taken at least the budget, so that a vote never has fewer tokens than what it is
    compared with; ``least`` and ``most`` hold whatever the budget is.
    """
    return samples >= most or (samples >= least and tokens >= budget)


@dataclass(frozen=True)
class Vote:
    """The answer that most samples give, "" without one; ``short``: they took fewer tokens than they might have."""

    answer: str
    samples: int
    usage: Usage
    short: bool = False


class Voter:
    """Votes over samples. What it takes to tell which of them mean the same is not charged to them."""

    def __init__(self, llm: LLMAdapter, limits: Limits = PRESETS["complex"]) -> None:
        supervisor = Supervisor(llm)
        self._sampler, self._classifier, self._limits = Sampler(supervisor), Classifier(supervisor), limits

    async def samples(self, task: Task, many: int) -> tuple[tuple[str, ...], int, Usage]:
        """So many answers, how many were unusable, and what they cost. Raises ``ModelError`` as the model does."""
        limits = self._limits
        sample = Sample(
            task=task, place="1", most=many, tokens=limits.sample_tokens, temperature=limits.temperature,
            steps=limits.steps,
        )  # fmt: skip
        with Ledger(Allowance(calls=_CALLS)) as ledger:
            drawn = await self._sampler.sample(sample)
            return drawn.answers, drawn.unusable, ledger.spent

    async def places(self, task: Task, answers: tuple[str, ...]) -> tuple[int, ...]:
        """The class of each answer."""
        with Ledger(Allowance(calls=_CALLS)):
            return (await self._classifier.classify(Classify(task=task, place="1", answers=answers))).places

    async def vote(self, task: Task, many: int) -> Vote:
        """The vote of so many samples."""
        return await self._counted(task, many)

    async def vote_at(self, task: Task, tokens: float, least: int = 1, most: int = MOST) -> Vote:
        """The vote of as many samples as so many tokens buy, read and generated together: see `enough`.

        On a model that is not `Remembering`, the samples are drawn again for each number of them.
        """
        many = least
        while not enough(many, (await self.samples(task, many))[2].tokens, tokens, least, most):
            many += 1
        return await self._counted(task, many, tokens)

    async def _counted(self, task: Task, many: int, tokens: float = 0) -> Vote:
        answers, _, usage = await self.samples(task, many)
        places = await self.places(task, answers) if answers else ()
        winner = most_common(places)
        answer = "" if winner is None else answers[places.index(winner)]
        return Vote(answer, many, usage, short=usage.tokens < tokens)

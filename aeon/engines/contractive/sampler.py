"""Draws short answers to a question, each by itself, with a seed of its own."""

from __future__ import annotations

import re

from aeon.engines.contractive.effects import Sample
from aeon.engines.contractive.showing import shown
from aeon.engines.contractive.values import Samples
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.supervisor.prompt import Prompt, load
from aeon.supervisor.sampling import Sampling
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["Sampler", "short_answer"]

_MARK = "Answer:"
_LONGEST = 200
"""Characters of a short answer."""
_UNMARKED = 60
"""The same of the last line of steps, where no mark says that it is the answer."""
_BOXED = re.compile(r"\\boxed\{([^{}]*)\}")
_EXAMPLES = (
    (
        "Question: A jacket of 80 euros is 15% off. Ben has a voucher of 10 euros. What does he pay?",
        "What is off: 80 * 15 / 100 = 12\nThe price: 80 - 12 = 68\nHe pays: 68 - 10 = 58\nAnswer: 58 euros",
    ),
    (
        "Question: Ann is older than Tim, and Tim is older than Eva. Who is the youngest?",
        "Ann is older than Tim.\nTim is older than Eva, so Eva is younger than both.\nAnswer: Eva",
    ),
)


class Sampler:
    """Draws samples from a model."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    async def sample(self, effect: Sample) -> Samples:
        """As many answers as are wanted and can be paid for; those that cannot be used are counted.

        Raises:
            AllowanceExhausted: not even one sample can be paid for.
            ModelError: the model gives no answer at all.
        """
        prompt = _prompt(effect)
        answers: list[str] = []
        unusable = 0
        for seed in range(1, effect.most + 1):
            sampling = Sampling(self._supervisor.llm, effect.temperature, seed)
            try:
                said = await self._supervisor.through(sampling).text(prompt, max_tokens=effect.tokens, repairs=0)
            except CompletionError:
                unusable += 1
                continue
            except AllowanceExhausted:
                if not answers:
                    raise
                break
            answer = short_answer(said.value, effect.steps)
            answers += [answer] if answer else []
            unusable += not answer
        return Samples(answers=tuple(answers), unusable=unusable)


def _prompt(effect: Sample) -> Prompt:
    how = load("aeon.engines.contractive", "steps.md" if effect.steps else "answer.md")
    return Prompt(how, shown(effect.task, effect.solved), _EXAMPLES if effect.steps else (), fixed=True)


def short_answer(text: str, steps: bool) -> str:
    """The short answer of a text, on one line: behind the mark, else what its last step gives, or its first line.

    "" where that is too long to be one.
    """
    last, most = _last(text, steps)
    boxed = _BOXED.findall(last)
    answer = one_line(", ".join(boxed) if boxed else last, _LONGEST + 1).strip("*_`$ ").removesuffix(".").strip("*_`$ ")
    return answer if 0 < len(answer) <= most and any(map(str.isalnum, answer)) else ""


def _last(text: str, steps: bool) -> tuple[str, int]:
    """The part of a text that is its answer, and how long it may be."""
    _, mark, marked = text.rpartition(_MARK)
    if mark:
        return marked.strip().partition("\n")[0], _LONGEST
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    return (lines[-1].rpartition("=")[2], _UNMARKED) if steps else (lines[0], _LONGEST)

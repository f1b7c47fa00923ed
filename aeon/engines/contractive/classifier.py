"""Puts answers that mean the same into one class: the host where it can tell, else entailment both ways."""

from __future__ import annotations

from typing import Literal

from aeon.engines.contractive.effects import Classify
from aeon.engines.contractive.values import Classes
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.multipass.results import equal
from aeon.proof.alike import numbers_of, without
from aeon.schema.frozen import Frozen
from aeon.supervisor.prompt import Prompt, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["Classifier"]

_LONGEST_QUESTION, _LONGEST_ANSWER = 600, 200
_LIKELY = 0.5
_WORD_TOKENS = 16
_ASKED = "If the first answer is right, is the second one right too, in all that it says? Answer Yes or No."


class _Follows(Frozen):
    answer: Literal["yes", "no"]


class Classifier:
    """Finds the classes of answers (Kuhn et al., 2023): each is held against one answer of every class so far."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    async def classify(self, effect: Classify) -> Classes:
        """The class of each answer. A pair that nobody could tell counts as different: that never hides a doubt.

        Raises:
            ModelError: the model could not be asked.
        """
        classes = list(effect.known)
        pairs = _Pairs(self._supervisor, effect.task.text)
        places: list[int] = []
        for answer in effect.answers:
            place = await self._place(pairs, classes, answer)
            if place == len(classes):
                classes.append(answer)
            places.append(place)
        return Classes(places=tuple(places), asked=pairs.asked, untold=pairs.untold)

    async def _place(self, pairs: _Pairs, classes: list[str], answer: str) -> int:
        """The first class that the answer belongs to; the place behind the last one if it belongs to none."""
        for place, one in enumerate(classes):
            if await pairs.alike(one, answer):
                return place
        return len(classes)


class _Pairs:
    """Compares answers to one question, each pair once.

    Both answers may be made of what tools gave, and the question may be a sub-question: a model sees them as data.
    The model was ``asked`` about so many pairs; so many are ``untold``, since it gave no usable answer.
    """

    def __init__(self, supervisor: Supervisor, question: str) -> None:
        self._supervisor = supervisor
        self._question = question
        self._told: dict[tuple[str, str], bool] = {}
        self.asked = 0
        self.untold = 0

    async def alike(self, one: str, other: str) -> bool:
        """Whether both mean the same."""
        if equal((one,), (other,)):
            return True
        first, second = numbers_of(one), numbers_of(other)
        if first and second and (without(first, second) or without(second, first)):  # of the same, a model says it
            return False
        pair = (one, other)
        if pair not in self._told:
            self.asked += 1
            try:
                self._told[pair] = await self._follows(one, other) and await self._follows(other, one)
            except (CompletionError, AllowanceExhausted):
                self.untold += 1
                self._told[pair] = False
        return self._told[pair]

    async def _follows(self, one: str, other: str) -> bool:
        """Whether the other answer follows from this one, as the model says."""
        shown = [
            fence("question", self._question, _LONGEST_QUESTION),
            fence("first answer", one_line(one, _LONGEST_ANSWER), _LONGEST_ANSWER),
            fence("second answer", one_line(other, _LONGEST_ANSWER), _LONGEST_ANSWER),
        ]
        prompt = Prompt(load("aeon.engines.contractive", "means.md"), "\n".join([*shown, _ASKED]), fixed=True)
        if (await self._supervisor.capabilities()).logprobs:
            return await self._supervisor.probability(prompt) >= _LIKELY
        reply = await self._supervisor.structured(prompt, _Follows, max_tokens=_WORD_TOKENS, repairs=0)
        return reply.value.answer == "yes"

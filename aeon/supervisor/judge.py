"""Yes/no judgments in the form that the endpoint is good at, scaled by what was measured for that very model.

A small model's "Yes" says more about the wording than about the case, so a judgment is several questions in different
words, and its score is calibrated on labelled cases where it was measured. One that was never measured is assumed to be
good, and says so. One that was measured to be little better than chance is bad: ``Judged.decides`` is false, and a
caller must not act on it.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from pydantic import Field

from aeon.errors import EmptyCompletion, Malformed, Truncated
from aeon.schema import Form, Standing
from aeon.schema.frozen import Frozen
from aeon.schema.llm import Capabilities
from aeon.supervisor.judge_specs import Calibrations, JudgmentSpec, Question, calibrations
from aeon.supervisor.judge_standing import own_calibrations, standing
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.sampling import Sampling
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Answer", "Asked", "Frame", "Judge", "Judged", "form_for"]

Asked = Literal["probability", "verdict", "samples"]
Frame: TypeAlias = Callable[[str], Prompt]
"""Puts the text of a question into a prompt, such as behind the briefing of a run."""

_MOST_SAMPLES = 20
_TEMPERATURE = 1.0
_SURE = 1e-4
_VERDICT_TOKENS = 256
_VERDICT_REPAIRS = 1
_WORD_TOKENS = 32


class Answer(Frozen):
    """How likely "Yes" was to one question (0-1), and whether "Yes" speaks for the judgment."""

    question: str
    yes: float = Field(ge=0, le=1)
    speaks_for: bool = True


class Judged(Frozen):
    """A judgment as made. ``score`` is in 0-1, calibrated if it was measured; from its threshold on it says yes."""

    name: str
    score: float = Field(ge=0, le=1)
    form: Form
    standing: Standing
    raw: float
    answers: tuple[Answer, ...]

    @property
    def decides(self) -> bool:
        """Whether the score may decide something: it was not measured to be too poor for this model and form."""
        return self.standing != "bad"


class _Verdict(Frozen):
    reason: str
    verdict: Literal["yes", "no"]


class _Word(Frozen):
    answer: Literal["yes", "no"]


def form_for(can: Capabilities, votes: bool = True) -> Asked:
    """The form an endpoint is good at: token probabilities, else a structured verdict, else a vote, if there may be."""
    if can.logprobs:
        return "probability"
    return "verdict" if can.json_schema or can.json_mode or not votes else "samples"


def _alone(text: str) -> Prompt:
    """The question and nothing else."""
    return Prompt(system="", user=text)


def _after(spec: JudgmentSpec, question: Question, form: Asked, prompt: Prompt) -> Prompt:
    """The prompt behind the examples of a judgment, where a token is the answer."""
    if not spec.examples or form != "probability":
        return prompt
    return replace(prompt, examples=(*spec.worked(question), *prompt.examples), fixed=True)


class Judge:
    """Asks judgments through a supervisor.

    ``form`` forces one form; by default it is chosen from the endpoint's capabilities. ``samples`` (0-20) is how many
    answers a vote takes, at temperature 1; sample ``i`` has seed ``i``; with 0 there is no vote, and a verdict is
    asked for instead. ``probability`` asks every question, a call each; the other forms, where an answer is a whole
    text, ask the first: at most two calls for a ``verdict``, ``samples`` for a vote, per material.
    ``measured`` holds what was measured, by default on the endpoint itself, then what is shipped; what is not in it is
    assumed to be good.
    """

    def __init__(
        self,
        supervisor: Supervisor,
        form: Asked | None = None,
        samples: int = 5,
        measured: Calibrations | None = None,
    ) -> None:
        self._supervisor = supervisor
        self._forced = form
        self._samples = max(0, min(samples, _MOST_SAMPLES))
        self._measured = measured

    async def ask(self, spec: JudgmentSpec, *materials: Mapping[str, str], frame: Frame = _alone) -> Judged:
        """The judgment of ``materials``: one, or the parts of one in order, which ``spec.combine`` puts together.

        Raises:
            ConfigError: a material lacks a value that the judgment names, or has one that it does not.
            CompletionError: there is no usable answer to a question.
            AllowanceExhausted: a prompt is too long, or the ledger does not admit a call.
            ModelError: the endpoint gave no answer at all.
        """
        form = await self.form()
        asked = spec.questions if form == "probability" else spec.questions[:1]
        answers: list[Answer] = []
        parts: list[float] = []
        for material in materials or ({},):
            text = spec.shown(material)
            replies = [
                await self._answer(form, _after(spec, q, form, frame(f"{text}\n\n{q.prompt}")), q) for q in asked
            ]
            parts.append(sum(map(_weight, replies)) / len(replies))
            answers += replies
        raw = min(parts) if spec.combine == "min" else sum(parts) / len(parts)
        calibration = (await self.calibrations()).find(self._supervisor.llm.name, spec, form)
        return Judged(
            name=spec.name, form=form, raw=raw, answers=tuple(answers), standing=standing(calibration),
            score=spec.score(calibration.odds(raw) if calibration else raw),
        )  # fmt: skip

    async def standing(self, spec: JudgmentSpec) -> Standing:
        """What the judgment is worth on this endpoint; asks the model nothing."""
        found = (await self.calibrations()).find(self._supervisor.llm.name, spec, await self.form())
        return standing(found)

    async def decides(self, spec: JudgmentSpec) -> bool:
        """Whether the judgment may decide something on this endpoint; asks the model nothing."""
        return await self.standing(spec) != "bad"

    async def calibrations(self) -> Calibrations:
        """What was measured of the endpoint."""
        if self._measured is not None:
            return self._measured
        return (await own_calibrations(self._supervisor)).before(calibrations())

    async def most_calls(self, spec: JudgmentSpec) -> int:
        """The most model calls that the judgment of one material takes; asks the model nothing."""
        calls = {"probability": len(spec.questions), "verdict": 1 + _VERDICT_REPAIRS, "samples": self._samples}
        return calls[await self.form()]

    async def form(self) -> Asked:
        """How it asks; finds out what the endpoint can do."""
        return self._forced or form_for(await self._supervisor.capabilities(), votes=self._samples > 0)

    async def _answer(self, form: Asked, prompt: Prompt, question: Question) -> Answer:
        if form == "samples":
            yes = await self._vote(prompt)
        elif form == "verdict":
            verdict = await self._supervisor.structured(
                prompt, _Verdict, max_tokens=_VERDICT_TOKENS, repairs=_VERDICT_REPAIRS
            )
            yes = float(verdict.value.verdict == "yes")
        else:
            yes = await self._supervisor.probability(prompt)
        return Answer(question=question.ask, yes=yes, speaks_for=question.yes)

    async def _vote(self, prompt: Prompt) -> float:
        """The share of yes among the usable samples, with half a vote for each side beforehand."""
        usual = self._supervisor
        votes: list[bool] = []
        for seed in range(1, self._samples + 1):
            sampling = Sampling(usual.llm, _TEMPERATURE, seed)
            asker = usual.through(sampling)
            with contextlib.suppress(Malformed, Truncated, EmptyCompletion):
                reply = await asker.structured(prompt, _Word, max_tokens=_WORD_TOKENS, repairs=0)
                votes.append(reply.value.answer == "yes")
        if not votes:
            raise Malformed(f"none of {self._samples} samples is a usable answer")
        return (sum(votes) + 0.5) / (len(votes) + 1)


def _weight(answer: Answer) -> float:
    """The log-odds that an answer adds to the judgment."""
    odds = _log_odds(answer.yes)
    return odds if answer.speaks_for else -odds


def _log_odds(likely: float) -> float:
    """The log-odds of a probability (0-1), of at most 9.2 either way."""
    likely = min(max(likely, _SURE), 1 - _SURE)
    return math.log(likely / (1 - likely))

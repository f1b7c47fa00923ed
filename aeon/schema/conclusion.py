"""How a run ends, whatever engine ran it: decisions, what degraded, the time that effects took, and the conclusion."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from aeon.schema.claims import Claim, SentenceCheck
from aeon.schema.frozen import Frozen, JsonValue
from aeon.schema.task import Clarification, Question, Unread
from aeon.schema.usage import NOTHING, Bound, Expected, Usage
from aeon.schema.value import Value

__all__ = ["Conclusion", "Decision", "Degradation", "PhaseTiming"]

_SHOWN = 120
"""Characters of its answer that a result shows of itself."""


class Decision(Value):
    """What happens next and the one reason for it: the name of a row of the decision table, or a budget's.

    ``sufficient``: the row says that the answer is good enough.
    """

    action: Literal["OUTPUT", "ASK", "CONTINUE"]
    reason: str
    detail: str = ""
    sufficient: bool = False

    @property
    def revisable(self) -> bool:
        """Whether what is found in the answer may still change the reason: until then nothing was held against it."""
        return self.sufficient or self.reason == "unverified"


class PhaseTiming(Value):
    """When an effect of this phase ran, in seconds since the run began."""

    phase: str
    started: float
    ended: float


class Degradation(Value):
    """An effect that failed, so that its fallback stood in for its value. Nothing is invented silently."""

    phase: str
    message: str


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


class Conclusion(Frozen):
    """How a run ended: an answer and a typed stop reason, always. An engine's result adds the engine's record to it.

    ``stop_reason`` is the reason of the decision that ended the run; ``sufficient``: by it the answer is good enough.
    ``claims`` are what the answer says, each with what it rests on: one that is contradicted, or was looked for and not
    found, keeps the answer from being good enough. ``sentence_checks`` say what is known of each sentence of it.
    ``value`` is the validated object where the task had an ``answer_schema`` and one could be had, else ``None``.
    ``unread`` says which parts of the task were too long for the prompts to show them whole, ``left_out`` in a line of
    which files of the run's folders nothing was read: what is not found may stand there. ``altered`` are the
    numbers of effects whose outcomes whoever forked the run put in. ``question`` is the one that a waiting run waits
    for; ``assumptions`` are questions that nobody was there to answer, with what was assumed. ``usage`` is what the
    effects of the record cost, ``lost`` what was spent on effects that were broken off by a crash or an interrupt and
    issued again: together they never exceed ``bound``, save where the ``stop_reason`` is ``overspent``. ``seconds`` is
    the time that the effects took, one after the other where they waited for each other.
    """

    execution_id: str
    engine: str
    answer: str
    value: JsonValue = None
    stop_reason: str
    detail: str = ""
    sufficient: bool = False
    claims: tuple[Claim, ...] = ()
    sentence_checks: tuple[SentenceCheck, ...] = ()
    degraded: tuple[Degradation, ...] = ()
    unread: tuple[Unread, ...] = ()
    left_out: str = ""
    altered: tuple[int, ...] = ()
    question: Question | None = None
    assumptions: tuple[Clarification, ...] = ()
    usage: Usage = NOTHING
    lost: Usage = NOTHING
    bound: Bound
    seconds: float = 0.0

    outside_digest: ClassVar[Any] = {"bound", "sentence_checks", "left_out"}
    """What a digest of the result leaves out: what follows from the configuration, from answer and claims, or what its
    journal says of it."""
    gives_claims: ClassVar[bool] = False
    """Whether the engine itself gives the claims of its answers; for any other, the host finds them."""

    def __repr__(self) -> str:
        spent = f"{self._told_claims}{self.usage.calls} model calls, {self.seconds:.1f} s"
        return f"{type(self).__name__}({self.stop_reason}: {_shortened(self.answer)!r}, {spent})"

    @property
    def _told_claims(self) -> str:
        """How many claims are supported; "" where there are none."""
        supported = sum(claim.verdict == "supported" for claim in self.claims)
        return f"{supported} of {len(self.claims)} claims supported, " if self.claims else ""

    __str__ = __repr__

    @property
    def assembled(self) -> bool:
        """Whether the answer was put together without a model, because its last effect was not possible."""
        return self.stop_reason in ("failed", "waiting") or any(d.phase == "synthesize" for d in self.degraded)

    @property
    def rests_on(self) -> str:
        """The scope of the nested run whose effects alone the answer rests on; "" where it may rest on all."""
        return ""

    def marked(self, altered: tuple[int, ...], expected: Expected | None = None, left_out: str = "") -> Self:
        """The same, saying what its journal says of it.

        The outcomes of these effects were put in; this much the run was ``expected`` to take when it began; and these
        files were ``left_out``.
        """
        if (altered, expected, left_out) == (self.altered, self.bound.expected, self.left_out):
            return self
        return self.changed(altered=altered, bound=self.bound.changed(expected=expected), left_out=left_out)

    def recorded(self) -> Self:
        """The same as its digest sees it: without what follows from the rest of it, and without `marked`."""
        return self.marked(())

    def parts(self) -> dict[str, JsonValue]:
        """The engine's record in parts that people compare, each under its name and without times. Here: none."""
        return {}

"""What the answer of a run may rest on, as its outcomes come in; and the answer held against it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar, cast

from aeon.documents.sentences import sentences
from aeon.grounding.outcomes import grounded_on
from aeon.grounding.prose import checked_sentences
from aeon.grounding.results import spans_of
from aeon.kernel.decide import borne_out
from aeon.schema import Conclusion, Decision, Outcome, Reply, StepResult, Task, ToolUse
from aeon.schema.effects import AskUser, Effect
from aeon.schema.programs import Ran

__all__ = ["Basis"]

R = TypeVar("R", bound=Conclusion)


class Basis:
    """The task of a run with what people said of it, and the outcomes that claims can rest on, by their numbers.

    ``scopes`` are those of the nested runs that have some of them.
    """

    __slots__ = ("outcomes", "scopes", "task")

    def __init__(self, task: Task) -> None:
        self.task = task
        self.outcomes: dict[int, Outcome] = {}
        self.scopes: dict[int, str] = {}

    def add(self, first: int, effects: Sequence[Effect], outcomes: Iterable[Outcome]) -> None:
        """Take in a batch, whose first effect has this number."""
        for number, outcome in enumerate(outcomes, first):
            kind = type(outcome.value)
            if kind in (StepResult, ToolUse) or outcome.usage.tool_calls:
                self.outcomes[number] = outcome
                if scope := effects[number - first].scope:
                    self.scopes[number] = scope
            elif kind is Reply and isinstance(effect := effects[number - first], AskUser):
                self.task = self.task.clarified(effect.question, cast("Reply", outcome.value))

    def within(self, scope: str) -> dict[int, Outcome]:
        """The outcomes of a nested run, and of those in it; all of them for the outermost one."""
        inside = f"{scope}/"
        return {n: one for n, one in self.outcomes.items() if f"{self.scopes.get(n, '')}/".startswith(inside)}

    def held(self, result: R) -> R:
        """The result with the claims of its answer; no answer is good enough whose claims do not stand."""
        if result.gives_claims or result.claims:
            return result
        within = self.within(result.rests_on)
        claims = grounded_on(result.answer, self.task, within)
        decision = Decision(
            action="OUTPUT", reason=result.stop_reason, detail=result.detail, sufficient=result.sufficient
        )
        ended = borne_out(decision, claims)
        spans = ((one.start, one.end) for one in sentences(result.answer))
        cited = spans_of(one.value for one in within.values() if isinstance(one.value, StepResult | ToolUse | Ran))
        known = checked_sentences(result.answer, spans, claims, cited)
        return result.changed(
            claims=claims,
            stop_reason=ended.reason,
            detail=ended.detail,
            sufficient=ended.sufficient,
            sentence_checks=known,
        )

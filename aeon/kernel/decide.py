"""What happens next: one ordered table, asked at every boundary; the first rule that holds decides.

The order of the rows matters: what nobody can overrule (a dead endpoint, an interrupt) comes first, then the engine's
rows with the two of the machine among them (budget, open question), then "continue", which always holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from aeon.errors import UsageError
from aeon.schema.claims import Claim
from aeon.schema.conclusion import Decision
from aeon.schema.outcome import Failure
from aeon.schema.task import Question

__all__ = ["BUDGET", "CLARIFICATION", "ENDINGS", "Rule", "Signals", "borne_out", "first", "table"]


@dataclass(slots=True)
class Signals:
    """What every run's decisions rest on; an engine's subclass adds signals of its own, each with a default.

    ``failure`` is one that the run cannot continue after. ``exhausted`` names the budget of which only the reserve is
    left. ``question`` is open; ``unclear``: the task should be asked about.
    """

    interrupted: bool = False
    failure: Failure | None = None
    exhausted: str | None = None
    question: Question | None = None
    unclear: bool = False


S = TypeVar("S", bound=Signals)
S_contra = TypeVar("S_contra", bound=Signals, contravariant=True)


@dataclass(frozen=True)
class Rule(Generic[S_contra]):
    """One row: if ``holds``, the run takes ``action`` for ``reason``; ``sufficient``: the answer is good enough.

    ``detail`` says why in this run; ``when``, for the docs, says when in any.
    """

    reason: str
    holds: Callable[[S_contra], bool]
    detail: Callable[[S_contra], str]
    action: Literal["OUTPUT", "ASK", "CONTINUE"] = "OUTPUT"
    sufficient: bool = False
    when: str = ""

    def decision(self, signals: S_contra) -> Decision:
        """The decision by this row; a budget that is used up gives it its own reason."""
        used_up = signals.exhausted if self.reason == BUDGET.reason else None
        detail, sufficient = self.detail(signals), self.sufficient
        return Decision(action=self.action, reason=used_up or self.reason, detail=detail, sufficient=sufficient)


def _broken(reason: str, when: str, *kinds: str) -> Rule[Signals]:
    """The row for failures of these kinds."""
    return Rule(
        reason,
        lambda s: s.failure is not None and s.failure.kind in kinds,
        lambda s: s.failure.message if s.failure else "",
        when=when,
    )


_FIRST = (
    _broken("failed", "the endpoint or the journal cannot be used any more", "endpoint", "request", "journal"),
    _broken("unknown_outcome", "nobody knows, or says, whether a tool changed the world", "unknown"),
    _broken("waiting", "a question is open and nobody is there to answer it", "waiting"),
    Rule[Signals]("interrupted", lambda s: s.interrupted, lambda s: "the user asked the run to stop", when="Ctrl-C"),
)
BUDGET = Rule[Signals](
    "budget",
    lambda s: s.exhausted is not None,
    lambda s: "only the reserve for the answer is left",
    when="calls, tokens, seconds or cost are used up but for the reserve; the reason names which, as `calls_exhausted`",
)
CLARIFICATION = Rule[Signals](
    "needs_clarification",
    lambda s: s.question is not None or s.unclear,
    lambda s: s.question.text if s.question else "the task leaves open what is meant",
    action="ASK",
    when="a question is open, or the task should be asked about",
)
ENDINGS = {"contradicted": "contradicted", "not_found": "unsupported"}
"""By the verdict on a claim, why an answer that has one is not good enough after all; the first that holds."""
_CONTINUE = Rule[Signals]("continue", lambda s: True, lambda s: "something is left to do", "CONTINUE", when="always")


def table(rows: Sequence[Rule[S]], order: Sequence[str] = ()) -> tuple[Rule[S], ...]:
    """The whole table of an engine with these rows, in another ``order`` of their reasons if one is given.

    ``BUDGET`` and ``CLARIFICATION`` stand where the engine put them, else before its own rows.

    Raises:
        UsageError: two rows have one reason, or the order does not name each row once.
    """
    movable: tuple[Rule[S], ...] = (*(rule for rule in (BUDGET, CLARIFICATION) if rule not in rows), *rows)
    reasons = [*_reasons((*_FIRST, _CONTINUE)), *_reasons(movable)]
    if len(set(reasons)) < len(reasons):
        raise UsageError(f"the decision table has two rows for one reason: {', '.join(reasons)}")
    by_reason = dict(zip(_reasons(movable), movable, strict=True))
    if order and sorted(order) != sorted(by_reason):
        raise UsageError(f"the order of the decision table must name each row once: {', '.join(by_reason)}")
    return (*_FIRST, *(by_reason[reason] for reason in order or by_reason), _CONTINUE)


def _reasons(rules: Sequence[Rule[S]]) -> list[str]:
    return [rule.reason for rule in rules]


def first(rules: Sequence[Rule[S]], signals: S) -> Rule[S]:
    """The first rule that holds. The last rule of a `table` always does."""
    return next(rule for rule in rules if rule.holds(signals))


def borne_out(decision: Decision, claims: Sequence[Claim]) -> Decision:
    """The decision, or what its answer lacks: no answer is good enough whose claims do not stand."""
    for verdict, reason in ENDINGS.items() if decision.sufficient else ():
        if texts := [claim.text for claim in claims if claim.verdict == verdict]:
            return Decision(action="OUTPUT", reason=reason, detail=", ".join(texts))
    return decision

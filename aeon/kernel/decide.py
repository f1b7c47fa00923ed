"""What happens next: one ordered table, asked at every boundary; the first rule that holds decides.

The order of the rows matters: what nobody can overrule (a dead endpoint, an interrupt) comes first, then the engine's
rows with the two of the machine among them (budget, open question), then "continue", which always holds. Rows are data:
a signal, an operator, a threshold and what follows; docs and diagrams are made from them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from aeon.errors import UsageError
from aeon.schema.claims import LACKING, Claim
from aeon.schema.conclusion import Decision
from aeon.schema.outcome import Failure
from aeon.schema.task import Question

__all__ = ["BUDGET", "CLARIFICATION", "OVERSPENT", "Rule", "Signals", "borne_out", "first", "table"]


@dataclass(slots=True)
class Signals:
    """What every run's decisions rest on; an engine's subclass adds signals of its own, each with a default.

    ``failure`` is one that the run cannot continue after. ``exhausted`` names the budget of which only the reserve is
    left; ``overspent`` says what was counted beyond the bound. ``question`` is open; ``unclear``: the task should be
    asked about. A signal is a field or a property.
    """

    always: ClassVar[bool] = True
    interrupted: bool = False
    failure: Failure | None = None
    exhausted: str | None = None
    overspent: str = ""
    question: Question | None = None
    unclear: bool = False

    @property
    def failure_kind(self) -> str:
        """The kind of the failure, "" where there is none."""
        return self.failure.kind if self.failure else ""

    @property
    def to_ask(self) -> str:
        """Why somebody is to be asked, "" where nobody is."""
        return self.question.text if self.question else "the task leaves open what is meant" * self.unclear


Operator = Literal["holds", ">=", "is", "in", "has"]
_OPERATORS: Mapping[Operator, Callable[..., bool]] = {
    "holds": lambda signal, _: bool(signal),
    ">=": operator.ge,
    "is": operator.eq,
    "in": lambda signal, among: operator.contains(among, signal),
    "has": operator.contains,
}


@dataclass(frozen=True)
class Rule:
    """One row: if ``signal`` stands in this relation to the threshold, the run takes ``action`` for ``reason``.

    ``threshold`` is a value; a text that begins with ``$`` names another signal. ``detail`` says why in this run, with
    places for signals, as ``{s.rounds}``; ``when``, for the docs, says when in any. ``sufficient``: the answer is good
    enough then.
    """

    reason: str
    signal: str
    detail: str
    relation: Operator = "holds"
    threshold: object = None
    action: Literal["OUTPUT", "ASK", "CONTINUE"] = "OUTPUT"
    sufficient: bool = False
    when: str = ""

    def holds(self, signals: Signals) -> bool:
        """Whether it decides on these signals."""
        named = isinstance(self.threshold, str) and self.threshold.startswith("$")
        threshold = getattr(signals, str(self.threshold)[1:]) if named else self.threshold
        return _OPERATORS[self.relation](getattr(signals, self.signal), threshold)

    def decision(self, signals: Signals) -> Decision:
        """The decision by this row; a budget that is used up gives it its own reason."""
        used_up = signals.exhausted if self.reason == BUDGET.reason else None
        detail = self.detail.format(s=signals)
        return Decision(action=self.action, reason=used_up or self.reason, detail=detail, sufficient=self.sufficient)


# fmt: off
OVERSPENT = Rule("overspent", "overspent", "{s.overspent}", when="more was counted than the whole run was admitted")
_FIRST = (
    Rule("failed", "failure_kind", "{s.failure.message}", "in", ("endpoint", "request", "journal"),
         when="the endpoint or the journal cannot be used any more"),
    Rule("unknown_outcome", "failure_kind", "{s.failure.message}", "is", "unknown",
         when="nobody knows, or says, whether a tool changed the world"),
    Rule("waiting", "failure_kind", "{s.failure.message}", "is", "waiting",
         when="a question is open and nobody is there to answer it"),
    OVERSPENT,
    Rule("interrupted", "interrupted", "the user asked the run to stop", when="Ctrl-C"),
)
BUDGET = Rule(
    "budget", "exhausted", "only the reserve for the answer is left",
    when="calls, tokens, seconds or cost are used up but for the reserve; the reason names which, as `calls_exhausted`",
)
CLARIFICATION = Rule("needs_clarification", "to_ask", "{s.to_ask}", action="ASK",
                     when="a question is open, or the task should be asked about")
_CONTINUE = Rule("continue", "always", "something is left to do", action="CONTINUE", when="always")
# fmt: on


def table(rows: Sequence[Rule], order: Sequence[str] = ()) -> tuple[Rule, ...]:
    """The whole table of an engine with these rows, in another ``order`` of their reasons if one is given.

    ``BUDGET`` and ``CLARIFICATION`` stand where the engine put them, else before its own rows.

    Raises:
        UsageError: two rows have one reason, or the order does not name each row once.
    """
    movable = (*(rule for rule in (BUDGET, CLARIFICATION) if rule not in rows), *rows)
    reasons = [*_reasons((*_FIRST, _CONTINUE)), *_reasons(movable)]
    if len(set(reasons)) < len(reasons):
        raise UsageError(f"the decision table has two rows for one reason: {', '.join(reasons)}")
    by_reason = dict(zip(_reasons(movable), movable, strict=True))
    if order and sorted(order) != sorted(by_reason):
        raise UsageError(f"the order of the decision table must name each row once: {', '.join(by_reason)}")
    return (*_FIRST, *(by_reason[reason] for reason in order or by_reason), _CONTINUE)


def _reasons(rules: Sequence[Rule]) -> list[str]:
    return [rule.reason for rule in rules]


def first(rules: Sequence[Rule], signals: Signals) -> Rule:
    """The first rule that holds. The last rule of a `table` always does.

    Every boundary asks, and most rows ask only whether a signal holds: that is seen here, without a call for each.
    """
    return next(r for r in rules if (getattr(signals, r.signal) if r.relation == "holds" else r.holds(signals)))


def borne_out(decision: Decision, claims: Sequence[Claim]) -> Decision:
    """The decision, or what its answer lacks: no answer is good enough whose claims do not stand."""
    for reason in LACKING if decision.revisable else ():
        if texts := [claim.text for claim in claims if claim.lacking == reason]:
            return Decision(action="OUTPUT", reason=reason, detail=", ".join(texts))
    return decision

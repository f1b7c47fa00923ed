"""What happens next: one ordered table, asked at every boundary; the first rule that holds decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from aeon.schema import ROWS, Decision, Failure, Question, Row, StopReason

__all__ = ["TABLE", "Rule", "Signals", "decide"]


@dataclass(slots=True)
class Signals:
    """All that a decision rests on.

    ``failure`` is one that the run cannot go on after; ``converged`` and ``confident`` are of the latest complete pass;
    of the budget ``exhausted`` only the reserve is left; ``question`` is open; ``diminishing``: the last passes hardly
    gained anything; ``stalled``: refinement is over and no step can run.
    """

    interrupted: bool = False
    failure: Failure | None = None
    converged: bool = False
    confident: bool = False
    passes: int = 0
    ttl: int = 1
    exhausted: StopReason | None = None
    question: Question | None = None
    diminishing: bool = False
    stalled: bool = False


@dataclass(frozen=True)
class Rule:
    """One row: if ``holds``, the run takes ``action`` for ``reason``."""

    reason: StopReason | Row | Literal["continue"]
    holds: Callable[[Signals], bool]
    detail: Callable[[Signals], str]
    action: Literal["OUTPUT", "ASK", "CONTINUE"] = "OUTPUT"


def _broken(reason: StopReason, by: str) -> Rule:
    return Rule(reason, lambda s: (s.failure and s.failure.kind) == by, lambda s: f"{s.failure and s.failure.message}")


TABLE: tuple[Rule, ...] = (
    _broken("failed", "endpoint"),
    _broken("unknown_outcome", "unknown"),
    _broken("waiting", "waiting"),
    Rule("interrupted", lambda s: s.interrupted, lambda s: "the user asked the run to stop"),
    Rule("converged", lambda s: s.converged, lambda s: f"every criterion was met in pass {s.passes}"),
    Rule("confident", lambda s: s.confident, lambda s: f"confidence and coverage were high enough in pass {s.passes}"),
    Rule("ttl_expired", lambda s: s.passes >= s.ttl, lambda s: f"all {s.ttl} passes are used"),
    Rule("budget", lambda s: s.exhausted is not None, lambda s: "only the reserve for the answer is left"),
    Rule("needs_clarification", lambda s: s.question is not None, lambda s: f"{s.question and s.question.text}", "ASK"),
    Rule("diminishing_returns", lambda s: s.diminishing, lambda s: "the last passes hardly gained anything"),
    Rule("stalled", lambda s: s.stalled, lambda s: "no step can run, and no refinement would change that"),
    Rule("continue", lambda s: True, lambda s: f"pass {s.passes} of {s.ttl} left something to do", "CONTINUE"),
)


@cache
def _rules(order: tuple[Row, ...]) -> tuple[Rule, ...]:
    """The table in the policy's order: rows that no policy moves stay first, "continue" last."""
    first = len(TABLE) - len(order) - 1
    return (*TABLE[:first], *sorted(TABLE[first:-1], key=lambda rule: order.index(rule.reason)), TABLE[-1])


def decide(signals: Signals, order: tuple[Row, ...] = ROWS) -> Decision:
    """The decision of the first rule that holds, in the policy's order. Total: the last rule always does."""
    for rule in _rules(order):
        if rule.holds(signals):
            break
    reason = (signals.exhausted or "failed") if rule.reason == "budget" else rule.reason
    return Decision.made(action=rule.action, reason=reason, detail=rule.detail(signals))

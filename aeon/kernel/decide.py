"""What happens next: one ordered table, asked at every boundary; the first rule that holds decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from aeon.schema import Decision, Failure, StopReason

__all__ = ["TABLE", "Rule", "Signals", "decide"]


@dataclass(frozen=True)
class Signals:
    """All that a decision rests on.

    ``failure`` is one that the run cannot go on after; ``converged`` is of the latest complete pass; of the budget
    ``exhausted`` only the reserve is left; ``question`` is open; ``stalled``: refinement is over and no step can run.
    """

    interrupted: bool = False
    failure: Failure | None = None
    converged: bool = False
    passes: int = 0
    ttl: int = 1
    exhausted: StopReason | None = None
    question: str = ""
    stalled: bool = False


@dataclass(frozen=True)
class Rule:
    """One row: if ``holds``, the run takes ``action`` for ``reason``."""

    reason: StopReason | Literal["budget", "needs_clarification", "continue"]
    holds: Callable[[Signals], bool]
    detail: Callable[[Signals], str]


def _broken(reason: StopReason, by: str) -> Rule:
    return Rule(reason, lambda s: (s.failure and s.failure.kind) == by, lambda s: f"{s.failure and s.failure.message}")


TABLE: tuple[Rule, ...] = (
    _broken("failed", "endpoint"),
    _broken("unknown_outcome", "unknown"),
    _broken("waiting", "waiting"),
    Rule("interrupted", lambda s: s.interrupted, lambda s: "the user asked the run to stop"),
    Rule("converged", lambda s: s.converged, lambda s: f"every criterion was met in pass {s.passes}"),
    Rule("ttl_expired", lambda s: s.passes >= s.ttl, lambda s: f"all {s.ttl} passes are used"),
    Rule("budget", lambda s: s.exhausted is not None, lambda s: "only the reserve for the answer is left"),
    Rule("needs_clarification", lambda s: bool(s.question), lambda s: s.question),
    Rule("stalled", lambda s: s.stalled, lambda s: "no step can run, and no refinement would change that"),
    Rule("continue", lambda s: True, lambda s: f"pass {s.passes} of {s.ttl} left something to do"),
)


_ACTIONS: dict[str, Literal["ASK", "CONTINUE"]] = {"needs_clarification": "ASK", "continue": "CONTINUE"}


def decide(signals: Signals) -> Decision:
    """The decision of the first rule that holds. Total: the last rule always does."""
    rule = next(rule for rule in TABLE if rule.holds(signals))
    reason = (signals.exhausted or "failed") if rule.reason == "budget" else rule.reason
    return Decision(action=_ACTIONS.get(reason, "OUTPUT"), reason=reason, detail=rule.detail(signals))

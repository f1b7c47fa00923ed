"""What happens next: one ordered table, asked at every boundary; the first rule that holds decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from aeon.schema import Decision, StopReason

__all__ = ["TABLE", "Rule", "Signals", "decide"]


@dataclass(frozen=True)
class Signals:
    """All that a decision rests on.

    ``failure`` says why the endpoint cannot be used; ``converged`` is of the latest complete pass; of the budget
    ``exhausted`` only the reserve is left; ``stalled``: refinement is over and no step can run.
    """

    interrupted: bool = False
    failure: str = ""
    converged: bool = False
    passes: int = 0
    ttl: int = 1
    exhausted: StopReason | None = None
    stalled: bool = False


@dataclass(frozen=True)
class Rule:
    """One row: if ``holds``, the run takes ``action`` for ``reason``."""

    reason: StopReason | Literal["budget", "continue"]
    holds: Callable[[Signals], bool]
    detail: Callable[[Signals], str]


TABLE: tuple[Rule, ...] = (
    Rule("failed", lambda s: bool(s.failure), lambda s: s.failure),
    Rule("interrupted", lambda s: s.interrupted, lambda s: "the user asked the run to stop"),
    Rule("converged", lambda s: s.converged, lambda s: f"every criterion was met in pass {s.passes}"),
    Rule("ttl_expired", lambda s: s.passes >= s.ttl, lambda s: f"all {s.ttl} passes are used"),
    Rule("budget", lambda s: s.exhausted is not None, lambda s: "only the reserve for the answer is left"),
    Rule("stalled", lambda s: s.stalled, lambda s: "no step can run, and no refinement would change that"),
    Rule("continue", lambda s: True, lambda s: f"pass {s.passes} of {s.ttl} left something to do"),
)


def decide(signals: Signals) -> Decision:
    """The decision of the first rule that holds. Total: the last rule always does."""
    rule = next(rule for rule in TABLE if rule.holds(signals))
    reason = (signals.exhausted or "failed") if rule.reason == "budget" else rule.reason
    action: Literal["OUTPUT", "CONTINUE"] = "CONTINUE" if reason == "continue" else "OUTPUT"
    return Decision(action=action, reason=reason, detail=rule.detail(signals))

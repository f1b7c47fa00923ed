"""Whether evidence supports a claim, by a judge that was measured for it."""

from __future__ import annotations

from aeon.errors import AllowanceExhausted, CompletionError
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.judge import Judge, Judged
from aeon.supervisor.judge_specs import JudgmentSpec, judgment

__all__ = ["support_spec", "supported"]


def support_spec() -> JudgmentSpec:
    """The judgment, with its threshold."""
    return judgment("evidence_supports")


async def supported(judge: Judge, evidence: str, claim: str) -> Judged | None:
    """What the judge says; ``None`` where it was not measured, says nothing usable, or no calls are left for it.

    Raises:
        ModelError: the model could not be asked.
    """
    spec = support_spec()
    if not await judge.decides(spec) or current_ledger().calls_left() < await judge.most_calls(spec):
        return None
    try:
        judged = await judge.ask(spec, {"evidence": evidence, "claim": claim})
    except (CompletionError, AllowanceExhausted):
        return None
    return judged if judged.decides else None

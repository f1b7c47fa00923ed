"""Whether what is cited gives an answer to a question, by a judge that was measured for it."""

from __future__ import annotations

from aeon.errors import AllowanceExhausted, CompletionError
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.judge import Judge, Judged
from aeon.supervisor.judge_specs import JudgmentSpec, judgment

__all__ = ["support_spec", "supported"]


def support_spec() -> JudgmentSpec:
    """The judgment, with its threshold."""
    return judgment("gives_answer")


async def supported(judge: Judge, text: str, question: str, answer: str) -> Judged | None:
    """What the judge says; ``None`` where it was not measured, says nothing usable, or no calls are left for it.

    Raises:
        ModelError: the model could not be asked.
    """
    spec = support_spec()
    if not await judge.decides(spec) or current_ledger().calls_left() < await judge.most_calls(spec):
        return None
    try:
        judged = await judge.ask(spec, {"text": text, "question": question, "answer": answer})
    except (CompletionError, AllowanceExhausted):
        return None
    return judged if judged.decides else None

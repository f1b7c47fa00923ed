"""What measured judges say of cited sentences: whether they answer a question, and whether they give this answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aeon.documents.sentences import sentences
from aeon.engines.research.values import Citation
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.judge import Judge, Judged
from aeon.supervisor.judge_specs import JudgmentSpec, judgment
from aeon.text import one_line

__all__ = ["answering", "headed", "last_question", "support_spec", "supported"]

_LONGEST_TITLE, _LONGEST = 100, 1_000


def headed(cited: Sequence[Citation], titles: Mapping[int, str]) -> str:
    """The cited sentences as a judge is shown them: a line for each source, behind its title, which is said once."""
    lines: dict[int, list[str]] = {}
    for one in cited:
        lines.setdefault(one.number, []).append(one_line(one.source.text, _LONGEST))
    heads = {n: one_line(titles[n], _LONGEST_TITLE) for n in lines}
    said = {n: [one for one in lines[n] if one != heads[n]] or lines[n] for n in lines}
    return "\n".join(f"{heads[n]}: {' '.join(said[n])}" for n in lines)


def support_spec() -> JudgmentSpec:
    """The judgment of support, with its threshold."""
    return judgment("gives_answer")


async def supported(judge: Judge, text: str, question: str, answer: str) -> Judged | None:
    """Whether a text gives an answer; ``None`` where the judge was not measured, says nothing usable, or has no calls.

    Raises:
        ModelError: the model could not be asked.
    """
    return await _judged(judge, support_spec(), text=text, question=question, answer=answer)


async def answering(judge: Judge, text: str, question: str) -> Judged | None:
    """Whether a text answers a question at all; ``None`` and errors as above.

    What is told before the question is left out: no sentence of a text says that, too.
    """
    return await _judged(judge, judgment("answers_question"), text=text, question=last_question(question))


def last_question(question: str) -> str:
    """The question behind what is told before it: "Somebody's whistle is in the box. Where did its owner live?"."""
    *told, last = [question[one.start : one.end] for one in sentences(question)] or [question]
    is_led_in = told and last.endswith("?") and not any(one.endswith("?") for one in told)
    return last if is_led_in else question


async def _judged(judge: Judge, spec: JudgmentSpec, **material: str) -> Judged | None:
    if not await judge.decides(spec) or current_ledger().calls_left() < await judge.most_calls(spec):
        return None
    try:
        judged = await judge.ask(spec, material)
    except (CompletionError, AllowanceExhausted):
        return None
    return judged if judged.decides else None

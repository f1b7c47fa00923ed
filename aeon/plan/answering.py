"""Whether the sentences that a plan quotes answer the question: a judgment, asked where words of it are not in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.documents.words import content_words, stem
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.plan.evidence import Evidence
from aeon.plan.prompts import Asked
from aeon.runtime.ledger import current_ledger
from aeon.schema import Plan, Source, ToolCall
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.text import one_line
from aeon.tools.quote import QUOTE

__all__ = ["Answering"]

_SPEC = "answers_question"
_LONGEST_QUESTION = 400
_PLAN_AND_JUDGE = 2
_WORD = re.compile(r"[^\W_]+")
_WHICH = re.compile(
    r"\b(second|third|fourth|fifth|other|new|newer|old|older|former|previous|next|last|first|original)\b", re.IGNORECASE
)
_OF_BEFORE = re.compile(r"(?:it|its|he|his|she|her|they|their|this|these|that|those|there)\b", re.IGNORECASE)
_DONE = re.compile(r"\b(?:was|were|is|are|did|been)\b[^?.!]*\b([^\W\d_]+)\s*[?.!]*\s*$", re.IGNORECASE)
"""What a question ends in behind its verb: sold, in "When was the orchard sold?"."""


class Answering:
    """Has a model that was measured for it say whether a text answers exactly the question."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    async def doubt(self, plan: Plan, asked: Asked) -> str:
        """What is doubtful about a plan of quotations alone, in a few words; "" where nothing is, or nobody can say.

        Not asked where every word of the question stands in the quoted sentences, nor where nothing is left for the
        answer. The judge sees these alone: beside others, what is said of one thing passes for an answer about another.
        """
        quoted = _quoted(plan, asked.evidence)
        said = {stem(word) for source in quoted for word in _WORD.findall(f"{source.heading} {source.text}")}
        missing = any(stem(word) not in said for word in _words(asked.about.text))
        if not quoted or not missing or current_ledger().calls_left() < 1:
            return ""
        text = _text(quoted, asked.evidence)
        score = await self._score(text, asked)
        unlikely = score is not None and score < judgment(_SPEC).threshold
        return f"the text may not answer exactly this: judged {score:.2f}" if unlikely else ""

    async def able(self) -> bool:
        """Whether the judge may decide, and there is a call left for it beside that of a plan."""
        return current_ledger().calls_left() > _PLAN_AND_JUDGE and await self._judge.decides(judgment(_SPEC))

    async def says(self, plan: Plan, asked: Asked) -> bool:
        """Whether what a plan of quotations alone quotes answers exactly the question, as far as a judge can say."""
        quoted = _quoted(plan, asked.evidence)
        score = await self._score(_text(quoted, asked.evidence), asked) if quoted else None
        return score is not None and score >= judgment(_SPEC).threshold

    async def _score(self, text: str, asked: Asked) -> float | None:
        """How likely the text answers the question; ``None`` where nobody can say."""
        spec = judgment(_SPEC)
        try:
            if not await self._judge.decides(spec):
                return None
            question = one_line(asked.about.text, _LONGEST_QUESTION)
            judged = await self._judge.ask(spec, {"text": text, "question": question})
        except (CompletionError, AllowanceExhausted):
            return None
        return judged.score if judged.decides else None


def _text(quoted: Sequence[Source], evidence: Evidence) -> str:
    """The quoted sentences as the judge is shown them."""
    return "\n".join(dict.fromkeys(_around(source, evidence) for source in quoted))


def _words(question: str) -> set[str]:
    """The words that a sentence has to have, or it is judged: what the question is about, which one, what was done."""
    return {*content_words(question), *_WHICH.findall(question), *_DONE.findall(question)}


def _quoted(plan: Plan, evidence: Evidence) -> list[Source]:
    """The sentences that a plan quotes, if it does nothing else."""
    calls = [step.action for step in plan.steps if isinstance(step.action, ToolCall) and step.action.tool == QUOTE]
    if len(calls) < len(plan.steps):
        return []
    places = [((call.arguments or {}).get("source"), (call.arguments or {}).get("start")) for call in calls]
    return [one for one in evidence.sources if (one.source, one.start) in places]


def _around(source: Source, evidence: Evidence) -> str:
    """A sentence below the name of its file and its heading; behind the one before it where it begins with "it"."""
    own = [one for one in evidence.sources if one.source == source.source]
    place = own.index(source)
    shown = own[max(0, place - 1) : place + 1] if _OF_BEFORE.match(source.text) else [source]
    head = ", ".join(filter(None, (source.source, source.heading)))
    return f"({one_line(head)}) {' '.join(one_line(one.text) for one in shown)}"

"""A second opinion on an answer that a judge neither takes nor turns down by the sentence that it rests on.

A sentence that says "it robbed him of his sense of smell" does not say of whom or what. So the judge is shown the whole
passage, and the passage is read once more, alone: does it give the same answer, another, or none? A question with a
clause ("the country where the mouth of the Orla is") takes several passages as a rule: it gets no second opinion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from aeon.engines.research.phrases import has_clause
from aeon.engines.research.reading import absent
from aeon.engines.research.support import answering, last_question
from aeon.engines.research.texts import Texts, terms
from aeon.engines.research.values import Citation, Finding
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.judge import Judge, log_odds
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["CALLS", "HOPELESS", "reconsidered"]

CALLS = 2
"""Model calls that a second opinion takes."""
HOPELESS = 0.02
"""Score of a sentence below which there is none."""
_AGREES = 0.7
"""Log-odds by which the same answer of the passage alone speaks for it, and none against it.

Of 67 answers of one call to questions in people's own words, of HotpotQA and of MuSiQue, with their documents and
without, 18 are right. By the sentence alone 12 of these are kept from .3 on, and 5 others; so it is 15, and 7.
"""
_LONGEST, _LONGEST_TITLE, _TOKENS = 2_800, 100, 40
_LONGEST_QUESTION = 600


async def reconsidered(supervisor: Supervisor, judge: Judge, found: Finding, texts: Texts, below: float) -> Finding:
    """The finding with a score of the sentence and of its passage together.

    Only a score from `HOPELESS` up to, not including, ``below`` is doubtful. Another finding is given back as it is, so
    is one to a question with a clause, and where no call is left or nobody judges.

    Raises:
        ModelError: the endpoint gave no answer at all.
    """
    if found.score is None or not HOPELESS <= found.score < below or current_ledger().calls_left() < CALLS:
        return found
    if has_clause(last_question(found.question)):
        return found
    passage = _passage(found.evidence, texts)
    judged = await answering(judge, passage, found.question)
    if judged is None:
        return found
    odds = (log_odds(found.score) + log_odds(judged.score)) / 2
    odds += _AGREES * await _agreement(supervisor, found, passage)
    return found.changed(score=1 / (1 + math.exp(-odds)))


async def _agreement(supervisor: Supervisor, found: Finding, passage: str) -> int:
    """1 where the passage alone gives an answer with a word of this one, -1 where it says that it gives none."""
    question = cut(last_question(found.question), _LONGEST_QUESTION)
    prompt = Prompt(
        load("aeon.engines.research", "again.md"), f"{fence('passage', passage, _LONGEST)}\nQuestion: {question}"
    )
    try:
        reply = (await supervisor.text(prompt, max_tokens=_TOKENS, repairs=0)).value
    except (CompletionError, AllowanceExhausted):
        return 0
    if absent(reply):
        return -1
    return 1 if terms(reply) & terms(found.answer) else 0


def _passage(evidence: Sequence[Citation], texts: Texts) -> str:
    """All that was shown of the sources that are cited, a line each behind its title, each in its share of the room."""
    numbers = dict.fromkeys(one.number for one in evidence)
    room = _LONGEST // len(numbers) - _LONGEST_TITLE
    said = {n: " ".join(one.source.text for one in texts.sentences if one.number == n) for n in numbers}
    return "\n".join(f"{one_line(texts.heads[n], _LONGEST_TITLE)}: {one_line(said[n], room)}" for n in numbers)

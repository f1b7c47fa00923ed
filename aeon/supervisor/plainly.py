"""A short answer out of many sentences, as a model gives it that is neither told to cite nor that they may not say it.

On 16 questions over texts of ``scripts/bench/folders`` it was right 11 times, where an answer with its sentence behind
examples was 8 times; of 7 that both gave 6 were right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.documents.telling import numbered
from aeon.documents.words import stems
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.runtime.ledger import current_ledger
from aeon.schema import LONGEST_TASK, Source
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Reply, Supervisor

__all__ = ["MOST_SENTENCES", "bare", "is_absent", "is_same", "read_plainly"]

MOST_SENTENCES = 30
"""Sentences that are shown; of 14, eight of twelve answers were right, of 30 ten, of whole texts ten as well."""
_ANSWER_TOKENS = 60
_LONGEST_SENTENCES = 6_000
_CITED = re.compile(r"[\[(]\s*(?:sentences?\s*)?\d{1,3}(?:\s*(?:,|and|-)\s*\d{1,3})*\s*[\])]")
_ABSENT = re.compile(r"\bnot (?:stated|mentioned|said|given|specified|provided|found)\b|\bno sentence\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


async def read_plainly(supervisor: Supervisor, question: str, sources: Sequence[Source]) -> Reply[str] | None:
    """What the sentences give; ``None`` where nobody can be asked, or the model says that they do not say it."""
    if not sources or current_ledger().calls_left() <= 1:
        return None
    shown = fence("sentences", "\n".join(numbered(sources, files=True)), _LONGEST_SENTENCES)
    asked = f"{shown}\nQuestion: {cut(question, LONGEST_TASK)}"
    prompt = Prompt(load("aeon.supervisor", "plain.md"), asked, fixed=True)
    try:
        reply = await supervisor.text(prompt, max_tokens=_ANSWER_TOKENS, repairs=0, likelihood=True)
    except (CompletionError, AllowanceExhausted):
        return None
    return None if is_absent(bare(reply.value)) else reply


def bare(reply: str) -> str:
    """The answer of a reply, without the numbers of sentences, quotes and a full stop."""
    return _CITED.sub("", reply).strip().strip("\"'").removesuffix(".").strip()


def is_absent(answer: str) -> bool:
    """Whether an answer says that the sentences do not say it, or nothing."""
    return not answer or bool(_ABSENT.search(answer))


def is_same(one: str, other: str) -> bool:
    """Whether two short answers are the same: one of them has all the words and numbers of the other."""
    few, many = sorted((_parts(one), _parts(other)), key=len)
    return bool(few) and few <= many


def _parts(text: str) -> frozenset[str]:
    return stems(text) | {*_NUMBER.findall(text)}

"""A question in other words, for a search that found too little."""

from __future__ import annotations

import re
from collections.abc import Collection

from aeon.engines.research.common import stems
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.prompt import Prompt, load
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["lines_of", "reworded"]

_TOKENS = 60
_LONGEST = 250
"""Characters of a question."""
_NUMBERING = re.compile(r"^[\s\W]*(?:\d+\s*[.):-]\s*)?")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_EXAMPLES = (
    ("When was the Öresund Bridge opened?", "In which year did traffic begin on the Öresund Bridge?"),
    ("Who leads the harbour clinic?", "What is the name of the head of the harbour clinic?"),
)


async def reworded(supervisor: Supervisor, question: str, worded: Collection[str]) -> str:
    """The question in other words that share one with it and are none of those ``worded`` (casefolded) before; else "".

    One model call, if one is left.

    Raises:
        ModelError: the model could not be asked.
    """
    if current_ledger().calls_left() < 1:
        return ""
    prompt = Prompt(load("aeon.engines.research", "reword.md"), question, _EXAMPLES, fixed=True)
    try:
        reply = (await supervisor.text(prompt, max_tokens=_TOKENS, repairs=0)).value
    except (CompletionError, AllowanceExhausted):
        return ""
    fitting = (one for one in lines_of(reply) if one.casefold() not in worded and stems(one) & stems(question))
    return next(fitting, "")


def lines_of(reply: str) -> list[str]:
    """The questions in a reply in their order, each once, without their numbers; what is no sentence is left out."""
    lines = (_NUMBERING.sub("", line).strip(" \"'*") for line in reply.splitlines())
    first: dict[str, str] = {}
    for line in lines:
        if len(line) <= _LONGEST and len(_WORDS.findall(line)) > 1:
            first.setdefault(line.casefold(), one_line(line))
    return [*first.values()]

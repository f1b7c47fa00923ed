"""The queries that a search begins with besides the question itself: what else a text may call what is asked for."""

from __future__ import annotations

from aeon.engines.research.rewording import lines_of
from aeon.errors import AllowanceExhausted, CompletionError, ModelError
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.prompt import Prompt, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["other_words"]

_TOKENS = 60
_MOST = 3
_EXAMPLES = (
    (
        "Who looks after the bees at the school?",
        "school beekeeper\napiary keeper name\nperson responsible for the hives",
    ),
    (
        "Why was the ferry late on the day of the storm?",
        "ferry delay storm cause\nboat service disrupted by weather\nferry departure postponed reason",
    ),
)


async def other_words(supervisor: Supervisor, question: str) -> list[str]:
    """At most three queries for a question in words that a text may have instead; none where no call is left.

    One model call. A request that failed costs no plan: the question itself is searched for anyway.

    Raises:
        ModelError: the model cannot be asked any more.
    """
    if current_ledger().calls_left() < 1:
        return []
    prompt = Prompt(load("aeon.engines.research", "queries.md"), question, _EXAMPLES, fixed=True)
    try:
        reply = (await supervisor.text(prompt, max_tokens=_TOKENS, repairs=0)).value
    except (CompletionError, AllowanceExhausted):
        return []
    except ModelError as error:
        if error.fatal:
            raise
        return []
    return lines_of(reply)[:_MOST]

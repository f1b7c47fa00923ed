"""A scripted model that gives the same where it is asked a second time, in another form."""

from __future__ import annotations

import re
from collections.abc import Iterable

from approving import Approving

from aeon.errors import EndpointFailed
from aeon.llm.scripted import ALL_JSON, Reply
from aeon.schema import Capabilities, LLMRequest
from aeon.supervisor.prompt import load

__all__ = ["agreeing", "is_second"]

SHELF, TABLES = load("aeon.supervisor", "shelf.md").strip(), load("aeon.plan", "tables.md").strip()
FEW_WORDS = "Answer in a few words."
_PROGRAM = re.compile(r".*(?:print\(|\bSELECT\b)", re.DOTALL)


def is_second(request: LLMRequest) -> bool:
    """Whether a request asks for a reading of passages in a few words, or for a query without examples."""
    system, *rest = (message.content.strip() for message in request.messages)
    of_passages = system == SHELF and not request.fixed_messages and rest[-1].endswith(FEW_WORDS)
    return of_passages or (system == TABLES and len(rest) == 1)


def agreeing(replies: Iterable[Reply], capabilities: Capabilities = ALL_JSON, name: str = "scripted") -> Approving:
    """A model of these replies; the latest text of them again where it is asked in another form. It approves of all.

    Asked for a short answer from whole texts, it says that they do not state it where a program is its next reply, and
    so it does where it may say so, unless it has answered from them.
    """
    left, latest, shelved = list(replies), list[str](), list[str]()

    def choose(request: LLMRequest) -> Reply:
        system, asked = request.messages[0].content.strip(), request.messages[-1].content
        if system == SHELF and asked.endswith("reply: not stated"):
            return shelved[-1] if shelved else "not stated"
        if is_second(request) and latest:
            return latest[-1]
        if system == SHELF and left and _PROGRAM.match(str(left[0])):
            return "not stated"
        reply = left.pop(0) if left else EndpointFailed("there is no reply left")
        if isinstance(reply, str):
            latest.append(reply)
            if system == SHELF and asked.endswith(FEW_WORDS):
                shelved.append(reply)
        return reply

    return Approving(choose, capabilities, name)

"""A scripted model that gives the same where it is asked a second time, in another form."""

from __future__ import annotations

from collections.abc import Iterable

from aeon.errors import EndpointFailed
from aeon.llm.scripted import ALL_JSON, Reply, Scripted
from aeon.schema import Capabilities, LLMRequest
from aeon.supervisor.prompt import load

__all__ = ["agreeing", "is_second", "is_shelved"]

SHELF = load("aeon.supervisor", "shelf.md").strip()
SECOND = {load("aeon.supervisor", "plain.md").strip(), load("aeon.plan", "tables.md").strip()}


def is_second(request: LLMRequest) -> bool:
    """Whether a request asks for a plain reading, or for a query without examples."""
    system, *rest = request.messages
    return len(rest) == 1 and system.content.strip() in SECOND


def is_shelved(request: LLMRequest) -> bool:
    """Whether a request asks what whole texts say, and whether they say it at all."""
    system, *rest = request.messages
    return system.content.strip() == SHELF and rest[-1].content.endswith("reply: not stated")


def agreeing(replies: Iterable[Reply], capabilities: Capabilities = ALL_JSON, name: str = "scripted") -> Scripted:
    """A model of these replies; the latest text of them again where it is asked in another form.

    Asked whether the texts say it, it says that they do not.
    """
    left, latest = iter(replies), list[str]()

    def choose(request: LLMRequest) -> Reply:
        if is_shelved(request):
            return "not stated"
        if is_second(request) and latest:
            return latest[-1]
        reply = next(left, EndpointFailed("there is no reply left"))
        if isinstance(reply, str):
            latest.append(reply)
        return reply

    return Scripted(choose, capabilities, name)

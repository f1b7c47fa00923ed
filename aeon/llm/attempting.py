"""The attempts at one request: what went wrong, and what is left out where an endpoint does not say what it minds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from aeon.errors import ModelError
from aeon.llm.asking import Form, Habits
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import LLMRequest

__all__ = ["Attempting", "FailedAttempt", "Guesses"]

_MINOR = ("temperature", "seed", "top_logprobs", "logprobs")


class Guesses:
    """Asks again without the fields that only tune an answer, then without a shape of it; keeps what helped."""

    def __init__(self) -> None:
        self.fields: tuple[str, ...] = ()
        self._shape = False

    def next(
        self, request: LLMRequest, sent: JsonObject, own: Collection[str], ways: Sequence[Form]
    ) -> tuple[Form, ...] | None:
        """The forms to ask in now, without ``fields``; ``None`` where there is nothing more to leave out.

        Tools are not left out here: who offers them asks otherwise. The user's ``own`` fields stay.
        """
        if request.tools or self._shape:
            return None
        minor = tuple(name for name in _MINOR if name in sent and name not in own)
        if minor and not self.fields:
            self.fields = minor
            return tuple(ways)
        self._shape = True
        return ("text",) if ways[0] != "text" and "text" in ways else None

    def confirm(self, request: LLMRequest, habits: Habits) -> None:
        """Keep, where it was answered, what was left out last."""
        if self._shape and request.json_schema is not None:
            habits.take(request.json_schema, "text")
        elif not self._shape:
            for name in self.fields:
                habits.learn(name)


@dataclass(frozen=True)
class FailedAttempt:
    """What went wrong in one attempt; ``rephrase`` if it is worth asking again in another form, at once."""

    error: ModelError
    rephrase: bool = False
    plainer: bool = False
    wait: float | None = None


@dataclass
class Attempting:
    """A request, the forms to ask in that are left, the fields to leave out, and how often it was tried."""

    request: LLMRequest
    ways: tuple[Form, ...]
    omitted: tuple[str, ...] = ()
    made: int = 1
    retries: int = 0
    unmetered: int = 0
    guesses: Guesses = field(default_factory=Guesses)

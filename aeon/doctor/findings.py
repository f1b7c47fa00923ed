"""The findings of an examination: each part holds observations, not conclusions."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aeon.llm.profiles import Told
from aeon.schema.frozen import Frozen
from aeon.schema.llm import Capabilities
from aeon.schema.usage import Usage

__all__ = [
    "Beyond", "Context", "Findings", "JsonMode", "Limit", "Probabilities", "Repeats", "Schemas", "Speed", "Thoughts",
]  # fmt: skip

Beyond = Literal["nothing", "refused", "cut", "forgotten", "unmeasured"]
"""What happens to a prompt that is longer than the longest that was seen whole.

``nothing``: the longest was as long as advertised, or the limits of the measurement were reached. ``refused``: the
endpoint says so. ``cut``: its beginning is lost, and the endpoint does not say so. ``forgotten``: its beginning made no
difference to the answer that could be seen. ``unmeasured``: nothing could be seen, not even of a short prompt.
"""

Limit = Literal["", "size", "time", "tokens"]
"""The limit that ended a measurement; empty if none did."""


class Schemas(Frozen):
    """How many of the schemas that were ``asked`` for the answers to hostile prompts ``held``."""

    held: int = Field(ge=0)
    asked: int = Field(ge=1)
    refused: bool = False

    @property
    def enforced(self) -> bool:
        """Whether each of them held."""
        return self.held == self.asked


class JsonMode(Frozen):
    """Whether JSON mode gives an object where the prompt asks for one, and where it asks for anything but that."""

    works: bool
    enforced: bool


class Probabilities(Frozen):
    """Whether the endpoint tells the first token's probabilities, and whether that token is the answer."""

    told: bool
    answers: bool
    alternatives: int = Field(ge=0)


class Thoughts(Frozen):
    """Where the model reasons unasked: in tags before its answer, or beside it, in a field or unseen."""

    where: Literal["nowhere", "tags", "beside"]


class Repeats(Frozen):
    """Whether the same request got the same answer at temperature 0.

    At once again; after another request with the same beginning; after one that has nothing in common with it.
    ``cached`` says whether the endpoint told of a prompt cache, ``drift`` is the largest difference in the probability
    of a first token (0-1), ``None`` without probabilities.
    """

    again: bool
    after_shared: bool
    after_other: bool
    cached: bool
    drift: float | None = Field(default=None, ge=0, le=1)

    @property
    def deterministic(self) -> bool:
        """Whether it always was."""
        return self.again and self.after_shared and self.after_other


class Context(Frozen):
    """The longest prompt, in tokens, whose beginning reached the model.

    ``advertised`` is what the endpoint says. ``stopped`` says which limit ended the measurement before it was
    complete; ``echoed`` is false where the model could not repeat the beginning of even a short prompt, so that the
    endpoint's own count of tokens was all there was to go by; ``earlier`` says that it is from an earlier examination.
    """

    seen: int = Field(ge=0)
    advertised: int | None
    beyond: Beyond
    stopped: Limit = ""
    bytes_per_token: float = Field(gt=0)
    echoed: bool = True
    earlier: bool = False

    @property
    def contradicted(self) -> bool:
        """Whether longer prompts do not work."""
        return self.beyond in ("refused", "cut", "forgotten")

    @property
    def tokens(self) -> int | None:
        """The length to work with: what was seen where more does not work, else what is advertised."""
        if self.contradicted:
            return self.seen or None
        return self.advertised or self.seen or None


class Speed(Frozen):
    """Tokens per second, ``None`` where it could not be measured, and how much ``at_once`` requests save.

    ``speed_up`` is the time of that many requests one after the other, divided by their time at once.
    """

    prompt: float | None = Field(default=None, gt=0)
    generated: float | None = Field(default=None, gt=0)
    at_once: int = Field(ge=1)
    speed_up: float = Field(gt=0)

    @property
    def parallel(self) -> int:
        """How many requests are worked on at once, as far as the time tells: rather one too few than one too many."""
        return max(1, min(self.at_once, int(self.speed_up + 0.3)))


class Findings(Frozen):
    """All findings. ``tools``: the model calls tools natively.

    ``context`` is ``None`` where it was not measured; ``spent`` is the examination's cost.
    """

    model: str
    endpoint: str
    answered_as: str
    told: Told
    schemas: Schemas
    json_mode: JsonMode
    tools: bool = False
    probabilities: Probabilities
    thoughts: Thoughts
    repeats: Repeats
    speed: Speed
    context: Context | None
    spent: Usage
    seconds: float = Field(ge=0)

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities that a run uses."""
        context = self.context
        length = context.tokens if context is not None else None
        smaller = context is not None and context.contradicted and length is not None
        return Capabilities(
            json_schema=self.schemas.enforced,
            json_mode=self.json_mode.works,
            logprobs=self.probabilities.answers,
            context_tokens=length or self.told.context_tokens,
            hidden_reasoning=self.thoughts.where != "nowhere",
            deterministic=self.repeats.deterministic,
            parallel=self.speed.parallel,
            bytes_per_token=context.bytes_per_token if context is not None and smaller else None,
            measured=True,
            tools=self.tools,
        )

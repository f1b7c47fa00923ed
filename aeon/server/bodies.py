"""What requests hold, read strictly: JSON of a limited depth, known fields, values of the right type."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field, ValidationError, model_validator
from pydantic_core import from_json

from aeon.durable.values import DEFAULT_PRIORITY
from aeon.schema import Frozen, JsonObject, JsonValue
from aeon.server.problems import Problem
from aeon.text import is_text, one_line

__all__ = [
    "BODIES", "REFERENCE", "AnswerBody", "BudgetBody", "CancelBody", "ForkBody", "RunBody", "SearchBody", "TaskBody",
    "Wishes", "parse", "read_json",
]  # fmt: skip

MOST_DEPTH = 64
_LONGEST = 2_000_000
B = TypeVar("B", bound=Frozen)
REFERENCE = {
    "complexity_tier": ("tier",),
    "max_iters": ("max_iters",),
    "max_queries": ("max_queries",),
    "max_sources": ("max_sources",),
    "max_execution_time_s": ("budget", "seconds"),
    "token_budget": ("budget", "tokens"),
}
"""Fields with the names of the reference, each with the path of its setting of research."""


class BudgetBody(Frozen):
    """Limits of a run, as in its settings."""

    calls: int | None = Field(default=None, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    seconds: float | None = Field(default=None, gt=0)
    cost: float | None = Field(default=None, gt=0)


class Wishes(Frozen):
    """How a run is made.

    ``tier`` says how much research: of the engines ``research`` and ``report``. ``sources`` names folders and
    collections that the server was started with; without it the run has all of them. ``config`` holds settings by
    section, as a file of settings does.
    """

    tier: str | None = None
    sources: tuple[str, ...] | None = None
    budget: BudgetBody = BudgetBody()
    config: JsonObject = Field(default_factory=dict)


class TaskBody(Wishes):
    """What is asked, and how the run is made.

    ``earlier`` is what programs answered before: it is shown beside ``context``, but no claim rests on it.
    ``unattended`` says what becomes of a question that the run asks: its default is assumed, or it waits for
    ``POST /jobs/{id}/answer``. Of the runs in the queue, those with the lowest ``priority`` go first, and of these the
    oldest. ``complexity_tier``, ``max_…`` and ``token_budget`` are settings of the engine ``research`` under the names
    of the reference.
    """

    task: Annotated[str, Field(min_length=1, max_length=_LONGEST)]
    context: Annotated[str, Field(max_length=_LONGEST)] = ""
    earlier: Annotated[str, Field(max_length=_LONGEST)] = ""
    criteria: tuple[str, ...] = ()
    answer_schema: JsonObject | None = None
    engine: str = "multi-pass"
    unattended: Literal["assume", "suspend"] | None = None
    priority: Annotated[int, Field(ge=1, le=9)] = DEFAULT_PRIORITY
    complexity_tier: Literal["auto", "simple", "standard", "deep"] | None = None
    max_iters: int | None = Field(default=None, ge=1)
    max_queries: int | None = Field(default=None, ge=1)
    max_sources: int | None = Field(default=None, ge=1)
    max_execution_time_s: float | None = Field(default=None, gt=0)
    token_budget: int | None = Field(default=None, ge=1)

    @property
    def reference(self) -> dict[str, str | float]:
        """What is asked for under names of the reference."""
        return self.model_dump(include={*REFERENCE}, exclude_none=True)


class RunBody(TaskBody):
    """A task to run. ``stream`` answers with the run's events, ``async`` at once with the job."""

    stream: bool = False
    asynchronous: bool = Field(default=False, alias="async")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.stream and self.asynchronous:
            raise ValueError("stream and async are two ways to get the answer; ask for one of them")
        return self


class SearchBody(Frozen):
    """What to look for, and in which collection; without one in all."""

    query: Annotated[str, Field(min_length=1, max_length=2_000)]
    collection: str | None = None
    most: Annotated[int, Field(ge=1, le=50)] = 5


class AnswerBody(Frozen):
    """What a person says to the question of a run: an option, its number, or words."""

    answer: Annotated[str, Field(max_length=20_000)]


class CancelBody(Frozen):
    """How a run is stopped: with its answer in words, or ``now``."""

    now: bool = False


class ForkBody(Frozen):
    """Another future of a run: from effect ``at`` on, with other settings, or another outcome of that effect."""

    at: Annotated[int, Field(ge=0)]
    config: JsonObject = Field(default_factory=dict)
    value: JsonValue = None


BODIES: tuple[type[Frozen], ...] = (TaskBody, RunBody, SearchBody, AnswerBody, CancelBody, ForkBody)
"""Every kind of body."""


def parse(kind: type[B], data: bytes) -> B:
    """The body of a request as the value that it must be.

    Raises:
        Problem: it is no JSON, nested too deeply, or a field is missing, unknown or not what it must be; names it.
    """
    read_json(data)
    try:
        return kind.model_validate_json(data, strict=True)
    except ValidationError as error:
        raise Problem(422, "invalid", _complaint(error)) from None


def read_json(data: bytes) -> JsonObject:
    """The JSON object that a body is.

    Raises:
        Problem: it is none, or nested too deeply.
    """
    if not data.strip():
        raise Problem(400, "invalid_json", 'the body is empty; send a JSON object such as {"task": "…"}')
    value = _json(data)
    if not isinstance(value, dict):
        raise Problem(422, "invalid", "the body must be a JSON object")
    return value


def _json(data: bytes) -> JsonValue:
    try:
        value: JsonValue = from_json(data, allow_inf_nan=False)
    except ValueError as error:
        if "recursion limit" in str(error):
            raise _too_deep() from None
        raise Problem(400, "invalid_json", f"the body is no JSON: {one_line(str(error), 200)}") from None
    if _depth(value) > MOST_DEPTH:
        raise _too_deep()
    if not is_text(value):
        raise Problem(400, "invalid_json", "the body holds a lone surrogate, which is no text")
    return value


def _too_deep() -> Problem:
    return Problem(400, "invalid_json", f"the body is nested too deeply; up to {MOST_DEPTH} levels are read")


def _depth(value: JsonValue) -> int:
    """How deeply a JSON value is nested; a plain one is 0."""
    deepest, stack = 0, [(value, 0)]
    while stack:
        inner, level = stack.pop()
        deepest = max(deepest, level)
        match inner:
            case dict():
                stack += [(one, level + 1) for one in inner.values()]
            case list():
                stack += [(one, level + 1) for one in inner]
    return deepest


def _complaint(error: ValidationError) -> str:
    """The first things that are wrong, each with its field."""
    said = []
    for one in error.errors(include_url=False)[:3]:
        where = ".".join(map(str, one["loc"]))
        what = "is no field here" if one["type"] == "extra_forbidden" else one["msg"].removeprefix("Value error, ")
        said.append(one_line(f"{where}: {what}" if where else what, 200))
    return "; ".join(said)

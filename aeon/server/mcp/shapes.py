"""What the tools of the MCP server take and give, and their JSON Schemas."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.jsonschemas.inlining import inlined
from aeon.schema import Clarification, Conclusion, Expected, FromSource, Frozen, JsonObject, JsonValue
from aeon.server.bodies import BudgetBody, TaskBody

__all__ = [
    "AnswerInput", "Asked", "Cited", "Reply", "ResearchInput", "RunInput", "Verified", "VerifyInput", "is_id",
    "reply", "schema_of",
]  # fmt: skip

_LONGEST = 2_000_000


class RunInput(Frozen):
    """A task, and how it is worked on."""

    task: Annotated[str, Field(min_length=1, max_length=_LONGEST, description="what is to be found out, in words")]
    engine: Annotated[str, Field(description="which engine works on it")] = "multi-pass"
    files: Annotated[
        tuple[str, ...] | None, Field(description="collections to answer from, by name; all if it is left out")
    ] = None
    context: Annotated[str, Field(max_length=_LONGEST, description="a text that the answer may rely on")] = ""
    answer_schema: Annotated[JsonObject | None, Field(description="a JSON Schema that the value must fit")] = None
    budget: Annotated[BudgetBody, Field(description="the most that the run may spend")] = BudgetBody()
    proof: Annotated[bool, Field(description="whether the result holds the proof file of the answer")] = False

    @property
    def body(self) -> TaskBody:
        """The same as a request of the service; a question that the run asks ends it for now."""
        return TaskBody(
            task=self.task, engine=self.engine, sources=self.files, context=self.context,
            answer_schema=self.answer_schema, budget=self.budget, unattended="suspend",
        )  # fmt: skip


class ResearchInput(Frozen):
    """A question to research."""

    question: Annotated[str, Field(min_length=1, max_length=_LONGEST, description="what you want to know")]
    files: Annotated[
        tuple[str, ...] | None, Field(description="collections to search, by name; all if it is left out")
    ] = None
    tier: Annotated[Literal["auto", "simple", "standard", "deep"] | None, Field(description="how much research")] = None
    budget: Annotated[BudgetBody, Field(description="the most that the run may spend")] = BudgetBody()
    proof: Annotated[bool, Field(description="whether the result holds the proof file of the answer")] = False

    @property
    def body(self) -> TaskBody:
        """The same as a request of the service."""
        return TaskBody(
            task=self.question, engine="research", sources=self.files, tier=self.tier, budget=self.budget,
            unattended="suspend",
        )  # fmt: skip


class VerifyInput(Frozen):
    """A proof to verify."""

    proof: Annotated[str, Field(min_length=1, description="the text of a proof file, unchanged")]


class AnswerInput(Frozen):
    """An answer to the question of a run that waits."""

    run: Annotated[str, Field(description="the id of the run, from the result that asks")]
    answer: Annotated[str, Field(max_length=20_000, description="an option, its number, or words")]


class Asked(Frozen):
    """What a run asks the person who set its task; ``default`` is what may be assumed, if anything."""

    text: str
    options: tuple[str, ...]
    default: str


class Cited(Frozen):
    """A text that the answer rests on, by its name, and how many claims do."""

    title: str
    claims: int


class Reply(Frozen):
    """How a run ended: ``answer`` in words, ``value`` as data, ``stop_reason`` why.

    ``sufficient``: good enough by the engine's rules. With the state ``waiting`` the run asks a ``question``; the tool
    ``answer`` continues it. ``most_calls`` and ``most_tokens`` are the bound that was known before it began, and
    ``expected`` is what like runs took, where some are on record.
    """

    run: str
    state: Literal["ended", "waiting"]
    engine: str
    answer: str
    value: JsonValue
    stop_reason: str
    detail: str
    sufficient: bool
    question: Asked | None
    sources: tuple[Cited, ...]
    assumptions: tuple[Clarification, ...]
    calls: int
    tokens: int
    most_calls: int
    most_tokens: int
    expected: Expected | None
    proof: str | None


class Verified(Frozen):
    """What came of a verification. ``recorded`` is what the proof says and nobody can verify offline."""

    verified: bool
    problems: tuple[str, ...]
    checked: tuple[str, ...]
    recorded: tuple[str, ...]


def reply(name: str, end: Conclusion, proof: str | None) -> Reply:
    """The reply that a run has."""
    asked = end.question if end.stop_reason == "waiting" else None
    used = end.usage + end.lost
    return Reply(
        run=name,
        state="waiting" if asked is not None else "ended",
        engine=end.engine,
        answer=end.answer,
        value=end.value,
        stop_reason=end.stop_reason,
        detail=end.detail,
        sufficient=end.sufficient,
        question=Asked(text=asked.text, options=asked.options, default=asked.default) if asked is not None else None,
        sources=_cited(end),
        assumptions=end.assumptions,
        calls=used.calls,
        tokens=used.tokens,
        most_calls=end.bound.calls,
        most_tokens=end.bound.tokens,
        expected=end.bound.expected,
        proof=proof,
    )


def _cited(end: Conclusion) -> tuple[Cited, ...]:
    claims: dict[str, set[str]] = {}
    for claim in end.claims:
        for one in claim.evidence:
            if isinstance(one, FromSource):
                claims.setdefault(one.source, set()).add(claim.id)
    return tuple(Cited(title=title, claims=len(ids)) for title, ids in claims.items())


def schema_of(kind: type[Frozen], mode: Literal["validation", "serialization"]) -> JsonObject:
    """The JSON Schema of a shape, without references."""
    return inlined(kind.model_json_schema(mode=mode))


def is_id(name: str) -> bool:
    """Whether a name can be the id of a run or of a task."""
    return len(name) == 32 and not name.strip("0123456789abcdef")

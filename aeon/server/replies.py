"""What answers hold."""

from __future__ import annotations

import re
from itertools import count
from typing import Any

from pydantic import JsonValue

from aeon.schema import (
    Bound,
    Claim,
    Clarification,
    Conclusion,
    Degradation,
    FromSource,
    Frozen,
    JsonObject,
    Question,
    Unread,
    Usage,
)
from aeon.schema.response import ResponseMetadata
from aeon.server.problems import ErrorBody
from aeon.server.runs import OPEN, RunRecord, RunState

__all__ = ["CitedSpan", "JobPage", "JobReply", "RunReply", "RunSource", "job_reply", "run_reply"]

_SHOWN = 2_000
_MARK = re.compile(r"\[(\d{1,4})\]")


class CitedSpan(Frozen):
    """Characters of a source's text, and the claim that rests on them."""

    start: int
    end: int
    claim: str


class RunSource(Frozen):
    """A text that an answer rests on. ``id`` is its number: where the summary cites it as ``[2]``, that one."""

    id: int
    title: str
    spans: tuple[CitedSpan, ...]


class RunReply(Frozen):
    """How a run ended: its answer as ``summary``, the ``sources`` that this rests on, and why it ended.

    ``claims`` are spans of the summary in code points, each with what it rests on.
    """

    id: str
    state: RunState
    engine: str
    summary: str
    sources: tuple[RunSource, ...]
    value: JsonValue
    stop_reason: str
    detail: str
    sufficient: bool
    question: Question | None
    claims: tuple[Claim, ...]
    degraded: tuple[Degradation, ...]
    unread: tuple[Unread, ...]
    left_out: str
    assumptions: tuple[Clarification, ...]
    altered: tuple[int, ...]
    usage: Usage
    lost: Usage
    bound: Bound
    seconds: float
    metadata: ResponseMetadata


class JobReply(Frozen):
    """A run and where it stands. ``position`` is how many runs are started before it, while it is queued.

    ``parent`` is the run that it was forked from. ``links`` are the addresses of what there is of it.
    """

    id: str
    state: RunState
    engine: str
    task: str
    created: str
    ended: str | None
    position: int | None
    stop_reason: str | None
    sufficient: bool | None
    summary: str | None
    question: Question | None
    error: ErrorBody | None
    parent: str | None
    links: dict[str, str]


class JobPage(Frozen):
    """Runs, newest first; ``next`` is the value of ``before`` that gives the following ones."""

    jobs: tuple[JobReply, ...]
    next: int | None


def run_reply(record: RunRecord, model: str) -> RunReply:
    """The answer of a run that has ended or waits, and was made by the ``model`` of this name."""
    end = Conclusion.model_validate(record.conclusion)
    fields: dict[str, Any] = {name: getattr(end, name) for name in RunReply.model_fields if hasattr(end, name)}
    tokens = (end.usage + end.lost).tokens
    return RunReply(
        **fields, id=record.id, state=record.state, summary=end.answer, sources=_sources(end),
        metadata=ResponseMetadata(timestamp=record.ended or record.created, model=model, token_count=tokens),
    )  # fmt: skip


def _sources(end: Conclusion) -> tuple[RunSource, ...]:
    """The texts that claims rest on, under the numbers that the answer has for them, else in their order."""
    spans: dict[str, list[CitedSpan]] = {}
    for claim in end.claims:
        for one in claim.evidence:
            if isinstance(one, FromSource):
                cited = CitedSpan(start=one.start, end=one.end, claim=claim.id)
                spans.setdefault(one.source, []).append(cited)
    written = _numbers(end)
    free = (number for number in count(1) if number not in written.values())
    numbered = {name: written[name] if name in written else next(free) for name in spans}
    return tuple(
        RunSource(id=number, title=name, spans=tuple(spans[name]))
        for name, number in sorted(numbered.items(), key=lambda item: item[1])
    )


def _numbers(end: Conclusion) -> dict[str, int]:
    """The number of each text in an answer whose sentences name what they cite as ``[2]``; none where two share one.

    The host alone writes these numbers, for each sentence in the order of its evidence.
    """
    found: dict[str, int] = {}
    for claim in end.claims:
        names = dict.fromkeys(one.source for one in claim.evidence if isinstance(one, FromSource))
        marks = dict.fromkeys(map(int, _MARK.findall(claim.text)))
        if claim.kind == "sentence" and len(names) == len(marks):
            found |= zip(names, marks, strict=True)
    return found if len({*found.values()}) == len(found) else {}


def job_reply(record: RunRecord, position: int | None) -> JobReply:
    """A run as its clients see it."""
    open_again = record.state in OPEN  # continued, so that how it ended before does not count
    end: JsonObject = (record.conclusion or {}) if not open_again else {}
    here = f"/jobs/{record.id}"
    return JobReply.model_validate({
        **{name: getattr(record, name) for name in ("id", "state", "engine", "created", "parent", "error")},
        **{name: end.get(name) for name in ("stop_reason", "sufficient", "question")},
        "task": record.task if len(record.task) <= _SHOWN else f"{record.task[:_SHOWN]}…",
        "ended": None if open_again else record.ended,
        "position": position,
        "summary": end.get("answer"),
        "links": {name: f"{here}/{name}" for name in ("events", "proof", "history")} | {"self": here},
    })  # fmt: skip

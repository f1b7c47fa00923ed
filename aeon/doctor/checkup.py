"""The whole examination, in the order in which each part helps the next one."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TypeVar

from aeon.doctor.context import Limits, examine_context
from aeon.doctor.examination import Examination, plain
from aeon.doctor.findings import Findings
from aeon.doctor.forms import with_forms
from aeon.doctor.repeats import examine_repeats
from aeon.doctor.shapes import (
    examine_json_mode,
    examine_probabilities,
    examine_schemas,
    examine_thoughts,
    examine_tools,
)
from aeon.doctor.speed import examine_speed
from aeon.errors import ModelError
from aeon.llm.examinable import Examinable
from aeon.llm.profiles import Profile, agrees

__all__ = ["Stage", "examine", "profile_of"]

Stage = Callable[[str], None]
"""Receives the name of the part that is examined next."""

T = TypeVar("T")

_MOST_REFUSALS = 9
"""Attempts of the first request: each may find one field that the endpoint refuses."""


async def examine(
    endpoint: Examinable,
    stage: Stage = lambda _: None,
    quick: bool = False,
    limits: Limits | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Findings:
    """All findings about the endpoint; ``quick`` leaves out the context length. Nothing is saved.

    Raises:
        ModelError: the endpoint cannot be asked, or failed meanwhile; the text says at what.
    """
    began = clock()
    exam = Examination(endpoint, clock)
    stage("whether it answers")
    hello = plain("Hello.", 1).changed(attempts=_MOST_REFUSALS)
    await exam.ask(hello)  # a wrong address, key or name gets its own error
    facts = await endpoint.told()

    async def part(name: str, work: Awaitable[T]) -> T:
        stage(name)
        try:
            return await work
        except ModelError as error:
            raise type(error)(f"the examination broke off at {name}, and nothing was saved: {error}") from error

    schemas = await part("schemas", examine_schemas(exam))
    json_mode = await part("JSON mode", examine_json_mode(exam))
    tools = await part("tool calls", examine_tools(exam))
    probabilities = await part("probabilities", examine_probabilities(exam))
    thoughts = await part("hidden reasoning", examine_thoughts(exam))
    repeats = await part("determinism", examine_repeats(exam, probabilities.told))
    speed = await part("speed", examine_speed(exam))
    context = None
    if not quick:
        context = await part("context length", examine_context(exam, facts.context_tokens, repeats.drift, limits))
    return Findings(
        model=endpoint.name, endpoint=endpoint.place, answered_as=exam.answered_as, told=facts,
        schemas=schemas, json_mode=json_mode, tools=tools, probabilities=probabilities, thoughts=thoughts,
        repeats=repeats, speed=speed, context=context, spent=exam.spent, seconds=clock() - began,
    )  # fmt: skip


def profile_of(findings: Findings, before: Profile | None = None) -> Profile:
    """The profile to save; what was measured of the model as a judge and in its work forms ``before`` stays.

    It does so only if the model is still the same, and the forms if it calls tools in the same way, too.
    """
    same = (
        before is not None
        and before.answered_as == findings.answered_as
        and agrees(before.model, before.told, findings.told)
    )
    earlier = before if same else None
    profile = Profile(
        endpoint=findings.endpoint, model=findings.model, told=findings.told, answered_as=findings.answered_as,
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        capabilities=findings.capabilities, findings=findings.model_dump(mode="json"),
        judgments=earlier.judgments if earlier is not None else (),
    )  # fmt: skip
    scores = earlier.forms if earlier is not None else ()
    return with_forms(profile, tuple(one for one in scores if one.native == findings.tools))

"""The schema of an answer: refused before a run where it cannot be used, and no silent success where it is not met."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest
from pydantic import BaseModel

from aeon.assembly.build import build
from aeon.assembly.runs import replay
from aeon.errors import ConfigError, Malformed
from aeon.llm.scripted import Scripted
from aeon.runtime.journal import Journal
from aeon.schema import JsonObject, LLMRequest, LLMResponse, Result, Task
from aeon.schema.stream import Stream
from aeon.testing.obliging import oblige

TOTAL: JsonObject = {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]}


def model(answer: str) -> Scripted:
    """A model that agrees to everything and answers with this text."""

    def say(request: LLMRequest) -> LLMResponse | str:
        return answer if "What the steps gave" in request.messages[0].content else oblige(request)

    return Scripted(say)


async def _listen(stream: Stream[Result]) -> None:
    async for _ in stream:
        pass


@pytest.mark.parametrize(
    "schema", [{"$ref": "#/$defs/none"}, {"$ref": "#"}, {"type": "nonsense"}, {"maximum": math.inf}, {"pattern": "("}]
)
@pytest.mark.parametrize("how", ["execute", "stream"])
def test_a_schema_that_cannot_be_used_is_refused_before_the_run(schema: JsonObject, how: str, tmp_path: Path) -> None:
    """No model is asked, and no journal is begun."""
    scripted, path = model("{}"), tmp_path / "run"
    orchestrator = build(scripted, journal=lambda _: Journal(path))
    with pytest.raises(ConfigError, match=r"^schema: "):
        if how == "execute":
            orchestrator.execute(Task(text="How much?", answer_schema=schema))
        else:
            asyncio.run(_listen(orchestrator.stream(Task(text="How much?", answer_schema=schema))))
    assert not scripted.requests and not path.exists()


class Total(BaseModel):
    """What is asked for."""

    total: float


@pytest.mark.requirement("P3e")
def test_a_model_as_the_schema_gives_an_object_of_it(tmp_path: Path) -> None:
    """The value is typed, also of the coroutine; the result beside it is the ordinary one."""
    orchestrator = build(model('{"total": 42}'))
    typed = orchestrator.execute("How much?", answer_schema=Total)
    assert (
        typed.value == Total(total=42) and typed.result.value == {"total": 42} and typed.answer == typed.result.answer
    )
    assert asyncio.run(orchestrator.aexecute("How much?", Total)).value.total == 42


@pytest.mark.requirement("P3e")
def test_where_there_is_no_such_object_its_value_says_why() -> None:
    """The run itself ends as any other; asking for the value is what fails."""
    typed = build(model("much")).execute("How much?", answer_schema=Total)
    assert typed.result.stop_reason == "schema_unmet" and not typed.sufficient
    with pytest.raises(Malformed, match="no Total; it ended as schema_unmet"):
        _ = typed.value


@pytest.mark.requirement("K13")
def test_an_answer_that_does_not_fit_is_no_success_and_replays(tmp_path: Path) -> None:
    """The stop reason says so, also when the run is derived again from its journal."""
    path = tmp_path / "run"
    result = build(model("much"), journal=lambda _: Journal(path)).execute(Task(text="How much?", answer_schema=TOTAL))
    assert (result.stop_reason, result.sufficient, result.value) == ("schema_unmet", False, None)
    assert [one.phase for one in result.degraded] == ["synthesize"]
    assert replay(Journal.read(path)).stop_reason == "schema_unmet"


def test_an_answer_that_fits_is_the_value() -> None:
    """The value is the object, whatever is known of whether it is right."""
    result = build(model('{"total": 3}')).execute(Task(text="How much?", answer_schema=TOTAL))
    assert (result.stop_reason, result.value) == ("own_knowledge", {"total": 3})

"""The schema of an answer: refused before a run where it cannot be used, and no silent success where it is not met."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest

from aeon.assembly.build import build
from aeon.assembly.runs import replay
from aeon.errors import ConfigError
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

"""What a judge makes of what a program gave, on a scale where one half is where it begins to say yes."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.errors import EmptyCompletion
from aeon.llm.scripted import Reply
from aeon.schema import Capabilities, JsonValue, LLMResponse, TokenProbability, ToolUse, Usage
from aeon.schema.programs import Ran
from aeon.schema.turns import Lines
from aeon.schema.weight import Weight
from programs.world import PLAIN, Folder

pytestmark = [pytest.mark.requirement("W3", "J8"), pytest.mark.usefixtures("measured")]

SCORING = Capabilities(json_schema=True, json_mode=True, logprobs=True)
QUOTED = ToolUse(
    id="s1.1", tool="quote", arguments={}, output={"value": "three years"},
    lines=(Lines(source="notes.txt", spans=((0, 5),), texts=("The warranty is three years.",)),),
)  # fmt: skip
ASKED = ToolUse(id="s1.1", tool="sql", arguments={"query": "SELECT 1"}, output=1)
SUM = ToolUse(id="s1.1", tool="calculator", arguments={"expression": "1 + 1"}, output=2)


def likely(yes: float) -> LLMResponse:
    """An answer whose first token is Yes with this probability."""
    tokens = (TokenProbability(token="Yes", probability=yes), TokenProbability(token="No", probability=1 - yes))
    return LLMResponse(text="Yes", first_token=tokens, usage=Usage(calls=1))


def weighed(tmp_path: Path, ran: Ran, *replies: Reply, way: str = "query", can: Capabilities = SCORING) -> Weight:
    """What these replies make of a result."""
    folder = Folder(tmp_path, list(replies), can)
    return folder.weigh(way, "text", ran, "How long is the warranty?")  # type: ignore[arg-type]


def ran(use: ToolUse, *values: JsonValue) -> Ran:
    """What gives these values by this call."""
    return Ran(values=values or (1,), uses=(use,), cites=(use.id,))


def test_a_query_is_judged_by_its_text(tmp_path: Path) -> None:
    """In one question."""
    folder = Folder(tmp_path, [likely(0.9)], SCORING)
    weight = folder.weigh("query", "text", ran(ASKED), "How many?")
    assert weight.score == pytest.approx(0.9) and (weight.form, weight.standing) == ("probability", "measured")
    (request,) = folder.model.requests
    assert "SELECT 1" in request.messages[-1].content and "How many?" in request.messages[-1].content


@pytest.mark.requirement("G3a")
def test_a_quotation_needs_both_judges(tmp_path: Path) -> None:
    """Whether its sentence answers the question, and whether it gives the answer: the lower one holds."""
    for first, second in ((0.95, 0.55), (0.55, 0.95)):
        weight = weighed(tmp_path, ran(QUOTED, "three years"), likely(first), likely(second))
        assert weight.score == pytest.approx(0.55)
    assert weighed(tmp_path, ran(QUOTED, "three years"), likely(0.2)).score == pytest.approx(0.2)


def test_what_stands_in_no_sentence_is_judged_by_the_nearest_one(tmp_path: Path) -> None:
    """Without one nobody can say."""
    given = Ran(values=("purple",), near=QUOTED.lines)
    assert weighed(tmp_path, given, likely(0.01), way="reading").score == pytest.approx(0.01)
    assert weighed(tmp_path, Ran(values=("purple",)), way="reading").score is None


@pytest.mark.parametrize(
    ("given", "can", "replies"),
    [
        (ran(SUM), SCORING, []),
        (ran(ASKED), PLAIN, []),
        (ran(ASKED), SCORING, [EmptyCompletion("nothing"), EmptyCompletion("nothing")]),
    ],
)
def test_who_cannot_say_says_nothing(tmp_path: Path, given: Ran, can: Capabilities, replies: list[Reply]) -> None:
    """Where no judgment is made for it, the endpoint tells no probabilities, or gives no usable answer."""
    assert weighed(tmp_path, given, *replies, can=can).score is None


def test_a_judge_that_was_never_measured_has_no_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that says yes to everything would decide all."""
    monkeypatch.undo()
    assert weighed(tmp_path, ran(ASKED), likely(0.99)).score is None

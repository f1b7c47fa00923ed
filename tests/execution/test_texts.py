"""A text that programs found to be wanted: the prompt that it is written by."""

from __future__ import annotations

import asyncio

import pytest

from aeon.execution.texts import TextWriter
from aeon.llm.scripted import Scripted
from aeon.multipass.effects import TakeTurn
from aeon.schema import Call, Exchange, Step, Task, ToolLoop, ToolUse, Turn
from aeon.schema.turns import Lines
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor

pytestmark = pytest.mark.requirement("W3b")
TASK = Task(text="Schreib Frau Holm, was die Miete kostet.")
STEP = Step(id="s1", description=TASK.text, action=ToolLoop(form="program"))
LINES = Lines(source="rent.txt", spans=((0, 30),), texts=("The rent is 12.50 euros an hour.",))
LOOKED_UP = Exchange(
    turn=Turn(calls=(Call(id="s1.1", tool="read_texts", arguments={}),)),
    uses=(ToolUse(id="s1.1", tool="read_texts", arguments={}, output={"value": "1 of 1"}, lines=(LINES,)),),
)


def written(*exchanges: Exchange, task: Task = TASK, size: int = 32_000) -> tuple[Turn, str]:
    """The text, and what the model was asked for it."""
    model = Scripted(["Liebe Frau Holm, die Miete kostet 12,50 Euro."])
    writer = TextWriter(Supervisor(model, prompt_bytes=size), Briefing(material="hirers.csv: Who, Sort"), 500)
    turn = asyncio.run(writer.turn(TakeTurn(task=task, step=STEP, exchanges=exchanges, last=True)))
    (request,) = model.requests
    return turn, "\n".join(message.content for message in request.messages)


def test_a_text_is_written_from_the_sentences_and_what_else_there_is() -> None:
    """As sentences, fenced, never as the JSON of a call."""
    turn, asked = written(LOOKED_UP)
    assert turn == Turn(text="Liebe Frau Holm, die Miete kostet 12,50 Euro.")
    assert "<data sentences>\n(rent.txt)\nThe rent is 12.50 euros an hour.\n</data>" in asked
    assert "hirers.csv: Who, Sort" in asked and TASK.text in asked and "read_texts" not in asked and "{" not in asked


def test_a_text_is_written_again_in_view_of_itself_and_of_what_was_found() -> None:
    """Both are data."""
    again = Exchange(turn=Turn(text="Liebe Frau Holm"), objection="- the price is missing")
    _, asked = written(LOOKED_UP, again)
    assert "<data earlier text>\nLiebe Frau Holm\n</data>" in asked
    assert "<data found>\n- the price is missing\n</data>" in asked


def test_a_prompt_for_a_text_is_no_longer_than_it_may_be() -> None:
    """Task and sentences are cut, each to its part."""
    lines = Lines(source="rent.txt", spans=((0, 9),), texts=("word " * 9_000,))
    use = LOOKED_UP.uses[0].changed(lines=(lines,))
    _, asked = written(Exchange(turn=LOOKED_UP.turn, uses=(use,)), task=Task(text="Schreib. " * 900), size=6_000)
    assert len(asked.encode()) <= 6_000 and "<data sentences>" in asked and "Schreib." in asked

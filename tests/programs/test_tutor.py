"""A tutor beside the worker: it does again what the worker could not settle."""

from __future__ import annotations

import asyncio

import pytest

from aeon.errors import EndpointFailed
from aeon.execution import tutor as turns
from aeon.execution.turns import TurnTaker
from aeon.llm.scripted import Reply, Scripted
from aeon.multipass.effects import TakeTurn, WritePrograms
from aeon.programs.tutor import Tutored
from aeon.programs.writer import ProgramWriter
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Capabilities, Exchange, Step, Task, ToolLoop, Turn
from aeon.schema.programs import Programs, Way
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.calculator import calculator
from aeon.tools.registry import ToolRegistry

TASK = Task(text="What are 6 rolls at 2?")
STEP = Step(id="s1", description=TASK.text, action=ToolLoop(form="program"))
TOOLS = ToolRegistry([calculator()])


def written(worker: Reply, tutor: Reply, *ways: Way) -> Programs:
    """The programs of a round after these ways."""

    async def work() -> Programs:
        each = [
            ProgramWriter(Supervisor(Scripted([one] * 2, Capabilities())), Briefing(), TOOLS) for one in (worker, tutor)
        ]
        with Ledger(Allowance(calls=9)):
            return await Tutored(*each, "big").write(WritePrograms(task=TASK, step=STEP, ways=ways))

    return asyncio.run(work())


@pytest.mark.requirement("E5e", "E5f")
def test_later_rounds_are_the_tutors() -> None:
    """The first is the worker's; so is every one where the tutor gives nothing."""
    (first,) = written("print(6 * 2)", "Answer: 12").programs
    assert (first.text, first.author) == ("print(6 * 2)", "")
    (second,) = written("Answer: 11", "Answer: 12", "program").programs
    assert (second.text, second.author) == ("Answer: 12", "big")
    for silent in ("", EndpointFailed("down")):
        (alone,) = written("Answer: 11", silent, "program").programs
        assert (alone.text, alone.author) == ("Answer: 11", "")


@pytest.mark.requirement("E5e", "E5f")
@pytest.mark.parametrize(
    ("objection", "tutor", "text", "author"),
    [
        ("", "It is 12.", "It is 11.", ""),
        ("11 is not 6 * 2", "It is 12.", "It is 12.", "big"),
        ("11 is not 6 * 2", EndpointFailed("down"), "It is 11.", ""),
    ],
)
def test_turns_after_an_objection_are_the_tutors(objection: str, tutor: Reply, text: str, author: str) -> None:
    """Before that, and where the tutor gives nothing, they are the worker's."""

    async def work() -> Turn:
        models = [Supervisor(Scripted([one] * 2, Capabilities(tools=True))) for one in ("It is 11.", tutor)]
        worker, other = (TurnTaker(model, Briefing(), TOOLS) for model in models)
        before = (Exchange(turn=Turn(text="It is 11."), objection=objection),) if objection else ()
        with Ledger(Allowance(calls=9)):
            return await turns.Tutored(worker, other, "big").turn(TakeTurn(task=TASK, step=STEP, exchanges=before))

    turn = asyncio.run(work())
    assert (turn.text, turn.author) == (text, author)

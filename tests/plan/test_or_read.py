"""Where tables and texts could answer and the tables' answer is doubtful: a sentence that answers takes its place."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from aeon.llm.scripted import Reply, Scripted
from aeon.plan.programmer import Programmer
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Capabilities, LLMResponse, Plan, Task, TokenProbability, ToolCall
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import ToolRegistry
from aeon.tools.calculator import calculator
from aeon.tools.files import files

pytestmark = [pytest.mark.usefixtures("indexes", "measured"), pytest.mark.requirement("G3a", "T1c")]
QUESTION = "What is the area of the storage hall in Turku?"
BY_TABLE = "SELECT area FROM shops WHERE city = 'Turku'"
DOUBTFUL = "use the numbers of the sentences too"


def judged(yes: float) -> LLMResponse:
    """A reply that is Yes with that probability."""
    first = (TokenProbability(token="Yes", probability=yes), TokenProbability(token="No", probability=1 - yes))
    return LLMResponse(text="Yes", first_token=first)


def plan(folder: Path, *replies: Reply, calls: int = 9) -> tuple[Plan, Scripted]:
    """The plan that comes of these replies, and the model."""
    folder = folder / "files"
    folder.mkdir(exist_ok=True)
    (folder / "shops.csv").write_text("city,area\nTurku,215\nOulu,185\n")
    (folder / "hall.md").write_text("The storage hall has an area of 460 square metres. It is heated.\n")
    model = Scripted(replies, capabilities=Capabilities(logprobs=True))
    programmer = Programmer(Supervisor(model), ToolRegistry([calculator(), *files(folder)]))

    async def planned() -> Plan:
        with Ledger(Allowance(calls=calls)):
            return await programmer.plan(Task(text=QUESTION), 12)

    return asyncio.run(planned()), model


def tools(made: Plan) -> list[str]:
    """The tools of the steps, in order."""
    return [step.action.tool for step in made.steps if isinstance(step.action, ToolCall)]


TABLES = (f'print(sql("{BY_TABLE}"))', BY_TABLE, BY_TABLE)


def test_a_sentence_that_answers_takes_the_place_of_a_doubtful_query(tmp_path: Path) -> None:
    """A program over the texts alone quotes it, and a judge says that it answers the question."""
    made, model = plan(tmp_path, *TABLES, "print(460)  # 1", judged(0.9))
    assert tools(made) == ["quote"] and made.doubts == ()
    alone = model.requests[3].messages[-1].content
    assert "Sentences:" in alone and "Tables:" not in alone


@pytest.mark.parametrize("last", [("print(460)  # 1", judged(0.2)), ('print("not stated")',), ("print(215)  # 1",)])
def test_another_sentence_does_not(tmp_path: Path, last: tuple[Reply, ...]) -> None:
    """One that does not answer, none, or a program with a value of its own: the query stays, with its doubt."""
    made, _ = plan(tmp_path, *TABLES, *last)
    assert tools(made) == ["sql"] and made.doubts == (DOUBTFUL,)


def test_without_calls_left_nothing_is_read(tmp_path: Path) -> None:
    """The answer itself still needs one."""
    made, model = plan(tmp_path, *TABLES, calls=5)
    assert tools(made) == ["sql"] and len(model.requests) == len(TABLES)


def of_texts(folder: Path, *replies: Reply) -> Plan:
    """The plan for a question that only the text may answer."""
    (folder / "hall.md").write_text("The storage hall is heated by Ivo Kessler. The landlord pays for the oil.\n")
    model = Scripted(replies, capabilities=Capabilities(logprobs=True))
    programmer = Programmer(Supervisor(model), ToolRegistry([calculator(), *files(folder)]))

    async def planned() -> Plan:
        with Ledger(Allowance(calls=9)):
            return await programmer.plan(Task(text="Who is the owner of the storage hall?"), 12)

    return asyncio.run(planned())


@pytest.mark.parametrize(
    ("yes", "made", "doubts"),
    [
        ((0.1, 0.1), ["lookup"], ()),
        ((0.1, 0.4), ["quote"], ("the text may not answer exactly this: judged 0.10",)),
        ((0.4,), ["quote"], ("the text may not answer exactly this: judged 0.40",)),
        ((0.9,), ["quote"], ()),
    ],
)
def test_a_sentence_that_surely_answers_nothing_is_not_taken(
    tmp_path: Path, yes: tuple[float, ...], made: list[str], doubts: tuple[str, ...]
) -> None:
    """The question is put to the texts instead, unless the very answer may well be given: then it is doubtful."""
    (tmp_path / "texts").mkdir()
    plan_ = of_texts(tmp_path / "texts", 'print("Ivo Kessler")  # 1', *map(judged, yes))
    assert (tools(plan_), plan_.doubts) == (made, doubts)

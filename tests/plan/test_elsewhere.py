"""What the texts do not say and no word put to the tables: a query, of which a judge must be sure."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from aeon.llm.scripted import Reply, Scripted
from aeon.plan.programmer import Programmer
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Capabilities, LLMResponse, Plan, Task, TokenProbability, ToolCall
from aeon.supervisor import judge as judge_module
from aeon.supervisor.judge_specs import Calibrations
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import ToolRegistry
from aeon.tools.calculator import calculator
from aeon.tools.files import files
from tests.measured import every_judgment

pytestmark = [pytest.mark.requirement("T3"), pytest.mark.usefixtures("indexes")]

SQUAD = "Player,Goals\nAnn,3\nBea,7\n"
RULES = "# Rules\n\nThe coach is Dora. Rings must come off.\n"
SCORER = "Who is our top scorer?"
ABSENT = 'print("not stated")'
QUERY = 'print(sql("SELECT Player FROM squad ORDER BY Goals DESC LIMIT 1"))'


def likely(yes: float) -> LLMResponse:
    """A reply that is Yes with that probability."""
    first = (TokenProbability(token="Yes", probability=yes), TokenProbability(token="No", probability=1 - yes))
    return LLMResponse(text="Yes", first_token=first)


def planned(
    folder: Path, replies: Sequence[Reply], measured: Calibrations, calls: int = 9, table: bool = True
) -> tuple[Plan, int]:
    """The plan for the question over a club's files, and how many calls it took."""
    club = folder / "club"
    club.mkdir()
    if table:
        (club / "squad.csv").write_text(SQUAD)
    (club / "rules.md").write_text(RULES)
    model = Scripted(replies, capabilities=Capabilities(logprobs=True))
    programmer = Programmer(Supervisor(model), ToolRegistry([calculator(), *files(club)]))

    async def made() -> Plan:
        with Ledger(Allowance(calls=calls)):
            return await programmer.plan(Task(text=SCORER), 12)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge_module, "calibrations", lambda: measured)
        return asyncio.run(made()), len(model.requests)


def tools(plan: Plan) -> list[str]:
    """The tools of its steps."""
    return [step.action.tool for step in plan.steps if isinstance(step.action, ToolCall)]


def test_a_query_of_which_a_judge_is_sure_answers_what_the_texts_do_not_say(tmp_path: Path) -> None:
    """Nobody need know that the column is called Goals."""
    plan, calls = planned(tmp_path, [ABSENT, QUERY, likely(0.9)], every_judgment("scripted"))
    assert tools(plan) == ["sql"] and not plan.doubts and calls == 3


def test_a_query_of_which_the_judge_is_not_sure_is_doubtful(tmp_path: Path) -> None:
    """It is taken, but it does not make an answer that converges by itself."""
    plan, _ = planned(tmp_path, [ABSENT, QUERY, likely(0.45)], every_judgment("scripted"))
    assert tools(plan) == ["sql"] and plan.doubts == ("the tables may not answer exactly this: judged 0.45",)


def test_it_is_asked_too_where_what_is_quoted_surely_is_no_answer(tmp_path: Path) -> None:
    """A judge turned the sentence down."""
    replies = ['print("Dora")  # 1', likely(0.01), likely(0.01), QUERY, likely(0.9)]
    plan, calls = planned(tmp_path, replies, every_judgment("scripted"))
    assert tools(plan) == ["sql"] and calls == len(replies)


@pytest.mark.parametrize(
    ("replies", "calls"),
    [
        ([ABSENT, QUERY, likely(0.39)], 3),
        ([ABSENT, QUERY, "perhaps"], 3),
        ([ABSENT, ABSENT], 2),
        ([ABSENT, 'print(sql("SELECT Coach FROM squad"))', ABSENT], 3),
    ],
)
def test_else_the_question_is_put_to_the_texts(tmp_path: Path, replies: Sequence[Reply], calls: int) -> None:
    """Where the judge is not sure or gives no verdict, or there is no query that runs."""
    plan, made = planned(tmp_path, replies, every_judgment("scripted"))
    assert tools(plan) == ["lookup"] and made == calls


@pytest.mark.parametrize(("auroc", "calls", "table"), [(0.6, 9, True), (0.9, 4, True), (0.9, 9, False)])
def test_no_query_is_asked_for_where_nobody_can_judge_it(tmp_path: Path, auroc: float, calls: int, table: bool) -> None:
    """A model that was measured to be bad at it, too few calls left, no table."""
    known = every_judgment("scripted", auroc=auroc)
    plan, made = planned(tmp_path, [ABSENT], known, calls, table)
    assert tools(plan) == ["lookup"] and made == 1

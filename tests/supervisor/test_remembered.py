"""What a model has answered in a run is not asked for again."""

from __future__ import annotations

import asyncio

import pytest

from aeon.llm.scripted import ALL_JSON, Scripted
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.remembered import Remembered
from aeon.supervisor.supervisor import Supervisor

pytestmark = pytest.mark.requirement("T5")


def asked(*runs: str, prompts: tuple[str, ...] = ("When?",)) -> int:
    """How many calls it takes to put the prompts to a model in each of these runs."""
    model = Scripted(lambda _: "At nine", ALL_JSON)
    supervisor = Supervisor(model)

    async def ask() -> None:
        for run in runs:
            with Ledger(Allowance(calls=9), execution_id=run):
                for prompt in prompts:
                    assert (await supervisor.short(Prompt("Answer.", prompt), max_tokens=9)).value == "At nine"

    asyncio.run(ask())
    return len(model.requests)


def test_the_same_question_is_asked_once_in_a_run() -> None:
    """In another run it is asked anew, and so it is outside of runs, where nobody knows what belongs together."""
    assert asked("a", "a", "a") == 1
    assert asked("a", "b", "a") == 2
    assert asked("", "") == 2
    assert asked("a", prompts=("When?", "Where?", "When?")) == 2


def test_what_is_drawn_through_another_adapter_is_asked_for_anew() -> None:
    """Samples of an ensemble, in one run, are answers of their own."""
    first, second = Scripted(lambda _: "At nine", ALL_JSON), Scripted(lambda _: "At ten", ALL_JSON)
    supervisor = Supervisor(first)

    async def both() -> list[str]:
        prompt = Prompt("Answer.", "When?")
        with Ledger(Allowance(calls=9), execution_id="a"):
            askers = (supervisor, supervisor.through(second), supervisor)
            return [(await one.short(prompt, max_tokens=9)).value for one in askers]

    assert asyncio.run(both()) == ["At nine", "At ten", "At nine"]
    assert (len(first.requests), len(second.requests)) == (1, 1)


def test_no_more_than_the_last_answers_are_kept() -> None:
    """So that a service does not grow with each of its runs; and what fails is not kept at all."""
    known, calls = Remembered[int](), list[str]()

    async def ask(text: str, fails: bool = False) -> int:
        async def answer() -> int:
            calls.append(text)
            if fails:
                raise ValueError(text)
            return len(text)

        return await known.get(Prompt("", text), answer)

    async def every() -> None:
        with Ledger(Allowance(calls=9), execution_id="a"):
            with pytest.raises(ValueError, match="first"):
                await ask("first", fails=True)
            for number in range(201):
                await ask(str(number))
            await ask("200")
            await ask("0")

    asyncio.run(every())
    assert calls.count("200") == 1 and calls.count("0") == 2

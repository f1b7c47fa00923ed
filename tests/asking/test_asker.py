"""Putting questions: to whoever answers, and what the policy makes of silence."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from aeon.asking.asker import Answerer, Asker
from aeon.errors import Waiting
from aeon.kernel.passes import MULTIPASS
from aeon.schema import Question, Reply, Task
from aeon.schema.effects import AskUser
from aeon.testing.contracts import check_handler

WHICH = Question(text="Which year?", options=("2025", "2026"), default="2026")
OPEN = Question(text="Was it done?", options=("done", "repeat", "stop"))


def asked(answerer: Answerer | None, unattended: str = "assume", question: Question = WHICH) -> Reply:
    """The reply to a question."""
    effect = AskUser(task=Task(text="How much was it?"), question=question)
    return asyncio.run(Asker(answerer, unattended).ask(effect))  # type: ignore[arg-type]


async def waits(question: Question) -> str:
    """Answers after a while."""
    await asyncio.sleep(0)
    return question.options[0]


class Later:
    """A callable that gives something to wait for."""

    def __call__(self, question: Question) -> object:
        """The answer, later."""
        return waits(question)


@pytest.mark.requirement("O6")
@pytest.mark.parametrize("unattended", ["assume", "suspend"])
@pytest.mark.parametrize("answerer", [lambda question: question.options[0], waits, Later(), lambda _: " 2025\n"])
def test_an_answer_is_taken_as_it_is(answerer: Answerer, unattended: str) -> None:
    """From a function or a coroutine function, without the white space around it; the policy is not asked."""
    assert asked(answerer, unattended) == Reply(text="2025")


async def silent(question: Question) -> None:
    """Has no answer."""


NOBODY = [None, lambda _: None, lambda _: "", lambda _: " \n", silent]


@pytest.mark.requirement("O6")
@pytest.mark.parametrize("answerer", NOBODY)
def test_where_nobody_answers_the_default_is_assumed_and_marked(answerer: Answerer | None) -> None:
    """No answer, an empty one and no answerer are the same."""
    assert asked(answerer) == Reply(text="2026", assumed=True)


@pytest.mark.requirement("O6", "X5")
@pytest.mark.parametrize("answerer", NOBODY)
def test_by_policy_the_run_waits_where_nobody_answers(answerer: Answerer | None) -> None:
    """The question is what it waits for."""
    with pytest.raises(Waiting, match=r"^Which year\?$"):
        asked(answerer, "suspend")


@pytest.mark.requirement("O6", "X3")
@pytest.mark.parametrize("default", ["", " ", "\n"])
@pytest.mark.parametrize("unattended", ["assume", "suspend"])
def test_a_question_without_a_default_is_never_answered_by_assumption(unattended: str, default: str) -> None:
    """Whatever the policy, the run waits; a blank default is none."""
    with pytest.raises(Waiting, match=r"^Was it done\?$"):
        asked(None, unattended, OPEN.changed(default=default))


@pytest.mark.requirement("O6", "X3")
@pytest.mark.parametrize(("said", "answer"), [("done", "done"), (" Repeat\n", "repeat"), ("3", "stop")])
def test_a_closed_question_takes_an_option(said: str, answer: str) -> None:
    """By its words, in any case, or by its number."""
    assert asked(lambda _: said, question=OPEN) == Reply(text=answer)


@pytest.mark.requirement("O6", "X3")
@pytest.mark.parametrize("said", ["yes", "no", "4", "done and repeat"])
def test_what_is_no_option_of_a_closed_question_leaves_it_open(said: str) -> None:
    """The run waits, and says what the options are."""
    with pytest.raises(Waiting) as waiting:
        asked(lambda _: said, question=OPEN)
    assert str(waiting.value) == (f"Was it done? ({said} is none of the options, which are: 1 done, 2 repeat, 3 stop)")


@pytest.mark.requirement("O6")
def test_a_function_that_blocks_blocks_nobody_else() -> None:
    """It runs in a thread, with the caller's context, while the event loop goes on."""
    place: ContextVar[str] = ContextVar("place")
    place.set("here")
    released = threading.Event()

    def answerer(question: Question) -> str:
        assert released.wait(20)
        return place.get()

    async def work() -> Reply:
        effect = AskUser(task=Task(text="How much was it?"), question=WHICH)
        asking = asyncio.create_task(Asker(answerer).ask(effect))
        await asyncio.sleep(0)
        released.set()
        return await asking

    assert asyncio.run(work()) == Reply(text="here")


@pytest.mark.requirement("O6")
@pytest.mark.parametrize("answerer", [*NOBODY, waits, lambda _: "1066"])
def test_it_keeps_the_contract_of_its_phase(answerer: Answerer | None) -> None:
    """Every sample question gets a reply that the kernel can rely on, or the run waits."""

    def first(question: Question) -> object:
        return answerer(question) if answerer and question.options else None

    for unattended in ("assume", "suspend"):
        assert asyncio.run(check_handler(MULTIPASS, "ask", Asker(first, unattended).ask)) == []  # type: ignore[arg-type]

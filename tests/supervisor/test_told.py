"""What is told of a model's replies while it writes them: prose of the answer, in the end the text as it was taken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from speaking import Speaking, pieces

from aeon.errors import AeonError, EndpointFailed, Refused
from aeon.llm.hearing import hearing
from aeon.llm.scripted import Reply as Scripts
from aeon.llm.scripted import Scripted, calling
from aeon.runtime.ledger import Ledger
from aeon.runtime.telling import Telling
from aeon.schema import Allowance, Capabilities, LLMRequest, LLMResponse, Message, ToolSpec
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor

pytestmark = pytest.mark.requirement("P3f")
PROMPT = Prompt(system="", user="Write it.")
NATIVE, ACTIONS = Capabilities(tools=True), Capabilities(json_schema=True)
ASKED = (Message(role="user", content="How many?"),)
SQL = ToolSpec(name="sql", description="Rows.", parameters={"type": "object"})
TEXT = "A text of some words."
Told = list[tuple[str, bool]]


def under(work: Callable[[], Awaitable[Any]], watched: bool = True) -> tuple[object, Told]:
    """What came of the work of an effect, or its error, and what was told meanwhile."""
    told: Told = []

    async def go() -> object:
        with Ledger(Allowance(calls=9)) as ledger:
            ledger.telling = Telling(lambda piece, begins: told.append((piece, begins))) if watched else None
            try:
                return await work()
            except AeonError as error:
                return error

    return asyncio.run(go()), told


def text(llm: Scripted, **options: Any) -> tuple[object, Told]:
    """A text that is told."""
    return under(lambda: Supervisor(llm).text(PROMPT, max_tokens=99, tell=True, **options))


def turn(llm: Scripted, tools: Sequence[ToolSpec] = (SQL,)) -> tuple[Any, Told]:
    """A turn that is told."""
    return under(lambda: Supervisor(llm).turn(ASKED, tools, max_tokens=99, tell=lambda said: said.text))


def standing(told: Told) -> str:
    """The text that stands told in the end."""
    begins = [number for number, (_, anew) in enumerate(told) if anew]
    return "".join(piece for piece, _ in told[begins[-1] :]) if begins else ""


def begun(told: Told) -> int:
    """How many texts began."""
    return sum(anew for _, anew in told)


def test_a_text_is_told_as_it_is_written() -> None:
    """Piece by piece, the first of which begins it; white space is told with the word behind it."""
    _, told = text(Speaking([TEXT]))
    assert [anew for _, anew in told] == [True] + [False] * (len(pieces(TEXT)) - 1)
    assert standing(told) == TEXT


@pytest.mark.parametrize("reply", [TEXT, f"<think>hush</think>\n{TEXT}\n", f"{TEXT}\x00"])
def test_an_adapter_that_hands_on_nothing_tells_one_piece(reply: str) -> None:
    """At its end: the text that its reply was taken as."""
    reply_taken, told = text(Scripted([reply]))
    assert told == [(reply_taken.value, True)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "ask",
    [
        lambda it: it.text(PROMPT, max_tokens=99),
        lambda it: it.said(PROMPT, max_tokens=99),
        lambda it: it.turn(ASKED, (SQL,), max_tokens=99),
        lambda it: it.structured(PROMPT, Message, max_tokens=99),
    ],
    ids=["text", "said", "turn", "structured"],
)
def test_what_is_no_prose_of_the_answer_is_not_told(ask: Callable[[Supervisor], Awaitable[object]]) -> None:
    """Plans, checks, queries and programs, and whatever is a JSON value: nobody even listens."""
    heard: list[object] = []

    def reply(request: LLMRequest) -> str:
        heard.append(hearing())
        return json.dumps({"role": "user", "content": "x"})

    result, told = under(lambda: ask(Supervisor(Speaking(reply, NATIVE))))
    assert told == [] and heard == [None] and not isinstance(result, AeonError)


def test_where_nobody_watches_nobody_listens() -> None:
    """The adapter is asked as it would be without all this."""
    heard: list[object] = []

    def reply(request: LLMRequest) -> str:
        heard.append(hearing())
        return TEXT

    it = Supervisor(Scripted(reply, NATIVE))
    for work in (
        lambda: it.text(PROMPT, max_tokens=99, tell=True),
        lambda: it.turn(ASKED, (SQL,), max_tokens=99, tell=lambda said: said.text),
    ):
        under(work, watched=False)
    assert heard == [None, None]


@pytest.mark.parametrize(
    ("replies", "begins", "taken"),
    [
        (["  ", TEXT], 1, TEXT),
        ([LLMResponse(text="A text that is", finish_reason="length"), TEXT], 2, TEXT),
        ([f"<think>{TEXT}", TEXT], 1, TEXT),
    ],
    ids=["empty", "cut off", "thoughts alone"],
)
def test_another_text_begins_anew(replies: list[Scripts], begins: int, taken: str) -> None:
    """After one that was of no use."""
    _, told = text(Speaking(replies))
    assert standing(told) == taken and begun(told) == begins


@pytest.mark.parametrize(
    ("replies", "error"),
    [
        ([LLMResponse(text=TEXT, finish_reason="refusal")], Refused),
        ([EndpointFailed("it broke off")], EndpointFailed),
    ],
)
def test_a_request_that_comes_to_nothing_takes_back_what_was_told(
    replies: list[Scripts], error: type[AeonError]
) -> None:
    """An empty piece says that there is no text."""
    raised, told = text(Speaking(replies))
    assert isinstance(raised, error)
    assert told[0][1] and told[-1] == ("", True)


@pytest.mark.parametrize(
    ("reply", "text_told", "pieces_told"),
    [
        (TEXT, TEXT, len(pieces(TEXT))),
        ("It was 12 [1] of 20 [1.2].\n[1.1] [2]", "It was 12 [1] of 20 [1.2].\n[1.1] [2]", None),
        (json.dumps({"tool": "sql", "arguments": {}}), "", 0),
        ('```json\n{"tool": "sql", "arguments": {}}\n```', "", 0),
        ("```sql\nselect 1\n```", "```sql\nselect 1\n```", None),
        ('{"total": 42}', '{"total": 42}', 1),
        (calling(("sql", {}), text="Let me look."), "Let me look.", None),
        (calling(("sql", {})), "", 0),
        ('Let me look.\n<tool_call>{"name": "sql", "arguments": {}}</tool_call>', "Let me look.", None),
    ],
)
def test_a_turn_tells_its_words_and_no_call(reply: Scripts, text_told: str, pieces_told: int | None) -> None:
    """What is JSON waits for the end: it may be a call; ids at the end are none of the words that flow."""
    taken, told = turn(Speaking([reply], NATIVE))
    assert standing(told) == text_told == taken.value.text
    assert begun(told) == (1 if text_told else 0)
    assert pieces_told in (None, len(told))


def test_ids_at_the_end_of_a_turn_wait() -> None:
    """They are told when it is known that they are part of its words; all others are as soon as more follows."""
    said = "It was 12 [1] of 20.\n[1.1] [2]"
    assert turn(Speaking([said], NATIVE))[1][-1] == ("\n[1.1] [2]", False)
    it = Supervisor(Speaking([said], NATIVE))
    _, told = under(
        lambda: it.turn(ASKED, (SQL,), max_tokens=99, tell=lambda one: one.text.removesuffix("\n[1.1] [2]"))
    )
    assert standing(told) == "It was 12 [1] of 20." and begun(told) == 1


@pytest.mark.parametrize("can", [ACTIONS, Capabilities()])
def test_an_action_is_told_when_it_is_read(can: Capabilities) -> None:
    """Its JSON is no text; its answer is."""
    _, told = turn(Speaking([json.dumps({"answer": TEXT})], can))
    assert told == [(TEXT, True)]
    _, told = turn(Speaking([TEXT], can), ())
    assert standing(told) == TEXT and len(told) > 1


def test_of_a_model_that_begins_in_a_thought_nothing_is_told_before_its_end() -> None:
    """The first reply shows that it does: what was told of it is taken back."""
    it = Supervisor(Speaking([f"hush, hush\n</think>\n{TEXT}", f"hush again</think>{TEXT}", TEXT]))
    every = [under(lambda: it.text(PROMPT, max_tokens=99, tell=True))[1] for _ in range(3)]
    assert [standing(told) for told in every] == [TEXT] * 3
    assert [begun(told) for told in every] == [2, 1, 1]
    assert [any("hush" in piece for piece, _ in told) for told in every] == [True, False, False]

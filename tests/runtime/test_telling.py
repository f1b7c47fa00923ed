"""The text of an effect as observers are told of it: its pieces, in their order, and nothing that depends on them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from kernel.world import World

from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import EffectEnded, EffectStarted, Event, Observer, OnRecord, TextDelta
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import current_ledger
from aeon.runtime.telling import Telling
from aeon.schema import Answer, StepResult, Value
from aeon.schema.effects import Effect
from runtime.handlers import job, ticking

pytestmark = pytest.mark.requirement("P3f")
TEXT = ("One ", "two ", "three.")


def telling() -> tuple[Telling, list[tuple[str, bool]]]:
    """What tells, and what it told."""
    told: list[tuple[str, bool]] = []
    return Telling(lambda piece, begins: told.append((piece, begins))), told


@pytest.mark.parametrize(
    ("tell", "told"),
    [
        (lambda it: it.settle("One."), [("One.", True)]),
        (lambda it: (it.add("One"), it.add(" two"), it.settle("One two")), [("One", True), (" two", False)]),
        (lambda it: (it.add("One"), it.settle("One two")), [("One", True), (" two", False)]),
        (lambda it: (it.add("One two"), it.settle("One")), [("One two", True), ("One", True)]),
        (lambda it: (it.add("One"), it.settle("Two")), [("One", True), ("Two", True)]),
        (lambda it: (it.add("One"), it.settle("")), [("One", True), ("", True)]),
        (lambda it: (it.add("One"), it.begin(), it.settle("One")), [("One", True), ("One", True)]),
        (lambda it: (it.add("One"), it.begin(), it.settle("")), [("One", True), ("", True)]),
        (lambda it: it.settle(""), []),
        (lambda it: (it.begin(), it.retract()), []),
        (lambda it: (it.add("One"), it.retract()), [("One", True), ("", True)]),
        (lambda it: (it.add("One"), it.close(), it.add("two"), it.settle("x"), it.retract()), [("One", True)]),
    ],
)
def test_the_pieces_since_the_last_beginning_are_the_text(
    tell: Callable[[Telling], object], told: list[tuple[str, bool]]
) -> None:
    """What is missing of a text is told, one that is another is told anew, and nothing once it is closed."""
    it, seen = telling()
    tell(it)
    assert seen == told


async def writing(effect: Effect) -> Value:
    """The answer, told as a model would write it: an attempt that fails, then the whole."""
    it = current_ledger().telling
    if it is not None:
        it.add("Wrong")
        await asyncio.sleep(0)
        it.begin()
        for piece in TEXT:
            it.add(piece)
            await asyncio.sleep(0)
    return Answer(text="".join(TEXT))


def ran(observers: list[Observer], path: Path) -> bytes:
    """The journal of a run whose answer is written piece by piece, byte for byte."""
    driver = AsyncDriver(observers, lambda _: Journal(path), ticking(), lambda: "run")
    driver.execute(job(World(), synthesize=writing))
    return path.read_bytes()


def test_pieces_are_told_between_the_start_and_the_end_of_their_effect(tmp_path: Path) -> None:
    """With its number and the last line; without them the events are those of any run."""
    events: list[Event] = []
    ran([events.append], tmp_path / "run.jsonl")
    pieces = [event for event in events if isinstance(event, TextDelta)]
    assert [(one.text, one.begins) for one in pieces] == [
        ("Wrong", True), *((piece, number == 0) for number, piece in enumerate(TEXT)),
    ]  # fmt: skip
    first = events.index(pieces[0])
    started, ended = events[first - 1], events[first + len(pieces)]
    assert isinstance(started, EffectStarted) and isinstance(ended, EffectEnded)
    assert {one.number for one in pieces} == {started.number} == {ended.number}
    assert {one.line for one in pieces} == {started.line}


def raising(event: Event, /) -> None:
    """An observer that fails at the first piece of a text."""
    if isinstance(event, TextDelta):
        raise LookupError("of its own")


def test_no_byte_of_a_journal_depends_on_who_watches(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody, somebody, one that waits for what is on record, and one that raises, which is told nothing more."""
    seen: list[Event] = []
    with caplog.at_level(logging.WARNING, "aeon"):
        bytes_of = [
            ran(observers, tmp_path / f"{number}.jsonl")
            for number, observers in enumerate([[], [lambda event: None], [OnRecord(seen.append)], [raising]])
        ]
    assert len({*bytes_of}) == 1
    assert len(caplog.records) == 1 and "text_delta" in caplog.text
    assert seen and not any(isinstance(event, TextDelta) for event in seen)


@pytest.mark.parametrize(("observers", "told"), [([], False), ([OnRecord(lambda event: None)], False), ([print], True)])
def test_nothing_is_made_of_a_text_that_nobody_watches(
    observers: list[Observer], told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then an effect has nothing to tell with."""
    monkeypatch.setattr("builtins.print", lambda *_: None)
    there: list[bool] = []

    async def answer(effect: Effect) -> Value:
        there.append(current_ledger().telling is not None)
        return Answer(text="4")

    AsyncDriver(observers).execute(job(World(), synthesize=answer))
    assert there == [told]


def test_a_recorded_effect_tells_no_text(tmp_path: Path) -> None:
    """Who watches a run that is driven again sees its outcomes, and no text written."""
    path = tmp_path / "run.jsonl"
    ran([], path)
    events: list[Event] = []
    AsyncDriver([events.append], lambda _: Journal.reopen(path)).execute(job(World(), synthesize=writing))
    assert any(isinstance(event, EffectEnded) and event.recorded for event in events)
    assert not any(isinstance(event, TextDelta) for event in events)


def test_what_outlives_its_effect_tells_nothing() -> None:
    """A task that a handler left behind is not heard when the effect has its outcome."""
    events: list[Event] = []
    left: list[asyncio.Task[None]] = []

    async def late() -> None:
        it = current_ledger().telling
        await asyncio.sleep(0.01)
        assert it is not None
        it.add("late")

    async def answer(effect: Effect) -> Value:
        left.append(asyncio.create_task(late()))
        return Answer(text="4")

    async def go() -> None:
        await AsyncDriver([events.append]).aexecute(job(World(), synthesize=answer))
        await left[0]

    asyncio.run(go())
    assert not any(isinstance(event, TextDelta) for event in events)


def test_leaving_a_stream_in_the_middle_of_a_text_interrupts_the_run() -> None:
    """The effect is broken off as any other, and the run ends with an answer of what there is."""
    hung: list[bool] = []

    async def endless(effect: Effect) -> Value:
        it = current_ledger().telling
        hung.append(True)
        while len(hung) == 1:
            assert it is not None
            it.add("and ")
            await asyncio.sleep(0)
        return StepResult(output="what there is")

    async def go() -> tuple[list[str], str, str]:
        stream, read = AsyncDriver().stream(job(World(), execute=endless)), []
        async for event in stream:
            if isinstance(event, TextDelta):
                read.append(event.text)
                if len(read) == 3:
                    break
        await stream.aclose()
        rest = [event async for event in stream]
        assert rest[-1].type == "run_ended"
        return read, stream.result.stop_reason, stream.result.answer

    read, reason, answer = asyncio.run(go())
    assert read == ["and "] * 3 and reason == "interrupted" and answer


def test_who_waits_for_what_is_on_record_hears_no_text_beside_one_that_does(tmp_path: Path) -> None:
    """Both see all other events, in the same order."""
    every: list[Event] = []
    recorded: list[Event] = []
    ran([OnRecord(recorded.append), every.append], tmp_path / "run.jsonl")
    assert recorded == [event for event in every if not isinstance(event, TextDelta)] != every

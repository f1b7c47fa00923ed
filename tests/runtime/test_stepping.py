"""Engines that break the rules: each is one clear line, or a typed failure, and what was done so far is not lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from kernel.shorten import SHORTEN, Shorten, Shortened, ShortenSettings, Shortness, Words

from aeon.errors import Divergence, EngineError, JournalError, UsageError
from aeon.kernel.engine import Engine, Halt, Run
from aeon.kernel.ports import Job
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import current_ledger
from aeon.runtime.replay import drop_after, replay, resume_point
from aeon.schema import Allowance, Answer, Budget, Conclusion, Decision, Price, Task, Usage
from aeon.schema.effects import Batch, EffectOf, Note, Program

pytestmark = pytest.mark.requirement("M1", "M2", "K12", "K13")
AnyProgram: TypeAlias = Callable[[Run[ShortenSettings, Shortness]], Any]
TASK = Task(text="one two three four")
ENDED = Decision(action="OUTPUT", reason="short", sufficient=True)
DEAR: dict[str, Price | None] = {"model": Price(input=100, output=100)}
CALL = Usage(calls=1, prompt_tokens=90, generated_tokens=10, cost=0.01)


class Stretch(EffectOf[Words]):
    """An effect of another engine."""

    phase = "stretch"


class Model:
    """Leaves out the last word, with one call; counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    async def shorten(self, effect: Shorten) -> Words:
        """The text without its last word."""
        ledger = current_ledger()
        await ledger.admit(CALL)
        self.calls += 1
        ledger.settle(CALL, CALL)
        return Words(text=effect.text.rpartition(" ")[0] or effect.text)


def first_then(rest: AnyProgram) -> AnyProgram:
    """A program that issues one sound effect and then does what it should not."""

    def program(run: Run[ShortenSettings, Shortness]) -> Program[Shortened]:
        yield from run.perform(Shorten(task=run.task, text=run.task.text), Words(text="instead"))
        return (yield from rest(run))

    return program


def engine(program: AnyProgram, **changes: Any) -> Engine[ShortenSettings, Shortness, Shortened]:
    """An engine with this program."""
    return replace(SHORTEN, program=program, **changes)


def drive(
    of: Engine[Any, Any, Any], path: Path, model: Model | None = None, config: ShortenSettings | None = None
) -> Conclusion:
    """A life of a run on this engine, whose journal is in a file."""
    handlers = {"shorten": (model or Model()).shorten}
    config = config or ShortenSettings()
    journal = Journal.reopen(path) if path.exists() else Journal(path)
    try:
        if journal.opening is not None:
            drop_after(journal, resume_point(journal, of))
        return AsyncDriver(journal=lambda execution_id: journal).execute(Job(of, TASK, config, handlers))
    finally:
        journal.close()


def conclusion(run: Run[ShortenSettings, Shortness], answer: str) -> Shortened:
    """An end with this answer."""
    return Shortened(**dict(run.conclude(ENDED, Answer(text=answer))), versions=())


def something_else(run: Any) -> Generator[Any, Any, Any]:
    yield "a word"


def an_effect(run: Any) -> Generator[Any, Any, Any]:
    yield Shorten(task=run.task, text="x")


def nothing_to_do(run: Any) -> Generator[Any, Any, Any]:
    yield Batch(effects=())


def a_list(run: Any) -> Generator[Any, Any, Any]:
    yield Batch(effects=[Shorten(task=run.task, text="x")])  # type: ignore[arg-type]


def foreign(run: Any) -> Generator[Any, Any, Any]:
    yield from run.issue([Stretch(task=run.task)])


def no_effect(run: Any) -> Generator[Any, Any, Any]:
    yield Batch(effects=("shorten",))  # type: ignore[arg-type]


def out_of_order(run: Any) -> Generator[Any, Any, Any]:
    yield from run.issue([Shorten(task=run.task, text="x", after=(1,)), Shorten(task=run.task, text="y")])


def itself(run: Any) -> Generator[Any, Any, Any]:
    yield from run.issue([Shorten(task=run.task, text="x", after=(0,))])


def before_all(run: Any) -> Generator[Any, Any, Any]:
    yield from run.issue([Shorten(task=run.task, text="x"), Shorten(task=run.task, text="y", after=(-1,))])


def raises(run: Any) -> Generator[Any, Any, Any]:
    raise ZeroDivisionError("by\n  zero")
    yield


def halts(run: Any) -> Generator[Any, Any, Any]:
    raise Halt(ENDED)
    yield


def ends_with(value: object) -> AnyProgram:
    def program(run: Any) -> Generator[Any, Any, Any]:
        return value
        yield

    return program


def ends_without_an_answer(run: Any) -> Generator[Any, Any, Any]:
    return conclusion(run, " \n")
    yield


def ends_as_another(run: Any) -> Generator[Any, Any, Any]:
    return run.conclude(ENDED, Answer(text="no record"))
    yield


def endless_effects(run: Any) -> Generator[Any, Any, Any]:
    while True:
        yield from run.issue([Shorten(task=run.task, text="x")])


def endless_notes(run: Any) -> Generator[Any, Any, Any]:
    while True:
        yield Note()


def beyond(run: Any) -> Generator[Any, Any, Any]:
    share = Allowance(calls=5)
    yield from run.issue([Shorten(task=run.task, text=text, allowance=share) for text in "ab"])


def behind_the_counter(run: Any) -> Generator[Any, Any, Any]:
    while True:
        yield Batch(effects=(Shorten(task=run.task, text="x", allowance=Allowance(calls=3)),))


BAD = {
    something_else: "yielded a str, where only a batch of effects or a note may be yielded",
    an_effect: "yielded a Shorten, where only a batch of effects or a note may be yielded",
    nothing_to_do: "yielded a Batch, where only a batch of effects or a note may be yielded",
    a_list: "yielded a Batch, where only a batch of effects or a note may be yielded",
    foreign: "asked for a Stretch, which is none of its effects",
    no_effect: "asked for a str, which is none of its effects",
    out_of_order: "asked for 'shorten' after an effect that does not come before it",
    itself: "asked for 'shorten' after an effect that does not come before it",
    before_all: "asked for 'shorten' after an effect that does not come before it",
    raises: "raised ZeroDivisionError: by zero",
    halts: "let a Halt through, and must end in an answer (short)",
    ends_with(None): "ended with nothing (None), not with an answer in a Shortened",
    ends_with("text"): "ended with a str, not with an answer in a Shortened",
    ends_without_an_answer: "ended with an empty Shortened, not with an answer in a Shortened",
    ends_as_another: "ended with a Conclusion, not with an answer in a Shortened",
    endless_notes: "never ends: 10,000 notes in a row",
    beyond: "asked for more calls than are left of its bound",
}


@pytest.mark.parametrize("rest", BAD, ids=lambda rest: rest.__name__)
def test_a_program_that_breaks_the_rules_is_named_and_can_be_mended(tmp_path: Path, rest: AnyProgram) -> None:
    """The run raises one line with the engine, its fault and how far it came; mended, the run is resumed from there."""
    path, model = tmp_path / "run.jsonl", Model()
    with pytest.raises(EngineError) as caught:
        drive(engine(first_then(rest)), path, model)
    assert str(caught.value) == f"engine 'shorten/1': its program {BAD[rest]}, after 1 effects"
    kept = Journal.read(path)
    assert (sorted(kept.entries), kept.ended, model.calls) == ([0], None, 1)
    with pytest.raises(EngineError, match="engine 'shorten/1': its program"):
        replay(kept, engine(first_then(rest)))
    result = drive(SHORTEN, path, model)
    assert (result.answer, result.stop_reason) == ("one two", "short")
    assert model.calls == result.usage.calls == 2
    assert replay(Journal.read(path), SHORTEN) == result


def test_a_program_that_never_ends_is_stopped_by_the_limit_on_effects(tmp_path: Path) -> None:
    """Also where it costs nothing; the limit is a setting, and mended the run goes on from there."""
    path = tmp_path / "run.jsonl"
    with pytest.raises(EngineError, match=r"never ends: it asked for more than 20 effects, after 20 effects$"):
        drive(engine(endless_effects), path, config=ShortenSettings(effects=20))
    assert len(Journal.read(path).entries) == 20
    mended = engine(first_then(lambda run: (yield from SHORTEN.program(run))))
    with pytest.raises(Divergence, match=r"^entry 0: "):
        drive(mended, path)


@pytest.mark.parametrize("what", ["program", "calls"])
def test_an_engine_that_cannot_begin_is_named(tmp_path: Path, what: str) -> None:
    """Whichever of its parts raises."""

    def broken(*_: object) -> Any:
        raise KeyError("shorter")

    path = tmp_path / "run.jsonl"
    with pytest.raises(EngineError, match=r"^engine 'shorten/1': its program raised KeyError: 'shorter', after 0 effe"):
        drive(replace(SHORTEN, **{what: broken}), path)
    assert drive(SHORTEN, path).answer == "one two"


def test_a_program_that_counts_by_itself_never_goes_beyond_the_bound(tmp_path: Path) -> None:
    """What it asks for behind the run's back is counted as well, over all lives of the run."""
    path, model = tmp_path / "run.jsonl", Model()
    for life in range(2):
        with pytest.raises(EngineError, match="asked for more calls than are left of its bound, after 6 effects"):
            drive(engine(behind_the_counter), path, model)
        assert model.calls == 6, f"in life {life}"


@pytest.mark.parametrize(
    ("budget", "share", "what"),
    [
        (Budget(tokens=1_000), Allowance(calls=1), "tokens"),
        (Budget(tokens=1_000), Allowance(calls=1, tokens=1_001), "tokens"),
        (Budget(cost=0.1), Allowance(calls=1), "dollars"),
        (Budget(cost=0.1), Allowance(calls=1, cost=0.2), "dollars"),
        (Budget(calls=1), Allowance(calls=2), "calls"),
    ],
)
def test_no_budget_can_be_passed_by(tmp_path: Path, budget: Budget, share: Allowance, what: str) -> None:
    """A share without a limit, or a greater one than there is, is refused before anything is spent."""

    def program(run: Run[ShortenSettings, Shortness]) -> Program[Shortened]:
        yield from run.issue([Shorten(task=run.task, text="x", allowance=share)])
        return conclusion(run, "x")

    model = Model()
    with pytest.raises(EngineError, match=f"asked for more {what} than are left of its bound, after 0 effects"):
        drive(engine(program), tmp_path / "run.jsonl", model, ShortenSettings(budget=budget, prices=DEAR))
    assert model.calls == 0


@pytest.mark.parametrize("calls", [0, 1, 2])
def test_a_bound_below_what_the_program_uses_holds(tmp_path: Path, calls: int) -> None:
    """The run makes no call more, and ends in an answer that says why."""
    model, path = Model(), tmp_path / "run.jsonl"
    short = replace(SHORTEN, calls=lambda config: calls)
    result = drive(short, path, model, ShortenSettings(longest=1))
    assert (model.calls, result.usage.calls, result.bound.calls) == (calls, calls, calls)
    assert result.answer == " ".join(TASK.text.split()[: 4 - calls])
    assert result.stop_reason == "calls_exhausted"
    assert replay(Journal.read(path), short) == result


@pytest.mark.requirement("M3")
def test_a_nested_program_that_wants_more_than_its_share_gets_its_share(tmp_path: Path) -> None:
    """Its own settings allow it twenty calls, the run around it has three: together they make three."""

    def around(run: Run[ShortenSettings, Shortness]) -> Program[Shortened]:
        try:
            inner = yield from SHORTEN.within(run, ShortenSettings(longest=1, most=20, budget=Budget(calls=20)))
            yield from run.perform(Shorten(task=run.task, text=inner.answer), Words(text=inner.answer))
        except Halt as halt:
            return Shortened(**dict(run.conclude(halt.decision, Answer(text=inner.answer))), versions=())
        return conclusion(run, inner.answer)

    model, path = Model(), tmp_path / "run.jsonl"
    outer = engine(around, name="around/1", calls=lambda config: 3)
    result = drive(outer, path, model)
    assert (model.calls, result.usage.calls, result.stop_reason, result.answer) == (3, 3, "calls_exhausted", "one")
    assert replay(Journal.read(path), outer) == result


def test_a_handler_that_is_missing_is_named_before_anything_runs() -> None:
    """No job can be made of it."""
    with pytest.raises(UsageError, match=r"^engine 'shorten/1': no handler answers shorten$"):
        Job(SHORTEN, TASK, ShortenSettings(), {})


def test_a_journal_of_another_engine_is_refused_at_its_first_effect(tmp_path: Path) -> None:
    """Nothing of it is taken for this engine's."""
    path = tmp_path / "run.jsonl"
    drive(SHORTEN, path)

    def other(run: Run[ShortenSettings, Shortness]) -> Program[Shortened]:
        yield from run.perform(Shorten(task=run.task, text="Something else."), Words(text="x"))
        return conclusion(run, "x")

    with pytest.raises((Divergence, JournalError), match=r"^entry 0: "):
        replay(Journal.read(path), engine(other))


def test_a_stream_raises_what_is_wrong_with_the_engine() -> None:
    """After the events that there were."""
    types: list[str] = []

    async def go() -> None:
        handlers = {"shorten": Model().shorten}
        async for event in AsyncDriver().stream(Job(engine(first_then(raises)), TASK, ShortenSettings(), handlers)):
            types.append(event.type)

    with pytest.raises(EngineError, match="raised ZeroDivisionError"):
        asyncio.run(go())
    assert types == ["run_started", "effect_started", "effect_ended"]

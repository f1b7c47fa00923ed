"""Programs within programs, and side by side: what they spend counts everywhere, and never goes beyond the bound."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.kernel.compose import side_by_side
from aeon.kernel.engine import Engine, Halt, Run
from aeon.kernel.passes import MULTIPASS
from aeon.schema import (
    Allowance,
    Answer,
    Budget,
    Config,
    Decision,
    Failure,
    Outcome,
    Question,
    Questions,
    Reply,
    Task,
    Usage,
)
from aeon.schema.effects import Batch, Effect, Note, Program
from kernel.shorten import SHORTEN, Caps1, Shorten, Shortened, ShortenSettings, Shortness, Words
from kernel.world import ENDPOINT_DOWN, ONE_CALL, WildWorld, World

TEXT = "one two three four five six"
TINY = ShortenSettings(longest=1)


def cut(effect: Shorten, _: int) -> Words:
    """The text without its last word, or the same."""
    return Words(text=effect.text.rpartition(" ")[0] or effect.text)


def around(
    *inner: ShortenSettings, engine: Engine[Any, Any, Any] = SHORTEN, calls: int = 8, first: int = 0, asks: bool = False
) -> Engine[ShortenSettings, Shortness, Shortened]:
    """An engine that runs another one within its runs, once for each of these settings at once.

    Before that it makes ``first`` effects of its own; ``asks``: then it asks a question.
    """

    def program(run: Run[ShortenSettings, Shortness]) -> Program[Shortened]:
        answers: tuple[str, ...] = ()
        try:
            for _ in range(first):
                yield from run.perform(Shorten(task=run.task, text=TEXT), Words(text="instead"))
            lanes = [engine.within(run, config, runs=len(inner)) for config in inner]
            ends = yield from side_by_side(*lanes)
            answers = tuple(f"{end.stop_reason}: {end.answer}" for end in ends)
            if asks:
                reply = yield from run.ask(Question(text="Is that right?", default="yes"))
                answers += (reply.text,)
            decision = run.decide()
        except Halt as halt:
            decision = halt.decision
        return Shortened(**dict(run.conclude(decision, Answer(text="over"))), versions=answers)

    return replace(
        SHORTEN, name="around/1", program=program, effects=(Shorten,), nested=engine.effects, calls=lambda config: calls
    )


@pytest.mark.requirement("M3", "K12")
def test_a_nested_run_is_charged_to_both_and_ends_for_its_own_reason() -> None:
    """The outer run continues after it; its usage holds what both spent."""
    world = World(shorten=cut)
    result = world.run_on(around(ShortenSettings(), calls=8, first=1), ShortenSettings(), TEXT)
    assert result.versions == ("short: one two",)
    assert (result.stop_reason, result.usage, len(world.effects)) == ("continue", world.spent, 5)


@pytest.mark.requirement("M3", "K12")
def test_a_nested_run_gets_no_more_than_is_left_around_it() -> None:
    """Calls, tokens, seconds and cost: the least of its own budget and of what the outer run has left."""
    outer = ShortenSettings(budget=Budget(calls=6, tokens=10_000, seconds=20, cost=1.0))
    bounds = []

    def program(run: Run[ShortenSettings, Shortness]) -> Program[Shortened]:
        bounds.append((run.bound.calls, run.config.budget))
        return (yield from SHORTEN.program(run))

    inner = replace(SHORTEN, program=program)
    world = World(shorten=cut)
    world.run_on(around(TINY.changed(budget=Budget(cost=None)), engine=inner, first=2), outer, TEXT)
    left = Budget(calls=4, tokens=9_800, seconds=18, cost=0.98)
    (calls, budget) = bounds[0]
    assert (calls, budget.calls, budget.tokens, budget.seconds) == (4, left.calls, left.tokens, left.seconds)
    assert budget.cost == pytest.approx(left.cost)
    bounds.clear()
    modest = TINY.changed(budget=Budget(calls=2, tokens=700, seconds=3.0, cost=0.1))
    World(shorten=cut).run_on(around(modest, engine=inner), outer, TEXT)
    assert bounds[0] == (2, modest.budget)


@pytest.mark.requirement("M3", "K12", "K9")
def test_the_time_of_a_nested_run_begins_with_it() -> None:
    """Seconds that were over before it do not count in it, and all count around it."""
    inner = TINY.changed(budget=Budget(seconds=4, cost=None))
    world = World(shorten=cut)
    result = world.run_on(around(inner, first=3, calls=20), ShortenSettings(), TEXT)
    assert result.versions == ("seconds_exhausted: one two",)
    assert (len(world.effects), result.seconds) == (7, 7.0)


@pytest.mark.requirement("M3", "K12")
def test_runs_side_by_side_share_equally_and_go_out_in_common_batches() -> None:
    """Three runs at once get a third each, and one ends earlier than the others without their noticing."""
    lanes = (TINY, ShortenSettings(longest=23), TINY)
    world = World(shorten=cut)
    result = world.run_on(around(*lanes, calls=9), ShortenSettings(), TEXT)
    assert result.versions == (
        "calls_exhausted: one two three", "short: one two three four five", "calls_exhausted: one two three",
    )  # fmt: skip
    assert [len(batch.effects) for batch in world.batches] == [3, 2, 2]
    assert (result.usage.calls, result.stop_reason) == (7, "continue")


@pytest.mark.requirement("M3", "K12")
def test_a_run_whose_share_is_no_call_at_all_ends_by_its_budget() -> None:
    """Two calls among three runs: each is refused, and none goes beyond the bound."""
    refused = Failure(kind="allowance", limit="calls", message="0 left for up to 1")
    world = World(shorten=lambda effect, _: cut(effect, _) if effect.allowance.calls else refused, cost=Usage())
    result = world.run_on(around(TINY, TINY, TINY, calls=2), ShortenSettings(), TEXT)
    assert result.versions == (f"calls_exhausted: {TEXT}",) * 3


@pytest.mark.requirement("M3", "X3")
def test_effects_of_nested_runs_differ_by_their_scope() -> None:
    """The same request in two of them is another effect, so that keys made of both never clash."""
    world = World(shorten=cut)
    lanes = (ShortenSettings(most=1, longest=1),) * 2
    world.run_on(around(*lanes, first=1, calls=20), ShortenSettings(), TEXT)
    assert [effect.scope for effect in world.effects] == ["", "/1", "/2"]
    assert len({effect.changed(scope="", allowance=Allowance(calls=0)) for effect in world.effects}) == 1
    deeper = around(*lanes, engine=around(*lanes, calls=20), calls=40)
    world = World(shorten=cut)
    world.run_on(deeper, ShortenSettings(), TEXT)
    assert [effect.scope for effect in world.effects] == ["/1/1", "/1/2", "/2/1", "/2/2"]


@pytest.mark.requirement("M3", "K13", "K9")
@pytest.mark.parametrize(
    ("world", "reason"),
    [
        (World(shorten=cut, interrupted_at=0), "interrupted"),
        (World(shorten=ENDPOINT_DOWN), "failed"),
        (World(shorten=Failure(kind="journal", message="the disk is full")), "failed"),
    ],
    ids=["interrupt", "endpoint", "journal"],
)
def test_what_stops_a_nested_run_for_good_stops_the_runs_around_it(world: World, reason: str) -> None:
    """An interrupt, a dead endpoint and a lost journal are the whole run's affair."""
    result = world.run_on(around(TINY, TINY), ShortenSettings(), TEXT)
    assert [end.partition(":")[0] for end in result.versions] == [reason] * 2
    assert result.stop_reason == reason


@pytest.mark.requirement("M3", "K12")
def test_a_nested_run_is_not_begun_where_the_outer_one_has_to_stop() -> None:
    """The boundary before it is one like any other."""
    world = World(shorten=cut)
    result = world.run_on(around(TINY, first=2), ShortenSettings(budget=Budget(calls=2)), TEXT)
    assert (result.stop_reason, result.versions, len(world.effects)) == ("calls_exhausted", (), 2)


def asking(run: Run[ShortenSettings, Shortness]) -> Program[Shortened]:
    """Asks three questions, the last one twice."""
    replies = []
    for n in (1, 2, 3, 3):
        replies.append((yield from run.ask(Question(text=f"{run.scope} question {n}", default="no"))))
    text = " ".join(reply.text for reply in replies)
    return Shortened(**dict(run.conclude(run.decide(), Answer(text=text))), versions=())


@pytest.mark.requirement("M3", "O6")
@pytest.mark.parametrize(("most", "own", "put"), [(3, 3, 3), (2, 3, 2), (0, 3, 0), (3, 1, 1), (9, 3, 3)])
def test_what_nested_runs_ask_counts_for_the_runs_around_them(most: int, own: int, put: int) -> None:
    """Together they put no more questions than the outer run may, and than the settings of any of them say."""
    inner = ShortenSettings(questions=Questions(most=own))
    world = World(ask=Reply(text="yes"))
    outer = ShortenSettings(questions=Questions(most=most))
    world.run_on(around(inner, inner, engine=replace(SHORTEN, program=asking)), outer)
    assert len(world.of("ask")) == put
    after = World(ask=Reply(text="yes"))
    after.run_on(around(inner, engine=replace(SHORTEN, program=asking), asks=True), outer)
    assert len(after.of("ask")) <= most


@pytest.mark.requirement("M3", "H3")
def test_settings_that_come_with_a_nested_effect_are_those_of_the_outermost_run() -> None:
    """A fork inside a nested run configures the run that was forked."""
    outer = ShortenSettings(budget=Budget(calls=3))
    world = World(shorten=cut)
    world.changes = {1: outer.changed(most=5)}  # type: ignore[dict-item]
    engine = replace(around(TINY, first=1), calls=lambda config: config.most * config.caps.shorten)
    result = world.run_on(engine, ShortenSettings(), TEXT)
    assert result.bound.calls == 3


@pytest.mark.requirement("M3", "K12", "K13")
@given(random=st.randoms(use_true_random=False), lanes=st.integers(1, 3), calls=st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_multi_pass_runs_within_another_run_never_go_beyond_its_bound(random: Random, lanes: int, calls: int) -> None:
    """However greedy they are, and however many go side by side; each ends in an answer."""
    inner = Config(max_passes=random.randint(1, 3))
    budget = Budget(calls=random.choice((None, 7)), tokens=random.choice((None, 90_000)), cost=None)
    outer = ShortenSettings(budget=budget)
    engine = around(*[inner] * lanes, engine=MULTIPASS, calls=calls)  # type: ignore[list-item]
    world = WildWorld(random, inner, greedy=random.random() < 0.7)
    result = world.run_on(engine, outer)
    most = engine.bound(outer)
    assert world.spent.calls <= most.calls and world.spent.tokens <= most.tokens
    assert result.usage == world.spent
    assert all(end.partition(": ")[2] for end in result.versions)


def yielding(*requests: Batch | Note, end: str = "") -> Program[str]:
    """A program that yields these, and says how many outcomes it was sent each time."""
    counts = []
    for request in requests:
        counts.append(str(len((yield request))))
    return end + ",".join(counts)


def batch(*texts: str, after: tuple[int, ...] = ()) -> Batch:
    """A batch of effects; the last one waits for those places."""
    effects: list[Effect] = [Shorten(task=Task(text="Shorten."), text=text) for text in texts]
    effects[-1] = effects[-1].changed(after=after)
    return Batch(effects=tuple(effects))


def stepped(program: Program[Any]) -> tuple[list[Batch | Note], Any]:
    """All that a program yields, answered with as many outcomes as it has effects, and its result."""
    requests: list[Batch | Note] = []
    try:
        request = next(program)
        while True:
            requests.append(request)
            count = len(request.effects) if isinstance(request, Batch) else 0
            request = program.send(tuple(Outcome() for _ in range(count)))
    except StopIteration as stop:
        return requests, stop.value


@pytest.mark.requirement("M3")
def test_programs_side_by_side_issue_common_batches_and_end_on_their_own() -> None:
    """Each gets the outcomes of its own effects, in order; the results stand in the order of the programs."""
    last = yielding(batch("x"), batch("y"), batch("z", "w"))
    requests, result = stepped(side_by_side(yielding(batch("a", "b"), batch("c")), yielding(), last))
    texts = [[effect.text for effect in one.effects] for one in requests if isinstance(one, Batch)]  # type: ignore[attr-defined]
    assert texts == [["a", "b", "x"], ["c", "y"], ["z", "w"]]
    assert result == ("2,1", "", "1,1,2")


@pytest.mark.requirement("M3", "K12")
def test_a_program_beside_a_slower_one_goes_on_when_both_have_ended() -> None:
    """Its next effect begins with the next common batch, so what it waited is no time that it still has."""
    heard: list[float] = []

    def hearing(name: str) -> Program[None]:
        (outcome,) = yield batch(name)
        heard.append(outcome.ended)

    running = side_by_side(hearing("quick"), hearing("slow"))
    next(running)
    with pytest.raises(StopIteration):
        running.send((Outcome(value=Words(text="a"), ended=1.0), Outcome(value=Words(text="b"), ended=4.0)))
    assert heard == [4.0, 4.0]


@pytest.mark.requirement("M3", "K12")
def test_of_programs_that_stop_a_run_at_once_the_last_says_why() -> None:
    """It knows of what the ones before it heard: a tool of which nobody knows what it did, beside a call too dear."""

    def stopping(reason: str) -> Program[None]:
        yield batch(reason)
        raise Halt(Decision(action="OUTPUT", reason=reason))

    running = side_by_side(stopping("tokens_exhausted"), stopping("unknown_outcome"))
    next(running)
    with pytest.raises(Halt) as halted:
        running.send((Outcome(), Outcome()))
    assert halted.value.decision.reason == "unknown_outcome"


@pytest.mark.requirement("M3")
def test_notes_of_programs_side_by_side_pass_through_before_the_batch() -> None:
    """They are answered with nothing, and wait for nobody."""
    note = Note(decision=Decision(action="CONTINUE", reason="continue"))
    requests, result = stepped(side_by_side(yielding(note, batch("a"), note), yielding(batch("x"), note, note)))
    assert [type(one) for one in requests] == [Note, Batch, Note, Note, Note]
    assert result == ("0,1,0", "1,0,0")


@pytest.mark.requirement("M3", "K4")
def test_the_places_that_an_effect_waits_for_are_shifted_with_it() -> None:
    """In a common batch they still name the effects of its own program."""
    (request,), _ = stepped(side_by_side(
        yielding(batch("a", "b", after=(0,))), yielding(batch("x", "y", "z", after=(0, 1))), yielding(batch("q")),
    ))  # fmt: skip
    assert isinstance(request, Batch)
    assert [effect.after for effect in request.effects] == [(), (0,), (), (), (2, 3), ()]


@pytest.mark.requirement("M3")
def test_programs_side_by_side_can_themselves_be_side_by_side() -> None:
    """And none at all give an empty result at once."""
    inner = side_by_side(yielding(batch("a")), yielding(batch("b"), batch("c")))
    requests, result = stepped(side_by_side(inner, yielding(batch("x", after=()))))
    assert [len(one.effects) for one in requests if isinstance(one, Batch)] == [3, 1]
    assert result == (("1", "1,1"), "1")
    assert stepped(side_by_side()) == ([], ())


@pytest.mark.requirement("M3", "K12")
def test_what_a_nested_run_spends_in_a_batch_with_others_is_charged_once() -> None:
    """Each outcome belongs to one lane; the outer run's usage is their sum."""
    world = World(shorten=cut)
    lanes = [ShortenSettings(most=most, longest=1, caps=Caps1(shorten=2)) for most in (2, 4)]
    result = world.run_on(around(*lanes, calls=20), ShortenSettings(), TEXT)
    assert result.usage == sum([ONE_CALL] * 6, Usage())
    assert result.versions == ("over: one two three four", "over: one two")

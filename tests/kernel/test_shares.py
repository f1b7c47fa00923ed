"""Shares of nested runs: whatever lanes do, together they never go beyond what is left around them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.kernel.compose import side_by_side
from aeon.kernel.engine import Engine, Halt, Run
from aeon.schema import Answer, Budget, Task, Usage
from aeon.schema.effects import Program
from kernel.shorten import SHORTEN, Shorten, Shortened, ShortenSettings, Shortness, Words
from kernel.world import World

TINY = ShortenSettings(longest=1, budget=Budget(cost=None))
Lane = Callable[[Run[ShortenSettings, Shortness]], Program[list[Shortened]]]


def laned(*lanes: Lane, calls: int) -> Engine[ShortenSettings, Shortness, Shortened]:
    """An engine that runs these lanes side by side."""

    def program(run: Run[ShortenSettings, Shortness]) -> Program[Shortened]:
        try:
            ends = yield from side_by_side(*(lane(run) for lane in lanes))
            decision, versions = run.decide(), tuple(str(end.usage.calls) for lane in ends for end in lane)
        except Halt as halt:
            decision, versions = halt.decision, ()
        return Shortened(**dict(run.conclude(decision, Answer(text="over"))), versions=versions)

    return replace(SHORTEN, name="laned/1", program=program, calls=lambda config: calls)


def nested(lanes: int, *texts: str) -> Lane:
    """A lane of nested runs, one after the other, each with a text to shorten to nothing."""

    def lane(run: Run[ShortenSettings, Shortness]) -> Program[list[Shortened]]:
        ends = []
        for text in texts:
            ends.append((yield from SHORTEN.within(run, TINY, Task(text=text), runs=lanes)))
        return ends

    return lane


def cut(effect: Shorten, _: int) -> Words:
    """The text without its last word, or the same."""
    return Words(text=effect.text.rpartition(" ")[0] or effect.text)


@pytest.mark.requirement("M3", "K12")
def test_what_a_run_beside_it_may_still_spend_is_not_shared_out_again() -> None:
    """A lane that has spent its part begins another run, while the other lane has hardly begun to spend its own."""
    engine = laned(nested(2, "one two three", "a b c d e f"), nested(2, "free free free free 1 2 3 4 5 6"), calls=8)
    world = World(shorten=cut, cost=lambda effect: Usage(calls=0 if effect.text.count(" ") > 6 else 1))
    result = world.run_on(engine, TINY)
    assert world.spent.calls == result.usage.calls == result.bound.calls == 8
    assert result.versions == ("3", "1", "4")


@pytest.mark.requirement("M3", "K12")
def test_effects_of_the_outer_run_leave_a_nested_run_its_part() -> None:
    """Beside a nested run, the run around it spends what it has not given away."""

    def own(run: Run[ShortenSettings, Shortness]) -> Program[list[Shortened]]:
        for number in range(9):
            share = run.allow("shorten")
            if share.calls:
                yield from run.issue([Shorten(task=run.task, text=f"own {number}", allowance=share)])
        return []

    world = World(shorten=cut)
    result = world.run_on(laned(nested(2, "a b c d e f g h i j"), own, calls=8), TINY)
    assert (result.usage.calls, result.bound.calls) == (8, 8)
    assert sum(effect.text.startswith("own") for effect in world.effects) == 4


@pytest.mark.requirement("M3", "K12", "K13")
@given(random=st.randoms(use_true_random=False), lanes=st.integers(1, 4), calls=st.integers(0, 30))
@settings(max_examples=100, deadline=None)
def test_lanes_of_nested_runs_never_go_beyond_the_bound(random: Random, lanes: int, calls: int) -> None:
    """Any number of runs in each lane, of any length, which spend at any pace."""

    def lane(random: Random) -> Lane:
        texts = [" ".join("abcdefghij"[: random.randint(2, 10)]) for _ in range(random.randint(1, 4))]
        return nested(lanes, *texts)

    engine = laned(*(lane(random) for _ in range(lanes)), calls=calls)
    world = World(shorten=cut, cost=lambda effect: Usage(calls=random.randint(0, effect.allowance.calls)))
    result = world.run_on(engine, TINY)
    assert world.spent.calls == result.usage.calls <= calls


@pytest.mark.requirement("M3", "K12")
def test_a_lane_that_stops_the_run_does_not_keep_the_others_from_being_charged() -> None:
    """The effects of all lanes went out together, so all of them count; then the run is free of claims."""
    remaining = []

    def stopping(run: Run[ShortenSettings, Shortness]) -> Program[list[Shortened]]:
        yield from run.perform(Shorten(task=run.task, text="a b"), Words(text="instead"))
        run.signals.stuck = True
        run.boundary()
        raise AssertionError("the boundary is none")

    def program(run: Run[ShortenSettings, Shortness]) -> Program[Shortened]:
        try:
            yield from side_by_side(stopping(run), nested(2, "a b c d e")(run))
            raise AssertionError("no lane has stopped the run")
        except Halt as halt:
            remaining.append(run.left().calls)
            return Shortened(**dict(run.conclude(halt.decision, Answer(text="over"))), versions=())

    engine = replace(SHORTEN, name="laned/1", program=program, calls=lambda config: 8)
    world = World(shorten=cut)
    result = world.run_on(engine, TINY)
    assert (result.stop_reason, result.usage, world.spent.calls) == ("stuck", world.spent, 2)
    assert set(remaining) == {6}

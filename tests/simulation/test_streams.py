"""What the service tells of simulated runs, process after process, and the store of workers that stand still."""

from __future__ import annotations

import pytest

from aeon.assembly.registry import plugin
from aeon.llm.hearing import Listener, heard_by
from aeon.runtime.events import Event, TextDelta
from aeon.schema import LLMRequest, LLMResponse
from aeon.simulation.check import Report, _run, _troubles, check
from aeon.simulation.endpoint import Endpoint
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life, Parts, Story
from aeon.simulation.troubles import Troubles
from aeon.simulation.world import World
from simulation.handed import stepped
from simulation.told import hold_told, telling

SEEDS = 15


@pytest.mark.requirement("M2", "X5")
@pytest.mark.parametrize("faults", ["crash_after", "interrupt,crash_torn,crash_before", "question_suspended,outage"])
def test_no_event_is_told_twice_whoever_takes_the_run_up(faults: str) -> None:
    """Each process of the service tells what is new, under places that no other event has, as the journal does."""
    lives = 0
    with Life(Parts(observers=telling)) as life:
        for seed in range(SEEDS):
            straight = _run(scenario(seed, faults), life, Troubles(), None, Report(scenario(seed, faults)))
            assert straight is not None
            world = World(scenario(seed, faults))
            assert life.lived(world, _troubles(world.scenario, straight)) is not None
            hold_told(world)
            assert world.problems == [], f"seed {seed}"
            lives += world.lives
    assert lives > SEEDS


@pytest.mark.requirement("K13", "X3")
def test_a_worker_that_stood_still_does_no_more() -> None:
    """With the store that workers keep a journal in: where another one continued the run, no tool is called."""
    stood = 0
    with Life(Parts(store=stepped)) as life:
        for seed in range(SEEDS):
            report = check(scenario(seed, "handed_over"), life)
            assert report.problems == [], f"seed {seed}"
            stood += report.fired["handed_over"]
    assert stood > SEEDS // 2


class _Deaf:
    """A listener that hears everything and says nothing of it."""

    def begin(self) -> None:
        pass

    def hear(self, piece: str) -> None:
        pass


class _Silent(Endpoint):
    """The same endpoint, whose pieces nobody of the run hears: each text is told at its end."""

    async def complete(self, request: LLMRequest) -> LLMResponse:
        deaf: Listener = _Deaf()
        with heard_by(deaf):
            return await super().complete(request)


def _lived(seed: int, endpoint: type[Endpoint]) -> tuple[Story, list[Event]]:
    """A run that is interrupted, and its events."""
    events: list[Event] = []
    parts = Parts(endpoint=endpoint, observers=lambda world, journal: (events.append,))
    with Life(parts) as life:
        world = World(scenario(seed, "retried,empty,refused,malformed,truncated"))
        story = life.lived(world, Troubles())
    assert story is not None and world.problems == []
    return story, events


@pytest.mark.requirement("P3f")
def test_no_run_depends_on_how_its_texts_are_told() -> None:
    """In pieces or each at its end: the same journal and the same events beside the pieces, which are others."""
    told = 0
    for seed in range(SEEDS):
        (one, pieces), (other, texts) = (_lived(seed, kind) for kind in (Endpoint, _Silent))
        assert one.text == other.text and one.world.disk.data == other.world.disk.data
        assert [e for e in pieces if not isinstance(e, TextDelta)] == [e for e in texts if not isinstance(e, TextDelta)]
        assert one.world.texts_told >= other.world.texts_told
        told += one.world.texts_told > other.world.texts_told
    assert told > SEEDS // 3


@pytest.mark.requirement("P3f")
@pytest.mark.parametrize(
    "engine", ["multi-pass", "loop", "graph", "contractive", "chain", "ensemble", "team", "auto"]
)
def test_texts_are_told_in_every_engine_that_writes(engine: str) -> None:
    """Its simulated runs hold that each is the one that is taken, so there have to be some.

    Research and reports write their answers as objects, which are told when they were read.
    """
    told = 0
    with Life(Parts(plugin(engine))) as life:
        for seed in range(SEEDS):
            world = World(scenario(seed, "none"))
            assert life.lived(world, Troubles()) is not None and world.problems == []
            told += world.texts_told > 1
    assert told > SEEDS // 5

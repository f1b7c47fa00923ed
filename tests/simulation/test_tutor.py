"""The Interpreter-Tutor in simulated worlds: it holds, and what breaks one of its promises is noticed by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from aeon.assembly.plugin import Plugin
from aeon.assembly.tutor import PLUGIN
from aeon.engines.tutor.config import TutorConfig
from aeon.engines.tutor.graph import chained
from aeon.engines.tutor.program import TUTOR
from aeon.engines.tutor.record import ProofGame
from aeon.engines.tutor.rules import TutorSignals
from aeon.kernel.engine import Run
from aeon.schema.effects import Program
from aeon.simulation.check import check
from aeon.simulation.crowd import simulate
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life, Parts

pytestmark = pytest.mark.requirement("E4a", "K13")

SEEDS = 90
MOST_SEEDS = 8


@pytest.mark.requirement("X3", "K12")
def test_the_game_holds_in_many_seeds() -> None:
    """Crashes, interrupts, looks that fail in every way, budgets that run out: with every way to end."""
    tally = simulate(range(SEEDS), engine="tutor")
    assert tally.failures == []
    assert {"proved", "not_proved", "unverified", "nothing_to_see", "tokens_exhausted", "seconds_exhausted"} <= set(
        tally.reasons
    )
    fired = {kind for kind, times in tally.fired.items() if times}
    assert {"crash_each", "interrupt", "outage", "tool_fails", "tool_hangs", "tool_output"} <= fired


def _changed(change: Callable[[ProofGame], ProofGame]) -> Parts:
    """Parts whose program ends in another result."""

    def program(run: Run[TutorConfig, TutorSignals]) -> Program[ProofGame]:
        return change((yield from TUTOR.program(run)))

    return Parts(Plugin(replace(TUTOR, program=program), PLUGIN.handlers))


def _rewritten(game: ProofGame) -> ProofGame:
    return game.changed(graph=tuple(node.changed(turn=node.turn + 1) for node in game.graph))


def _turned(game: ProofGame) -> ProofGame:
    """The same game whose last verdict is the other one, in a chain that was made anew."""
    nodes, before = [], ""
    for node in game.graph:
        if node.kind == "verdict":
            node = node.changed(content={**node.content, "verdict": "refuted"})
        nodes.append(chained(node, before))
        before = nodes[-1].hash
    return game.changed(graph=tuple(nodes))


@pytest.mark.parametrize(
    ("change", "invariant"),
    [
        (_rewritten, "the chain is whole"),
        (_turned, "a proved answer cites what is proved"),
        (lambda game: game.changed(cited=()), "a proved answer cites what is proved"),
        (lambda game: game.changed(judged=None), "a good answer was judged to be one"),
        (lambda game: game.changed(turns=17), "turns and hints within their limits"),
    ],
)
def test_a_broken_promise_is_noticed(change: Callable[[ProofGame], ProofGame], invariant: str) -> None:
    """A graph that was changed, a verdict that no observation gives, an answer without claims, one turn more."""
    with Life(_changed(change)) as life:
        found = {problem.invariant for seed in range(MOST_SEEDS) for problem in check(scenario(seed), life).problems}
    assert invariant in found

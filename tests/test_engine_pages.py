"""The pages of the engines: each has a picture, a bound, figures, and says when not to use the engine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from aeon.assembly.registry import plugin, shipped
from aeon.assembly.views import trail
from aeon.schema import Step
from aeon.schema.effects import Effect
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life, Parts
from aeon.simulation.troubles import Troubles
from aeon.simulation.world import World
from scripts.checks.docs import PAGES, differences
from scripts.checks.pictures import STEPS

pytestmark = pytest.mark.requirement("E8i")

ROOT = Path(__file__).parents[1]
NAMES = [engine.name.partition("/")[0] for engine in shipped()]
SEEDS = {"multi-pass": 700}
"""How many runs show every step of an engine, where 150 do not."""
RARE = {
    "multi-pass": {("weigh", "turn"), ("write", "turn")},
    "research": {("pause", "pause")},
    "tutor": {("recheck", "player_move")},
}
"""Steps that one simulated run in a thousand takes, or none, as the simulated player challenges nothing: the tests of
the engines take them."""


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_all_that_a_reader_needs_to_choose(name: str) -> None:
    """What the engine is for comes first; picture and bound are made from the code; the rest are headings."""
    page = (ROOT / PAGES[name]).read_text()
    picture = re.search(rf"<!-- {name} picture -->\n```mermaid\nflowchart TD\n(.+?)```\n<!-- end -->", page, re.DOTALL)
    bound = re.search(rf"<!-- {name} bound -->\nAt most ([\d,]+) model calls", page)
    assert picture and bound
    for heading in ("## Figures", "## When not to use it"):
        assert page.count(f"\n{heading}\n") == 1
    assert f"]({Path(PAGES[name]).name}" in (ROOT / "docs" / "engines.md").read_text()


@pytest.mark.requirement("E8")
@pytest.mark.parametrize("name", NAMES)
def test_a_page_says_how_the_engine_stands_beside_self_consistency(name: str) -> None:
    """Whether it was compared at equal tokens, and where it does not win; a page that is named for that has it."""
    page = (ROOT / PAGES[name]).read_text()
    (figures,) = re.findall(r"\n## Figures\n(.+?)(?=\n## |\Z)", page, re.DOTALL)
    sentences = [one for one in re.split(r"(?<=[.:])\s+", figures) if "self-consistency at equal tokens" in one]
    assert any(re.search(r"\b(?:not|nothing)\b", one, re.IGNORECASE) for one in sentences)
    for target, anchor in re.findall(r"\]\(([\w-]+\.md)#([\w-]+)\)", " ".join(sentences)):
        there = (ROOT / "docs" / target).read_text()
        headings = [re.sub(r"[^\w -]", "", one).lower() for one in re.findall(r"^#+ (.+)$", there, re.MULTILINE)]
        assert "self-consistency at equal tokens" in there and anchor.replace("-", " ") in headings


def test_the_parts_that_are_made_from_the_code_are_those_of_the_code() -> None:
    """What `scripts/docs` would write is what stands there."""
    assert differences(ROOT) == []


def test_the_bound_is_the_one_that_the_engine_states() -> None:
    """For one whose configuration a model does not change."""
    found = re.search(r"<!-- tutor bound -->\nAt most (\d+) ", (ROOT / PAGES["tutor"]).read_text())
    engine = plugin("tutor").engine
    assert found and int(found[1]) == engine.bound(engine.config()).calls


def step_of(effect: Effect) -> str | None:
    """The step of a plan that an effect is part of: what stands side by side follows its own step."""
    step = getattr(effect, "step", None)
    return step.id if isinstance(step, Step) else step if isinstance(step, str) else None


def steps(name: str) -> Iterator[tuple[str, str]]:
    """The phases that follow each other in simulated runs, within each step of a plan; questions left out."""
    brought = plugin(name)
    with Life(Parts(brought)) as life:
        for seed in range(SEEDS.get(name, 150)):
            story = life.lived(World(scenario(seed, None)), Troubles())
            assert story is not None
            last, of_steps = "", dict[str, str]()
            for batch in trail(story.journal, brought.engine).batches:
                own = (done.effect for done in batch if not done.effect.scope and done.effect.phase != "ask")
                for step, phase in dict.fromkeys((step_of(effect), effect.phase) for effect in own):
                    if step is not None:
                        yield of_steps.get(step, last), phase
                        of_steps[step] = phase
                    else:
                        yield from ((before, phase) for before in {*of_steps.values()} or {last})
                        last, of_steps = phase, {}


@pytest.mark.parametrize("name", STEPS)
def test_the_picture_shows_the_steps_that_runs_take(name: str) -> None:
    """No run takes a step that is not drawn, but to the end from anywhere; none is drawn that no run takes."""
    final = brought.phase if (brought := plugin(name).engine.final) is not None else ""
    taken = Counter(step for step in steps(name) if step[0] and step[1] != final)
    drawn = {(one, other) for one, other, _ in STEPS[name]}
    assert taken.keys() - drawn == set()
    assert drawn - taken.keys() <= RARE.get(name, set())

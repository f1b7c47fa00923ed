"""Limits of a run: those of its tier and its own, and how much of what was found a prompt shows."""

from __future__ import annotations

from typing import Any

import pytest

from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.effects import PlanQueries, Reflect
from aeon.engines.research.materials import size_of
from aeon.engines.research.values import Providers, Queries, Reflection
from aeon.schema import Failure, Usage
from aeon.schema.effects import Effect
from engines.research.world import (
    World,
    answering,
    found,
    partly,
    queries,
    seeking,
)

pytestmark = pytest.mark.requirement("R2")

NO = Usage()
DECLINED = Failure(kind="completion", message="the model declined")


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(("tier", "limits"), [("simple", (2, 3, 5)), ("standard", (5, 10, 15)), ("deep", (10, 20, 25))])
def test_a_tier_limits_rounds_queries_and_sources(tier: str, limits: tuple[int, int, int]) -> None:
    """However much the reflections want, and however much there is to find."""
    most_rounds, most_queries, most_sources = limits

    def greedy(effect: Effect, n: int) -> Reflection:
        return Reflection(queries=queries(*(f"{n} {m}" for m in range(50))))

    many = World(
        reflect=greedy, cite=partly, search=lambda effect, n: found(*(f"t{n}_{m}" for m in range(9)))
    ).research(tier=tier, check=False)
    assert (len(many.searched), len(many.sources), many.tier) == (most_queries, most_sources, tier)
    assert many.stop_reason == "queries_exhausted"
    long = World(
        reflect=lambda e, n: Reflection(queries=queries(f"{n}")), plan_queries=Queries(queries=queries("first"))
    )
    assert len(long.research(tier=tier).rounds) == min(most_rounds, most_queries)


@pytest.mark.requirement("R2")
def test_limits_of_ones_own_stand_before_those_of_the_tier() -> None:
    """Each of them alone."""
    assert len(World(reflect=seeking).research(max_iters=3, max_queries=99).rounds) == 3
    assert len(World(reflect=seeking).research(max_queries=4).searched) == 4
    assert len(World(reflect=seeking).research(max_sources=2).sources) == 2


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(("said", "queries_asked"), [("simple", 3), ("standard", 10), ("deep", 20), (None, 10)])
def test_with_auto_the_plan_says_how_much_research_it_takes(said: Any, queries_asked: int) -> None:
    """Where it does not say, it is standard; so it is where there is no plan at all."""
    plan = Queries(queries=queries("a", "b", "c", "d", "e", "f", "g"), tier=said)
    result = World(plan_queries=plan, reflect=_many).research(tier="auto")
    assert (len(result.searched), result.tier) == (queries_asked, said or "standard")
    assert World(plan_queries=DECLINED).research(tier="auto").tier == "standard"


@pytest.mark.requirement("R2")
def test_only_auto_asks_for_a_tier() -> None:
    """A tier that was chosen stays, whatever a plan says."""
    for tier in ("auto", "simple"):
        world = World(plan_queries=Queries(queries=queries("a"), tier="deep"))
        result = world.research(tier=tier)
        (plan,) = (effect for effect in world.effects if isinstance(effect, PlanQueries))
        assert plan.choose_tier == (tier == "auto")
        assert result.tier == ("deep" if tier == "auto" else "simple")


def _many(effect: Effect, n: int) -> Reflection:
    return Reflection(queries=queries(*(f"{n} {m}" for m in range(12))))


@pytest.mark.requirement("R2")
def test_a_fork_may_move_the_limits() -> None:
    """What is set for the rest of a run counts from the next round on."""
    world = World(reflect=seeking)
    world.changes[6] = ResearchConfig(max_iters=2)  # type: ignore[assignment]
    assert len(world.research().rounds) == 2


@pytest.mark.requirement("R4")
def test_what_every_provider_found_is_shown() -> None:
    """A local one that finds much does not crowd out the web."""
    many = {"shelf": ("a", "b", "c", "d", "e"), "web": ("f", "g", "h", "i", "j")}
    world = World(web=("web",), search=lambda e, n: found(*many[e.provider], provider=e.provider), reflect=answering)
    world.research()
    (effect,) = (each for each in world.effects if isinstance(each, Reflect))
    assert {one.passage.source for one in effect.texts} == {f"{name}.txt" for names in many.values() for name in names}


@pytest.mark.requirement("R1a", "R4")
def test_the_best_of_each_query_comes_first() -> None:
    """What two queries rank first stands before what one does; the rank counts, not the query that was asked first."""
    ranked = {"one": ("a", "b", "c"), "two": ("d", "b", "e"), "three": ("f", "g", "b")}
    world = World(search=lambda effect, n: found(*ranked[effect.query]))
    world.research()
    (effect,) = (each for each in world.effects if isinstance(each, Reflect))
    names = [one.passage.source[0] for one in effect.texts]
    assert names[0] == "b" and set(names[1:4]) == {"a", "d", "f"} and len(names) == len(set(names))


LONG = "It is near the harbour. " * 60


@pytest.mark.requirement("R4")
def test_few_tokens_left_show_half() -> None:
    """Below a quarter of them, what takes more than half of the room is summarised."""
    world = World(
        search=lambda effect, n: found(**{f"t{n}": f"T{n}. {LONG}"}), reflect=seeking,
        find_providers=Providers(local=("shelf",), room=15_000),
    )  # fmt: skip
    world.research(tier="deep", max_iters=2, budget={"tokens": 450}, reserve={"tokens": 0.1})
    assert "summarise" not in world.phases
    little = World(
        search=lambda effect, n: found(**{f"t{n}": f"T{n}. {LONG}"}), reflect=seeking,
        find_providers=Providers(local=("shelf",), room=15_000),
    )  # fmt: skip
    little.cost = lambda effect: Usage(calls=1, prompt_tokens=180) if isinstance(effect, PlanQueries | Reflect) else NO
    little.research(tier="deep", max_iters=2, budget={"tokens": 450}, reserve={"tokens": 0.1})
    assert "summarise" in little.phases


@pytest.mark.requirement("R4")
def test_the_prompts_of_a_run_do_not_grow_with_its_rounds() -> None:
    """What the last reflection shows takes as much room as there is, however much was found."""
    world = World(
        search=lambda effect, n: found(**{f"t{n}": f"T{n}. {LONG}"}), reflect=seeking,
        find_providers=Providers(local=("shelf",), room=9_000),
    )  # fmt: skip
    world.research(tier="deep")
    sizes = [size_of(one.texts, one.digests) for one in world.effects if isinstance(one, Reflect)]
    assert len(sizes) > 4 and max(sizes) <= 9_000

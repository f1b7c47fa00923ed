"""The pure parts of the benchmarks of speed and size, and the loop that they run in Aeon and in bare asyncio."""

from __future__ import annotations

import asyncio
import importlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from aeon.llm.scripted import Scripted
from aeon.schema import Usage
from aeon.testing.obliging import oblige

BENCH = Path(__file__).parents[1] / "scripts" / "bench"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The modules of the benchmarks, which import each other as scripts of one folder do."""
    before = set(sys.modules)
    for folder in (BENCH / "peers", BENCH):
        monkeypatch.syspath_prepend(str(folder))
    names = (
        "machine", "environments", "critical_path", "tokens", "growth", "overhead", "concurrency", "performance",
        "workload", "worker", "on_bare", "on_aeon", "on_stack", "lengthy", "lengthy_aeon",
    )  # fmt: skip
    yield {name: importlib.import_module(name) for name in names}
    for name in set(sys.modules) - before:
        if not name.startswith("aeon"):
            del sys.modules[name]


def test_a_spread_is_the_median_with_quartiles_and_extremes(bench: dict[str, ModuleType]) -> None:
    """Of 1 to 5 the median is 3, the quartiles are 2 and 4."""
    assert bench["machine"].Spread.of([5.0, 1.0, 4.0, 2.0, 3.0]) == (3.0, 2.0, 4.0, 1.0, 5.0)
    assert bench["machine"].Spread.of([7.0]) == (7.0,) * 5


def test_a_ratio_compares_what_ran_in_the_same_round(bench: dict[str, ModuleType]) -> None:
    """Where a whole round was slow, the ratio does not see it."""
    assert bench["machine"].ratios([2.0, 20.0, 2.0], [1.0, 10.0, 1.0]) == (2.0,) * 5


@pytest.mark.parametrize("framework", ["on_bare", "on_aeon"])
def test_the_loop_makes_35_calls_and_gives_the_same_answer(bench: dict[str, ModuleType], framework: str) -> None:
    """Aeon and bare asyncio do the same work: as many model calls, and the answer out of all 24 results in order."""
    work = bench["workload"]
    model = work.Model()
    said = asyncio.run(bench[framework].make(model)())
    assert model.calls == work.CALLS == 35
    assert said == work.expected() == f"24 results: {sum((n + 1) * n * n for n in range(24))}"


@pytest.mark.parametrize("framework", ["on_bare", "on_aeon"])
def test_the_loop_waits_14_times_one_after_another(bench: dict[str, ModuleType], framework: str) -> None:
    """The latency bound of the concurrency benchmark is what a run has to wait: the steps of a pass wait together."""
    work = bench["workload"]
    moments: set[int] = set()

    class Counting(work.Model):  # type: ignore[misc, name-defined]
        now = 0

        async def _asked(self) -> None:
            self.calls += 1
            moments.add(Counting.now)
            for _ in range(5):
                await asyncio.sleep(0)

    async def ticking() -> None:
        run = asyncio.create_task(bench[framework].make(Counting())())
        while not run.done():
            seen = len(moments)
            await asyncio.sleep(0)
            Counting.now += len(moments) > seen
        await run

    asyncio.run(ticking())
    assert len(moments) == work.WAITS == 14


def test_a_framework_that_cannot_be_installed_is_named_with_the_reason(
    bench: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without a package index the others are measured, and this one's line says what pip said."""
    monkeypatch.setattr(bench["environments"], "CACHE", tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setitem(bench["environments"].PEERS, "burr", ("no-such-framework>=1",))
    rows, missing = bench["overhead"].measured(["Burr"], rounds=1)
    assert rows == []
    assert "no-such-framework" in missing["Burr"]


def test_overhead_is_measured_in_processes_round_by_round(
    bench: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row has as many measurements as rounds, ratios to bare asyncio and to Aeon, and a line of the table."""
    monkeypatch.setattr(bench["overhead"], "BLOCK", 0.01)
    rows, missing = bench["overhead"].measured(["bare asyncio", "Aeon"], rounds=2)
    assert missing == {}
    assert [row["name"] for row in rows] == ["bare asyncio", "Aeon"]
    assert rows[1]["over"]["bare asyncio"]["median"] > 1.0
    assert bench["overhead"].line(rows[1]).startswith("Aeon")


def test_a_worker_that_takes_too_long_is_given_up(bench: dict[str, ModuleType]) -> None:
    """A crowd that would wait for more than a minute is not waited for."""
    worker = bench["environments"].Worker("bare")
    try:
        with pytest.raises(TimeoutError, match="not done after"):
            worker.ask(within=0.2, crowd=1, latency=5.0)
    finally:
        worker.close()


def test_a_worker_refuses_a_wrong_answer_and_a_missing_call(bench: dict[str, ModuleType]) -> None:
    """A framework that loses a result, or skips a call, gets no figure."""
    loop, model = bench["worker"].Loop(bench["on_bare"], []), bench["workload"]
    loop._check({model.expected()}, 2 * model.CALLS, 2)
    with pytest.raises(AssertionError, match="the answers are"):
        loop._check({model.answer([1, 2])}, 2 * model.CALLS, 2)
    with pytest.raises(AssertionError, match="69 model calls"):
        loop._check({model.expected()}, 2 * model.CALLS - 1, 2)


def test_a_crowd_shares_its_waits(bench: dict[str, ModuleType]) -> None:
    """Twenty runs at once, checked as one is, take far less than twenty times as long."""
    loop = bench["worker"].Loop(bench["on_bare"], [])
    done = asyncio.run(loop.crowd(20, 0.002))
    assert done["calls"] == 20 * 35
    assert 14 * 0.002 <= done["seconds"] < 20 * 14 * 0.002


def test_the_whole_stack_runs_three_passes_on_its_script(bench: dict[str, ModuleType]) -> None:
    """The loop of the shipped modules goes through without a degradation, and counts its calls."""
    model = bench["workload"].Model()
    assert asyncio.run(bench["on_stack"].make(model)()) == bench["on_stack"].ANSWER
    assert model.calls > 2 * bench["workload"].STEPS, "the steps of three passes, and what is asked about them"


def test_the_critical_path_is_the_longest_way_and_waves_are_never_shorter(bench: dict[str, ModuleType]) -> None:
    """A diamond with one slow arm takes that arm; a wave also waits for the slow step that nobody needs."""
    graph = bench["critical_path"].Graph
    diamond = graph(((), (0,), (0,), (1, 2), ()), (1.0, 5.0, 2.0, 1.0, 3.0))
    assert diamond.critical() == 7.0
    assert diamond.waves() == 3.0 + 5.0 + 1.0
    chance = random.Random(1)
    for _ in range(50):
        drawn = graph.of(chance, 12, 2.0)
        assert drawn.waves() >= drawn.critical() >= max(drawn.seconds)
        assert all(other < step for step, needs in enumerate(drawn.needs) for other in needs)


def test_the_same_seed_draws_the_same_graph(bench: dict[str, ModuleType]) -> None:
    """Two runs of the benchmark measure the same plans."""
    graph = bench["critical_path"].Graph
    assert graph.of(random.Random(3), 20, 2.0) == graph.of(random.Random(3), 20, 2.0)


def test_a_run_of_a_random_plan_is_not_shorter_than_its_critical_path(bench: dict[str, ModuleType]) -> None:
    """Every step ran, each after those it depends on: the run takes at least the longest way."""
    path = bench["critical_path"]
    drawn = path.Graph.of(random.Random(2), 6, 2.0)
    quick = path.Graph(drawn.needs, tuple(seconds / 10 for seconds in drawn.seconds))
    assert asyncio.run(path.aeon(quick)) >= quick.critical()
    assert asyncio.run(path.bare(quick)) >= quick.critical()


def test_tokens_are_added_up_by_phase_and_the_cache_share_is_of_the_prompt(bench: dict[str, ModuleType]) -> None:
    """What effects of one phase spent is one row; without prompt tokens nothing was cached."""
    tokens = bench["tokens"]
    one, two = Usage(calls=1, prompt_tokens=100, cached_tokens=80), Usage(calls=2, prompt_tokens=300, cached_tokens=20)
    found = tokens.by_phase([("execute", one), ("assess", one), ("execute", two)])
    assert list(found) == ["execute", "assess"]
    assert found["execute"] == Usage(calls=3, prompt_tokens=400, cached_tokens=100)
    assert tokens.share(found["execute"]) == 0.25
    assert tokens.share(Usage()) == 0.0


def test_a_profile_is_given_the_depth_of_three_passes_and_nothing_else(bench: dict[str, ModuleType]) -> None:
    """The run that is measured asks for its profile as ever; only the number of passes is not the model's."""
    assert asyncio.run(_profiled(bench["tokens"])) == (3, "as said")


async def _profiled(tokens: ModuleType) -> tuple[int, str]:
    async def said(effect: object) -> object:
        return tokens.TaskProfile(reasoning_depth=1, rationale="as said")

    handlers = tokens.deep({"profile": said, "plan": said})
    assert handlers["plan"] is said
    profile = await handlers["profile"](None)
    return profile.reasoning_depth, profile.rationale


def test_the_phases_of_a_run_make_up_what_it_spent(bench: dict[str, ModuleType]) -> None:
    """On a scripted model every call is in one phase, and the table's last row is the run's own usage."""
    tokens = bench["tokens"]
    row = asyncio.run(tokens.one(Scripted(oblige), "What is six times seven?"))
    spent = Usage(**row["usage"])
    assert sum((Usage(**usage) for usage in row["phases"].values()), Usage()) == spent
    assert len(row["calls"]) == spent.calls > 0
    assert tokens.summary([row])[-1].split()[:2] == ["all", f"{spent.calls:.1f}"]


def test_figures_go_between_the_markers_of_the_page(bench: dict[str, ModuleType]) -> None:
    """What stood there goes, what is around it stays, and a page without the markers is refused."""
    page = "before\n<!-- growth -->\n\nold\n\n<!-- end -->\nbetween\n<!-- tokens -->\n<!-- end -->\n"
    filled = bench["performance"].filled(page, "growth", ["| new |"])
    assert filled == page.replace("old", "| new |")
    assert bench["performance"].filled(filled, "tokens", ["x"]).count("| new |") == 1
    with pytest.raises(ValueError, match="no markers <!-- overhead -->"):
        bench["performance"].filled(page, "overhead", [])


def test_an_aim_is_met_or_missed_by_its_figure(bench: dict[str, ModuleType]) -> None:
    """1.05 times the critical path is the limit, of the worst shape; a lower cache share than 60 % is a miss."""
    shapes = [{"over_critical": {"aeon": {"median": ratio}}} for ratio in (1.01, 1.06)]
    usage = Usage(prompt_tokens=100, cached_tokens=70).model_dump()
    figures = {"critical_path": {"rows": shapes}, "tokens": {"rows": [{"usage": usage}]}}
    path, cache = bench["performance"].aims(figures)
    assert path[2:] == ("1.060", False)
    assert cache[2:] == ("70.0%", True)


@pytest.mark.requirement("H2")
def test_a_long_history_grows_by_what_changed(bench: dict[str, ModuleType]) -> None:
    """A pass that replaces one of 50 steps adds that step and its judgments, not the plan, however many came before."""
    lengthy = bench["lengthy_aeon"]
    sizes = [len(lengthy.history(passes).model_dump_json()) for passes in (10, 20, 40)]
    first, second = (sizes[1] - sizes[0]) / 10, (sizes[2] - sizes[1]) / 20
    plan = len(lengthy.history(2).preparation.plan.model_dump_json())
    assert second < 1.1 * first
    assert first < plan / 4

"""The router: which rule holds of what, what its runs end as, and that it is never worse than the default engine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from aeon.assembly.build import build
from aeon.assembly.proofs import proof_of
from aeon.assembly.registry import plugin
from aeon.assembly.runs import replay
from aeon.engines.auto.config import AutoConfig
from aeon.engines.auto.effects import LookAround
from aeon.engines.auto.record import Auto
from aeon.engines.auto.routes import ROUTES, first, routes
from aeon.engines.auto.surveyor import Surveyor
from aeon.engines.auto.values import Surroundings
from aeon.llm.scripted import Scripted
from aeon.proof.document import proof_bytes
from aeon.proof.verify import verify
from aeon.runtime.journal import Journal
from aeon.schema import Budget, LLMRequest, Task, TaskProfile
from aeon.tools.files import Files
from aeon.tools.registry import ToolRegistry
from aeon.tools.select import resolve
from tests.second import way_of
from tests.wordings import results_of

pytestmark = pytest.mark.requirement("E6", "E6j")
PLAIN = TaskProfile(inferred=False)
BROAD = TaskProfile(output_breadth="broad")
DEEP = TaskProfile(reasoning_depth=5)


@pytest.mark.parametrize(
    ("there", "profile", "unmeasured", "rule"),
    [
        (Surroundings(), PLAIN, False, "default"),
        (Surroundings(tables=1, texts=True, numbers=5), PLAIN, False, "tables"),
        (Surroundings(texts=True, searches=("web",)), PLAIN, False, "texts"),
        (Surroundings(searches=("web",), numbers=3), PLAIN, False, "search"),
        (Surroundings(numbers=2), PLAIN, False, "numbers"),
        (Surroundings(numbers=1), PLAIN, False, "default"),
        (Surroundings(texts=True), BROAD, False, "texts"),
        (Surroundings(texts=True), BROAD, True, "survey"),
        (Surroundings(tables=1, texts=True), BROAD, True, "tables"),
        (Surroundings(), BROAD, True, "default"),
        (Surroundings(), DEEP, True, "puzzle"),
        (Surroundings(), DEEP, False, "default"),
        (Surroundings(texts=True), DEEP, True, "texts"),
        (Surroundings(), DEEP.changed(inferred=False), True, "default"),
    ],
)
def test_the_first_rule_that_holds_is_taken(
    there: Surroundings, profile: TaskProfile, unmeasured: bool, rule: str
) -> None:
    """Rules that were not measured count only where that is asked for, and never on a profile that nobody inferred."""
    assert first(there, profile, unmeasured).name == rule


def test_the_table_ends_in_the_default_engine_and_every_rule_has_a_reason() -> None:
    """A rule that leads away from the default engine is no better than it by measure, or says so."""
    assert (ROUTES[-1].engine, ROUTES[-1].basis) == ("multi-pass", "default")
    assert all(route.reason and route.when for route in ROUTES)
    assert [one.name for one in routes(False) if one.engine != "multi-pass"] == ["search"]
    assert AutoConfig().engines == ("multi-pass", "research")
    assert AutoConfig(unmeasured=True).engines == ("multi-pass", "report", "research", "contractive")


async def _seen(tools: tuple[Any, ...], text: str) -> Surroundings:
    return await Surveyor(ToolRegistry(resolve(tools))).look_around(LookAround(task=Task(text=text)))


def test_what_is_there_is_seen_without_a_model(tmp_path: Path) -> None:
    """Tables, texts, and numbers in the task; no word of the task counts."""
    (tmp_path / "sales.csv").write_text("city,units\nCork,4\nPorto,5\n")
    (tmp_path / "fees.md").write_text("The fee of each guest is 12.50 euros.\n")
    assert asyncio.run(_seen(("calculator",), "What is 3 times 4?")) == Surroundings(numbers=2)
    both = ("calculator", Files.open(tmp_path))
    assert asyncio.run(_seen(both, "What is 3 times 4?")) == Surroundings(tables=1, texts=True, numbers=2)
    assert asyncio.run(_seen(both, "Describe it in two sentences.")) == Surroundings(tables=1, texts=True)


def reader(request: LLMRequest) -> str:
    """A model that reads the fee, and words it."""
    if results_of(request.messages[-1].content):
        return "The fee is 12.50 euros."
    return "12.50 euros" if way_of(request) == "reading" else "fee = 12.5  # 1\nprint(fee)"


def test_a_routed_run_is_one_of_the_engine_that_was_chosen(tmp_path: Path) -> None:
    """The same answer, ending, claims and calls as without the router; the record names the rule; it replays."""
    folder = tmp_path / "club"
    folder.mkdir()
    (folder / "fees.md").write_text("The fee of each guest is 12.50 euros. It is due in May.\n")
    given, path, task = Files.open(folder), tmp_path / "run.jsonl", "What is the fee of a guest?"
    plain = build(Scripted(reader), [given]).execute(task)
    result: Auto = build(Scripted(reader), [given], engine="auto", journal=lambda _: Journal(path)).execute(task)
    assert (result.rule, result.chosen, result.basis) == ("texts", "multi-pass", "figures")
    assert plain.answer == "The fee is 12.50 euros."
    for field in ("answer", "stop_reason", "detail", "sufficient"):
        assert getattr(result, field) == getattr(plain, field)
    assert [(one.text, one.verdict) for one in result.claims] == [(one.text, one.verdict) for one in plain.claims]
    assert result.usage.calls == plain.usage.calls and result.bound.calls == plain.bound.calls
    assert replay(Journal.read(path)).model_dump_json() == result.model_dump_json()
    assert verify(proof_bytes(proof_of(result, [given], path))).verified
    assert result.parts()["route"] == {
        "rule": "texts",
        "engine": "multi-pass",
        "basis": "figures",
        "surroundings": result.surroundings.model_dump(mode="json"),
    }


def test_the_profile_is_asked_for_only_where_a_rule_needs_it() -> None:
    """It is in the record then, and the deep task goes to the engine that the rule names."""
    profile = (
        '{"rationale": "r", "reasoning_depth": 5, "ambiguity": 0.1, "information_sufficiency": 0.9, '
        '"dependency_complexity": "low", "expected_step_count": 2, "expected_tool_usage": "none", '
        '"output_breadth": "narrow", "confidence_requirement": "low"}'
    )

    def say(request: LLMRequest) -> str:
        return profile if "reasoning_depth" in str(request.json_schema or request.messages) else "Answer: Eva"

    config = AutoConfig(unmeasured=True, options={"contractive": {"preset": "fast"}})
    result: Auto = build(Scripted(say), (), config, engine="auto").execute("Who is the youngest of them?")
    assert (result.rule, result.chosen, result.basis) == ("puzzle", "contractive", "not measured")
    assert result.profile is not None and result.profile.reasoning_depth == 5
    assert result.stop_reason == "agreed"


def test_a_run_whose_budget_is_used_up_at_once_still_ends_in_an_answer() -> None:
    """It ends as the engine does that had nothing to spend."""
    brought = plugin("auto")
    config = AutoConfig(budget=Budget(calls=1))
    result: Auto = build(Scripted(lambda request: "no"), (), config, engine=brought).execute("Why?")
    assert result.answer and not result.sufficient and result.usage.calls <= 1

"""What runs took stands beside the bound of those after them: the median and the 90th percentile of like runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from approving import Approving

from aeon.assembly.build import build, resume
from aeon.assembly.costs import Costs
from aeon.assembly.runs import replay
from aeon.engines.loop.program import LOOP
from aeon.kernel.passes import MULTIPASS
from aeon.llm.profiles import Told
from aeon.llm.scripted import Scripted
from aeon.observability.lines import expected_words
from aeon.runtime.events import Event, RunStarted
from aeon.runtime.journal import Journal
from aeon.schema import Budget, Conclusion, Config, Expected, LLMRequest, LLMResponse, Result, Spread, Usage

pytestmark = pytest.mark.requirement("K15", "X1")
TASK = "What is 240 * 0.45?"
REPLIES = ("print(240 * 0.45)", "Answer: 108", "The total is 108.")
ENGINE = MULTIPASS.name


class Served(Approving):
    """A model that an endpoint serves; it says so."""

    place = "http://127.0.0.1:1/v1"

    async def ask(self, request: LLMRequest, form: object) -> LLMResponse:
        """As if it were asked in the plainest form."""
        return await self.complete(request)

    async def told(self) -> Told:
        """Nothing."""
        return Told()


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home of its own for each test."""
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def served(name: str = "served") -> Served:
    return Served(REPLIES, name=name)


def ended(calls: int, **fields: Any) -> Conclusion:
    """The end of a run of so many calls."""
    usage = Usage(calls=calls, prompt_tokens=90 * calls, generated_tokens=10 * calls, cost=calls / 100)
    bound = build(Scripted([])).bound
    whole = {"execution_id": "r", "engine": ENGINE, "answer": "7", "stop_reason": "converged", "usage": usage}
    return Conclusion.model_validate(whole | {"bound": bound, "seconds": calls / 2} | fields)


def test_the_first_run_of_its_kind_has_no_expectation_and_the_next_one_has() -> None:
    """It is that of the run before, in the event that begins it and in the result's bound."""
    began: list[RunStarted] = []

    def observe(event: Event) -> None:
        began.extend([event] if isinstance(event, RunStarted) else [])

    first = build(served(), observers=[observe]).execute(TASK)
    second = build(served(), observers=[observe]).execute(TASK)
    assert first.bound.expected is None and began[0].bound.expected is None
    calls = Spread(median=first.usage.calls, p90=first.usage.calls)
    assert second.bound.expected is not None and second.bound.expected == began[1].bound.expected
    assert (second.bound.expected.runs, second.bound.expected.calls) == (1, calls)
    assert second.bound.changed(expected=None) == first.bound


def test_the_expectation_is_on_record_and_replayed(tmp_path: Path) -> None:
    """Whatever runs did since; the result of the run's history says the same."""
    build(served()).execute(TASK)
    path = tmp_path / "run.jsonl"
    result = build(served(), journal=lambda _: Journal(path)).execute(TASK)
    Costs(served(), ENGINE, Config()).note(ended(90))
    again = replay(Journal.read(path))
    assert isinstance(again, Result) and again == result and again.bound.expected is not None
    assert again.history.conclusion.bound == again.bound and again.bound.expected.runs == 1


def test_median_and_ninetieth_percentile_are_values_that_occurred() -> None:
    """By nearest rank, over the runs on record; a run that was broken off, failed or waits is none."""
    costs = Costs(served(), ENGINE, Config())
    for calls in (5, 9, 6, 7, 30, 8, 10, 11, 12, 13):
        costs.note(ended(calls))
    for reason in ("failed", "interrupted", "waiting"):
        costs.note(ended(90, stop_reason=reason))
    assert costs.expected == Expected(
        runs=10,
        calls=Spread(median=9, p90=13),
        tokens=Spread(median=900, p90=1_300),
        cost=Spread(median=0.09, p90=0.13),
        seconds=Spread(median=4.5, p90=6.5),
    )
    assert expected_words(costs.expected) == (
        "10 runs like this: median 9 calls, 900 tokens, $0.09; 90 % within 13 calls, 1,300 tokens, $0.13"
    )
    assert expected_words(None) == "no runs like this yet"


def test_only_like_runs_count() -> None:
    """Another engine, another model, another form or tier is another kind; a budget is not."""
    Costs(served(), ENGINE, Config()).note(ended(5))
    others = [
        Costs(served("another"), ENGINE, Config()),
        Costs(served(), LOOP.name, Config()),
        Costs(served(), ENGINE, Config(form="tools")),
        Costs(served(), ENGINE, Config(model_tier="T1")),
    ]
    assert [one.expected for one in others] == [None] * 4
    assert Costs(served(), ENGINE, Config(budget=Budget(calls=9))).expected is not None


def test_nothing_is_kept_of_a_scripted_model_or_of_what_was_asked(home: Path) -> None:
    """A test double says nothing of what runs take; and a file holds numbers alone."""
    build(Approving(REPLIES)).execute(TASK)
    assert not (home / "costs").exists()
    build(served()).execute(TASK)
    (file,) = (home / "costs").iterdir()
    assert set(json.loads(file.read_text())) == {"calls", "tokens", "cost", "seconds"}


def test_a_run_is_counted_once_however_many_lives_it_has(tmp_path: Path) -> None:
    """One that is shown again, or was interrupted and resumed, is one run."""
    path = tmp_path / "run.jsonl"
    build(served(), journal=lambda _: Journal(path)).execute(TASK)
    resume(path, llm=served())
    expected = Costs(served(), ENGINE, Config()).expected
    assert expected is not None and expected.runs == 1


def test_damaged_or_full_files_cost_no_run(home: Path) -> None:
    """Lines that are none are skipped, a file stays small, and where none can be written the run goes on."""
    costs = Costs(served(), ENGINE, Config())
    for calls in range(1, 1_200):
        costs.note(ended(calls))
    (file,) = (home / "costs").iterdir()
    assert file.stat().st_size < 70_000 and costs.expected is not None and costs.expected.runs == 200
    file.write_bytes(b'\xff{"calls": -1}\n[]\n' + file.read_bytes()[:200])
    assert costs.expected is not None and costs.expected.runs >= 1
    file.unlink()
    (home / "costs").rmdir()
    (home / "costs").write_text("in the way")
    assert costs.expected is None
    assert build(served()).execute(TASK).answer

"""What the terminal says of an effect, of any engine and of the multi-pass engine."""

from __future__ import annotations

import pytest

from aeon.cli.narration import Narrator, Past
from aeon.cli.narrators import narrator_of
from aeon.cli.passes import PassNarrator
from aeon.kernel.effects import EffectOf, Note
from aeon.multipass.effects import ExecuteStep
from aeon.multipass.program import MULTIPASS
from aeon.observability.lines import Line, plain
from aeon.runtime.events import EffectEnded, Noted
from aeon.schema import Decision, Failure, Outcome, Step, Task, Value

TASK = Task(text="How much?")
STEP = ExecuteStep(task=TASK, step=Step(id="s2", description="add it up"))


class Hits(Value):
    """What a search found."""

    texts: tuple[str, ...]


class Search(EffectOf[Hits]):
    """An effect of an engine that nobody here knows."""

    phase = "search"
    query: str


def ended(effect: Search | ExecuteStep, outcome: Outcome, recorded: bool = False) -> EffectEnded:
    """The event of an effect that has its outcome."""
    return EffectEnded(line=4, number=3, effect=effect, outcome=outcome, recorded=recorded)


def said(lines: list[Line]) -> str:
    """The lines as text."""
    return plain(lines)


@pytest.mark.requirement("K4", "X3")
@pytest.mark.parametrize(
    ("kind", "mark"),
    [("skipped", "○"), ("interrupted", "○"), ("endpoint", "○"), ("allowance", "○"), ("journal", "○"), ("tool", "✗"),
     ("completion", "✗")],
)  # fmt: skip
def test_a_step_that_was_not_done_is_shown_as_pending_and_one_that_failed_as_failed(kind: str, mark: str) -> None:
    """A step that waits for one without an output did nothing wrong."""
    failure = Failure.model_validate({"kind": kind, "message": "this is why"})
    narrator = narrator_of(MULTIPASS.name)(MULTIPASS.name, "a model")
    assert isinstance(narrator, PassNarrator)
    assert f"{mark} s2" in said(narrator.lines(ended(STEP, Outcome(failure=failure))))


@pytest.mark.requirement("M1")
def test_an_effect_of_an_unknown_engine_is_one_line() -> None:
    """What it is about, how long it took, and what came of it in short; control characters are escaped."""
    narrator = narrator_of("search/1")("search/1", "a model")
    assert type(narrator) is Narrator
    effect = Search(task=TASK, query="rolls")
    outcome = Outcome(value=Hits(texts=("one", "two\x1b[2J" + "x" * 200)), started=1.0, ended=4.25)
    (line,) = said(narrator.lines(ended(effect, outcome))).splitlines()
    assert line.split()[:3] == ["search", "3.2", "s"] and '["one", "two\\u001b[2J' in line
    assert line.endswith("…") and len(line) <= 80
    assert narrator.doing(effect) == "search"


@pytest.mark.requirement("M1")
def test_a_failure_of_an_unknown_engine_says_why() -> None:
    """The kind of the failure and its message; a nested run's effect has its scope."""
    effect = Search(task=TASK, query="rolls", scope="/1")
    failure = Failure(kind="tool", message="no network")
    line = said(Narrator("search/1", "a model").lines(ended(effect, Outcome(failure=failure))))
    assert "/1 search" in line and "tool: no network" in line


@pytest.mark.requirement("M1")
def test_a_decision_of_any_engine_is_told() -> None:
    """A note with a decision gives its action, its reason and its detail."""
    decision = Decision(action="OUTPUT", reason="found_enough", detail="two hits", sufficient=True)
    event = Noted(line=2, note=Note(decision=decision))
    assert "stop, found enough: two hits" in said(Narrator("search/1", "a model").lines(event))


@pytest.mark.requirement("H3")
@pytest.mark.parametrize("engine", ["search/1", MULTIPASS.name])
def test_an_altered_outcome_of_the_past_is_marked(engine: str) -> None:
    """Where a fork put an outcome in, the story of the past says so."""
    narrator = narrator_of(engine)(engine, "a model", past=Past(4, frozenset({3})))
    outcome = Outcome(value=Hits(texts=("one",)))
    told = said(narrator.lines(ended(Search(task=TASK, query="rolls"), outcome, recorded=True)))
    assert "altered" in told and "one" in told
    other = narrator_of(engine)(engine, "a model", past=Past(4))
    assert "altered" not in said(other.lines(ended(Search(task=TASK, query="rolls"), outcome, recorded=True)))


def test_the_multi_pass_narrator_knows_no_other_phase_and_does_not_mind() -> None:
    """An effect of a phase that it has no words for is named by its subject."""
    assert PassNarrator(MULTIPASS.name, "a model").doing(Search(task=TASK, query="rolls")) == "search"

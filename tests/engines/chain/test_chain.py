"""Chains: what a member sees of those before it, whose answer counts, and what is never proved by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aeon.assembly import combining
from aeon.assembly.build import build, resume
from aeon.assembly.registry import plugin
from aeon.assembly.runs import fork, replay
from aeon.assembly.views import trail
from aeon.engines.chain.config import ChainConfig
from aeon.engines.chain.program import with_answers
from aeon.engines.chain.record import Chain
from aeon.grounding.matching import ToolOutput, claims
from aeon.llm.scripted import Scripted
from aeon.runtime.journal import Journal
from aeon.schema import Questions, Task
from engines.ensemble.world import Cast
from engines.research.thinker import Thinker, judging, writing

pytestmark = pytest.mark.requirement("E6", "E6k")


def test_each_member_sees_the_answers_before_its_own_and_the_last_one_counts() -> None:
    """Behind the context of the task, marked as another program's words, and no part of it."""
    cast = Cast({"a": "12", "b": "13", "c": "14"})
    task = Task(text="How much is it?", context="It is a price.")
    result: Chain = cast.run(combining.chain, task=task, members=("a", "b", "c"))
    first, second, third = (context for _, _, context, _ in cast.heard)
    assert first == "It is a price."
    head = "to the same task (it may be wrong; it ended as said):"
    assert second == f"It is a price.\n\nAnswer of another program, a, {head}\n12"
    assert third == f"{second}\n\nAnswer of another program, b, {head}\n13"
    assert {one.context for one in cast.tasks} == {"It is a price."}  # which is searched and cited
    assert (result.answer, result.stop_reason, result.sufficient) == ("14", "said", True)
    assert [(one.engine, one.handed_on) for one in result.links] == [("a", True), ("b", True), ("c", False)]


@pytest.mark.parametrize("said", ["-", ""])
def test_what_says_nothing_is_not_handed_on(said: str) -> None:
    """A member that did not find the answer, or ran out of means, leaves the next one its own work."""
    options = {"a": {"words": 3, "budget": {"calls": 1}}} if not said else {}
    cast = Cast({"a": said or "12", "b": "13"}, Scripted(lambda request: said or "12"), calls=not said)
    result: Chain = cast.run(combining.chain, members=("a", "b"), options=options)
    assert [one.handed_on for one in result.links] == [False, False]
    assert all("another program" not in context for _, _, context, _ in cast.heard)


def test_the_sources_of_an_answer_are_handed_on_with_it(tmp_path: Path) -> None:
    """Each value with the text that it was found in."""
    (tmp_path / "mill.md").write_text("The Old Mill was built in 1883. It stands by the river.\n")
    model = Thinker(writing(("The Old Mill was built in 1883.", "1883")), judging("1883"), ("Old Mill",))
    config, path = ChainConfig(members=("research", "loop")), tmp_path / "run.jsonl"
    chain = build(model, (), config, engine="chain", files=tmp_path, journal=lambda _: Journal(path))
    result: Chain = chain.execute("When was the Old Mill built?")
    assert result.links[0].handed_on
    every = [done.effect for batch in trail(Journal.read(path)).batches for done in batch]
    assert {effect.task.background for effect in every if effect.scope == "/1"} == {""}
    (earlier,) = {effect.task.earlier for effect in every if effect.scope == "/2"}
    answer, _, cited = earlier.partition("\nIt rests on:\n")
    assert "The Old Mill was built in 1883" in answer and "- 1883: mill.md" in cited.splitlines()


@pytest.mark.requirement("G2")
def test_an_earlier_answer_proves_nothing() -> None:
    """The value of the last answer stands only in what the first one said: it is not checked, and not supported."""
    cast = Cast({"a": "There are 77 of them.", "b": "There are 77 of them."})
    result: Chain = cast.run(combining.chain, task="How many are there?", members=("a", "b"))
    assert "77" in cast.heard[1][2]
    assert [(one.text, one.verdict) for one in result.claims] == [("77", "not_checked")]


@pytest.mark.requirement("G2", "E6k")
def test_a_member_cannot_cite_the_answer_before_its_own() -> None:
    """It is no part of the task's context, which is searched and cited."""
    said = with_answers(Task(text="How many are there?", context="A shop.", earlier="Hello."), ["There are 77."])
    assert (said.context, said.earlier) == ("A shop.", "Hello.\n\nThere are 77.")
    (claim,) = claims("There are 77 of them.", said, [ToolOutput("s1", 12)])
    assert claim.verdict == "not_found"
    assert with_answers(said, []) == said


@pytest.mark.requirement("E6l", "X3")
def test_a_chain_replays_and_is_resumed_between_its_members(tmp_path: Path) -> None:
    """The member that answered is not asked again."""
    cast, path = Cast({"a": "12", "b": "13"}), tmp_path / "run.jsonl"
    whole: Chain = cast.run(combining.chain, Journal(path), members=("a", "b"))
    brought = combining.chain(cast.plugins())
    assert replay(Journal.read(path), brought.engine) == whole
    fork(Journal.read(path), 1, path=tmp_path / "other.jsonl", engine=brought.engine).close()
    again: Chain = resume(tmp_path / "other.jsonl", Scripted([]), (), engine=brought)
    assert again.links == whole.links and [name for name, *_ in cast.heard] == ["a", "b", "b"]


def test_a_member_that_waits_for_a_person_suspends_the_chain(tmp_path: Path) -> None:
    """The answer goes to the member that asked."""
    cast, path = Cast({"a": "12", "b": "13"}), tmp_path / "run.jsonl"
    settings: dict[str, Any] = {"options": {"b": {"asks": "Which?"}}, "questions": Questions(unattended="suspend")}
    waiting: Chain = cast.run(combining.chain, Journal(path), members=("a", "b"), **settings)
    assert waiting.stop_reason == "waiting" and waiting.question is not None and waiting.question.text == "Which?"
    ended: Chain = resume(path, Scripted([]), (), engine=combining.chain(cast.plugins()), answer="this")
    assert (ended.answer, ended.stop_reason) == ("13", "said")


@pytest.mark.requirement("E6n")
def test_what_a_person_answered_is_known_to_the_members_after_it(tmp_path: Path) -> None:
    """It stands in their task as the person's word; a member with the same question does not ask again."""
    cast, path = Cast({"a": "12", "b": "13"}), tmp_path / "run.jsonl"
    options = {"a": {"asks": "Which?"}, "b": {"asks": "Which?"}}
    settings: dict[str, Any] = {"options": options, "questions": Questions(unattended="suspend")}
    assert cast.run(combining.chain, Journal(path), members=("a", "b"), **settings).stop_reason == "waiting"
    brought = combining.chain(cast.plugins())
    ended: Chain = resume(path, Scripted([]), (), engine=brought, answer="this")
    last = [done.effect for batch in trail(Journal.read(path), brought.engine).batches for done in batch][-1]
    assert (ended.answer, ended.assumptions, last.scope) == ("13", (), "/2")
    assert [(one.answer, one.assumed) for one in last.task.clarifications] == [("this", False)]


def test_two_members_at_least() -> None:
    """A chain of one is that engine."""
    with pytest.raises(ValueError):
        plugin("chain").engine.config(members=("loop",))

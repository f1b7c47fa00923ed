"""Runs of a model with tools, taken up after anything and forked anywhere: every turn and every call is on record."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from kernel.world import CONVERGED, NOT_YET, World, calls, found, looped, step, used

from aeon.errors import OutcomeUnknown, Waiting
from aeon.kernel.passes import MULTIPASS
from aeon.multipass.effects import UseTool
from aeon.runtime.fork import fork
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import current_ledger
from aeon.runtime.lines import fingerprint
from aeon.runtime.replay import boundaries, replay, resume_point
from aeon.schema import (
    Config,
    Plan,
    Refinement,
    RefinementAction,
    RefinementLimits,
    Reply,
    TaskProfile,
    ToolUse,
    Turn,
    Value,
)
from aeon.schema.effects import Effect
from runtime.lives import Crash, Striking, counted, lived, went_on

LINES = 28
"""An opening, the entries of the run and an ending; each crash is at one of them."""


def _turn(effect: Effect, _: int) -> Value:
    """Two turns with calls, then an answer; a step that is done again looks once more."""
    made = len(effect.exchanges)  # type: ignore[attr-defined]
    if made < 2 or effect.exchanges[-1].objection:  # type: ignore[attr-defined]
        return calls(effect, "look", "mail") if made == 0 else calls(effect, "count")
    return Turn(text=f"it is {made}", cites=("s1.1",))


def _refined(effect: Effect, _: int) -> Value:
    new = looped("s1_r1", description="mind what was found")
    return Refinement(actions=(RefinementAction(type="REPLACE", target="s1", steps=(new,)),))


def world() -> World:
    """Two steps with tools beside a plain one; the first is done again with what was found."""
    return World(
        profile=TaskProfile(reasoning_depth=2, ambiguity=0, expected_step_count=9, form="tools"), turn=_turn,
        plan=Plan(steps=(looped("s1"), looped("s2"), step("s3"))),
        use_tool=lambda e, _: used(e, f"out of {e.call.id}"),  # type: ignore[attr-defined]
        validate_results=lambda e, _: found("s1") if "s1" in e.executed else found(),  # type: ignore[attr-defined]
        assess=lambda e, _: CONVERGED if len(e.plan.steps) > 3 else NOT_YET,  # type: ignore[attr-defined]
        refine_plan=_refined,
    )  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bytes]:
    """The result and the journal of the run to which nothing happens."""
    path = tmp_path_factory.mktemp("whole") / "run.jsonl"
    result = lived(path, world())
    assert (result.stop_reason, result.passes) == ("converged", 2)
    assert len(path.read_bytes().splitlines()) == LINES
    assert replay(Journal.read(path), MULTIPASS) == result
    return result.model_dump_json(), path.read_bytes()


@pytest.mark.requirement("X3", "K9", "K3", "L1")
@pytest.mark.parametrize("after", [False, True], ids=["before the commit", "after the commit"])
@pytest.mark.parametrize("number", range(1, LINES))
def test_a_crash_at_any_line_of_a_run_with_turns_changes_nothing(
    tmp_path: Path, whole: tuple[str, bytes], number: int, after: bool
) -> None:
    """It is taken up to the same bytes, and no turn and no call that is on record is asked for again."""
    path, first, second = tmp_path / "run.jsonl", world(), world()
    with pytest.raises(Crash):
        lived(Striking(path, number, after), first)
    kept = {entry.fingerprint for entry in Journal.read(path).entries.values()}
    result = went_on(path, second)
    assert (result.model_dump_json(), path.read_bytes()) == whole
    assert not kept & Counter(map(fingerprint, second.effects)).keys()


@pytest.mark.requirement("H3", "K3", "L1")
def test_a_fork_at_any_boundary_of_a_run_with_turns_comes_to_the_same_end() -> None:
    """It shares what was before it, whatever turn that ended in, and asks for the rest alone."""
    journal = Journal()
    result = lived(journal, world())
    places = boundaries(journal, MULTIPASS)
    assert len(places) > 12
    for at in places:
        forked, answered = fork(journal, at, MULTIPASS), world()
        again = went_on(forked, answered)
        assert counted(forked)[:at] == counted(journal)[:at]
        assert len(answered.effects) == len(journal.entries) - at
        assert (again.answer, again.stop_reason) == (result.answer, result.stop_reason)
        assert replay(forked, MULTIPASS) == again


@pytest.mark.requirement("H3", "L1")
def test_from_a_fork_on_other_limits_on_turns_hold() -> None:
    """A turn that the new limits make the last one must answer."""
    journal = Journal()
    lived(journal, world())
    config = Config(max_passes=1, limits=RefinementLimits(turns_per_step=2))
    answered = world()
    at = 3
    went_on(fork(journal, at, MULTIPASS, config), answered)
    turns = answered.of("turn")
    assert turns and all(one.last for one in turns if len(one.exchanges) == 1)  # type: ignore[attr-defined]
    assert max(len(one.exchanges) for one in turns) == 1  # type: ignore[attr-defined]


async def _mail(effect: UseTool) -> ToolUse:
    """A tool that changes the world."""
    if effect.call.tool == "mail" and effect.call.id.startswith("s1"):
        async with current_ledger().tool_call("mail"):
            pass
    return used(effect, "sent")


@pytest.mark.requirement("X3", "K9", "L1")
@pytest.mark.parametrize(
    ("reply", "sent", "reason"), [("done", 0, "converged"), ("repeat", 1, "converged"), ("stop", 0, "unknown_outcome")]
)
def test_a_call_that_was_under_way_when_the_process_ended_is_not_made_again_unasked(
    tmp_path: Path, reply: str, sent: int, reason: str
) -> None:
    """The run asks what became of it: made again it has the same id, else the model reads that it was done."""
    before = tmp_path / "whole.jsonl"
    lived(before, world(), use_tool=_mail)
    number = next(n for n, line in enumerate(before.read_bytes().splitlines()) if b'"line":"begun"' in line)
    path, asked, made = tmp_path / "run.jsonl", [], []
    with pytest.raises(Crash):
        lived(Striking(path, number, after=True), world(), use_tool=_mail)

    async def ask(effect: Effect) -> Value:
        asked.append(effect.question.text)  # type: ignore[attr-defined]
        return Reply(text=reply)

    async def again(effect: UseTool) -> ToolUse:
        made.extend([effect.call.id] * (effect.call.id == "s1.2"))
        return await _mail(effect)

    result = went_on(path, world(), use_tool=again, ask=ask)
    said = "mail had been called when the process ended, and whether it was done is not known"
    assert asked == [f"call s1.2 (mail): {said}. Was it done?"]
    assert (made, result.stop_reason) == (["s1.2"] * sent, reason)
    assert replay(Journal.read(path), MULTIPASS) == result


@pytest.mark.requirement("K13", "H3", "M3")
def test_of_two_questions_side_by_side_the_first_is_put_and_the_run_waits_for_both(tmp_path: Path) -> None:
    """An answer to stop does not end the run over a question that is open: its journal would lack that one."""
    path, said = tmp_path / "run.jsonl", [""]

    async def lose(effect: UseTool) -> ToolUse:
        if effect.call.tool == "mail":
            raise OutcomeUnknown("nobody knows")
        return used(effect)

    async def ask(effect: Effect) -> Value:
        if said and said[0]:
            return Reply(text=said.pop(0))
        raise Waiting("nobody is there")

    first = lived(path, world(), use_tool=lose, ask=ask)
    assert (first.stop_reason, first.question) == ("waiting", resume_point(Journal.read(path), MULTIPASS).question)
    assert first.question is not None and "s1.2" in first.question.text
    said[0] = "stop"
    second = went_on(path, world(), use_tool=lose, ask=ask)
    assert second.stop_reason == "waiting" and second.question is not None and "s2.2" in second.question.text
    said.append("stop")
    last = went_on(path, world(), use_tool=lose, ask=ask)
    assert last.stop_reason == "unknown_outcome" and replay(Journal.read(path), MULTIPASS) == last

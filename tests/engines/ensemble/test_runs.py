"""Ensembles as runs: saved, replayed, killed, resumed, forked, compared, asked, proved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aeon.assembly import combining
from aeon.assembly.build import build, resume
from aeon.assembly.proofs import proof_of
from aeon.assembly.registry import plugin
from aeon.assembly.runs import diff, fork, replay
from aeon.assembly.views import trail
from aeon.engines.ensemble.record import Ballot, Ensemble
from aeon.llm.scripted import Scripted
from aeon.multipass.effects import ExecuteStep
from aeon.proof.document import proof_bytes
from aeon.proof.verify import verify
from aeon.runtime.basis import Basis
from aeon.runtime.journal import Journal
from aeon.runtime.replay import boundaries
from aeon.schema import Bound, Failure, LLMRequest, Outcome, Questions, Step, StepResult, Task
from aeon.schema.effects import Batch
from aeon.tools.files import Files
from engines.ensemble.world import Cast
from tests.second import way_of
from tests.wordings import results_of

pytestmark = pytest.mark.requirement("E6", "E6l")
ANSWERS = {"a": "12", "b": "13", "c": "13"}


def saved(path: Path, **settings: Any) -> Ensemble:
    """A vote that is saved there."""
    return Cast(ANSWERS).vote(Journal(path), members=("a", "b", "c"), **settings)


@pytest.mark.requirement("X3")
def test_a_run_that_is_broken_off_at_any_boundary_ends_in_the_same_answer(tmp_path: Path) -> None:
    """What was on record is not asked again; what was not is asked, once."""
    whole = saved(tmp_path / "run.jsonl")
    journal = Journal.read(tmp_path / "run.jsonl")
    for at in boundaries(journal, combining.ensemble(Cast(ANSWERS).plugins()).engine):
        cast = Cast(ANSWERS)
        brought, path = combining.ensemble(cast.plugins()), tmp_path / f"{at}.jsonl"
        fork(journal, at, path=path, engine=brought.engine).close()
        again: Ensemble = resume(path, Scripted([]), (), engine=brought)
        assert (again.answer, again.ballots, again.taken) == (whole.answer, whole.ballots, whole.taken)
        done = sum(1 for number, entry in journal.entries.items() if number < at and entry.phase == "say")
        assert len(cast.heard) == 3 - done


@pytest.mark.requirement("X3")
def test_a_saved_run_replays_and_a_fork_with_another_vote_differs_there(tmp_path: Path) -> None:
    """With a fourth member the vote of two is no majority any more."""
    whole = saved(tmp_path / "run.jsonl")
    cast = Cast({**ANSWERS, "d": "13", "e": "13"})
    brought = combining.ensemble(cast.plugins())
    journal = Journal.read(tmp_path / "run.jsonl")
    assert replay(journal, brought.engine).model_dump_json() == whole.model_dump_json()
    more = journal.config(brought.engine.config).changed(members=("a", "b", "c", "d", "e"))
    fork(journal, 5, more, path=tmp_path / "other.jsonl", engine=brought.engine).close()
    other: Ensemble = resume(tmp_path / "other.jsonl", Scripted([]), (), engine=brought)
    assert (other.seats, other.votes, [name for name, *_ in cast.heard]) == (5, (1, 3), ["d"])
    difference = diff(journal, Journal.read(tmp_path / "other.jsonl"), brought.engine)
    assert difference.settings_from == 5 and difference.settings[0].path.startswith("members")


def test_a_member_that_asks_suspends_the_run_and_nothing_is_lost(tmp_path: Path) -> None:
    """The other one, beside it, goes no further than what is on record; the answer brings both to their end."""
    cast, path = Cast({"a": "7", "b": "7"}), tmp_path / "run.jsonl"
    options = {"a": {"words": 3}, "b": {"asks": "Which one?"}}
    settings = {"members": ("a", "b"), "options": options, "questions": Questions(unattended="suspend")}
    waiting = cast.vote(Journal(path), **settings)
    assert waiting.stop_reason == "waiting" and waiting.question is not None
    assert waiting.question.text == "Which one?" and len(cast.heard) == 1
    brought = combining.ensemble(cast.plugins())
    assert replay(Journal.read(path), brought.engine) == waiting
    ended: Ensemble = resume(path, Scripted([]), (), engine=brought, answer="this one")
    assert (ended.answer, ended.stop_reason, ended.votes) == ("7", "agreed", (2,))
    assert [name for name, *_ in cast.heard] == ["a", "a", "b", "a"]


@pytest.mark.requirement("E6p", "O6", "X5")
def test_an_interrupt_is_heard_by_every_member_at_once() -> None:
    """Also by one whose own outcome came before it: else it would go on into what is taken back, and call its tools."""
    cast = Cast({"a": "7", "b": "7"})
    engine = combining.ensemble(cast.plugins()).engine
    config = engine.config(members=("a", "b"), options={name: {"words": 3} for name in "ab"})
    program = engine.program(engine.start(Task(text="How much is it?"), config, "run"))
    batch = next(program)
    assert isinstance(batch, Batch) and [effect.scope for effect in batch.effects] == ["/1", "/2"]
    outcomes = [Outcome(value=effect.result(text="7"), interrupted=effect.scope == "/1") for effect in batch.effects]
    with pytest.raises(StopIteration) as end:
        program.send(tuple(outcomes))
    result = end.value.value
    assert [ballot.stop_reason for ballot in result.ballots] == ["interrupted", "interrupted"]
    assert result.stop_reason == "interrupted"


@pytest.mark.requirement("E6p", "J7a")
def test_the_third_failed_request_in_a_row_halts_every_member() -> None:
    """Also one that stands before the member whose request it is: nothing is issued after it."""
    cast = Cast({"a": "7", "b": "7"})
    engine = combining.ensemble(cast.plugins()).engine
    config = engine.config(members=("a", "b"), options={name: {"words": 9} for name in "ab"})
    program = engine.program(engine.start(Task(text="How much is it?"), config, "run"))
    batch = next(program)
    dead = Outcome(failure=Failure(kind="request", message="no answer"))
    for _ in range(2):
        assert isinstance(batch, Batch) and [effect.scope for effect in batch.effects] == ["/1", "/2"]
        batch = program.send((Outcome(value=batch.effects[0].result(text="7")), dead))
    with pytest.raises(StopIteration) as end:
        program.send((Outcome(value=batch.effects[0].result(text="7")), dead))
    assert (end.value.value.stop_reason, end.value.value.detail.partition(";")[0]) == ("failed", "no answer")


@pytest.mark.requirement("E6p", "J7a")
def test_a_full_disk_is_told_before_an_endpoint_that_is_down() -> None:
    """Whichever of two members meets which: what cannot be kept is what the user has to mend first."""
    full, down = (Failure(kind=kind, message=kind) for kind in ("journal", "endpoint"))
    for pair in ((full, down), (down, full)):
        engine = combining.ensemble(Cast({"a": "7", "b": "7"}).plugins()).engine
        program = engine.program(engine.start(Task(text="How much?"), engine.config(members=("a", "b")), "run"))
        next(program)
        with pytest.raises(StopIteration) as end:
            program.send(tuple(Outcome(failure=one) for one in pair))
        assert (end.value.value.stop_reason, end.value.value.detail.partition(";")[0]) == ("failed", "journal")


@pytest.mark.requirement("E6n")
def test_what_a_person_answered_one_member_the_members_after_it_know(tmp_path: Path) -> None:
    """The third one, asked because the first two differ, has the answer in its task, and lists no assumption."""
    cast, path = Cast({"a": "7", "b": "8", "c": "8"}), tmp_path / "run.jsonl"
    options = {"b": {"asks": "Which one?"}, "c": {"asks": "Which one?"}}
    settings = {"members": ("a", "b", "c"), "options": options, "questions": Questions(unattended="suspend")}
    assert cast.vote(Journal(path), **settings).stop_reason == "waiting"
    brought = combining.ensemble(cast.plugins())
    ended: Ensemble = resume(path, Scripted([]), (), engine=brought, answer="the big one")
    assert (ended.stop_reason, ended.votes, ended.assumptions) == ("agreed", (1, 2), ())
    journal = Journal.read(path)
    every = [done.effect for batch in trail(journal, brought.engine).batches for done in batch]
    told = {one.scope: [known.answer for known in one.task.clarifications] for one in every}
    assert told == {"/1": [], "/2": ["the big one"], "/3": ["the big one"], "": ["the big one"]}
    assert replay(journal, brought.engine) == ended


def test_what_members_assumed_is_listed() -> None:
    """Where nobody is there to ask, each assumption once."""
    options = {name: {"asks": "Which one?"} for name in "ab"}
    result = Cast({"a": "7", "b": "7"}).vote(members=("a", "b"), options=options)
    assert [(one.question, one.assumed) for one in result.assumptions] == [("Which one?", True)]


def reader(request: LLMRequest) -> str:
    """A model that reads the fee, and words it."""
    if results_of(request.messages[-1].content):
        return "The fee is 12.50 euros."
    return "12.50 euros" if way_of(request) == "reading" else "fee = 12.5  # 1\nprint(fee)"


@pytest.mark.requirement("E6a", "E6e", "G6")
def test_the_proof_of_a_vote_is_that_of_the_member_that_was_taken(tmp_path: Path) -> None:
    """Its steps are marked as taken, those of the other one stand beside them; the verifier finds all of it."""
    folder, path = tmp_path / "club", tmp_path / "run.jsonl"
    folder.mkdir()
    (folder / "fees.md").write_text("The fee of each guest is 12.50 euros. It is due in May.\n")
    given = Files.open(folder)
    brought = plugin("ensemble")
    config = brought.engine.config(members=("multi-pass",), samples=2)
    orchestrator = build(Scripted(reader), [given], config, engine=brought, journal=lambda _: Journal(path))
    result: Ensemble = orchestrator.execute("What is the fee of a guest?")
    assert (result.stop_reason, result.taken, result.sufficient) == ("doubted", 1, False)
    assert [claim.verdict for claim in result.claims] == ["supported"]
    proof = proof_of(result, [given], path, brought.engine)
    assert [(one.id, one.taken) for one in proof.derivations] == [("d1", True), ("d2", False)]
    report = verify(proof_bytes(proof))
    assert report.verified


@pytest.mark.requirement("E6a", "E6b")
def test_a_member_that_runs_an_engine_itself_is_one_like_any_other() -> None:
    """Trees are runs within the runs of their members: each with its scope, and charged to its member."""
    brought, journal = plugin("ensemble"), Journal()
    options = {"contractive": {"preset": "fast"}}
    config = brought.engine.config(members=("contractive",), options=options)
    model = Scripted(
        lambda request: "There are 18." if results_of(request.messages[-1].content) else "6 * 3 = 18\nAnswer: 18"
    )
    result: Ensemble = build(model, (), config, engine=brought, journal=lambda _: journal).execute("How much is 6 * 3?")
    assert (result.stop_reason, result.votes) == ("agreed", (2,)) and "18" in result.answer
    scopes = {done.effect.scope for batch in trail(journal, brought.engine).batches for done in batch}
    assert scopes == {"", "/1", "/1/1", "/2", "/2/1"}
    assert sum(ballot.calls for ballot in result.ballots) == result.usage.calls


@pytest.mark.requirement("E6e", "G2")
@pytest.mark.parametrize(("taken", "verdict"), [(1, "supported"), (2, "not_found")])
def test_claims_rest_on_what_the_member_that_was_taken_saw(taken: int, verdict: str) -> None:
    """A value that only another member's tool gave supports nothing."""
    task, step = Task(text="How many boxes?"), Step(id="s1", description="look")
    effects = [ExecuteStep(task=task, step=step, scope=scope) for scope in ("/1", "/2/1")]
    outputs = [StepResult(output=text, mode="tool") for text in ("1200 boxes", "300 boxes")]
    basis = Basis(task)
    basis.add(0, effects, [Outcome(value=value) for value in outputs])
    ballots = tuple(Ballot(member=number, engine="loop", place=0) for number in (1, 2))
    result = Ensemble(
        execution_id="run",
        engine="ensemble/3",
        answer="There are 1200 boxes.",
        stop_reason="agreed",
        sufficient=True,
        bound=Bound(calls=1, tokens=1),
        seats=2,
        ballots=ballots,
        taken=taken,
    )
    held = basis.held(result)
    assert [claim.verdict for claim in held.claims] == [verdict]
    assert held.sufficient == (taken == 1)

"""A step done by programs: what is asked for in which round, and the step as the vote leaves it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from aeon.multipass.effects import RunProgram, TakeTurn, WeighResult, WritePrograms
from aeon.multipass.sampling import Sampled, sample, told
from aeon.multipass.votes import Ballot
from aeon.schema import Step, Task, ToolLoop, ToolUse, Turn
from aeon.schema.effects import Effect
from aeon.schema.frozen import JsonValue
from aeon.schema.programs import Programs, ProgramText, Ran, Way
from aeon.schema.value import Value
from aeon.schema.weight import Weight

pytestmark = pytest.mark.requirement("W3")

TASK = Task(text="How much do the rolls bring?")
STEP = Step(id="s1", description=TASK.text, action=ToolLoop(form="program"))
USE = ToolUse(id="s1.1", tool="calculator", arguments={"expression": "240 * 0.45"}, output=108)
SURE, DOUBTED = Weight(score=0.9), Weight(score=0.3)
QUERY, PLAIN, PROGRAM, AGAIN = (
    ProgramText(way=way, text=f"{way} text") for way in ("query", "plain", "program", "again")
)


def ran(*values: JsonValue) -> Ran:
    """What prints these values."""
    return Ran(values=values, uses=(USE,), cites=(USE.id,))


class Answers:
    """Plays the world: programs a round, and by way what they give and what a judge makes of that."""

    def __init__(self, rounds: Sequence[Programs], gives: dict[Way, Ran], weights: dict[Way, Weight] | None = None):
        self.rounds = list(rounds)
        self.gives = gives
        self.weights = weights or {}
        self.turn = Turn(text="Dear Ada, …")
        self.asked: list[Effect] = []

    def __call__(self, effect: Effect) -> Value:
        """The answer to an effect."""
        self.asked.append(effect)
        match effect:
            case WritePrograms():
                return self.rounds.pop(0)
            case RunProgram():
                return self.gives[effect.program.way]
            case WeighResult():
                return self.weights.get(effect.candidate.program.way, Weight())
        return self.turn

    def of(self, kind: type[Effect]) -> list[Effect]:
        """The effects of a kind."""
        return [effect for effect in self.asked if isinstance(effect, kind)]


def sampled(world: Answers, ballot: Ballot | None = None, rounds: int = 9) -> Sampled:
    """The step as programs leave it, with the votes."""
    asking = sample(TASK, STEP, (), ballot, rounds)
    try:
        effect, _ = next(asking)
        while True:
            effect, _ = asking.send(world(effect))
    except StopIteration as end:
        done: Sampled = end.value
        return done


def done(world: Answers, rounds: int = 9) -> Step:
    """The step as programs leave it."""
    return sampled(world, rounds=rounds).step


def test_one_program_is_enough_where_a_judge_is_sure() -> None:
    """Its result is the step's, with the calls that it rests on and what the judge made of it."""
    world = Answers([Programs(programs=(QUERY,), more=True)], {"query": ran(108)}, {"query": SURE})
    step = done(world)
    assert (step.status, step.output, step.mode, step.clarity) == ("complete", "108", "program", "CLEAR")
    assert step.uses == (USE,) and step.cites == (USE.id,) and step.weight == SURE and step.agreement is None
    assert [type(one) for one in world.asked] == [WritePrograms, RunProgram, WeighResult]


def test_a_doubted_result_is_held_against_another_way() -> None:
    """The next round is told which ways were asked for; what both give is taken, and the other stays on record."""
    rounds = [Programs(programs=(QUERY,), more=True), Programs(programs=(PLAIN,), more=True)]
    world = Answers(rounds, {"query": ran(108), "plain": ran(108.0)}, {"query": DOUBTED})
    step = done(world)
    assert [one.ways for one in world.of(WritePrograms)] == [(), ("query",)]  # type: ignore[attr-defined]
    assert step.agreement is not None and step.agreement.votes == 2 and not step.agreement.disagrees
    assert [one.method for one in step.agreement.derivations] == ["plain"]


@pytest.mark.requirement("G4a")
def test_results_that_differ_and_that_no_judge_tells_apart_disagree() -> None:
    """The first is kept, and nobody is told that it is right."""
    world = Answers([Programs(programs=(QUERY, PLAIN))], {"query": ran(1), "plain": ran(2)})
    step = done(world)
    assert step.output == "1" and step.agreement is not None and step.agreement.disagrees
    assert step.clarity == "PARTIALLY_CLEAR" and step.problem == "another result is about as likely"
    assert [(one.answer, one.agrees) for one in step.agreement.derivations] == [("2", False)]


def test_a_judge_puts_the_second_of_two_ahead() -> None:
    """Candidates are judged beside each other, not by which one came first."""
    world = Answers(
        [Programs(programs=(QUERY, PLAIN))], {"query": ran(1), "plain": ran(2)}, {"query": DOUBTED, "plain": SURE}
    )
    step = done(world)
    assert step.output == "2" and step.agreement is not None and not step.agreement.disagrees
    assert [one.score for one in step.agreement.derivations] == [0.3]


def test_what_the_model_was_unlikely_to_write_is_not_taken_at_a_word() -> None:
    """A judge's yes to it is no more than a doubt; nothing confirms it."""
    unlikely = QUERY.changed(likelihood=0.0001)
    step = done(Answers([Programs(programs=(unlikely,))], {"query": ran(108)}, {"query": SURE}))
    assert step.output == "108" and step.clarity == "PARTIALLY_CLEAR" and "nothing else confirms it" in step.problem
    likely = QUERY.changed(likelihood=0.3)
    assert done(Answers([Programs(programs=(likely,))], {"query": ran(108)}, {"query": SURE})).clarity == "CLEAR"


def test_what_keeps_a_program_from_running_is_told_in_the_next_round() -> None:
    """As the error says it."""
    rounds = [Programs(programs=(QUERY,), more=True), Programs(programs=(PLAIN,))]
    world = Answers(rounds, {"query": Ran(problem="no column price"), "plain": ran(3)}, {"plain": SURE})
    assert done(world).output == "3"
    assert [one.problems for one in world.of(WritePrograms)] == [(), ("no column price",)]  # type: ignore[attr-defined]


@pytest.mark.requirement("W3c")
def test_a_step_that_is_done_again_goes_on_with_its_votes() -> None:
    """What was found in the answer is told with it, and makes that count for less: another result can lead now."""
    first = sampled(Answers([Programs(programs=(QUERY,), more=True)], {"query": ran(1)}, {"query": SURE}))
    ballot = first.ballot.objected(["1 is no price"])
    world = Answers([Programs(programs=(AGAIN,))], {"again": ran(2)}, {"again": SURE})
    again = sampled(world, ballot)
    (asked,) = world.of(WritePrograms)
    assert (asked.ways, asked.earlier, asked.against) == (("query",), "1", ("1 is no price",))  # type: ignore[attr-defined]
    assert again.step.output == "2" and again.step.clarity == "CLEAR"
    assert [one.answer for one in again.step.agreement.derivations] == ["1"]  # type: ignore[union-attr]


@pytest.mark.requirement("W3c")
@pytest.mark.parametrize(
    ("given", "weight"),
    [(ran(1), SURE), (ran(2), DOUBTED), (Ran(problem="no column price"), Weight())],
)
def test_an_answer_that_nothing_better_comes_up_against_stands(given: Ran, weight: Weight) -> None:
    """Whether it is found again, or what comes is worse, or nothing does."""
    first = sampled(Answers([Programs(programs=(QUERY,), more=True)], {"query": ran(1)}, {"query": SURE}))
    world = Answers([Programs(programs=(AGAIN,))], {"again": given}, {"again": weight})
    assert sampled(world, first.ballot.objected(["1 is no price"])).step.output == "1"


@pytest.mark.requirement("W3b", "W3c")
def test_a_text_is_written_again_with_what_was_found_in_it() -> None:
    """Without another program: the model sees what was looked up, its text, and the objection."""
    wanted = Ran(writing="Write to Ada.", uses=(USE,))
    first = sampled(Answers([Programs(programs=(PROGRAM,))], {"program": wanted}))
    world = Answers([], {})
    world.turn = Turn(text="Dear Ada, the price is 3.")
    assert sampled(world, first.ballot.objected(["no price"])).step.output == "Dear Ada, the price is 3."
    (turn,) = world.of(TakeTurn)
    looked_up, written = turn.exchanges  # type: ignore[attr-defined]
    assert looked_up.uses == (USE,) and not looked_up.objection
    assert (written.turn.text, written.objection) == ("Dear Ada, …", "- no price")


def test_nothing_that_runs_is_a_failed_step() -> None:
    """It says why."""
    world = Answers([Programs(programs=(QUERY,))], {"query": Ran(problem="no column price")})
    step = done(world)
    assert step.status == "failed" and "no column price" in step.problem and step.output is None
    assert done(Answers([Programs()], {})).status == "failed"


def test_what_is_not_stated_is_a_step_without_output() -> None:
    """With what was searched."""
    absent = Ran(absent=True, problem="not stated: the price")
    world = Answers([Programs(programs=(QUERY, PLAIN))], {"query": absent, "plain": absent})
    step = done(world)
    assert (step.status, step.output, step.problem) == ("complete", None, "not stated: the price")


def test_rounds_are_limited() -> None:
    """However many ways there are, and whatever comes of them."""
    rounds = [Programs(programs=(QUERY,), more=True) for _ in range(5)]
    world = Answers(rounds, {"query": ran(1)}, {"query": DOUBTED})
    assert done(world, rounds=2).output == "1" and len(world.of(WritePrograms)) == 2
    assert done(Answers(rounds, {}), rounds=0).status == "failed"


@pytest.mark.requirement("W3", "W5")
def test_a_text_is_written_in_a_turn_that_sees_what_was_looked_up() -> None:
    """It is judged when it is there, not before."""
    wanted = Ran(writing="Write to Ada.", uses=(USE,))
    world = Answers([Programs(programs=(PROGRAM,), more=True)], {"program": wanted})
    step = done(world)
    (turn,) = world.of(TakeTurn)
    assert turn.last and [use for one in turn.exchanges for use in one.uses] == [USE]  # type: ignore[attr-defined]
    assert step.output == "Dear Ada, …" and step.mode == "tools" and step.weight is None
    assert not world.of(WeighResult)
    world = Answers([Programs(programs=(PROGRAM,))], {"program": wanted})
    world.turn = Turn()
    assert done(world).status == "failed"


@pytest.mark.requirement("W3b")
@pytest.mark.parametrize(("likelihood", "clarity"), [(0.3, "CLEAR"), (0.0001, "PARTIALLY_CLEAR"), (None, "CLEAR")])
def test_that_a_text_is_wanted_can_be_doubtful(likelihood: float | None, clarity: str) -> None:
    """Where the model was hardly likely to ask for one: what is written all the same is doubted."""
    unlikely = PROGRAM.changed(likelihood=likelihood)
    step = done(Answers([Programs(programs=(unlikely,))], {"program": Ran(writing="The workshop is open.")}))
    assert step.output == "Dear Ada, …" and step.clarity == clarity and bool(step.problem) is (clarity != "CLEAR")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (([{"item": "chair", "price": 119}],), "chair, 119"),
        (([["a", 1], ["b", 2]],), "a, 1\nb, 2"),
        (("8:30", "Dr. Adler"), "8:30, Dr. Adler"),
        ((1.5,), "1.5"),
        (([7],), "7"),
        (([[None, True]],), "null, true"),
    ],
)
def test_values_are_told_as_they_are(values: tuple[JsonValue, ...], text: str) -> None:
    """A row a line, without the names of columns."""
    assert told(values) == text

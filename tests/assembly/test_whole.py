"""A step done in one effect: by the handlers of its parts, turn by turn or by programs; and in runs of the graph."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from approving import approval, properties

from aeon import build
from aeon.assembly.proofs import proof_of
from aeon.assembly.whole import WholeSteps
from aeon.engines.graph.record import Worked
from aeon.errors import CompletionError, EndpointUnreachable, OutcomeUnknown, ToolFailed
from aeon.llm.scripted import ALL_JSON, Reply, Scripted
from aeon.multipass.effects import ExecuteStep, TakeTurn, UseTool, WeighResult, WritePrograms
from aeon.proof.document import proof_bytes
from aeon.proof.verify import verify
from aeon.runtime.journal import Journal
from aeon.schema import (
    Action,
    Call,
    CallRequest,
    Capabilities,
    FromTool,
    LLMRequest,
    LLMResponse,
    Step,
    StepInput,
    StepResult,
    Task,
    ToolLoop,
    ToolUse,
    Turn,
    Usage,
    WorkForm,
    Writing,
)
from aeon.schema.effects import Effect
from aeon.schema.programs import Programs, ProgramText, Ran, Way
from aeon.schema.value import Value
from aeon.schema.weight import Weight
from aeon.tools import tool
from aeon.tools.files import Files
from tests.assembly.capable import CAN, capable
from tests.second import way_of

pytestmark = pytest.mark.requirement("E2h")

TASK = Task(text="What does the chair cost?")
KNOWN = (StepInput(names=("s1",), description="Which chair?", output="the red one"),)
ASKED = Call(id="s2.1", tool="sql", arguments={"query": "SELECT price FROM items"})
SQL = ToolUse(id="s2.1", tool="sql", arguments=ASKED.arguments, output=119)
SURE = Weight(score=0.9, form="probability", standing="measured")


class Parts:
    """The handlers of a step's parts, each of which gives or raises what comes next; ``asked`` are their effects."""

    def __init__(self, **says: Sequence[Value | Exception]) -> None:
        self.says = {phase: list(values) for phase, values in says.items()}
        self.asked: list[Effect] = []

    async def answer(self, effect: Effect) -> Value:
        """What comes next of the phase; the last one for ever."""
        self.asked.append(effect)
        left = self.says[effect.phase]
        said = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(said, Exception):
            raise said
        return said

    def done(self, action: Action, most_turns: int = 12, most_rounds: int = 4) -> StepResult:
        """The result of the step."""
        phases = ("turn", "use_tool", "write", "run_program", "weigh")
        whole = WholeSteps(dict.fromkeys(phases, self.answer), most_turns, most_rounds)
        step = Step(id="s2", description="What does it cost?", action=action)
        return asyncio.run(whole.execute(ExecuteStep(task=TASK, step=step, inputs=KNOWN)))


def written(*ways: Way, more: bool = False) -> Programs:
    """Programs in these ways."""
    return Programs(programs=tuple(ProgramText(way=way, text=f"{way} text") for way in ways), more=more)


def ran(*values: int) -> Ran:
    """What prints these values, which a query gave."""
    return Ran(values=values, uses=(SQL,), cites=("s2.1",))


@pytest.mark.requirement("W3")
def test_a_step_by_programs_has_what_leads_with_all_that_it_rests_on() -> None:
    """Two that agree are enough: the value with the calls, what is cited, the judge's word, and the other program."""
    parts = Parts(write=[written("query", more=True), written("plain")], run_program=[ran(119)], weigh=[Weight()])
    result = parts.done(ToolLoop(form="program"))
    assert (result.output, result.mode, result.uses, result.cites) == ("119", "program", (SQL,), ("s2.1",))
    assert result.weight == Weight() and result.agreement is not None
    assert [(one.method, one.answer, one.agrees) for one in result.agreement.derivations] == [("plain", "119", True)]
    assert [one.phase for one in parts.asked] == ["write", "run_program", "weigh", "write", "run_program"]
    second = parts.asked[3]
    assert isinstance(second, WritePrograms) and second.ways == ("query",) and second.inputs == KNOWN
    assert all(isinstance(one, WeighResult) or one.inputs == KNOWN for one in parts.asked if hasattr(one, "inputs"))


@pytest.mark.requirement("W3")
def test_a_step_by_programs_ends_where_a_judge_is_sure_and_after_its_rounds() -> None:
    """One program that a judge says yes to is enough; without that, no more rounds are asked for than are allowed."""
    sure = Parts(write=[written("query", more=True)], run_program=[ran(119)], weigh=[SURE])
    assert sure.done(ToolLoop(form="program")).weight == SURE
    assert [one.phase for one in sure.asked] == ["write", "run_program", "weigh"]
    differ = Parts(write=[written("query", more=True)], run_program=[ran(n) for n in range(9)], weigh=[Weight()])
    differ.done(ToolLoop(form="program"), most_rounds=3)
    assert [one.phase for one in differ.asked].count("write") == 3


@pytest.mark.requirement("W3")
@pytest.mark.parametrize("lost", [CompletionError("prose"), ToolFailed("the disk is gone"), Turn(text="a turn?")])
def test_a_part_that_gives_nothing_usable_costs_its_vote_and_not_the_step(lost: Value | Exception) -> None:
    """Whatever it is: the next program is asked for, and is the result."""
    parts = Parts(write=[written("query", more=True), written("plain")], run_program=[lost, ran(119)], weigh=[lost])
    result = parts.done(ToolLoop(form="program"))
    assert (result.output, result.agreement, result.weight) == ("119", None, Weight())
    second = parts.asked[2]
    assert isinstance(second, WritePrograms) and second.problems == ("it could not be run",)


@pytest.mark.requirement("W3")
@pytest.mark.parametrize("said", [CompletionError("prose"), Programs(), Turn(text="a turn?")])
def test_a_step_of_which_no_program_comes_fails_and_says_why(said: Value | Exception) -> None:
    """It came to no result: that is no answer, and no tool has failed."""
    with pytest.raises(CompletionError, match="no program that was written gave anything"):
        Parts(write=[said]).done(ToolLoop(form="program"))


@pytest.mark.requirement("W3")
def test_what_keeps_programs_from_running_is_why_the_step_fails() -> None:
    """Each problem once."""
    parts = Parts(write=[written("query", more=True), written("plain")], run_program=[Ran(problem="no column cost")])
    with pytest.raises(CompletionError, match=r"^no column cost$"):
        parts.done(ToolLoop(form="program"))


@pytest.mark.requirement("W3")
def test_what_is_not_stated_is_a_result() -> None:
    """Without output, with what was looked for."""
    absent = Ran(absent=True, problem="not stated in what was searched: it")
    result = Parts(write=[written("query")], run_program=[absent]).done(ToolLoop(form="program"))
    assert (result.output, result.mode, result.problem) == (None, "program", absent.problem)


@pytest.mark.requirement("W3b")
def test_a_text_that_a_program_wants_is_written_in_one_turn() -> None:
    """It sees what was looked up for it, and is offered no tool; where none is written, the step fails."""
    wants = Ran(writing="Write a note about it.", uses=(SQL,))
    parts = Parts(write=[written("query")], run_program=[wants], turn=[Turn(text="It costs 119.", cites=("s2.1",))])
    result = parts.done(ToolLoop(form="program"))
    assert (result.output, result.mode, result.cites) == ("It costs 119.", "tools", ("s2.1",))
    last = parts.asked[-1]
    assert isinstance(last, TakeTurn) and last.last and last.exchanges[0].uses == (SQL,)
    for lost in (CompletionError("cut off"), Turn()):
        with pytest.raises(CompletionError, match="the model gave no answer"):
            Parts(write=[written("query")], run_program=[wants], turn=[lost]).done(ToolLoop(form="program"))


def test_a_step_turn_by_turn_has_the_text_that_it_ends_in_and_its_calls() -> None:
    """A call that cannot be made, and one that fails, are told to the model; each is made for the step."""
    wrong = Call(id="s2.2", tool="sqll", arguments={}, problem="there is no tool 'sqll'")
    failing = Call(id="s2.3", tool="sql", arguments={"query": "SELECT"})
    turns = [Turn(calls=(ASKED, wrong)), Turn(calls=(failing,)), Turn(text="It costs 119.", cites=("s2.1",))]
    parts = Parts(turn=turns, use_tool=[SQL, ToolFailed("a syntax error")])
    result = parts.done(ToolLoop())
    assert (result.output, result.mode, result.cites) == ("It costs 119.", "tools", ("s2.1",))
    assert [(use.id, use.problem) for use in result.uses] == [
        ("s2.1", ""), ("s2.2", wrong.problem), ("s2.3", "a syntax error"),
    ]  # fmt: skip
    assert [one.call.id for one in parts.asked if isinstance(one, UseTool) and one.step == "s2"] == ["s2.1", "s2.3"]
    last = parts.asked[-1]
    assert isinstance(last, TakeTurn) and last.inputs == KNOWN and not last.last
    assert [[use.id for use in one.uses] for one in last.exchanges] == [["s2.1", "s2.2"], ["s2.3"]]


@pytest.mark.parametrize("turn", [Turn(), Turn(calls=(ASKED,)), Programs()])
def test_a_step_whose_last_turn_says_nothing_fails(turn: Value) -> None:
    """The last turn that it may take can only answer: a call in it is not made."""
    parts = Parts(turn=[turn], use_tool=[SQL])
    with pytest.raises(CompletionError, match="the model gave no answer"):
        parts.done(ToolLoop(), most_turns=3)
    taken = [one.last for one in parts.asked if isinstance(one, TakeTurn)]
    assert taken == ([False, False, True] if turn == Turn(calls=(ASKED,)) else [False])
    assert sum(isinstance(one, UseTool) for one in parts.asked) == len(taken) - 1


def test_what_called_no_tool_is_the_models_own_word() -> None:
    """Also where every call failed."""
    assert Parts(turn=[Turn(text="It costs 119.")]).done(ToolLoop()).mode == "reasoning"
    failed = Parts(turn=[Turn(calls=(ASKED,)), Turn(text="Perhaps 119.")], use_tool=[ToolFailed("gone")])
    assert failed.done(ToolLoop()).mode == "reasoning"


@pytest.mark.requirement("E2b")
def test_a_text_is_written_in_one_turn_without_tools() -> None:
    """As a task that goes past all tools is answered."""
    parts = Parts(turn=[Turn(text="Hello!")])
    result = parts.done(Writing(task="Say hello."))
    assert (result.output, result.mode, result.uses) == ("Hello!", "reasoning", ())
    assert [one.last for one in parts.asked if isinstance(one, TakeTurn)] == [True]


@pytest.mark.parametrize("form", ["tools", "program"])
def test_a_model_that_cannot_be_asked_ends_the_step_at_once(form: str) -> None:
    """That is no failure of the model's text: the run has to know."""
    away = EndpointUnreachable("nobody answers")
    with pytest.raises(EndpointUnreachable):
        Parts(turn=[away], write=[away]).done(ToolLoop.model_validate({"form": form}))


@pytest.mark.requirement("X5")
def test_a_call_of_which_nobody_knows_what_it_did_ends_the_step() -> None:
    """It is not told to the model, which would make it again: a person is asked."""
    parts = Parts(turn=[Turn(calls=(ASKED,))], use_tool=[OutcomeUnknown("it did not return")])
    with pytest.raises(OutcomeUnknown):
        parts.done(ToolLoop())
    assert [one.phase for one in parts.asked] == ["turn", "use_tool"]


ITEMS = "item,price\nkettle,34.90\nchair,119.00\n"
QUERY = "SELECT price FROM items WHERE item = 'chair'"
ENGINES = ["graph", "loop"]


def answers(form: WorkForm, request: LLMRequest, plan: str = '{"steps": [{"goal": "It", "needs": []}]}') -> Reply:
    """What a model says that works in a form: it asks the table, turn by turn or in any way of programs."""
    if "goal" in properties(request) or "steps" in properties(request):
        return plan
    if "complexity" in properties(request):
        return '{"complexity": "MODERATE"}'
    if (approved := approval(request)) is not None:
        return approved
    if form == "program":
        return QUERY if way_of(request) or "DuckDB" in request.messages[0].content else "The chair costs 119."
    if request.tools and not any(message.role == "tool" for message in request.messages):
        call = CallRequest(id="c1", name="sql", arguments=json.dumps({"query": QUERY}))
        return LLMResponse(text="", calls=(call,), usage=Usage(calls=1, prompt_tokens=9, generated_tokens=9))
    return "The chair costs 119. [1]"


def ended(engine: str, model: Scripted, folder: Path, path: Path) -> Worked:
    """A run of the engine over the table, whose proof verifies."""
    (folder / "items.csv").write_text(ITEMS)
    given = Files.open(folder)
    result = build(model, [given], engine=engine, journal=lambda _: Journal(path)).execute(TASK)
    assert isinstance(result, Worked)
    report = verify(proof_bytes(proof_of(result, [given], path)), folder=folder)
    assert (report.code, report.problems) == (0, ())
    return result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder."""
    made = tmp_path / "files"
    made.mkdir()
    return made


@pytest.mark.requirement("W3", "G2", "G6")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_model_without_tools_does_the_steps_of_the_graph_by_programs(
    engine: str, folder: Path, tmp_path: Path
) -> None:
    """Two queries agree; the claim of the answer rests on a call of the step, by the name of its effect."""
    result = ended(engine, Scripted(partial(answers, "program"), ALL_JSON), folder, tmp_path / "run.jsonl")
    (step,) = result.plans[-1].steps
    assert (step.action, step.mode, step.output) == (ToolLoop(form="program"), "program", "119")
    assert step.agreement is not None and step.agreement.votes == 2
    assert (result.answer, result.stop_reason, result.sufficient) == ("The chair costs 119.", "verified", True)
    (claim,) = result.claims
    (place,) = claim.evidence
    assert claim.verdict == "supported" and isinstance(place, FromTool)
    effect, _, call = place.step.partition(".")
    assert call == "1" and Journal.read(tmp_path / "run.jsonl").entries[int(effect[1:])].phase == "execute"


@pytest.mark.requirement("G2", "G6")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_model_that_calls_tools_does_the_steps_of_the_graph_turn_by_turn(
    engine: str, folder: Path, tmp_path: Path
) -> None:
    """Its text is the answer, and what the call gave supports it."""
    result = ended(engine, Scripted(partial(answers, "tools"), CAN), folder, tmp_path / "run.jsonl")
    (step,) = result.plans[-1].steps
    assert (step.action, step.mode, step.cites) == (ToolLoop(form="tools"), "tools", ("s1.1",))
    assert (result.answer, result.sufficient) == ("The chair costs 119.", True)
    assert [claim.verdict for claim in result.claims] == ["supported"]


@pytest.mark.requirement("X5")
def test_calls_that_change_the_world_are_told_apart_by_their_steps() -> None:
    """The first call of a later plan's step is another one than that of the first plan's; made again, it is itself."""
    keys: list[str] = []

    @tool(side_effects=True)
    def order(item: str, idempotency_key: str) -> str:
        """Order something."""
        keys.append(idempotency_key)
        return f"ordered {item}"

    for step in ("s1", "s1_r1", "s1_r1"):
        model = capable("Done.", [("order", {"item": "chair"})])
        handlers = build(model, [order], engine="graph").handlers
        effect = ExecuteStep(task=TASK, step=Step(id=step, description="Order it.", action=ToolLoop()))
        asyncio.run(handlers["execute"](effect))
    first, second, again = keys
    assert first != second == again


def test_the_form_is_the_one_that_was_measured_on_the_model(folder: Path, tmp_path: Path) -> None:
    """A model that calls tools and did better by programs works by programs."""
    can = Capabilities(json_schema=True, json_mode=True, tools=True, form="program")
    result = ended("loop", Scripted(partial(answers, "program"), can), folder, tmp_path / "run.jsonl")
    assert result.plans[-1].steps[0].action == ToolLoop(form="program") and result.sufficient


@pytest.mark.requirement("E2b")
@pytest.mark.parametrize("form", ["tools", "program"])
def test_the_task_itself_is_done_in_the_models_form_where_no_plan_comes(
    form: WorkForm, folder: Path, tmp_path: Path
) -> None:
    """A planner that writes prose costs no answer."""
    model = Scripted(partial(answers, form, plan="First I would look at the table."), CAN.changed(form=form))
    result = ended("graph", model, folder, tmp_path / "run.jsonl")
    assert {one.phase for one in result.degraded} == {"plan"}
    assert (result.answer, result.plans[-1].steps[0].mode) == ("The chair costs 119.", form)

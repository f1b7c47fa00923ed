"""Putting a run together: what users may give, and what they are told where it cannot work."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from approving import Approving, properties

import aeon
from aeon.assembly.build import build, resumption
from aeon.assembly.runs import replay
from aeon.errors import ConfigError, InputFileError, UnknownNameError, UsageError
from aeon.llm.scripted import Scripted
from aeon.runtime.events import RunEnded, RunStarted
from aeon.runtime.journal import Journal
from aeon.schema import (
    Budget,
    Capabilities,
    Config,
    Frozen,
    JsonObject,
    LLMRequest,
    LLMResponse,
    Price,
    Result,
    Task,
    Usage,
)
from aeon.testing.obliging import oblige
from aeon.tools import tool
from aeon.tools.calculator import calculator
from tests.second import way_of

TASK = "What is 240 * 0.45 + 75 * 3.20?"
TOTAL: JsonObject = {
    "type": "object",
    "properties": {"total": {"type": "number"}},
    "required": ["total"],
    "additionalProperties": False,
}


@tool(side_effects=False)
def shout(text: str) -> str:
    """Say it loudly."""
    return text.upper()


def planning(*programs: str, final: str = "It is 348.") -> Approving:
    """A model that writes these programs, each for a step of its own, answers with this text and agrees to all else."""
    goals = [f"Find out part {n}." for n, _ in enumerate(programs, 1)]

    def answer(request: LLMRequest) -> LLMResponse | str:
        told = "\n".join(message.content for message in request.messages)
        if "steps" in properties(request) and len(programs) > 1:
            steps = [{"goal": goal, "needs": list(range(1, n))} for n, goal in enumerate(goals, 1)]
            return json.dumps({"steps": steps})
        if way_of(request) == "program":
            own = (one for goal, one in zip(goals, programs, strict=True) if f"Question: {goal}" in told)
            return next(own, programs[0])
        return final if "What the steps gave" in told or "one short sentence" in told else oblige(request)

    return Approving(answer)


THOROUGH = Config(thorough=True)
TOOLS = Config(form="tools")
SUM = "print(240 * 0.45 + 75 * 3.20)"


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"tools": ["calculater"]}, UnknownNameError, "did you mean calculator"),
        ({"tools": ["files"]}, UsageError, "files=DIR"),
        ({"tools": ["calculator=3"]}, UsageError, "takes no value"),
        ({"tools": ["files=/no/such/folder"]}, InputFileError, "/no/such/folder"),
        ({"tools": ["calculator", "calculator"]}, ConfigError, "two tools are named calculator"),
        ({"tools": ["calculator", calculator()]}, ConfigError, "two tools are named calculator"),
        ({"tools": [shout, shout]}, ConfigError, "two tools are named shout"),
        ({"tools": "calculator"}, UsageError, "pass a list, as in tools=['calculator', 'dates'], not 'calculator'"),
        ({"tools": shout}, UsageError, "pass a list"),
        ({"tools": None}, UsageError, "pass a list"),
        ({"tools": [calculator]}, UsageError, "calculator is no tool yet: decorate it with @tool"),
        ({"tools": ["calculator", len]}, UsageError, "len is no tool yet"),
        ({"tools": [5]}, UsageError, "5 is no tool"),
        ({"config": {"brief": True}}, UsageError, "configured by Config, not dict"),
        ({"config": 5}, UsageError, "configured by Config, not int"),
        ({"llm": 5}, UsageError, "llm: pass an adapter, or as a text the name of a model"),
        ({"llm": Scripted}, UsageError, "llm: pass an adapter"),
        ({"files": 5}, UsageError, "files: pass the path of a folder, or a list of them, not 5"),
        ({"files": None}, UsageError, "files: pass the path of a folder"),
        ({"files": b"x"}, UsageError, "files: pass the path of a folder, or a list of them, not b'x'"),
        ({"files": [5]}, UsageError, "files: pass the path of a folder"),
        ({"engine": 5}, UsageError, "engine: pass an engine's name or a Plugin, not 5"),
        ({"engine": {}}, UsageError, "engine: pass an engine's name or a Plugin, not {}"),
        ({"observers": 5}, UsageError, "observers: pass a list of functions that take an event, not 5"),
        ({"observers": [None]}, UsageError, "not with None in it"),
        ({"journal": "run.jsonl"}, UsageError, "journal=lambda _: Journal('run.jsonl'), not 'run.jsonl'"),
        ({"journal": None}, UsageError, "journal: pass a function"),
        ({"ask": "x"}, UsageError, "ask: pass a function that takes a question and gives its answer, not 'x'"),
        ({"llm": "gpt-99"}, UnknownNameError, "qwen2.5-coder-1.5b"),
        ({"llm": "/no/such/model.gguf"}, InputFileError, "/no/such/model.gguf"),
    ],
)
def test_what_cannot_be_used_is_told_before_anything_runs(
    given: dict[str, object], error: type[UsageError], said: str
) -> None:
    """One line of the usage family, which names what is wrong and what there is."""
    with pytest.raises(error) as caught:
        build(**({"llm": Approving(oblige)} | given))  # type: ignore[arg-type]
    assert isinstance(caught.value, UsageError) and caught.value.exit_code == 2
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_task_is_a_text_or_a_task() -> None:
    """Anything else is refused in a line, before anything runs."""
    model = Approving(oblige)
    for given in (3, None, b"x", ["a"]):
        with pytest.raises(UsageError, match=re.escape(f"the task is a text or a Task, not {given!r}")):
            build(model).execute(given)  # type: ignore[arg-type]
    assert not model.requests


@pytest.mark.parametrize(
    ("text", "said"), [("", "the task is empty: say in words"), (" \n", "the task is empty"), ("\ud800", "no text")]
)
def test_words_that_are_no_task_are_refused(text: str, said: str) -> None:
    """The front door says so in a line, whichever way the run would be driven."""
    orchestrator = build(Approving(oblige))
    ways = (orchestrator.execute, orchestrator.stream, lambda task: asyncio.run(orchestrator.aexecute(task)))
    for way in ways:
        with pytest.raises(UsageError, match=said) as refused:
            way(text)
        assert "\n" not in str(refused.value)


def test_what_makes_no_journal_is_refused() -> None:
    """So is a way to leave a stream that is none."""
    with pytest.raises(UsageError, match="the function must give a Journal, not 5"):
        build(Approving(oblige), journal=lambda _: 5).execute("Say it.")  # type: ignore[arg-type, return-value]
    with pytest.raises(UsageError, match="on_leave: write continue or interrupt, not 5"):
        build(Approving(oblige)).stream("Say it.", on_leave=5)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [5, None, "run.jsonl", b"x"])
def test_what_is_no_journal_is_refused(given: Any) -> None:
    """Each function on saved runs says what to pass."""
    for act in (aeon.replay, lambda journal: aeon.fork(journal, 1), lambda journal: aeon.diff(journal, journal)):
        with pytest.raises(UsageError, match=r"pass a journal, as Journal\.read\('run\.jsonl'\) gives it, not "):
            act(given)
    if given != "run.jsonl":
        for act in (aeon.resume, Journal.read, Journal.reopen, aeon.notebook):
            with pytest.raises(UsageError, match="pass the path of a journal as a text or a Path, not "):
                act(given)


@pytest.mark.requirement("K13")
def test_a_run_in_a_script() -> None:
    """A text in, a typed result out; it is exported at the package's front door."""
    result = aeon.build(llm=planning(SUM)).execute(TASK)
    assert isinstance(result, Result)
    assert (result.answer, result.stop_reason, result.converged) == ("It is 348.", "converged", True)
    assert result.history.task.text == TASK and not result.degraded


@pytest.mark.requirement("K13")
def test_a_run_inside_a_running_loop() -> None:
    """Both the blocking and the awaited call work there, and give the same answer."""

    async def notebook() -> tuple[Result, Result]:
        orchestrator = build(llm=planning(SUM))
        return orchestrator.execute(TASK), await orchestrator.aexecute(TASK)

    blocking, awaited = asyncio.run(notebook())
    assert blocking.answer == awaited.answer == "It is 348."
    assert blocking.stop_reason == awaited.stop_reason == "converged"


@pytest.mark.requirement("H1")
def test_a_run_as_a_stream() -> None:
    """Events arrive in order, from the start to the one that carries the conclusion."""

    async def watch() -> list[Frozen]:
        return [event async for event in build(llm=planning(SUM)).stream(TASK)]

    events = asyncio.run(watch())
    assert isinstance(events[0], RunStarted) and isinstance(events[-1], RunEnded)
    assert events[-1].conclusion.answer == "It is 348." and len(events) > 10


@pytest.mark.requirement("K9", "O3")
def test_a_stream_that_is_left_interrupts_its_run() -> None:
    """The run ends at its next boundary, in an answer."""

    async def leave() -> Result:
        stream = build(llm=planning(SUM)).stream(TASK)
        async for event in stream:
            if event.type == "effect_ended":
                break
        await stream.aclose()
        return stream.result

    assert asyncio.run(leave()).stop_reason == "interrupted"


@pytest.mark.requirement("K13")
def test_several_runs_of_one_orchestrator_do_not_disturb_each_other() -> None:
    """Runs at the same time have histories of their own."""

    async def several() -> list[Result]:
        orchestrator = build(llm=planning(SUM))
        return list(await asyncio.gather(*(orchestrator.aexecute(f"{TASK} {n}") for n in range(3))))

    results = asyncio.run(several())
    assert [result.history.task.text[-1] for result in results] == ["0", "1", "2"]
    assert len({result.history.execution_id for result in results}) == 3
    assert len({result.usage.calls for result in results}) == 1


@pytest.mark.requirement("K11")
def test_a_users_tool_is_described_and_called() -> None:
    """It is described to the model, and its output is the answer."""
    model = planning('print(shout("bread"))', final="It is BREAD.")
    result = build(llm=model, tools=[shout]).execute("Shout bread.")
    (step,) = result.history.passes[0].executed
    assert (step.output, step.mode, result.usage.tool_calls) == ("BREAD", "program", 1)
    assert result.answer == "It is BREAD."
    told = [request.messages[0].content for request in model.requests if way_of(request) == "program"]
    assert told and all("shout(text: string): Say it loudly." in system for system in told)
    assert all("calculator(" not in request.messages[0].content for request in model.requests)


@pytest.mark.requirement("K11")
def test_outputs_travel_from_step_to_step() -> None:
    """A later step gets the exact result of an earlier one."""
    model = planning(SUM, "print(348 * 19/100)")
    result = build(llm=model, config=THOROUGH).execute(TASK)
    assert [step.output for each in result.history.passes for step in each.executed] == ["348", "66.12"]
    first, second = (one.messages[-1].content for one in model.requests if way_of(one) == "program")
    assert "<data s1>\nFind out part 1.\n348\n</data>" in second and "348" not in first


@pytest.mark.requirement("K11")
def test_names_and_tools_can_be_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name may stand for several tools, such as those of a folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "a.txt").write_text("bread\n")
    model = planning(SUM)
    build(llm=model, tools=["calculator", f"files={tmp_path}", shout], config=TOOLS).execute(TASK)
    system, user = (message.content for message in model.requests[0].messages)
    assert all(f"- {name}: " in system for name in ("calculator", "shout", "search", "read"))
    assert "a.txt" not in system and "a.txt" in user


@pytest.mark.requirement("T3", "K11", "H3")
def test_folders_are_given_by_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One path or several, also with a comma, as text or object; the journal has them, and a resumed run reads them."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("a,b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.txt").write_text(f"bread {name}\n")
    monkeypatch.chdir(tmp_path)
    one, several = "a,b", (Path("a,b"), "c")
    kept = [f"files={tmp_path}/a,,b", f"files={tmp_path}/c"]
    listed = (["Texts: a,b.txt"], ["Texts: a-b/a,b.txt", ", c/c.txt"])
    for files, specs, texts in ((one, kept[:1], listed[0]), (several, kept, listed[1])):
        journal = Journal()
        model = planning(SUM)
        build(model, ("calculator", shout), TOOLS, journal=lambda _, kept=journal: kept, files=files).execute(TASK)
        assert journal.opened.setup["tools"] == ["calculator", "@shout", *specs]
        assert all(text in model.requests[0].messages[1].content for text in texts)
    path = tmp_path / "run.jsonl"
    build(planning(SUM), (), THOROUGH, journal=lambda _: Journal(path), files=several).execute(TASK)
    monkeypatch.chdir("/")
    assert resumption(Journal.read(path), planning(SUM)).job.task.text == TASK
    (tmp_path / "c" / "c.txt").unlink()
    (tmp_path / "c").rmdir()
    with pytest.raises(InputFileError, match=f"{tmp_path}/c"):
        resumption(Journal.read(path), planning(SUM))


@pytest.mark.requirement("T3")
def test_no_folder_and_an_empty_name_are_not_the_working_directory() -> None:
    """No path gives no tools of a folder; an empty one is refused."""
    model = planning(SUM)
    build(llm=model, config=THOROUGH, files=[]).execute(TASK)
    assert all("list_files" not in request.messages[0].content for request in model.requests)
    with pytest.raises(UsageError, match="files=DIR"):
        build(llm=model, files="")


def test_a_run_without_tools_reasons() -> None:
    """No tool is no obstacle."""
    result = build(llm=Approving(oblige), tools=()).execute("Write a note.")
    assert [step.mode for step in result.history.passes[0].executed] == ["reasoning"]
    assert result.answer


@pytest.mark.requirement("S1")
def test_a_task_with_context_schema_and_criteria() -> None:
    """The context is data in every prompt, the answer an object, and each criterion is judged."""
    task = Task(text=TASK, context="Prices are in euros.", answer_schema=TOTAL, criteria=("It is in euros.",))
    model = planning(SUM, final='{"total": 348}')
    result = build(llm=model, config=THOROUGH).execute(task)
    assert result.value == {"total": 348} and json.loads(result.answer) == result.value
    prompts = [r.messages[-1].content for r in (*model.requests, *model.judged)]
    assert prompts and all("<data context>\nPrices are in euros.\n</data>" in prompt for prompt in prompts)
    (review,) = (r for r in model.judged if "completeness" in properties(r))
    assert "1. It is in euros.\n" in review.messages[1].content and "criteria" in properties(review)


@pytest.mark.requirement("J7", "K13")
def test_an_object_that_never_comes_leaves_an_assembled_answer() -> None:
    """Without a valid object the value is empty, the results are the answer, and that is flagged."""
    result = build(llm=planning(SUM, final="no object"), config=THOROUGH).execute(Task(text=TASK, answer_schema=TOTAL))
    assert result.value is None and result.assembled and "348" in result.answer
    assert [degradation.phase for degradation in result.degraded] == ["synthesize"]


@pytest.mark.requirement("K9", "K13")
def test_the_configuration_reaches_the_run() -> None:
    """One call in all is not enough for a plan, and the run says so instead of raising."""
    result = build(llm=Approving(oblige), config=Config.model_validate({"budget": {"calls": 1}})).execute(TASK)
    assert result.stop_reason == "calls_exhausted" and result.usage.calls <= 1 and result.answer


@pytest.mark.requirement("K11")
def test_the_cap_on_outputs_reaches_the_tools() -> None:
    """A tool that gives too much is cut where the configuration says."""
    model = planning(f"print(shout({'x' * 150!r}))")

    @tool(name="shout", side_effects=False)
    def flood(text: str) -> str:
        """Say it often."""
        return text * 100

    result = build(llm=model, tools=[flood], config=Config(tool_output_bytes=256)).execute("Shout.")
    output = result.history.passes[0].executed[0].output
    assert isinstance(output, str) and len(output) < 350 and "cut: 15,000 bytes" in output


@pytest.mark.requirement("K11", "H3")
@pytest.mark.parametrize("levels", [64, 65, 180, 190, 195, 199])
def test_a_saved_run_can_be_read_back_however_deep_a_result_is_nested(tmp_path: Path, levels: int) -> None:
    """What is too deep is the tool's failure; the journal holds the run either way, and replays to the same bytes."""

    @tool(name="shout", side_effects=False)
    def dig(text: str) -> list[object]:
        """Say it down a hole."""
        hole: list[object] = [text]
        for _ in range(levels - 1):
            hole = [hole]
        return hole

    model = planning('print(shout("hello"))')
    result = build(llm=model, tools=[dig], journal=lambda _: Journal(tmp_path / "run.jsonl")).execute("Shout.")
    step = result.history.passes[0].executed[0]
    assert (step.output is None) == (levels > 64) and ("nested deeper than 64 levels" in str(step)) == (levels > 64)
    assert replay(Journal.read(tmp_path / "run.jsonl")).model_dump_json() == result.model_dump_json()


@pytest.mark.requirement("H1")
def test_observers_and_journals_are_given_to_the_driver() -> None:
    """Each event is shown as it happens, and the journal replays to the same bytes."""
    seen: list[Frozen] = []
    journals: list[Journal] = []

    def journal(execution_id: str) -> Journal:
        journals.append(Journal())
        return journals[-1]

    result = build(llm=planning(SUM), observers=[seen.append], journal=journal).execute(TASK)
    assert isinstance(seen[0], RunStarted) and isinstance(seen[-1], RunEnded)
    (kept,) = journals
    assert replay(kept).model_dump_json() == result.model_dump_json()


@pytest.mark.requirement("J8", "S1")
@pytest.mark.parametrize(
    ("can", "forms"),
    [
        (Capabilities(json_schema=True, json_mode=True), {"verdict"}),
        (Capabilities(json_schema=True, json_mode=True, logprobs=True), {"probability"}),
    ],
)
def test_an_endpoint_is_used_as_it_can(can: Capabilities, forms: set[str]) -> None:
    """The form of each judgment follows from what the endpoint can do, and is on record."""
    result = build(llm=Approving(oblige, can), config=THOROUGH).execute("Write a note.")
    assert {p.report.form for p in result.history.passes if p.report is not None} == forms
    assert result.assessment is not None and result.assessment.form in forms


@pytest.mark.requirement("K13", "J7")
@pytest.mark.parametrize("text", ["", "No.", "{}", '{"s1": 3}', "\x00", "```json\n```"])
def test_a_model_that_says_nothing_useful_still_ends_in_an_answer(text: str) -> None:
    """Every judgment degrades, nothing raises, and the bound holds."""
    result = build(llm=Approving(lambda _: text), config=THOROUGH).execute(TASK)
    assert result.answer.strip() and result.degraded and not result.converged
    assert result.usage.calls <= result.bound.calls


@pytest.mark.requirement("K12")
def test_the_limit_on_prompts_reaches_the_model() -> None:
    """No first ask is longer than configured; what does not fit degrades, and the run still ends in an answer."""
    model = Approving(oblige)
    task = Task(text="What is it about?", context="bread " * 150)
    result = build(llm=model, config=Config(prompt_bytes=2_200, thorough=True)).execute(task)
    sizes = [sum(len(message.content.encode()) for message in request.messages) for request in model.requests]
    assert sizes and max(sizes) <= 2_200
    assert {"profile", "turn"} <= {degradation.phase for degradation in result.degraded} and result.answer


class Hosted(Scripted):
    """A model that costs money; the tokens of its calls are as many as it says."""

    @property
    def free(self) -> bool:
        """No."""
        return False

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """A reply that took 1000 and 100 tokens."""
        response = await super().complete(request)
        return response.changed(usage=Usage(calls=1, prompt_tokens=1_000, generated_tokens=100))


def hosted(name: str = "hosted") -> Hosted:
    """A hosted model that agrees to everything and plans nothing."""
    return Hosted(oblige, name=name)


PRICED = Config(thorough=True, prices={"hosted": Price(input=2, output=10), "another": Price(input=50, output=50)})


@pytest.mark.requirement("O4", "O4a", "X1", "K12")
def test_a_run_costs_what_its_tokens_do() -> None:
    """The price that is set for the model reaches every call, and only the models of the run are in the bound."""
    orchestrator = build(llm=hosted(), config=PRICED)
    result = orchestrator.execute(TASK)
    assert result.usage.cost == pytest.approx(result.usage.calls * (1_000 * 2 + 100 * 10) / 1e6)
    assert result.bound == orchestrator.bound and result.bound.cost == 0.5
    assert result.history.configuration.prices == {"hosted": Price(input=2, output=10)}
    few = build(llm=hosted(), config=PRICED.changed(budget=Budget(calls=2)))
    assert few.bound.cost == pytest.approx(2 * (PRICED.prompt_bytes * 2 + PRICED.generated_tokens * 10) / 1e6)


@pytest.mark.requirement("O4", "K12")
def test_a_run_stops_before_it_costs_more_than_its_budget() -> None:
    """Not one call goes beyond it: each is admitted by the most that it can cost."""
    config = PRICED.changed(budget=Budget(cost=0.012))
    result = build(llm=hosted(), config=config).execute(TASK)
    assert result.stop_reason == "cost_exhausted"
    assert 0 < result.usage.cost <= 0.012 == result.bound.cost


@pytest.mark.requirement("O4", "X1")
def test_what_a_model_without_a_price_costs_is_not_known() -> None:
    """Its cost is no part of the bound, and the budget cannot hold; a free model needs no price."""
    result = build(llm=hosted("unheard"), config=PRICED).execute(TASK)
    assert (result.bound.cost, result.usage.cost) == (None, 0)
    assert build(llm=Approving(oblige)).bound.cost == 0


@pytest.mark.requirement("K12", "X1")
def test_a_run_of_known_cost_is_not_continued_on_a_model_of_unknown_cost(tmp_path: Path) -> None:
    """Its bound holds over all its lives; a free model, or one of the run's, may take over."""
    path = tmp_path / "run.jsonl"
    build(llm=hosted(), config=PRICED, journal=lambda _: Journal(path)).execute(TASK)
    journal = Journal.read(path)
    with pytest.raises(UsageError, match="unheard has no price; fork the run and set one"):
        resumption(journal, hosted("unheard"))
    for other in (hosted(), Approving(oblige)):
        assert resumption(Journal.read(path), other).model is other

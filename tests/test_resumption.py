"""Going on with a saved run through the whole assembly: model, tools and answers as the journal names them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

import aeon
from aeon.asking.asker import Answerer
from aeon.assembly.build import build, resume, resumption
from aeon.assembly.runs import fork, replay
from aeon.cli.main import main
from aeon.errors import InputFileError, UsageError
from aeon.llm.scripted import Scripted
from aeon.runtime.journal import Journal
from aeon.schema import Config, LLMRequest, LLMResponse, Question, Questions, Result
from aeon.supervisor.judge_specs import judgment
from aeon.testing.obliging import oblige
from aeon.tools import Tool, tool
from tests.second import way_of

TASK = "What is 240 * 0.45?"
SUSPENDING = Config(questions=Questions(ambiguity=0, unattended="suspend", most=1))
VAGUE = [question.ask for question in judgment("task_vague").questions]
ASKED = json.dumps({"question": "Which year?", "options": ["2025", "2026"], "default": "2026"})


def model(program: str = "print(240 * 0.45)") -> Scripted:
    """A model that finds the task vague, asks when it may, writes this program and agrees to everything else."""

    def answer(request: LLMRequest) -> LLMResponse | str:
        if way_of(request) == "program":
            return program
        properties = (request.json_schema or {}).get("properties")
        if not isinstance(properties, dict):
            return oblige(request)
        if "verdict" in properties and any(question in request.messages[-1].content for question in VAGUE):
            return json.dumps({"reason": "no year is given", "verdict": "yes"})
        return ASKED if "default" in properties else oblige(request)

    return Scripted(answer, name="obliging")


def saved(path: Path, config: Config = SUSPENDING, ask: Answerer | None = None) -> Result:
    """A run whose journal lies at the path."""
    return build(llm=model(), config=config.changed(thorough=True), journal=lambda _: Journal(path), ask=ask).execute(
        TASK
    )


@pytest.mark.requirement("O6", "X3", "X5")
def test_a_run_that_waits_goes_on_with_the_answer(tmp_path: Path) -> None:
    """In another process or years later: the answer is part of the task, and the run ends as any other."""
    path = tmp_path / "run.jsonl"
    waiting = saved(path)
    assert waiting.stop_reason == "waiting" and waiting.question is not None
    assert (waiting.question.text, waiting.question.options) == ("Which year?", ("2025", "2026"))
    result = resume(path, llm=model(), answer="2025")
    assert [(c.question, c.answer, c.assumed) for c in result.history.task.clarifications] == [
        ("Which year?", "2025", False)
    ]
    assert (result.stop_reason, result.answer) == ("converged", "108")
    assert [step.output for step in result.history.passes[0].executed] == ["108"]
    assert replay(Journal.read(path)).model_dump_json() == result.model_dump_json()


@pytest.mark.requirement("O6", "X3")
def test_the_journal_of_a_suspended_run_is_that_of_one_answered_at_once(tmp_path: Path) -> None:
    """Every effect is the same, and none was done twice."""
    late, at_once = tmp_path / "late.jsonl", tmp_path / "at_once.jsonl"
    saved(late)
    resume(late, llm=model(), answer="2025")
    saved(at_once, ask=lambda _: "2025")
    mine, theirs = (
        [(e.phase, e.fingerprint, e.value, e.failure) for _, e in sorted(Journal.read(path).entries.items())]
        for path in (late, at_once)
    )
    assert mine == theirs


@pytest.mark.requirement("O6")
def test_an_answerer_is_asked_once_and_the_default_is_assumed_without_one(tmp_path: Path) -> None:
    """A callable in Python answers; without one the policy assumes the default and lists it."""
    seen: list[Question] = []
    config = SUSPENDING.changed(questions=Questions(ambiguity=0, most=1))
    result = saved(tmp_path / "asked.jsonl", config, lambda question: seen.append(question) or "2025")  # type: ignore[func-returns-value]
    assert [question.text for question in seen] == ["Which year?"]
    assert result.assumptions == () and result.history.task.clarifications[0].answer == "2025"
    alone = saved(tmp_path / "alone.jsonl", config)
    assert [(known.answer, known.assumed) for known in alone.assumptions] == [("2026", True)]


@pytest.mark.requirement("O6")
def test_without_an_answer_a_waiting_run_goes_on_waiting(tmp_path: Path) -> None:
    """Its file stays as it was."""
    path = tmp_path / "run.jsonl"
    waiting = saved(path)
    before = path.read_bytes()
    again = resume(path, llm=model())
    assert (again.stop_reason, again.question) == ("waiting", waiting.question)
    assert path.read_bytes() == before


@pytest.mark.requirement("O6")
def test_a_waiting_run_can_be_gone_on_with_on_its_default(tmp_path: Path) -> None:
    """The policy holds for this once: the reply is marked as assumed, the run's configuration stays as it is."""
    path = tmp_path / "run.jsonl"
    saved(path)
    result = resume(path, llm=model(), unattended="assume")
    assert [(known.answer, known.assumed) for known in result.assumptions] == [("2026", True)]
    assert result.history.configuration.questions.unattended == "suspend"
    assert replay(Journal.read(path)).model_dump_json() == result.model_dump_json()


@pytest.mark.requirement("O6", "X3")
def test_an_answer_to_no_question_is_refused(tmp_path: Path) -> None:
    """Nothing is written, and the file is free again."""
    path = tmp_path / "run.jsonl"
    saved(path, Config())
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(UsageError, match=r"^the run waits for no answer: nothing was asked"):
            resume(path, llm=model(), answer="2025")
    assert path.read_bytes() == before


@tool
def send(text: str) -> str:
    """Send a text."""
    return f"sent {text}"


@pytest.mark.requirement("O6", "X3")
def test_whether_it_was_done_is_answered_by_an_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is none of the options is refused with them, in Python and at the command line; it does not mean stop."""
    whole, path = tmp_path / "whole", tmp_path / "run"
    tools: list[Tool | str] = ["calculator", send]
    calls = json.dumps({"calls": [{"tool": "send", "arguments": {"text": "hello"}}]})
    planned = Scripted(
        lambda one: calls if "'calls'" in str(one.json_schema) and len(one.messages) == 2 else oblige(one), name="plain"
    )
    config = Config(questions=Questions(unattended="suspend"), thorough=True)
    build(planned, tools, config, journal=lambda _: Journal(whole)).execute(TASK)
    lines = whole.read_bytes().splitlines(keepends=True)
    begun = next(number for number, line in enumerate(lines) if b'"line":"begun"' in line)
    path.write_bytes(b"".join(lines[: begun + 1]))
    asked = resume(path, planned, tools)
    assert asked.question is not None and asked.question.options == ("done", "repeat", "stop")
    before = path.read_bytes()
    for words in ("yes", "no", "4"):
        with pytest.raises(UsageError, match=f"answer: {words} is none of the options, which are: 1 done, 2 repeat, 3"):
            resume(path, planned, tools, answer=words)
        assert main(["resume", str(path), "--answer", words]) == 2
        said = capsys.readouterr().err
        assert f"--answer: {words} is none of the options, which are: 1 done, 2 repeat, 3 stop\n" in said
    assert path.read_bytes() == before
    assert resume(path, planned, tools, answer="Done").stop_reason != "unknown_outcome"


@pytest.mark.requirement("X3")
def test_a_run_that_another_process_works_on_is_refused(tmp_path: Path) -> None:
    """The second one to take it up is told so in one line."""
    path = tmp_path / "run.jsonl"
    saved(path)
    journal = Journal.reopen(path)
    script = "import sys; from aeon.assembly.build import resume; resume(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(Path(aeon.__file__).parents[1])},
    )  # fmt: skip
    journal.close()
    assert done.stderr.splitlines()[-1].endswith("another process is working on this run; wait until it has ended")
    with pytest.raises(InputFileError, match="cannot be read"):
        resume(tmp_path / "none.jsonl", llm=model())


@pytest.mark.requirement("X3", "H1")
def test_the_tools_of_a_run_are_those_of_its_journal(tmp_path: Path) -> None:
    """Tools of the caller's own have to be passed again; they keep the run's idempotency key."""
    keys: list[str] = []

    def made() -> Tool:
        @tool(name="note", side_effects=False)
        def note(text: str, idempotency_key: str) -> str:
            """Keep a note."""
            keys.append(idempotency_key)
            return f"kept {text}"

        return note

    path = tmp_path / "run.jsonl"
    noting = 'print(note("tea"))'
    started = build(
        llm=model(noting),
        tools=["calculator", made()],
        config=SUSPENDING.changed(thorough=True),
        journal=lambda _: Journal(path),
    ).execute(TASK)
    assert started.stop_reason == "waiting"
    with pytest.raises(UsageError, match="the run had tools of the caller's own: note; pass all its tools again"):
        resume(path, llm=model(noting), answer="2025")
    result = resume(path, llm=model(noting), tools=["calculator", made()], answer="2025")
    (done,) = result.history.passes[0].executed
    (key,) = set(keys)
    assert key.startswith(f"{started.history.execution_id}:{done.id}.1:") and done.output == "kept tea"


@pytest.mark.requirement("H3", "X3")
def test_a_fork_runs_with_the_configuration_that_it_was_given(tmp_path: Path) -> None:
    """The modules of its future are made for it."""
    path = tmp_path / "run.jsonl"
    first = saved(path, Config(max_passes=3))
    strict = Config(max_passes=1, output_tokens=128)
    journal = fork(Journal.read(path), 3, strict, path=tmp_path / "fork.jsonl")
    scripted = model()
    result = resumption(journal, scripted).execute()
    assert (result.history.configuration, first.history.configuration.max_passes) == (strict, 3)
    assert max(request.max_tokens for request in scripted.requests) <= 128
    assert replay(Journal.read(tmp_path / "fork.jsonl")).model_dump_json() == result.model_dump_json()


@pytest.mark.requirement("X3")
def test_a_resumption_can_be_driven_in_a_running_loop(tmp_path: Path) -> None:
    """It is a driver and a job, like any run's."""
    path = tmp_path / "run.jsonl"
    saved(path)

    async def cell() -> Result:
        journal = Journal.reopen(path)
        again = resumption(journal, model(), answer="2025")
        assert again.question is not None and again.question.text == "Which year?"
        return await again.driver.aexecute(again.job)

    assert asyncio.run(cell()).stop_reason == "converged"

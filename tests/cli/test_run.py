"""``aeon run``: what it prints, what it answers, and how it complains."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from aeon.llm import catalogue, download

from .conftest import Outcome
from .played_model import Model

Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost?"


@pytest.mark.usefixtures("thorough")
def test_a_run_tells_its_story_and_ends_with_the_answer(aeon: Aeon, model: Model) -> None:
    """Plan, steps, scores, answer, stop reason and cost stand there, without escape codes."""
    model.plans_in_steps()
    done = aeon("run", TASK, "--model", model.url)
    assert (done.code, done.errors) == (0, [])
    for words in (
        TASK,
        "plan     s1 ",
        "program  s1 = 40.8",
        "program  s2 = 40.8",
        "completeness 1.00",
        "Answer",
        "converged  1 pass",
        "tokens",
    ):
        assert words in done.shown
    assert "\x1b" not in done.shown
    assert max(map(len, done.err.splitlines())) <= 80


@pytest.mark.requirement("J8", "K13")
@pytest.mark.usefixtures("thorough")
def test_a_model_that_was_not_measured_is_asked_and_its_judgment_is_assumed(aeon: Aeon, model: Model) -> None:
    """It is asked in single tokens, its "Yes" decides, and the document says that nobody measured its worth."""
    done = aeon("run", TASK, "--model", model.url, "--json")
    assert (done.code, done.err) == (0, "") and done.document["stop_reason"] == "converged"
    assert done.document["assessment"]["standing"] == "assumed"
    asked = [(str(body["messages"][-1]["content"]), body) for body in model.bodies if TASK in str(body)]
    judged = [body for text, body in asked if text.endswith("Answer Yes or No.")]
    assert len(judged) >= 2 and {(body.get("logprobs"), body["max_tokens"]) for body in judged} == {(True, 1)}


@pytest.mark.requirement("J8", "K13")
def test_a_model_that_tells_no_probabilities_judges_in_one_reply(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """A run by programs is judged all the same; nobody is asked for a single token."""
    model.tells_probabilities = False
    done = aeon("run", TASK, "--model", model.url, "--save", str(tmp_path / "saved"))
    assert done.code == 0 and "converged  1 pass" in done.err
    assert "completeness 1.00" in aeon("history", str(tmp_path / "saved")).out
    assert not any(body.get("logprobs") for body in model.bodies if TASK in str(body))
    reviews = [body for body in model.bodies if "completeness" in str(body.get("response_format"))]
    assert len(reviews) == 1 and TASK in str(reviews[0])


@pytest.mark.requirement("J8")
@pytest.mark.usefixtures("thorough")
def test_a_judgment_that_was_measured_to_be_too_poor_is_told_in_the_history_only(
    aeon: Aeon, model: Model, tmp_path: Path
) -> None:
    """The story of the run leaves it out; the history says that the results were not judged, and why."""
    model.was_measured()
    done = aeon("run", TASK, "--model", model.url, "--save", str(tmp_path / "saved"))
    assert done.code == 0 and "too poor to decide" not in done.shown and "  check " not in done.shown
    told = aeon("history", str(tmp_path / "saved")).out
    assert "check    not judged" in told and "measured to be too poor to decide: result_right" in told


@pytest.mark.parametrize("codes", [range(0x202A, 0x202F), range(0x2066, 0x206A), (0x200E, 0x61C, 0x9B, 0x7F, 0x2028)])
def test_json_holds_nothing_that_steers_a_terminal(aeon: Aeon, model: Model, codes: Iterable[int]) -> None:
    """What could turn the reading direction or start a sequence is written as an escape; the values are the same."""
    odd = "".join(map(chr, codes))
    done = aeon("run", f"{TASK} {odd}.", "--model", model.url, "--json")
    assert not set(odd) & set(done.out)
    assert done.document["history"]["task"]["text"] == f"{TASK} {odd}."


def test_json_is_one_document_and_nothing_else(aeon: Aeon, model: Model) -> None:
    """With --json standard output is the result, with its history, and standard error is silent."""
    done = aeon("run", TASK, "--model", model.url, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.document["sufficient"] and done.document["history"]["task"]["text"] == TASK


def test_without_converging_the_exit_code_is_3(aeon: Aeon, model: Model) -> None:
    """A run that a budget ends answers all the same, and says which budget."""
    done = aeon("run", TASK, "--model", model.url, "--json", "--budget-calls", "5")
    assert (done.code, done.document["stop_reason"]) == (3, "calls_exhausted")


def test_the_task_is_read_from_standard_input(
    aeon: Aeon, model: Model, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A dash stands for standard input."""
    (tmp_path / "task").write_text("Täglich 3 mal 4?\n", encoding="utf-8")
    with (tmp_path / "task").open(encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        done = aeon("run", "-", "--model", model.url, "--json")
    assert done.document["history"]["task"]["text"] == "Täglich 3 mal 4?"


def test_context_and_schema_come_from_files(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """The context reaches the model, and the answer is an object of the schema."""
    (tmp_path / "c.txt").write_text("A pen costs 2.40.")
    schema = {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]}
    (tmp_path / "s.json").write_text(json.dumps(schema))
    files = ("--context", str(tmp_path / "c.txt"), "--schema", str(tmp_path / "s.json"))
    done = aeon("run", TASK, "--model", model.url, "--json", *files)
    assert done.document["value"] == {"total": 1}
    assert any("A pen costs 2.40." in json.dumps(body) for body in model.bodies)


def test_an_answer_that_does_not_fit_its_schema_is_no_success(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """The exit code is 3, and the reason stands under the answer."""
    (tmp_path / "s.json").write_text('{"type": "object", "properties": {"total": {"const": 1}}, "maxProperties": 0}')
    done = aeon("run", TASK, "--model", model.url, "--schema", str(tmp_path / "s.json"))
    assert done.code == 3 and "schema unmet" in done.shown
    assert "converged" not in done.shown.splitlines()[-1]


def test_tools_that_are_given_again_add_up(aeon: Aeon, model: Model) -> None:
    """None is dropped without a word, and one that is given twice is refused."""
    done = aeon(
        "run", TASK, "--model", model.url, "--json", "--thorough", "--tools", "calculator", "--tools", "algebra"
    )
    assert done.code == 0
    asked = json.dumps(model.bodies)
    assert "calculator(expression" in asked and "solve_equation(" in asked
    aeon("run", TASK, "--model", model.url, "--tools", "dates", "--tools", "dates").complains(2, "two tools are named")


def test_the_bound_is_known_without_a_model(aeon: Aeon) -> None:
    """--bound prints the most that a run could spend, and follows from the settings alone."""
    done = aeon("run", "--bound", "--json", "--budget-calls", "7")
    assert (done.code, done.document["calls"]) == (0, 7)
    told = aeon("run", "--bound", "--budget-calls", "7")
    assert told.out == "no run can spend more than 7 model calls, 371,840 tokens and $0\nno runs like this yet\n"
    told = aeon("run", "--bound", "--budget-calls", "7", "--model", "http://127.0.0.1:1/v1#m")
    assert told.out.endswith(" tokens and an unknown cost: set a price for m\nno runs like this yet\n")


@pytest.mark.requirement("K15", "X1")
def test_what_like_runs_took_stands_beside_the_bound(aeon: Aeon, model: Model) -> None:
    """With --bound, and before a run of the same kind begins; where none is on record the run says nothing of it."""
    first = aeon("run", TASK, "--model", model.url)
    assert " like this" not in first.shown
    told = aeon("run", "--bound", "--model", model.url).out.splitlines()[1]
    assert told.startswith("1 run like this: median ") and "; 90 % within " in told
    second = aeon("run", TASK, "--model", model.url)
    assert told in second.err.splitlines()
    assert aeon("run", "--bound", "--json", "--model", model.url).document["expected"]["runs"] == 2


def test_a_log_holds_every_event(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """--log writes one JSON object a line, the first and the last of the run included."""
    aeon("run", TASK, "--model", model.url, "--log", str(tmp_path / "log"))
    events = [json.loads(line)["event"] for line in (tmp_path / "log").read_text().splitlines()]
    assert (events[0], events[-1]) == ("run_started", "run_ended")


def test_control_characters_of_a_model_are_shown_not_sent(aeon: Aeon, model: Model) -> None:
    """A task or an answer that holds terminal codes is printed with the codes escaped."""
    done = aeon("run", "What is \x1b[2J\x1b]0;owned\x07 12?", "--model", model.url)
    aeon("run", TASK, "--context", "/no\x1b[2J\n.txt").complains(2, "/no\\x1b[2J .txt")
    assert "\x1b" not in done.shown and "\x07" not in done.shown and "\\x1b[2J" in done.shown


DEEP = "prices={{" + ".".join("a" * 5_000) + " = {}}}"
WRONG: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "no command": ((), ("run, research, report, resume, replay",)),
    "unknown command": (("rum", TASK), ("'rum'", "did you mean run?")),
    "no task": (("run",), ("what you want to know",)),
    "empty task": (("run", "  "), ("the task is empty",)),
    "unknown option": (("run", TASK, "--tool", "x"), ("'--tool'", "did you mean --tools?")),
    "unquoted task": (("run", "What", "is", "this"), ("'is'", "quotes")),
    "unknown tool": (("run", TASK, "--tools", "calclator"), ("'calclator'", "did you mean calculator?")),
    "unknown model": (("run", TASK, "--model", "gpt-9"), ("'gpt-9'", "qwen2.5-coder-1.5b")),
    "no folder": (("run", TASK, "--tools", "files=/nowhere/at/all"), ("/nowhere/at/all", "No such file")),
    "a file as folder": (("run", TASK, "--tools", "files=/etc/hostname"), ("/etc/hostname",)),
    "no passes": (("run", TASK, "--max-passes", "0"), ("--max-passes", "above 0")),
    "too many passes": (("run", TASK, "--max-passes", "100000"), ("max_passes", "1000")),
    "budget in words": (("run", TASK, "--budget-tokens", "many"), ("--budget-tokens", "'many'")),
    "endless budget": (("run", TASK, "--budget-seconds", "inf"), ("--budget-seconds", "'inf'")),
    "no configuration": (("run", TASK, "--config", "/nowhere.toml"), ("/nowhere.toml", "No such file")),
    "no context": (("run", TASK, "--context", "/nowhere.txt"), ("/nowhere.txt", "No such file")),
    "no schema": (("run", TASK, "--schema", "/nowhere.json"), ("/nowhere.json", "No such file")),
    "no place to save": (("run", TASK, "--save", "/nowhere/at/all"), ("/nowhere/at/all", "there is no folder")),
    "no place to log": (("run", TASK, "--log", "/nowhere/at/all"), ("/nowhere/at/all", "No such file")),
    "no name to save": (("run", TASK, "--save", ""), ("--save", "is empty")),
    "no name to log": (("run", TASK, "--log", ""), ("--log", "is empty")),
    "no name of a model": (("run", TASK, "--model", ""), ("--model", "is empty")),
    "no name of a configuration": (("run", TASK, "--config", ""), ("--config", "is empty")),
    "no name of a context": (("run", TASK, "--context="), ("--context", "is empty")),
    "no name of a schema": (("run", TASK, "--schema", ""), ("--schema", "is empty")),
    "no name of a run": (("replay", ""), ("FILE", "is empty")),
    "no name of another model": (("resume", "x", "--model", ""), ("--model", "is empty")),
    "no name of runs": (("metrics", ""), ("RUNS", "is empty")),
    "a context without end": (("run", TASK, "--context", "/dev/zero"), ("/dev/zero", "larger than the 16 MiB")),
    "a schema without end": (("run", TASK, "--schema", "/dev/zero"), ("/dev/zero", "larger than the 16 MiB")),
    "a configuration without end": (("run", TASK, "--config", "/dev/zero"), ("/dev/zero", "larger than the 16 MiB")),
    "a calibration without end": (
        (
            "run",
            TASK,
            "--set",
            "reasoning_engine.state_monitor.calibration=/dev/zero",
            "--set",
            "reasoning_engine.state_monitor.confidence_model=calibrated",
        ),
        ("/dev/zero", "larger than the 16 MiB"),
    ),
    "deep tables": (
        ("run", TASK, "--set", DEEP.format(1), "--set", DEEP.format(2)),
        ("prices", "nested too deeply"),
    ),
    "unknown format": (("history", "x", "--format", "pdf"), ("pdf", "mermaid")),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_usage_is_one_line_and_exit_code_2(aeon: Aeon, model: Model, name: str) -> None:
    """Each says what is wrong and what to do, before any model is asked."""
    arguments, words = WRONG[name]
    names_none = arguments[1:2] == (TASK,) and "--model" not in arguments
    done = aeon(*arguments, *(("--model", model.url) if names_none else ()))
    done.complains(2, *words)
    assert done.out == "" and not model.bodies


@pytest.mark.parametrize("name", ["unknown model", "unknown tool", "unknown option", "empty task"])
def test_with_json_an_error_is_a_document_too(aeon: Aeon, name: str) -> None:
    """Standard output then holds the error's type and message."""
    done = aeon(*WRONG[name][0], "--json")
    assert done.code == 2 and set(done.document["error"]) == {"type", "message"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1]", "must be an object"),
        ("{", "no JSON"),
        ('{"type": "objekt"}', "JSON Schema"),
        ('{"description": "\\ud800"}', "lone surrogate"),
        ('{"properties": {"\\udfff": {}}}', "lone surrogate"),
        ('{"maximum": ' + "9" * 5_000 + "}", "digits"),
        ('{"not":' * 300 + "{}" + "}" * 300, "nested too deeply"),
        ('{"$schema": 5}', "$schema"),
        ('{"$ref": "#/$defs/none"}', "leads nowhere"),
        ('{"$ref": "#"}', "without end"),
        ('{"pattern": "(?=a)"}', "look-around"),
        ('{"maximum": Infinity}', "no JSON"),
        ('{"maximum": 1e999}', "no JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("\xff", "UTF-8"),
    ],
)
def test_a_schema_that_is_none_is_refused(aeon: Aeon, tmp_path: Path, text: str, words: str) -> None:
    """The line names the file and what is wrong with it."""
    (tmp_path / "s.json").write_bytes(text.encode("latin-1"))
    aeon("run", TASK, "--schema", str(tmp_path / "s.json")).complains(2, "s.json", words)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--model", "https://me:s3cret@host/v1#m"),
        ("--set", "reasoning_engine.evaluate.eval_model=https://me:s3cret@host/v1#m"),
        ("--set", "reasoning_engine.refine.refinement_model=https://host/v1?key=s3cret#m"),
    ],
)
def test_a_secret_in_a_url_is_refused_and_written_nowhere(
    aeon: Aeon, model: Model, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """One line names the variable for the key; neither journal nor log holds the secret, and no model is asked."""
    own = () if "--model" in arguments else ("--model", model.url)
    saved, log = str(tmp_path / "saved"), str(tmp_path / "log")
    done = aeon("run", TASK, *own, *arguments, "--save", saved, "--log", log, "--json")
    done.complains(2, "host", "AEON_API_KEY")
    assert "s3cret" not in done.shown + done.err and not model.bodies and not (tmp_path / "saved").exists()
    assert all(b"s3cret" not in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


REFUSALS: dict[str, tuple[int, str, dict[str, str], str]] = {
    "401": (401, '{"error": {"message": "bad key"}}', {}, "key"),
    "404": (404, '{"error": {"message": "no such model"}}', {}, "played"),
    "429": (429, '{"error": {"message": "slow down"}}', {"Retry-After": "0.01"}, "429"),
    "429 for long": (429, '{"error": {"message": "slow down"}}', {"Retry-After": "3600"}, "429"),
    "500": (500, '{"error": {"message": "oh no"}}', {}, "500"),
    "html": (200, "<html>Welcome</html>", {}, "/v1"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_an_endpoint_that_refuses_ends_the_run_with_one_line(
    aeon: Aeon, model: Model, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Exit code 1, and the line says which endpoint and what it answered; a rate limit is waited for first."""
    monkeypatch.setattr("aeon.llm.endpoint.LONGEST_WAIT", 0.05)
    status, text, headers, word = REFUSALS[name]
    model.fails(status, text, **headers)
    done = aeon("run", TASK, "--model", model.url)
    done.complains(1, model.root, word)
    assert "failed" in done.shown


def test_an_endpoint_that_is_not_there_ends_the_run_with_one_line(aeon: Aeon) -> None:
    """A refused connection is exit code 1; with --json the result says that the run failed."""
    aeon("run", TASK, "--model", "http://127.0.0.1:1/v1#m").complains(1, "http://127.0.0.1:1/v1", "cannot reach")
    done = aeon("run", TASK, "--model", "http://127.0.0.1:1/v1#m", "--json")
    assert (done.code, done.document["stop_reason"]) == (1, "failed")
    aeon("run", TASK, "--model", "http://127.0.0.1:1/v1").complains(1, "http://127.0.0.1:1/v1", "cannot reach")


def test_an_endpoint_that_hangs_ends_the_run_with_one_line(aeon: Aeon, model: Model) -> None:
    """No answer within the deadline is exit code 1."""
    model.hangs()
    aeon("run", TASK, "--model", model.url).complains(1, model.root, "deadline")


def test_without_network_and_model_one_line_says_what_to_do(
    aeon: Aeon, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No mirror can be reached: exit code 1, no run is begun and no journal left."""
    nowhere = catalogue.HubFile(url="http://127.0.0.1:1/weights")
    entry = catalogue.CATALOGUE[catalogue.DEFAULT_MODEL].changed(mirrors=(nowhere,))
    monkeypatch.setattr("aeon.llm.select.CATALOGUE", {entry.name: entry})
    monkeypatch.setattr("aeon.cli.progress.CATALOGUE", {entry.name: entry})
    monkeypatch.setattr(download, "CONNECT_SECONDS", 0.2)
    done = aeon("run", TASK, "--save", str(tmp_path / "saved"))
    said = done.err.splitlines()
    assert done.code == 1 and len(said) == 2 and said[0].startswith("fetching Qwen"), done
    assert said[1].startswith("aeon: no mirror") and "check the network" in said[1]
    assert done.out == "" and not (tmp_path / "saved").exists()

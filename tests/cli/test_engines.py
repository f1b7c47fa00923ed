"""An engine of another package on the command line: every command works for it, and what is wrong is one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aeon import Journal
from aeon.llm.local import Local

from .conftest import Outcome
from .played_model import Model
from .test_main import ended, start

Aeon = Callable[..., Outcome]
Install = Callable[..., None]
TASK = "one two three four five six"
SHORTENER = "shorten = cli.shortener:PLUGIN"

pytestmark = pytest.mark.requirement("M1", "M4")


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Installs a package that brings engines, as pip would: by its metadata."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def bring(name: str, *entry_points: str) -> None:
        info = site / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("\n".join(["[aeon.engines]", *entry_points, ""]))

    return bring


@pytest.fixture
def saved(aeon: Aeon, install: Install, tmp_path: Path) -> Path:
    """The journal of a run of the engine ``shorten``."""
    install("shortener", SHORTENER)
    path = tmp_path / "run.jsonl"
    assert aeon("run", TASK, "--engine", "shorten", "--save", str(path)).code == 0
    return path


def test_engines_are_listed_with_their_problems(aeon: Aeon, install: Install) -> None:
    """Name and version, the package, and whether it can be used; a broken one says why on one line."""
    install("shortener", SHORTENER)
    install("broken", "fails = cli.no_such_module:PLUGIN", "odd = cli.shortener:TASK", "other = cli.shortener:PLUGIN")
    done = aeon("engines")
    rows = [line.split(maxsplit=2) for line in done.shown.splitlines()]
    assert (done.code, done.err) == (0, "")
    assert rows[0] == ["multi-pass/6", "aeon-orchestrator", "usable"]
    assert ["shorten/1", "shortener", "usable"] in rows
    problems = {row[0]: row[2] for row in rows if row[1] == "broken"}
    assert problems["fails"].startswith("cannot be used: ") and "no_such_module" in problems["fails"]
    assert "'shorten' under another name" in problems["other"] and "cannot be used" in problems["odd"]
    document = {one["name"]: one for one in aeon("engines", "--json").document}
    assert document["shorten/1"] == {"name": "shorten/1", "source": "shortener", "usable": True, "problem": ""}
    assert not document["fails"]["usable"] and "no_such_module" in document["fails"]["problem"]


def test_two_engines_of_one_name_cannot_be_used(aeon: Aeon, install: Install) -> None:
    """Neither is chosen: the line names both packages."""
    install("shortener", SHORTENER)
    install("another", SHORTENER)
    aeon("run", TASK, "--engine", "shorten").complains(2, "shortener", "another")
    assert "2 packages" in aeon("engines").out


def test_a_run_of_another_engine_tells_its_story(aeon: Aeon, saved: Path, tmp_path: Path) -> None:
    """A line an effect, then the answer, the engine's own stop reason and the cost; no model is fetched or asked."""
    done = aeon("run", TASK, "--engine", "shorten/1")
    assert (done.code, done.errors) == (0, [])
    for words in (TASK, "no model is called", "shorten", "one two three", "Answer", "one two", "short  0 model calls"):
        assert words in done.shown
    assert "\x1b" not in done.shown and max(map(len, done.err.splitlines())) <= 80
    assert Journal.read(saved).opened.engine == "shorten/1"
    document = aeon("run", TASK, "--engine", "shorten", "--json").document
    assert (document["stop_reason"], document["versions"][-1], document["sufficient"]) == ("short", "one two", True)


def test_the_exit_code_follows_from_whether_the_answer_is_good_enough(aeon: Aeon, saved: Path) -> None:
    """An engine's own stop reason that says nothing good is exit code 3."""
    done = aeon("run", TASK, "--engine", "shorten", "--set", "longest=1", "--set", "words=2")
    assert done.code == 3 and "stuck" in done.shown and "no word can go any more" in done.shown


def test_settings_are_those_of_the_engine(aeon: Aeon, saved: Path, tmp_path: Path) -> None:
    """Options, files and ``aeon config`` know its settings and no others."""
    assert "longest" in aeon("config", "--engine", "shorten").out
    assert "max_passes" not in aeon("config", "--engine", "shorten").out
    aeon("run", TASK, "--engine", "shorten", "--set", "longets=3").complains(2, "longets", "did you mean longest?")
    aeon("run", TASK, "--engine", "shorten", "--max-passes", "3").complains(2, "--max-passes", "'shorten'", "no passes")
    (tmp_path / "s.toml").write_text("longest = 7\n")
    assert aeon("config", "check", str(tmp_path / "s.toml"), "--engine", "shorten").code == 0
    aeon("config", "check", str(tmp_path / "s.toml")).complains(2, "longest")
    document = aeon("run", TASK, "--engine", "shorten", "--config", str(tmp_path / "s.toml"), "--json").document
    assert document["answer"] == "one two"


def test_the_bound_is_the_engines(aeon: Aeon, saved: Path) -> None:
    """An engine that calls no model costs nothing."""
    done = aeon("run", "--engine", "shorten", "--bound")
    assert done.out == "no run can spend more than 0 model calls, 0 tokens and $0\n"


def test_its_history_is_shown_in_every_format(aeon: Aeon, saved: Path) -> None:
    """A report, its result as JSON, a flowchart of the effects in the order of their batches, a line an effect."""
    done = aeon("history", str(saved))
    assert (done.code, done.err) == (0, "")
    for words in ("engine shorten/1", f"Task: {TASK}", "  0 ┌ shorten", "  1 └ count", "Answer", "short  0", "bound:"):
        assert words in done.shown
    document = aeon("history", str(saved), "--format", "json").document
    assert document["versions"][0] == TASK and document["engine"] == "shorten/1"
    chart = [line.strip() for line in aeon("history", str(saved), "--format", "mermaid").out.splitlines()]
    assert chart[0] == "flowchart TD" and any(line.startswith('effect_0["0: shorten') for line in chart)
    for arrow in ("effect_0 --> effect_1", "effect_1 --> effect_2", "effect_7 --> answer"):
        assert arrow in chart
    rows = aeon("history", str(saved), "--format", "effects").out.splitlines()
    assert len(rows) == 1 + len(Journal.read(saved).entries) and max(map(len, rows)) <= 80
    assert "one two three four five" in rows[1]


def test_it_is_replayed_forked_and_compared(aeon: Aeon, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a model, which is not fetched; the fork with another setting and another outcome, which is marked."""
    monkeypatch.setattr(Local, "load", lambda self: pytest.fail("a run that calls no model loads one"))
    monkeypatch.setattr("aeon.cli.session.fetch_weights", lambda model, quiet: pytest.fail("weights are fetched"))
    assert "replayed 8 effects, bit-identical" in aeon("replay", str(saved)).out
    done = aeon("fork", str(saved), "--at", "2", "--set", "longest=4")
    assert done.code == 0 and "Resumed after 2 effects" in done.shown and done.out == "one\n"
    fork = str(saved.with_name("run.fork1.jsonl"))
    found = aeon("diff", str(saved), fork)
    assert found.code == 1 and "longest: 12 | 4" in found.out and "only b has it" in found.out
    assert aeon("replay", fork).code == 0
    value = json.dumps({"text": "one", "number": 1})
    done = aeon("fork", str(saved), "--at", "0", "--value", value)
    assert done.code == 0 and "altered  shorten: " in done.shown and done.out == "one\n"
    assert "altered: " in aeon("history", str(saved.with_name("run.fork2.jsonl"))).out


def test_runs_of_two_engines_are_compared(aeon: Aeon, model: Model, saved: Path, tmp_path: Path) -> None:
    """That the engines are others is the first that is said; nothing breaks over what they do not share."""
    other = str(tmp_path / "other.jsonl")
    aeon("run", TASK, "--model", model.url, "--save", other)
    done = aeon("diff", str(saved), other)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("other engines: shorten/1 | multi-pass/6\n")
    assert "first divergence: effect 0, shorten" in done.shown and "Pass 1" in done.shown
    assert aeon("diff", str(saved), other, "--json").document["engines"] == ["shorten/1", "multi-pass/6"]


def test_it_counts_in_the_metrics(aeon: Aeon, saved: Path) -> None:
    """It converged; what it does not have is left out."""
    document = aeon("metrics", str(saved), "--json").document
    values = {each["name"]: each["value"] for each in document["metrics"]}
    assert (document["runs"], values["convergence_rate"], values["mean_iterations"]) == (1, 1.0, None)


def test_it_asks_waits_and_is_resumed(aeon: Aeon, install: Install, tmp_path: Path) -> None:
    """Exit code 4 while it waits; with the answer it goes to its end, and nothing is asked again."""
    install("shortener", SHORTENER)
    path = str(tmp_path / "asks.jsonl")
    task = "cut it at either end"
    done = aeon("run", task, "--engine", "shorten", "--unattended", "suspend", "--save", path)
    assert done.code == 4 and "Which end?" in done.shown and f"continue with: aeon resume {path}" in done.shown
    assert "Which end?" in aeon("history", path).out
    done = aeon("resume", path, "--answer", "front")
    assert done.code == 0 and "either end" in done.shown and "answered front" in done.shown
    done = aeon("resume", path)
    assert done.code == 0 and done.err.startswith("aeon: the run has ended; nothing was left to do\n")


def test_a_killed_run_of_it_is_continued(install: Install, aeon: Aeon, tmp_path: Path) -> None:
    """What the journal holds is not done again."""
    install("shortener", SHORTENER)
    path = tmp_path / "killed.jsonl"
    process = start("run", "slowly cut this text to its size", "--engine", "shorten", "--save", str(path))
    while not (path.exists() and path.read_bytes().count(b'"entry"') >= 2):
        assert process.poll() is None
    process.kill()
    ended(process)
    before = path.read_bytes()
    done = aeon("resume", str(path))
    assert done.code == 0 and "Resumed after" in done.shown and path.read_bytes().startswith(before)


COMMANDS: dict[str, tuple[str, ...]] = {
    "resume": ("resume", "FILE"),
    "replay": ("replay", "FILE"),
    "fork": ("fork", "FILE", "--at", "1"),
    "diff": ("diff", "FILE", "FILE"),
    "history": ("history", "FILE"),
    "effects": ("history", "FILE", "--format", "effects"),
    "metrics": ("metrics", "FILE"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_journal_of_an_engine_that_is_not_there_is_one_line(
    aeon: Aeon, install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Not installed, or in another version only: exit code 2, the file stays as it is."""
    install("shortener", SHORTENER)
    path = tmp_path / "run.jsonl"
    aeon("run", TASK, "--engine", "shorten", "--save", str(path))
    journal = Journal.read(path)
    newer = tmp_path / "newer.jsonl"
    Journal.written(journal.opened.changed(engine="shorten/2"), journal.entries.values(), newer).close()
    arguments = [str(newer) if word == "FILE" else word for word in COMMANDS[command]]
    aeon(*arguments).complains(2, "'shorten/2' is needed", "'shorten/1' is installed", "shortener")
    (tmp_path / "site" / "shortener-1.0.dist-info" / "entry_points.txt").unlink()
    before = path.read_bytes()
    arguments = [str(path) if word == "FILE" else word for word in COMMANDS[command]]
    done = aeon(*arguments)
    done.complains(2, "'shorten' is not installed", "multi-pass", "aeon engines")
    assert done.out == "" and path.read_bytes() == before


@pytest.mark.parametrize("command", COMMANDS)
def test_a_journal_of_the_version_before_is_one_line(aeon: Aeon, model: Model, tmp_path: Path, command: str) -> None:
    """It says which version it is, which one is read, and what to do; exit code 2."""
    path = tmp_path / "run.jsonl"
    aeon("run", TASK, "--model", model.url, "--save", str(path))
    path.write_bytes(path.read_bytes().replace(b'"version":2', b'"version":1'))
    arguments = [str(path) if word == "FILE" else word for word in COMMANDS[command]]
    aeon(*arguments).complains(2, "run.jsonl", "journal version 1", "reads version 2", "run the task again")


def test_an_engine_that_is_not_installed_is_one_line(aeon: Aeon) -> None:
    """For a run and for its settings; the line names those that are there."""
    aeon("run", TASK, "--engine", "shortn").complains(2, "'shortn' is not installed", "multi-pass")
    aeon("config", "--engine", "shortn").complains(2, "'shortn' is not installed")
    aeon("run", TASK, "--engine", "multi-pass/9").complains(2, "'multi-pass/9' is needed")

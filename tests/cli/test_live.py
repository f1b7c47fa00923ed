"""What stands on the screen while something is under way: on a terminal, on one that can do little, and in a pipe."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from aeon.cli.live import LiveView
from aeon.errors import ServerBroken, UsageError
from aeon.kernel.passes import MULTIPASS
from aeon.llm.local import Local
from aeon.multipass.effects import DraftPlan, ExecuteStep
from aeon.observability.lines import Span
from aeon.runtime.events import EffectEnded, EffectStarted, RunStarted, TextDelta
from aeon.schema import Config, Failure, Outcome, Question, Step, Task, TaskProfile
from aeon.schema.effects import AskUser, Effect
from aeon.tools.files import Files

from .conftest import Outcome as Done
from .played_model import Model
from .terminal import Terminal

Aeon = Callable[..., Done]
TASK = Task(text="How much?")
PLAN = DraftPlan(task=TASK, profile=TaskProfile(), most_steps=3)

pytestmark = pytest.mark.requirement("T3a")


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """Seconds that pass when they are told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """A clock at 0."""
    return Clock()


@pytest.fixture
def pipe(clock: Clock) -> LiveView:
    """The view of a run that has begun, on a stream that is no terminal."""
    view = LiveView(io.StringIO(), clock)
    config = Config()
    bound = MULTIPASS.bound(config)
    view(RunStarted(line=0, execution_id="x", engine=MULTIPASS.name, task=TASK, config=config, bound=bound))
    return view


def said(view: LiveView) -> str:
    """What a view wrote."""
    assert isinstance(view._file, io.StringIO)
    return view._file.getvalue()


def begin(view: LiveView, effect: Effect, number: int = 0) -> None:
    """Let an effect begin."""
    view(EffectStarted(line=0, number=number, effect=effect))


def last_line(view: LiveView, width: int) -> str:
    """The moving line on a terminal of this width; it is one line with room for ``^C``."""
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    with console.capture() as capture:
        console.print(view)
    (line,) = capture.get().splitlines()
    assert len(line) <= width - 3
    return line


def test_in_a_pipe_what_takes_long_is_named_once_while_it_is_under_way(pipe: LiveView, clock: Clock) -> None:
    """A phase of less than two seconds only has its finished line."""
    before = said(pipe)
    begin(pipe, PLAN)
    clock.now = 1.9
    pipe.announce()
    assert said(pipe) == before
    clock.now = 2.0
    pipe.announce()
    pipe.announce()
    assert said(pipe) == f"{before}  now      drafting a plan\n"


def test_effects_at_once_are_named_each(pipe: LiveView, clock: Clock) -> None:
    """One that has ended is not named any more."""
    steps = [ExecuteStep(task=TASK, step=Step(id=f"s{n}", description=f"part {n}")) for n in (1, 2, 3)]
    for number, step in enumerate(steps):
        begin(pipe, step, number)
    failed = Outcome(failure=Failure(kind="tool", message="no"))
    pipe(EffectEnded(line=1, number=1, effect=steps[1], outcome=failed))
    clock.now = 5.0
    pipe.announce()
    told = [line.split()[-1] for line in said(pipe).splitlines() if line.startswith("  now")]
    assert told == ["1", "3"]


@pytest.mark.requirement("P3f")
def test_the_last_line_shows_the_end_of_what_is_being_written(pipe: LiveView) -> None:
    """As much as there is room for, on one line; another text takes its place, and no line of its own is printed."""
    before = said(pipe)
    begin(pipe, PLAN)
    for number, text in enumerate(("A text of many words,\n", "the last of which are \x1b[31mthese", " ones")):
        pipe(TextDelta(line=0, number=0, text=text, begins=not number))
    wide = last_line(pipe, 200)
    assert "drafting a plan: A text of many words, the last of which are \\x1b[31mthese ones  0 s" in wide
    assert "drafting a plan: … " in last_line(pipe, 60) and "these ones  0 s" in last_line(pipe, 60)
    assert "ones" not in last_line(pipe, 34) and "drafting a plan" in last_line(pipe, 34)
    pipe(TextDelta(line=0, number=0, text="本" * 200, begins=True))
    assert "many words" not in last_line(pipe, 60) and "本本  0 s" in last_line(pipe, 60)
    pipe(TextDelta(line=0, number=0, text="", begins=True))
    assert "drafting a plan  0 s" in last_line(pipe, 60)
    pipe(TextDelta(line=0, number=7, text="of no effect", begins=True))
    assert said(pipe) == before


@pytest.mark.requirement("P3f")
def test_a_log_has_what_is_on_record(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """No text while it is written, and none of it on standard output or error but the answer."""
    log = tmp_path / "run.log"
    done = aeon("run", "What do 17 pens cost?", "--model", model.url, "--log", str(log))
    assert done.out.strip() and "effect_ended" in log.read_text() and "text_delta" not in log.read_text()
    assert "text_delta" not in done.err


def test_nothing_is_announced_into_a_question(pipe: LiveView, clock: Clock) -> None:
    """While somebody types an answer, nothing else is written there."""
    begin(pipe, AskUser(task=TASK, question=Question(text="Which?", default="all")))
    clock.now = 9.0
    with pipe.paused() as say:
        say("your answer: ")
        pipe.announce()
    assert said(pipe).endswith("your answer: ")


def test_a_reader_who_is_gone_does_not_stop_the_run(clock: Clock) -> None:
    """Nothing is shown any more, before the run and in it; the answer goes elsewhere."""

    class Gone(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    view = LiveView(Gone(), clock)
    with view.busy("loading"):
        pass
    begin(view, PLAN)
    view.show([(Span("the end"),)])
    assert isinstance(view.broken, BrokenPipeError)


def test_before_the_run_a_line_says_what_is_done(clock: Clock) -> None:
    """In a pipe, and on a terminal that cannot move its last line, as it begins; its end says nothing."""
    view = LiveView(io.StringIO(), clock)
    with view.busy("reading /home/me/shop"):
        assert said(view) == "reading /home/me/shop …\n"
    assert said(view) == "reading /home/me/shop …\n"


def test_a_dumb_terminal_is_treated_as_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets lines and no control codes."""
    monkeypatch.setenv("TERM", "dumb")
    view = LiveView(Screen())
    assert not view.moves
    with view, view.busy("loading a model"):
        pass
    assert said(view) == "loading a model …\n"


@pytest.mark.parametrize("width", [100, 60, 40])
def test_the_moving_line_has_a_bar_and_stays_one_line(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, width: int
) -> None:
    """What is done, of how many, for how long; a long name is cut where the terminal is narrow."""
    monkeypatch.setenv("TERM", "xterm")
    view = LiveView(Screen(), clock)
    assert view.moves
    with view.busy("reading " + "/a/long/path" * 10) as progress:
        clock.now = 3.0
        assert "of" not in last_line(view, width) and last_line(view, width).endswith("  3 s")
        progress(301, 602)
        line = last_line(view, width)
    assert "301 of 602  " in line and "…" in line and line.endswith("  3 s")
    assert (line.count("━"), line.count("╌")) == {100: (9, 10), 60: (5, 6), 40: (3, 4)}[width]


def test_an_interrupt_takes_the_moving_line_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is under way any more, and the line can move again later."""
    monkeypatch.setenv("TERM", "xterm")
    view = LiveView(Screen())
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), view.busy("loading a model"):
            raise KeyboardInterrupt
        assert not view._live.is_started and not view._under_way


def test_at_a_terminal_documents_are_counted_and_nothing_of_it_stays_in_a_pipe(
    aeon: Aeon, model: Model, tmp_path: Path
) -> None:
    """A bar to the last document; a folder of a few documents is not worth a line in a pipe."""
    (tmp_path / "shop").mkdir()
    for number in range(7):
        (tmp_path / "shop" / f"{number}.txt").write_text("x")
    arguments = ("run", "How much?", "--model", model.url, "--files", str(tmp_path / "shop"))
    shown = Terminal(*arguments, AEON_HOME=str(tmp_path / "home"))
    shown.until("starting …")
    shown.until("7 of 7  reading")
    shown.ended()
    told = aeon(*arguments).err
    assert f"reading {tmp_path}" not in told and "of 7" not in told


def test_the_model_is_loaded_before_the_run_begins(aeon: Aeon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line says so first; one that cannot be loaded begins no run and leaves no journal."""
    weights, saved = tmp_path / "small.gguf", tmp_path / "saved"
    weights.touch()

    def call(error: BaseException) -> Done:
        def load(_: Local) -> None:
            raise error

        monkeypatch.setattr(Local, "load", load)
        done = aeon("run", "How much?", "--model", str(weights), "--save", str(saved))
        assert done.out == "" and done.err.startswith("loading small …\n") and not saved.exists()
        return done

    call(ServerBroken("llama.cpp cannot load it")).complains(1, "llama.cpp cannot load it")
    assert call(KeyboardInterrupt()) == (130, "", "loading small …\naeon: interrupted\n")


@pytest.mark.requirement("T3b")
def test_a_model_begins_to_load_before_the_files_are_read(
    aeon: Aeon, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both take seconds; at the tier that asks no model, and of an endpoint, nothing is loaded."""
    began = list[str]()

    def read(*_: object) -> Files:
        began.append("reading")
        raise UsageError("far enough")

    monkeypatch.setattr(Local, "begin_loading", lambda local: began.append("loading"))
    monkeypatch.setattr(Files, "for_run", read)
    weights, folder = tmp_path / "small.gguf", tmp_path / "shop"
    weights.touch()
    folder.mkdir()
    for arguments in (["--model", str(weights)], ["--model-tier", "T0"], ["--model", model.url]):
        aeon("run", "What is 2 + 3?", "--files", str(folder), *arguments).complains(2, "far enough")
    assert began == ["loading", "reading", "reading", "reading"]


def test_an_endpoint_that_is_slow_to_name_its_model_leaves_no_blank_screen(model: Model, tmp_path: Path) -> None:
    """The moving line says so while it is asked; Ctrl-C ends it there."""
    model.lists_models = False
    shown = Terminal("run", "How much?", "--model", f"{model.root}/v1", AEON_HOME=str(tmp_path))
    shown.until("looking for the model")
    shown.types("\x03")
    assert shown.ended() == 130 and "aeon: interrupted" in shown.screen


def test_a_model_is_loaded_once_for_a_fork(aeon: Aeon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fork is tried before its file is made, and one line says that the model is loaded."""
    loads: list[Local] = []
    monkeypatch.setattr(Local, "load", lambda local: loads.append(local))
    (tmp_path / "small.gguf").touch()
    saved = tmp_path / "saved.jsonl"
    arguments = ("--model", str(tmp_path / "small.gguf"))
    aeon("run", "How much?", *arguments, "--save", str(saved))
    assert len(loads) == 1
    assert aeon("fork", str(saved), "--at", "0", *arguments).shown.count("loading small …") == 1
    assert len(loads) == 2

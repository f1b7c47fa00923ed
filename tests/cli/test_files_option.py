"""``aeon run --files DIR``: a folder to answer from, and what is said of it; ``--brief`` and ``--thorough``."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from absent import without

from aeon import Journal
from scripts.bench.hostile_files import attributes, generated_cells, nested_forms

from .conftest import Outcome
from .played_model import Model
from .terminal import Terminal

Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost?"

pytestmark = pytest.mark.requirement("T3")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a comma in its name, a table, a text, and two files that cannot be used."""
    root = tmp_path / "May, June"
    root.mkdir()
    (root / "sales.csv").write_text("shop,total\nHarbour,12\n")
    (root / "notes.txt").write_text("The bridge was built in 1931.\n")
    (root / "empty.md").touch()
    (root / "photo\x1b.jpg").write_bytes(b"\x00")
    return root


def tools_of(path: Path) -> list[str]:
    """The tools that a journal keeps."""
    return list(Journal.read(path).opened.setup["tools"])  # type: ignore[arg-type]


def prompts(model: Model) -> str:
    """All that the model was asked."""
    return str(model.bodies)


def test_a_folder_is_given_and_said_to_be_found(aeon: Aeon, model: Model, folder: Path) -> None:
    """The first line says what was found, what was skipped and why; the model is told of the tables and texts."""
    done = aeon("run", TASK, "--model", model.url, "--files", str(folder), "--thorough")
    first, second, *_ = done.err.splitlines()
    assert first.startswith(f"{folder}: 1 table; 1 document; skipped: empty.md (holds no text), photo")
    assert "(no table and no document)" in first and "\x1b" not in first and second == TASK
    assert "sales(shop VARCHAR" in prompts(model) and "notes.txt" in prompts(model)


def test_the_long_form_says_the_same(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """A folder among the tools is the same folder; both may be given, and the same one twice."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "note.txt").write_text("x")
    lines = [
        aeon("run", TASK, "--model", model.url, *options).err.splitlines()[0]
        for options in (
            ("--files", str(tmp_path / "a")),
            ("--tools", f"calculator,files={tmp_path / 'a'}"),
            ("--tools", f"files={tmp_path / 'a'}", "--files", str(tmp_path / "a")),
        )
    ]
    assert lines == [f"{tmp_path / 'a'}: 0 tables; 1 document"] * 3


@pytest.mark.requirement("T2f", "T1e")
def test_a_hostile_file_is_one_line_and_the_run_goes_on(
    aeon: Aeon, model: Model, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that takes all memory to read is named with the reason, and the run has the others."""
    monkeypatch.setattr("aeon.documents.readers._MEMORY", 160 * 1024**2)
    (folder / "forms.pdf").write_bytes(nested_forms(9))
    (folder / "worked.db").write_bytes(generated_cells(90, 900_000))
    done = aeon("run", TASK, "--model", model.url, "--files", str(folder))
    first = done.err.splitlines()[0]
    assert "1 table; 1 document" in first and "40.8" in done.out and done.errors == []
    assert "forms.pdf (is not read: it took more than 160 MB to read)" in first
    assert "worked.db (its tables are far larger than the file)" in first


@pytest.mark.requirement("K12")
def test_the_time_that_reading_takes_is_the_runs(
    aeon: Aeon, model: Model, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file takes no more than half of the run's seconds, the others are read, and the run ends within the rest."""
    monkeypatch.setattr("aeon.documents.readers._SECONDS", 60.0)
    (folder / "page.html").write_bytes(attributes(400_000))
    (folder / "late.html").write_text("<p>The mill was built in 1883.</p>")
    for name in ("page.html", "late.html"):
        os.utime(folder / name, (1e9, 1e9))
    saved = tmp_path / "run.jsonl"
    began = time.monotonic()
    options = ("--model", model.url, "--budget-seconds", "6", "--save", str(saved))
    done = aeon("run", TASK, *options, "--files", str(folder))
    assert time.monotonic() - began < 20
    assert "page.html (is not read: it took more than " in done.err
    assert "1 table; 2 documents" in done.err and "late.html" not in done.shown
    journal = Journal.read(saved)
    assert journal.opened.config["budget"]["seconds"] == 6  # type: ignore[index, call-overload]
    assert journal.entries[0].started > 1.5


def test_json_stays_one_document(aeon: Aeon, model: Model, folder: Path) -> None:
    """Where no terminal is, nothing is said of the folder."""
    done = aeon("run", TASK, "--model", model.url, "--files", str(folder), "--json")
    assert done.err == "" and done.document["history"]["task"]["text"] == TASK


def test_json_at_a_terminal_says_it_there(model: Model, folder: Path, tmp_path: Path) -> None:
    """Beside the live view, on standard error."""
    shown = Terminal("run", TASK, "--model", model.url, "--files", str(folder), "--json")
    shown.until("1 table; 1 document")
    shown.ended()


@pytest.mark.requirement("T3", "H3")
def test_a_saved_run_finds_its_folders_again(
    aeon: Aeon, model: Model, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replayed and forked from another working directory, with the tools that it had."""
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "extra.txt").write_text("x")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "run.jsonl"
    more = ("--files", folder.name, "--files", "more")
    assert aeon("run", TASK, "--model", model.url, *more, "--save", str(path)).code in (0, 3)
    kept = tools_of(path)
    assert kept[0] == "calculator" and str(folder).replace(",", ",,") in kept[1] and str(tmp_path / "more") in kept[1]
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert aeon("replay", str(path)).code in (0, 3)
    forked = aeon("fork", str(path), "--at", "1", "--model", model.url, "--save", "fork.jsonl")
    assert forked.err.startswith(f"{folder}, {tmp_path / 'more'}: 1 table; 2 documents; skipped: ")
    assert tools_of(Path("fork.jsonl")) == kept


@pytest.mark.requirement("T3", "H3")
def test_a_run_is_resumed_on_its_folder(aeon: Aeon, model: Model, folder: Path, tmp_path: Path) -> None:
    """What was found is said again; a folder that is gone is one line, and other tools may be given instead."""
    path = tmp_path / "run.jsonl"
    aeon("run", TASK, "--model", model.url, "--files", str(folder), "--save", str(path))
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(whole[0])
    folder.rename(tmp_path / "gone")
    aeon("resume", str(path)).complains(2, str(folder), "No such file")
    (tmp_path / "gone").rename(folder)
    assert aeon("resume", str(path)).err.startswith(f"{folder}: 1 table; 1 document")
    path.write_bytes(whole[0])
    assert "1 table" not in aeon("resume", str(path), "--tools", "calculator").shown


def test_many_documents_are_announced(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """Before they are read, a line says so."""
    (tmp_path / "many").mkdir()
    for number in range(51):
        (tmp_path / "many" / f"{number}.txt").write_text(f"x{number}")
    first, second, *_ = aeon("run", TASK, "--model", model.url, "--files", str(tmp_path / "many")).err.splitlines()
    assert first == f"reading {tmp_path / 'many'} …" and second == f"{tmp_path / 'many'}: 0 tables; 51 documents"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("none", ("cannot read the folder", "none", "No such file")),
        ("May, June/notes.txt", ("notes.txt", "no collection")),
        ("", ("--files", "is empty")),
        ("\0", ("null byte",)),
        ("\udcff", ("no journal can keep",)),
    ],
)
def test_what_is_no_folder_is_one_line(
    aeon: Aeon, model: Model, folder: Path, monkeypatch: pytest.MonkeyPatch, given: str, said: tuple[str, ...]
) -> None:
    """Exit code 2, before anything runs."""
    monkeypatch.chdir(folder.parent)
    aeon("run", TASK, "--model", model.url, "--files", given).complains(2, *said)
    assert not model.bodies


@pytest.mark.parametrize(("module", "name"), [("duckdb", "a.csv"), ("python_calamine", "a.xlsx")])
def test_a_missing_extra_is_one_line(
    aeon: Aeon, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    """Where there are tables and what reads them is not installed, it is said what to install."""
    for folder in ("data", "modules"):
        (tmp_path / folder).mkdir()
    (tmp_path / "data" / name).write_text("n\n1\n")
    monkeypatch.setitem(sys.modules, module, None)
    with without(module, tmp_path / "modules"):
        done = aeon("run", TASK, "--model", model.url, "--files", str(tmp_path / "data"))
    done.complains(2, "pip install 'aeon-orchestrator[tables]'")


def test_brief_and_thorough_are_settings(aeon: Aeon, model: Model) -> None:
    """Each sets the setting of its name, and without them nothing is set."""
    for options, brief, thorough in (((), False, False), (("--brief",), True, False), (("--thorough",), False, True)):
        done = aeon("run", TASK, "--model", model.url, "--json", *options)
        set_ = done.document["history"]["configuration"]
        assert (set_["brief"], set_["thorough"]) == (brief, thorough)


@pytest.mark.parametrize("option", ["--brief", "--thorough"])
def test_an_engine_without_such_a_setting_refuses_it(
    aeon: Aeon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    """One line names the option and the engine."""
    package = tmp_path / "shortener-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: shortener\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[aeon.engines]\nshorten = cli.shortener:PLUGIN\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    aeon("run", TASK, "--engine", "shorten", option).complains(2, option, "'shorten'", "no such setting")


def test_the_options_are_in_the_help(aeon: Aeon) -> None:
    """With what each does."""
    said = " ".join(aeon("run", "--help").out.split())
    assert "--files DIR a folder to answer from: its tables and texts; can be given again" in said
    assert "--brief answer with the bare values" in said and "--thorough profile the task in full" in said

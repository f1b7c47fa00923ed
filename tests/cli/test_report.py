"""``aeon report``: what it takes, what it shows and writes, and the exit code of each end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome
from .played_model import Model

Aeon = Callable[..., Outcome]
QUERY = "The Harbour Bridge: opening and toll"

pytestmark = [pytest.mark.requirement("A1", "A2", "A3"), pytest.mark.usefixtures("indexes", "words_only")]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with a source of tier 1 and one of tier 5, and a file of tiers beside it."""
    for folder, year in (("official", 1932), ("chat", 1935)):
        (tmp_path / "docs" / folder).mkdir(parents=True)
        (tmp_path / "docs" / folder / "bridge.md").write_text(
            f"# Bridges\n\nThe Harbour Bridge was opened in {year}.\n"
        )
    (tmp_path / "tiers.yaml").write_text("source_tiers:\n  official: {tier: 1}\n  chat: {tier: 5}\n")
    return tmp_path / "docs"


def test_a_plain_search_needs_no_model(aeon: Aeon, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives Items of the sources that the mode takes, and writes them to a file."""
    monkeypatch.setenv("AEON_MODEL", "http://127.0.0.1:9/v1#none")
    out = tmp_path / "found.items.json"
    options = ("--tiers", str(tmp_path / "tiers.yaml"), "--mode", "strict", "--plain", "--out", str(out))
    done = aeon("report", QUERY, "--in", str(docs), *options)
    assert (done.code, done.errors) == (0, [])
    (item,) = json.loads(out.read_text())
    assert (item["url"], item["@type"]) == ("official/bridge.md", "Item")
    assert "1935" not in done.shown


@pytest.mark.parametrize(
    ("name", "begins"), [("r.md", "# The Harbour"), ("r.html", "<!DOCTYPE html>"), ("r.json", "{")]
)
def test_the_report_is_written_and_its_run_is_kept(
    aeon: Aeon, docs: Path, model: Model, tmp_path: Path, name: str, begins: str
) -> None:
    """The file has the shape of its name; the saved run replays to the same, and the agents' words are logged."""
    run, out, logs = tmp_path / "run.jsonl", tmp_path / name, tmp_path / "logs"
    options = ("--save", str(run), "--out", str(out), "--logs", str(logs))
    done = aeon("report", QUERY, "--in", str(docs), *options)
    assert done.code in (0, 3) and not done.errors
    assert out.read_text().startswith(begins)
    (folder,) = logs.glob("iterations/*")
    names = {path.name for path in folder.iterdir()}
    assert {"iteration_1_analyst.json", "session_summary.json"} <= names
    assert aeon("history", str(run), "--logs", str(tmp_path / "again")).code == 0
    again = tmp_path / "again" / "iterations" / folder.name
    assert {path.name: path.read_text() for path in again.iterdir()} == {
        path.name: path.read_text() for path in folder.iterdir()
    }
    assert aeon("replay", str(run)).code == 0
    assert "analyst" in aeon("history", str(run)).out
    later = tmp_path / f"later-{name}"
    assert aeon("history", str(run), "--out", str(later)).code == 0
    assert later.read_bytes() == out.read_bytes()
    aeon("history", str(run), "--out", str(later)).complains(2, "exists already")


def test_a_run_of_the_engine_and_one_that_was_killed_have_logs(
    aeon: Aeon, docs: Path, model: Model, tmp_path: Path
) -> None:
    """`aeon history --logs` writes them out of whatever was saved; what is no report has none."""
    run, cut = tmp_path / "run.jsonl", tmp_path / "cut.jsonl"
    assert aeon("run", QUERY, "--engine", "report", "--files", str(docs), "--save", str(run)).code in (0, 3)
    cut.write_bytes(b"".join(run.read_bytes().splitlines(keepends=True)[:-3]))
    assert aeon("history", str(cut), "--logs", str(tmp_path / "logs")).code == 0
    names = {path.name for path in tmp_path.glob("logs/iterations/*/*")}
    assert "iteration_1_analyst.json" in names and "session_summary.json" not in names
    other = tmp_path / "other.jsonl"
    aeon("run", "What is 2 + 2?", "--engine", "loop", "--save", str(other))
    aeon("history", str(other), "--logs", str(tmp_path / "none")).complains(2, "this run is of loop/4")
    aeon("history", str(other), "--out", "page.md").complains(2, "only research and reports are written as a page")
    aeon("history", str(cut), "--out", "page.md").complains(2, "continue it with aeon resume first")
    aeon("history", str(run), "--out", "page.pdf").complains(2, "a report is written as .md")
    for others in (("--logs", "x"), ("--format", "ndjson")):
        aeon("history", str(run), "--out", "page.md", *others).complains(2, "not allowed with")
    (tmp_path / "iterations").write_text("a file")
    aeon("history", str(run), "--logs", str(tmp_path)).complains(2, "the iteration log could not be written to")


def test_strict_with_nothing_left_is_wrong_input(aeon: Aeon, docs: Path, model: Model) -> None:
    """The exit code is 2; what was dropped, and what to do, stands in the answer."""
    done = aeon("report", QUERY, "--in", str(docs), "--mode", "strict")
    assert done.code == 2
    assert "official/bridge.md (unknown)" in done.shown and "discovery" in done.shown


def test_a_tier_of_which_nothing_was_found_is_a_warning(aeon: Aeon, docs: Path, tmp_path: Path, model: Model) -> None:
    """One line names the keys that gave no source its tier, which may be misspelt."""
    tiers = tmp_path / "slip.yaml"
    tiers.write_text("source_tiers: {official: {tier: 1}, offcial: {tier: 1}, chat: {tier: 5}}")
    done = aeon("report", QUERY, "--in", str(docs), "--tiers", str(tiers), "--plain")
    assert "no source that was found has its tier by offcial\n" in done.shown
    assert "lies within" not in aeon("report", QUERY, "--in", str(docs), "--plain").shown


def test_items_come_from_a_file(aeon: Aeon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A JSON list of documents is searched like a folder."""
    monkeypatch.setenv("AEON_MODEL", "http://127.0.0.1:9/v1#none")
    items = tmp_path / "items.json"
    items.write_text(
        json.dumps([{"url": "https://a.example", "description": "The Harbour Bridge was opened in 1932."}])
    )
    done = aeon("report", QUERY, "--items", str(items), "--plain", "--json")
    assert done.code == 0
    assert done.document["items"][0]["url"] == "https://a.example"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((QUERY,), "name what to report on"),
        (("", "--in", "{docs}"), "the task is empty"),
        (("--in", "{docs}"), "say in words"),
        ((QUERY, "--in", "{docs}", "--mode", "loose"), "--mode"),
        ((QUERY, "--in", "{docs}/none"), "none"),
        ((QUERY, "--in", "{docs}", "--out", "r.pdf"), "a report is written as .md, .html"),
        ((QUERY, "--in", "{docs}", "--out", "{docs}/official/bridge.md"), "exists already"),
        ((QUERY, "--in", "{docs}", "--out", "{docs}/none/r.htm"), "there is no folder"),
        ((QUERY, "--in", "{docs}", "--tiers", "{docs}/none.yaml"), "cannot be read"),
        ((QUERY, "--in", "{docs}", "--tiers", "a.yaml", "--config", "b.toml"), "name two files of settings"),
        ((QUERY, "--items", "{docs}/official/bridge.md"), "is no JSON"),
        ((QUERY, "--in", "{docs}", "--tiers", "{docs}/official/bridge.md"), "read as YAML if its name ends in .yaml"),
    ],
)
def test_wrong_input_is_one_line(aeon: Aeon, docs: Path, model: Model, arguments: tuple[str, ...], said: str) -> None:
    """It says what is wrong, nothing is written, and no model is asked."""
    aeon("report", *(one.format(docs=docs) for one in arguments)).complains(2, said)
    assert not model.bodies


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "is no list of items"),
        ("[]", "holds no items; name what to report on"),
        ('[{"url": "x"}]', "number 1 cannot be used"),
        ("[" * 100_000, "is no JSON"),
    ],
)
def test_a_file_that_holds_no_items_is_one_line(aeon: Aeon, tmp_path: Path, model: Model, text: str, said: str) -> None:
    """It names the file, or the item."""
    file = tmp_path / "items.json"
    file.write_text(text)
    aeon("report", QUERY, "--items", str(file)).complains(2, said)


def test_the_bound_is_known_before(aeon: Aeon, model: Model) -> None:
    """It follows from the settings alone; a plain search has none of calls."""
    assert "no run can spend more than 828 model calls" in aeon("report", "--bound").out
    assert "no run can spend more than 0 model calls" in aeon("report", "--bound", "--plain").out

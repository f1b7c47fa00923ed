"""``aeon metrics``: figures over saved runs, and what is said of paths and labels that cannot be used."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome
from .recorded import save

Aeon = Callable[..., Outcome]

pytestmark = pytest.mark.requirement("O7")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder of two runs that converged and one that stalled, one of them in a folder of its own."""
    folder = tmp_path / "runs"
    save(folder / "a.jsonl")
    save(folder / "deep" / "b.jsonl", 0.75)
    save(folder / "c.jsonl", 0.25, converged=False)
    return folder


def labels(path: Path, *lines: object) -> str:
    """A file of labels: objects as JSON, texts as they are."""
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return str(path)


def test_the_metrics_are_a_table(aeon: Aeon, runs: Path) -> None:
    """A line for each, with its value, its target, how many it is over, and whether it is met."""
    done = aeon("metrics", str(runs))
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "3 runs that ended"
    rows = [" ".join(line.split()) for line in lines]
    assert "✓ mean iterations 1 < 5 2 converged runs" in rows
    assert "✗ convergence rate 66.7% > 80% 3 runs" in rows
    assert "✗ decision reversal rate 100% < 5% 1 decision to continue" in rows
    assert "$0.0" in done.out and "--labels FILE" in done.out and max(map(len, lines)) <= 120


def test_the_metrics_as_json_are_one_document(aeon: Aeon, runs: Path) -> None:
    """The same figures with their targets; a reason where there is none."""
    document = aeon("metrics", str(runs), "--json").document
    found = {each["name"]: each for each in document["metrics"]}
    assert document["runs"] == 3 and document["left_out"] == [] and len(found) == 5
    assert found["mean_iterations"]["value"] == 1 and found["mean_iterations"]["met"] is True
    assert found["early_exit_accuracy"]["value"] is None and found["early_exit_accuracy"]["why_not"]


def test_labels_name_runs_by_file_path_or_id(aeon: Aeon, runs: Path, tmp_path: Path) -> None:
    """Blank lines do not matter, nor does a label for a run that is no early exit."""
    name = save(runs / "d.jsonl")
    made = labels(
        tmp_path / "labels", {"run": "a.jsonl", "correct": True}, "",
        {"run": str(runs / "deep" / "b.jsonl"), "correct": True}, {"run": name, "correct": False},
        {"run": "c.jsonl", "correct": True},
    )  # fmt: skip
    document = aeon("metrics", str(runs), "--labels", made, "--json").document
    found = next(each for each in document["metrics"] if each["name"] == "early_exit_accuracy")
    assert (found["value"], found["of"]) == (0.75, 4)


def test_runs_that_did_not_end_are_named(aeon: Aeon, runs: Path) -> None:
    """They count for nothing and keep nobody from the figures of the others; so do copies."""
    lines = (runs / "a.jsonl").read_bytes().splitlines(keepends=True)
    (runs / "cut.jsonl").write_bytes(b"".join(lines[:-2]))
    save(runs / "e.jsonl")
    shutil.copy(runs / "e.jsonl", runs / "f.jsonl")
    (runs / "a.jsonl").unlink()
    done = aeon("metrics", str(runs))
    assert done.code == 0 and done.out.startswith("3 runs that ended\n") and "2 left out" in done.out
    assert f"{runs / 'cut.jsonl'}: had not ended when it was saved" in done.out
    assert f"{runs / 'f.jsonl'}: is a copy of {runs / 'e.jsonl'}" in done.out


def test_only_runs_that_did_not_end_are_no_error(aeon: Aeon, runs: Path, tmp_path: Path) -> None:
    """No figure can be had, and each says why."""
    lines = (runs / "a.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "cut").write_bytes(lines[0])
    document = aeon("metrics", str(tmp_path / "cut"), "--json").document
    assert document["runs"] == 0 and len(document["left_out"]) == 1
    assert all(each["value"] is None and each["why_not"] for each in document["metrics"])


def test_a_run_that_is_given_twice_counts_once(aeon: Aeon, runs: Path) -> None:
    """As a file and again in its folder."""
    assert aeon("metrics", str(runs / "a.jsonl"), str(runs), "--json").document["runs"] == 3


def test_other_files_of_a_folder_are_passed_over(aeon: Aeon, runs: Path) -> None:
    """A folder may hold logs, labels and anything else."""
    (runs / "notes.txt").write_text("hello")
    (runs / "empty").touch()
    (runs / "other.jsonl").write_text('{"format": "something else"}\n')
    assert aeon("metrics", str(runs), "--json").document["runs"] == 3


def spoilt(runs: Path, old: bytes, new: bytes) -> str:
    """A copy of a run with other bytes in it."""
    path = runs.parent / "spoilt.jsonl"
    data = (runs / "a.jsonl").read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))
    return str(path)


def test_a_path_without_runs_is_refused(aeon: Aeon, runs: Path, tmp_path: Path) -> None:
    """One line that names it: nothing there, an empty folder, a file that is no run."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("hello\n")
    aeon("metrics", str(tmp_path / "none")).complains(2, "none", "No such file")
    aeon("metrics", str(runs), str(tmp_path / "empty")).complains(2, "empty", "holds no runs")
    aeon("metrics", str(tmp_path / "text")).complains(2, "text", "no Aeon journal")
    assert aeon("metrics", str(runs), str(tmp_path / "empty")).out == ""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b'"version":2', b'"version":9', "version 9"),
        (b'"output":1', b'"output":2', "edited"),
    ],
)
def test_a_run_that_cannot_be_trusted_is_refused(aeon: Aeon, runs: Path, old: bytes, new: bytes, words: str) -> None:
    """One of another version, or that was edited: one line names it, and no figures are printed."""
    done = aeon("metrics", str(runs), spoilt(runs, old, new))
    done.complains(2, "spoilt.jsonl", words)
    assert done.out == ""


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (({"run": "z.jsonl", "correct": True},), ("line 1", "'z.jsonl'")),
        (({"run": "a.jsonl", "correct": True}, "what"), ("line 2", "is not")),
        (({"run": "a.jsonl", "correct": "yes"},), ("line 1", "true|false")),
        (({"run": "a.jsonl"},), ("line 1", "is not")),
        (({"run": "a.jsonl", "correct": True, "by": "me"},), ("line 1", "is not")),
        ((["a.jsonl", True],), ("line 1", "is not")),
        (({"run": "a.jsonl", "correct": True}, {"run": "a.jsonl", "correct": False}), ("line 2", "right and wrong")),
        (("",), ("holds no labels",)),
    ],
)
def test_labels_that_cannot_be_used_are_refused(
    aeon: Aeon, runs: Path, tmp_path: Path, lines: tuple[object, ...], words: tuple[str, ...]
) -> None:
    """One line names the file, the line and what is wrong; no figures are printed."""
    done = aeon("metrics", str(runs), "--labels", labels(tmp_path / "labels", *lines))
    done.complains(2, "labels", *words)
    assert done.out == ""


def test_a_file_name_that_two_runs_have_is_refused(aeon: Aeon, runs: Path, tmp_path: Path) -> None:
    """It does not say which is meant; the path does."""
    save(runs / "b.jsonl")
    made = labels(tmp_path / "labels", {"run": "b.jsonl", "correct": True})
    aeon("metrics", str(runs), "--labels", made).complains(2, "line 1", "more than one run")
    made = labels(tmp_path / "labels", {"run": str(runs / "b.jsonl"), "correct": True})
    assert aeon("metrics", str(runs), "--labels", made).code == 0


def test_labels_that_are_not_there_or_no_text_are_refused(aeon: Aeon, runs: Path, tmp_path: Path) -> None:
    """One line, exit code 2."""
    aeon("metrics", str(runs), "--labels", str(tmp_path / "none")).complains(2, "none", "No such file")
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    aeon("metrics", str(runs), "--labels", str(tmp_path / "binary")).complains(2, "binary", "line 1")
    aeon("metrics").complains(2, "RUNS")

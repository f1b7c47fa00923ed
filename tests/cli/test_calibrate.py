"""``aeon calibrate``: what it writes is used by later runs, and what it cannot be fitted to is refused."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from second import agreeing

from aeon import build
from aeon.convergence.calibrated import ConfidenceMap, calibrated, experience, home_of
from aeon.convergence.experience import Seen
from aeon.runtime.journal import Journal
from aeon.schema import Config, ConvergenceAssessment, Result, StateMonitor

from .conftest import Outcome
from .recorded import save

Aeon = Callable[..., Outcome]

pytestmark = pytest.mark.requirement("O2")


def recorded(
    folder: Path, confidences: list[float | None], right: list[bool], config: Config | None = None, model: str = ""
) -> list[str]:
    """Runs with these confidences in ``runs``, their labels in ``labels``; the arguments that fit to them."""
    names = [f"{n}.jsonl" for n in range(len(confidences))]
    for name, confidence in zip(names, confidences, strict=True):
        save(folder / "runs" / name, confidence, config=config, model=model)
    told = [json.dumps({"run": name, "correct": is_right}) for name, is_right in zip(names, right, strict=False)]
    (folder / "labels").write_text("\n".join(told))
    return ["calibrate", str(folder / "runs"), "--labels", str(folder / "labels"), "--out", str(folder / "map.json")]


SURE = [0.6, 0.62, 0.64, 0.66, 0.68, 0.9, 0.92, 0.94, 0.96, 0.98]
RIGHT = [False] * 5 + [True, False, True, True, True]


def test_a_fit_is_written_and_used(aeon: Aeon, tmp_path: Path) -> None:
    """Confidences that were too high are read as lower ones, in the order that they had."""
    done = aeon(*recorded(tmp_path, [*SURE], RIGHT))
    assert (done.code, done.err) == (0, "") and "10 runs, 4 right and 6 wrong; 0 left out" in done.out
    read = calibrated(StateMonitor(confidence_model="calibrated", calibration=str(tmp_path / "map.json")))
    assert read(0.6) == read(0.68) == pytest.approx(1 / 12, abs=1e-6)
    assert read(0.5) == read(0.6) < read(0.8) < read(0.94) <= read(1.0) < 1
    assert ConfidenceMap.model_validate_json((tmp_path / "map.json").read_bytes()).runs == 10
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labels", "map.json", "runs"]


def test_runs_are_counted_by_how_their_answers_came_about(aeon: Aeon, tmp_path: Path) -> None:
    """Beside the map; where no run has a confidence, the counts are all there is, and later runs use them."""
    assert aeon(*recorded(tmp_path, [*SURE], RIGHT)).code == 0
    both = ConfidenceMap.model_validate_json((tmp_path / "map.json").read_bytes())
    assert both.points and both.kinds == {"sum": Seen(right=4, runs=10)}
    done = aeon(*recorded(tmp_path / "more", [None] * 10, RIGHT))
    assert done.code == 0 and "10 runs, none with a confidence" in done.out and "4 of 10   sum" in done.out
    alone = StateMonitor(confidence_model="calibrated", calibration=str(tmp_path / "more" / "map.json"))
    assert experience(alone, "any").kinds == both.kinds and calibrated(alone)(0.7) == 0.7


@pytest.mark.requirement("G4")
def test_without_a_file_later_runs_of_the_model_use_the_counts(
    aeon: Aeon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them right will do, and nothing needs scikit-learn; newer counts replace older ones."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    arguments = recorded(tmp_path, [None] * 10, RIGHT, model="m")[:-2]
    assert experience(StateMonitor(), "m").kinds == {}
    done = aeon(*arguments)
    assert (done.code, done.err) == (0, "") and "10 runs of m" in done.out and "4 of 10   sum" in done.out
    assert str(home_of("m")) in done.out and "left out" not in done.out
    assert experience(StateMonitor(), "m").kinds == {"sum": Seen(right=4, runs=10)}
    assert experience(StateMonitor(), "n").kinds == {}
    assert aeon(*recorded(tmp_path / "more", [None] * 8, [True] * 8, model="m")[:-2]).code == 0
    assert experience(StateMonitor(), "m").kinds == {"sum": Seen(right=8, runs=8)}


@pytest.mark.requirement("G4")
def test_a_later_run_of_the_model_says_how_likely_it_is_right(aeon: Aeon, tmp_path: Path) -> None:
    """From runs to labels to a run: of a table's answers, this many were right."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "sales.csv").write_text("day,units\n2024-03-01,10\n2024-04-02,20\n")

    def ask(path: Path) -> ConvergenceAssessment:
        model = agreeing(["print(sql('SELECT SUM(units) FROM sales'))", "There are 30 units."], name="m")
        tools = ("calculator", f"files={folder}")
        result = build(model, tools, journal=lambda _: Journal(path)).execute("How many units are there?")
        assert isinstance(result, Result) and result.assessment
        return result.assessment

    (tmp_path / "runs").mkdir()
    first = [ask(tmp_path / "runs" / f"{n}.jsonl") for n in range(8)]
    assert {(one.probability, one.reason_codes) for one in first} == {(None, ())}
    labels = [json.dumps({"run": f"{n}.jsonl", "correct": n > 4}) for n in range(8)]
    (tmp_path / "labels").write_text("\n".join(labels))
    assert aeon("calibrate", str(tmp_path / "runs"), "--labels", str(tmp_path / "labels")).code == 0
    later = ask(tmp_path / "later.jsonl")
    assert (later.probability, later.runs, later.reason_codes) == (0.4, 8, ("uncertain",))


@pytest.mark.requirement("G4")
def test_runs_that_no_counts_come_of_are_named(aeon: Aeon, tmp_path: Path) -> None:
    """Too few of a model, or of nobody knows which: one line, exit code 2, and nothing is written."""
    few = recorded(tmp_path, [None] * 7, [True] * 7, model="m")[:-2]
    aeon(*few).complains(2, "too few labelled runs", "7 of m", "it takes 8 of one model")
    nobody = recorded(tmp_path / "nobody", [None] * 9, RIGHT[:9])[:-2]
    aeon(*nobody).complains(2, "9 that name no single model", "--out FILE")
    aeon(*few[:-1], str(tmp_path / "none")).complains(2, "none")
    (tmp_path / "labels").write_text('{"run": "0.jsonl", "correct": "yes"}')
    aeon(*few).complains(2, "line 1", '{"run": FILE NAME OR EXECUTION ID, "correct": true|false}')
    assert not home_of("m").exists()
    (tmp_path / "home").mkdir(exist_ok=True)
    home_of("m").parent.write_text("a file")
    both = recorded(tmp_path / "both", [None] * 9, RIGHT[:9], model="m")[:-2]
    aeon(*both).complains(2, "calibrations", "cannot be written")


@pytest.mark.requirement("G4")
def test_each_model_has_its_own_counts(aeon: Aeon, tmp_path: Path) -> None:
    """Of several, those with enough runs; the others are counted as left out."""
    arguments = recorded(tmp_path, [None] * 8, [True] * 8, model="m")[:-2]
    for n in range(3):
        save(tmp_path / "runs" / f"other-{n}.jsonl", None, model="n")
    done = aeon(*arguments)
    assert done.code == 0 and "8 runs of m" in done.out and "3 left out" in done.out
    assert home_of("m").exists() and not home_of("n").exists()


def test_what_the_fit_is_worth_is_said(aeon: Aeon, tmp_path: Path) -> None:
    """Brier score and calibration error before and after; cross-validated where there are enough of both kinds."""
    done = aeon(*recorded(tmp_path, [*SURE], RIGHT))
    assert "Brier score" in done.out and "expected calibration error" in done.out and "flatters" in done.out
    done = aeon(*recorded(tmp_path / "more", [*SURE, *(c + 0.01 for c in SURE)], RIGHT * 2))
    assert "20 runs" in done.out and "5-fold cross-validated" in done.out


def test_a_fit_replaces_an_older_one(aeon: Aeon, tmp_path: Path) -> None:
    """The file that is there is the new map, whole."""
    (tmp_path / "map.json").write_text("old" * 1_000)
    assert aeon(*recorded(tmp_path, [*SURE], RIGHT)).code == 0
    assert ConfidenceMap.model_validate_json((tmp_path / "map.json").read_bytes()).runs == 10


def test_runs_that_cannot_be_used_are_counted_and_left_out(aeon: Aeon, tmp_path: Path) -> None:
    """One without a confidence, one without a label, one that did not end."""
    arguments = recorded(tmp_path, [*SURE, None, 0.7], [*RIGHT, True])
    save(tmp_path / "other")
    (tmp_path / "runs" / "cut").write_bytes((tmp_path / "other").read_bytes()[:-400])
    assert "10 runs, 4 right and 6 wrong; 3 left out" in aeon(*arguments).out


def test_runs_that_were_calibrated_already_count_as_they_were_before(aeon: Aeon, tmp_path: Path) -> None:
    """The fit is to the weighted mean of the parts, so that it can be made again on later runs."""
    few = Config.model_validate({"reasoning_engine": {"evaluate": {"min_sources_for_confidence": 2}}})
    assert aeon(*recorded(tmp_path, [*SURE], RIGHT, few)).code == 0
    points = ConfidenceMap.model_validate_json((tmp_path / "map.json").read_bytes()).points
    assert (points[0][0], points[-1][0]) == (0.3, 0.49)  # one source where two are wanted halves it


@pytest.mark.parametrize(
    ("confidences", "right", "words"),
    [
        (SURE[:9], RIGHT[:9], ("9 labelled runs", "10")),
        (SURE, RIGHT[:9], ("9 labelled runs",)),
        (SURE, [True] * 10, ("all 10", "right")),
        (SURE, [False] * 10, ("all 10", "wrong")),
        ([None] * 9, RIGHT[:9], ("0 labelled runs with a confidence",)),
    ],
)
def test_too_little_to_fit_to_is_refused(
    aeon: Aeon, tmp_path: Path, confidences: list[float | None], right: list[bool], words: tuple[str, ...]
) -> None:
    """Fewer than ten runs, or one kind only: one line, exit code 2, and no file."""
    aeon(*recorded(tmp_path, confidences, right)).complains(2, *words)
    assert not (tmp_path / "map.json").exists()


def test_bad_input_writes_nothing(aeon: Aeon, tmp_path: Path) -> None:
    """No runs, labels of other runs, a place that cannot be written: one line each, and an older map stays."""
    arguments = recorded(tmp_path, [*SURE], RIGHT)
    (tmp_path / "map.json").write_text("old")
    aeon("calibrate", str(tmp_path / "none"), *arguments[2:]).complains(2, "none")
    aeon(*arguments[:-1], str(tmp_path / "no" / "map.json")).complains(2, "cannot be written")
    aeon(*arguments[:-1], str(tmp_path / "runs")).complains(2, "runs", "cannot be written")
    (tmp_path / "labels").write_text('{"run": "x", "correct": true}')
    aeon(*arguments).complains(2, "line 1", "'x'")
    aeon("calibrate", str(tmp_path)).complains(2, "--labels")
    assert (tmp_path / "map.json").read_text() == "old"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_without_scikit_learn_it_says_what_to_install(
    aeon: Aeon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line names the extra, before anything is read."""
    arguments = recorded(tmp_path, [*SURE], RIGHT)
    for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "aeon.calibration.fit", raising=False)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    aeon(*arguments).complains(2, "scikit-learn", "aeon-orchestrator[calibrate]")
    assert not (tmp_path / "map.json").exists()

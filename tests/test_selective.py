"""The benchmark of verdicts: its figures on rows whose figures are known."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts" / "bench"))
import selective

pytestmark = pytest.mark.requirement("G4")


def row(right: bool, stop: str = "converged", probability: float | None = 0.8, made: str = "table") -> dict[str, Any]:
    """A line of everyday.py."""
    return {
        "system": "aeon", "kind": "tables", "model": "m", "right": right, "stop": stop, "probability": probability,
        "made": made,
    }  # fmt: skip


def test_the_area_orders_runs_by_verdict_then_by_probability() -> None:
    """All right first costs nothing until the wrong ones come; ties share their risk."""
    best = [row(True, probability=0.9), row(True), row(False, "uncertain", 0.4), row(False, "disagreement", None)]
    assert selective.area(best) == pytest.approx((0 + 0 + 1 / 3 + 2 / 4) / 4)
    assert selective.area(best) == selective.area(best[::-1])
    assert selective.area([row(True), row(False)]) == pytest.approx(0.5)


def test_the_calibration_error_weighs_groups_by_their_runs() -> None:
    """What came without a probability does not count."""
    rows = [*[row(True)] * 4, row(False), row(True, probability=0.5), row(True, probability=None)]
    apart, runs = selective.error(rows)
    assert runs == 6 and apart == pytest.approx((abs(0.8 * 5 - 4) + abs(0.5 - 1)) / 6)
    assert selective.error([row(True, probability=None)]) == (0.0, 0)


def test_runs_are_counted_by_how_their_answers_came_about() -> None:
    """That it is not stated is an answer of its own kind, right or wrong."""
    refused = row(False, "not_stated", None, made="refusal, doubtful")
    counts = selective.counts([row(True), row(False), row(True, made="sum, agreed"), refused])
    assert counts.pop("refusal, doubtful") == {"right": 0, "runs": 1}
    assert counts == {"sum, agreed": {"right": 1, "runs": 1}, "table": {"right": 1, "runs": 2}}


def test_the_table_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How many converge, how many of these are right, and every ending."""
    path = tmp_path / "e.jsonl"
    lines = [row(True), row(False), row(False, "uncertain", 0.3), {**row(True), "kind": "open"}]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert selective.main([str(path)]) == 0
    told = capsys.readouterr().out
    assert "all         1 of   2  50.0%" in told and "2 of   3   67%" in told
    assert "converged: 1 of 2 right; uncertain: 0 of 1 right" in told
    selective.main([str(path), "--counts"])
    assert json.loads(capsys.readouterr().out) == {"m": {"kinds": {"table": {"right": 1, "runs": 3}}}}


def runs(system: str, *said: tuple[bool, float | None], **more: Any) -> list[dict[str, Any]]:
    """Rows of a system, each of another question, right or not and with what it says of how sure it is."""
    rows = [row(right, stop="", probability=probability) for right, probability in said]
    return [one | {"system": system, "seed": 1, "id": f"q{n}"} | more for n, one in enumerate(rows)]


def test_of_the_surest_come_first_those_that_say_so() -> None:
    """The risk after each run; what says nothing is the least sure, and equally sure ones share their risk."""
    one = selective.Ranked("thought", runs("thought", (False, None), (True, 0.9), (False, 0.4), (True, 0.4)))
    assert selective.risks(one.rows, one.sure) == pytest.approx([0, 0.5 / 2, 1 / 3, 2 / 4])
    assert one.pairs() == [(0.9, True), (0.4, False), (0.4, True)]


def test_systems_are_compared_on_the_questions_that_all_have_answered() -> None:
    """Of a question that was answered twice the later answer counts; a system that is never sure is left out."""
    aeon = runs("aeon", (True, 0.8), (False, 0.8), (True, 0.8), stop="converged", confidence=0.5)
    thought = runs("thought", (True, 0.1), (True, 0.2))
    every = [*aeon, *thought, thought[1] | {"right": False}, *runs("direct", (True, None))]
    found = {one.name: one for one in selective.ranked(every)}
    assert list(found) == ["aeon", "aeon, weighted confidence", "thought"]
    assert [[one["id"] for one in system.rows] for system in found.values()] == [["q0", "q1"]] * 3
    assert [one["right"] for one in found["thought"].rows] == [True, False]
    assert found["aeon, weighted confidence"].pairs() == [(0.5, True), (0.5, False)]


def test_systems_stand_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Aeon's four surest of eight are right; of the other system's four surest two are, at any order of the ties."""
    aeon = runs("aeon", *[(True, 0.9)] * 4, *[(False, 0.3)] * 4, prompt=290, generated=10)
    votes = [(True, 0.6), (False, 0.6)] * 4
    for n, one in enumerate(aeon):
        one["stop"] = "converged" if n < 4 else "uncertain"
    path = tmp_path / "aeon.jsonl"
    path.write_text("\n".join(map(json.dumps, aeon)))
    other = tmp_path / "other.jsonl"
    other.write_text("\n".join(map(json.dumps, runs("consistency", *votes, prompt=50, generated=30))))
    selective.main([str(path), str(other), "--picture", str(tmp_path / "p.svg")])
    told = capsys.readouterr().out.splitlines()
    table = [line for line in told if line.startswith(("aeon ", "consistency "))]
    assert "tokens" in told[told.index(table[0]) - 1] and [line.split()[-1] for line in table[:2]] == ["300", "80"]
    assert table[0].split()[:4] == ["aeon", "4", "50.0%", "100.0%"]
    assert table[1].split()[:4] == ["consistency", "4", "50.0%", "50.0%"]
    expected = sum(n / (4 + n) for n in range(1, 5)) / 8 - 0.5
    assert table[2].startswith(f"aeon - consistency: area {expected:+.3f} [") and "right +0.0% [" in table[2]
    first = (tmp_path / "p.svg").read_text()
    selective.main([str(path), str(other), "--picture", str(tmp_path / "p.svg")])
    assert (tmp_path / "p.svg").read_text() == first
    assert "self-consistency: share of votes" in first


def test_only_questions_of_some_kinds_can_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Figures of the word problems alone, say; a kind without runs is refused."""
    path = tmp_path / "e.jsonl"
    path.write_text("\n".join(map(json.dumps, [row(True), row(False) | {"kind": "word"}])))
    selective.main([str(path), "--kinds", "word"])
    assert "all         0 of   1" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        selective.main([str(path), "--kinds", "fact"])


def test_the_picture_has_a_line_for_each_system() -> None:
    """Text stays text, the colours follow the reader's, and a thousand runs take no more room than a hundred."""
    lines = [selective.Line(f"<{n}>", [n / 10] * 1000, "area", mark=500 if n == 0 else 0) for n in range(6)]
    drawn = selective.picture(lines, "Risk & coverage")
    tree = ElementTree.fromstring(drawn)
    texts = ["".join(text.itertext()) for text in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {f"<{n}>" for n in range(6)} <= set(texts) and "Risk & coverage" in texts
    curves = [path for path in tree.iter("{http://www.w3.org/2000/svg}path") if path.attrib["d"].count("L") == 99]
    assert len(curves) == 6 and len(list(tree.iter("{http://www.w3.org/2000/svg}circle"))) == 1
    assert "prefers-color-scheme:dark" in drawn and len(drawn.encode()) < 15_000
    for others in ([], [selective.Line("none", [])], lines * 2):
        with pytest.raises(ValueError, match="a picture has"):
            selective.picture(others, "")


def test_a_point_of_the_curve_is_where_its_risk_is() -> None:
    """Half of the coverage at half of the highest risk is the middle of the picture."""
    lines = [selective.Line("one", [0.0, 0.25, 0.5, 0.5], mark=2)]
    circle = ElementTree.fromstring(selective.picture(lines, "")).find("{http://www.w3.org/2000/svg}circle")
    assert circle is not None and (circle.attrib["cx"], circle.attrib["cy"]) == ("262", "184.0")


def test_the_debiased_error_says_what_chance_alone_would_show() -> None:
    """Of too few runs nothing is said."""
    assert selective.calibration([(0.75, n % 4 > 0) for n in range(40)]).startswith("0.000 [0.0")
    assert selective.calibration([(0.9, False)] * 20).startswith("0.900 [")
    assert selective.calibration([(0.9, True)] * 9) == "-"


def test_other_counts_give_other_probabilities_and_endings() -> None:
    """A run that ended for another reason ends for it still; another system's and another model's rows stay."""
    counts = {"m": {"kinds": {"table": {"right": 2, "runs": 8}, "sum": {"right": 9, "runs": 9}}}}
    unsure, sure = row(True), row(True, "uncertain", 0.4, made="sum")
    assert [selective.judged_by(one, counts)["stop"] for one in (unsure, sure)] == ["uncertain", "converged"]
    assert selective.judged_by(unsure, counts)["probability"] == 0.3
    assert selective.judged_by(row(False, "disagreement"), counts)["stop"] == "disagreement"
    for other in (unsure | {"model": "n"}, unsure | {"system": "thought"}):
        assert selective.judged_by(other, counts) == other

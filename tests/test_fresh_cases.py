"""Fresh labelled cases for the judgments: the same from a seed, balanced, and of halves that share nothing."""

from __future__ import annotations

import json
import operator
import re
import sys
from pathlib import Path

import pytest

from aeon.supervisor.judge_specs import calibrations, judgment

BENCH = Path(__file__).parents[1] / "scripts" / "bench"
sys.path.insert(0, str(BENCH))
try:
    import fresh_cases
    import judgments
finally:
    sys.path.remove(str(BENCH))

HALVES = fresh_cases.HALVES
pytestmark = pytest.mark.requirement("J8")

SUM = re.compile(r"(\d+) ([-+*]) (\d+) = (\d+)")
SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul}


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", fresh_cases.JUDGMENTS)
def test_cases_are_balanced_and_can_be_measured(name: str, half: str) -> None:
    """150 different ones of each half, half of them true, without a slot that is left open; the same for a seed."""
    cases = fresh_cases.cases(name, half, 150, seed=1)
    assert cases == fresh_cases.cases(name, half, 150, seed=1) != fresh_cases.cases(name, half, 150, seed=2)
    assert sum(case["label"] for case in cases) == 75
    texts = [json.dumps({key: value for key, value in case.items() if key != "id"}) for case in cases]
    assert len({case["id"] for case in cases}) == len(set(texts)) == 150
    for case in cases:
        assert judgment(name).shown(judgments.material(judgment(name), case))
        assert not re.search(r"\{\w+\}|@\w+", json.dumps(case)), case


@pytest.mark.parametrize("name", fresh_cases.JUDGMENTS)
def test_the_halves_share_no_template_and_no_name(name: str) -> None:
    """What was tuned on one half has seen nothing of the other."""
    shown = ("task", "evidence", "text")
    one, other = ({json.dumps([t.get(part) for part in shown]) for t in fresh_cases.templates(name, half)}
                  for half in HALVES)  # fmt: skip
    assert one and other and not one & other
    development, closing = (fresh_cases.NAMES[half] for half in HALVES)
    assert all(not set(development[pool]) & set(closing[pool]) for pool in development)
    names = [one for pool in closing.values() for one in pool]
    said = json.dumps(fresh_cases.cases(name, "development", 150, 3))
    assert not [name for name in names if name in said]


def test_every_judgment_that_decides_has_fresh_cases() -> None:
    """On the embedded model: drawn from templates, or written for each half by that model or by somebody."""
    folders = ("cases-queries",)
    written = [{path.stem for one in folders for path in (BENCH / one / half).iterdir()} for half in HALVES]
    assert written[0] == written[1]
    deciding = {entry.judgment for entry in calibrations().entries if entry.decides}
    assert deciding <= {*fresh_cases.JUDGMENTS, *written[0]}


def test_the_halves_of_the_queries_share_no_folder() -> None:
    """Both labels in each; the tables shown are what a case can be told by."""
    halves = [judgments.read_cases(BENCH / "cases-queries" / half / "query_answers.jsonl", None) for half in HALVES]
    shown = [{case["tables"] for case in half} for half in halves]
    assert shown[0] and shown[1] and not shown[0] & shown[1]
    assert all({case["label"] for case in half} == {True, False} for half in halves)


@pytest.mark.parametrize("half", HALVES)
def test_a_claim_about_a_sum_is_true_where_the_sum_is(half: str) -> None:
    """Whatever numbers were drawn."""
    cases = fresh_cases.cases("evidence_supports", half, 300, seed=5)
    sums = [(case, match) for case in cases if (match := SUM.search(case["claim"]))]
    assert len(sums) >= 4
    for case, (a, sign, b, c) in ((case, match.groups()) for case, match in sums):
        assert (SIGNS[sign](int(a), int(b)) == int(c)) is case["label"], case


def test_the_folders_are_what_the_measurement_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each half is a folder of its own; more cases than there are get one clear line."""
    assert fresh_cases.main([str(tmp_path), "--cases", "20"]) == 0
    for half in HALVES:
        assert len(judgments.read_cases(tmp_path / half / "task_vague.jsonl", None)) == 20
    with pytest.raises(SystemExit):
        fresh_cases.main([str(tmp_path), "--cases", "5000"])
    assert "ask for fewer with --cases" in capsys.readouterr().err.splitlines()[-1]


def test_a_calibration_may_be_fitted_to_one_half_and_rated_on_the_other() -> None:
    """Scale and shift are those of the half that it was fitted to; AUROC and number of cases those of the other."""
    row = {"model": "m", "judgment": "task_vague", "form": "probability"}
    scores = {
        "development": [(3.0, True), (1.0, True), (-1.0, False), (-2.0, False)],
        "closing": [(0.0, True), (1.0, False)],
    }
    rows = [row | {"set": name, "raw": raw, "label": label} for name, some in scores.items() for raw, label in some]
    measured = judgments.Measured(judgment("task_vague"), "probability", rows)
    rated = measured.fitted("closing")
    alone = judgments.Measured(measured.spec, "probability", rows[:4]).fitted()
    assert (rated.scale, rated.shift) == (alone.scale, alone.shift)
    assert (rated.auroc, rated.cases) == (0.0, 2) and not rated.decides
    assert (alone.auroc, measured.fitted().cases) == (1.0, 6)

"""``aeon doctor --judge``: how good a model is as a judge, kept in the profile of its endpoint."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from aeon.cli.examining import ExaminableModel, latest, profile_for
from aeon.cli.output import print_json
from aeon.doctor.cases import Case
from aeon.doctor.judges import JudgeFindings, examine_judge, grouped, most_calls
from aeon.llm.profiles import save
from aeon.schema import Frozen
from aeon.schema.calibration import PAR

__all__ = ["JudgeReport", "judged", "show_judge"]


class JudgeReport(Frozen):
    """What was found, and where it is kept."""

    model: str
    findings: JudgeFindings
    saved: str


async def judged(model: ExaminableModel, cases: Sequence[Case], stage: Callable[[str], None]) -> JudgeReport:
    """Measure every judgment that there are cases of, and keep it in the profile; an endpoint without one gets one.

    Raises:
        UsageError: the cases of a judgment are all true or all false.
        ModelError: the endpoint cannot be asked; then nothing is kept.
    """
    groups = grouped(cases)
    try:
        profile = await profile_for(model, stage)
        most = await most_calls(model, groups)
        print(f"{len(cases)} cases of {len(groups)} judgments: at most {most} calls", file=sys.stderr, flush=True)
        findings = await examine_judge(model, groups, stage)
    finally:
        stage("")
        await model.aclose()
    keys = {(one.judgment, one.form) for one in findings.calibrations}
    profile = latest(profile)
    kept = tuple(one for one in profile.judgments if (one.judgment, one.form) not in keys)
    path = save(profile.changed(judgments=(*findings.calibrations, *kept)))
    return JudgeReport(model=model.name, findings=findings, saved=str(path))


def show_judge(report: JudgeReport, as_json: bool) -> int:
    """Print it; the exit code."""
    if as_json:
        print_json(report)
        return 0
    print(f"{report.model} as a judge\n")
    width = max(len(one.judgment) for one in report.findings.calibrations)
    for one in report.findings.calibrations:
        failed = report.findings.unanswered.get(one.judgment, 0)
        note = f", {failed} without a usable answer" if failed else ""
        worth = "decides" if one.decides else "too poor"
        print(f"  {one.judgment:{width}}  {worth:8}  AUROC {one.auroc:.2f}, {one.cases} cases, by {one.form}{note}")
    print(f"\nA judgment with an AUROC of {PAR:.2f} or more decides, by its calibration; one below it does not.")
    spent = report.findings.spent
    print(f"{spent.calls} calls, {spent.tokens:,} tokens; saved in {Path(report.saved)}")
    return 0

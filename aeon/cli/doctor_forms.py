"""``aeon doctor --forms``: in which form a model works better, measured by whole runs and kept in its profile."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from aeon.assembly.build import build
from aeon.cli.examining import ExaminableModel, latest, profile_for
from aeon.cli.output import print_json
from aeon.doctor.form_tasks import FormTask, shipped_folder, shipped_tasks
from aeon.doctor.forms import WORK_FORMS, FormFindings, TaskRun, examine_forms, with_forms
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.table import PassSignals
from aeon.llm.adapter import LLMAdapter
from aeon.llm.profiles import save
from aeon.llm.speed import speed_of
from aeon.observability.lines import visible
from aeon.schema import Budget, Conclusion, Config, Frozen, Result, WorkForm
from aeon.text import one_line
from aeon.tools.select import Given, folder_specs, opened

__all__ = ["FormReport", "measured_forms", "show_forms"]

_CALLS = 24
"""The most that one task may take in one form."""
_TOKENS = (12_000, 1_500)
"""Read and written: the time of a task is what these take at the measured speed, within `_SECONDS`."""
_SECONDS = (240, 1_200)
_LONGEST = 90


class FormReport(Frozen):
    """What was found, whether tool calls are native, and where it is kept."""

    model: str
    native: bool
    findings: FormFindings
    saved: str


class _Runs:
    """Does tasks as ``aeon run`` does, in either form, with the folder of the tasks or with the calculator alone."""

    def __init__(self, model: LLMAdapter, folder: Sequence[Given]) -> None:
        least, most = _SECONDS
        self.seconds = min(max(least, round(speed_of(model).seconds(*_TOKENS))), most)
        self._made = {
            (form, sources): self._orchestrator(model, form, folder if sources else ())
            for form in WORK_FORMS
            for sources in (True, False)
        }

    async def __call__(self, form: WorkForm, task: FormTask) -> Conclusion:
        return await self._made[form, task.sources].aexecute(task.text)

    def announcement(self, tasks: Sequence[FormTask], native: bool) -> str:
        """What is about to be done, and the most that it takes, with what sees whether the endpoint is there."""
        runs = [(form, task.sources) for form in WORK_FORMS for task in tasks]
        calls = 1 + sum(self._made[run].bound.calls + 1 for run in runs)
        most = f"at most {calls} calls and {len(runs) * self.seconds / 60:.0f} minutes"
        how = "native calls" if native else "one JSON action a turn, for want of native calls"
        return f"{len(tasks)} tasks in the forms tools (by {how}) and program: {len(runs)} runs, {most}"

    def _orchestrator(
        self, model: LLMAdapter, form: WorkForm, folder: Sequence[Given]
    ) -> Orchestrator[Config, PassSignals, Result]:
        config = Config(form=form, budget=Budget(calls=_CALLS, seconds=self.seconds))
        return build(llm=model, tools=("calculator", *folder), config=config)


async def measured_forms(model: ExaminableModel, stage: Callable[[str], None]) -> FormReport:
    """Measure the work forms and keep the scores in the profile; an endpoint without a profile gets one.

    Raises:
        UsageError: the folder of the tasks cannot be read here, for want of an extra.
        ModelError: the endpoint cannot be asked; then no score is kept.
    """
    tasks = shipped_tasks()
    try:
        with shipped_folder() as path:
            folder = opened(folder_specs(path))
            profile = await profile_for(model, stage)
            runs, native = _Runs(model, folder), profile.capabilities.tools
            stage("")
            print(runs.announcement(tasks, native), file=sys.stderr, flush=True)
            findings = await examine_forms(model, runs, tasks, native, stage)
    finally:
        stage("")
        await model.aclose()
    saved = save(with_forms(latest(profile), findings.scores))
    return FormReport(model=model.name, native=native, findings=findings, saved=str(saved))


def show_forms(report: FormReport, as_json: bool) -> int:
    """Print it; the exit code."""
    if as_json:
        print_json(report)
        return 0
    findings = report.findings
    print(f"{visible(report.model)} in each work form\n")
    for line in (*_table(findings.runs), "", *_scores(report), *_wrong(findings.runs)):
        print(line)
    print(f"\nWork form: {findings.form}. Runs on this endpoint take it, unless --form or a setting names another one.")
    print(f"saved in {Path(report.saved)}")
    return 0


def _table(runs: Sequence[TaskRun]) -> list[str]:
    """A line for each task: how it came out in each form."""
    width = max(len(one.task) for one in runs)
    lines = [f"  {'task':{width}}      {_columns(WORK_FORMS)}"]
    for task in dict.fromkeys((one.task, one.language) for one in runs):
        ends = {one.form: _end(one) for one in runs if one.task == task[0]}
        lines.append(f"  {task[0]:{width}}  {task[1]}  {_columns(ends.get(form, '') for form in WORK_FORMS)}")
    return [line.rstrip() for line in lines]


def _columns(texts: Iterable[str]) -> str:
    return "  ".join(f"{text:25}" for text in texts)


def _end(run: TaskRun) -> str:
    return f"{'right' if run.right else 'wrong'}, {run.stop_reason}"


def _scores(report: FormReport) -> list[str]:
    most = max(one.asked for one in report.findings.scores)
    return [
        f"  {one.form:7}  {one.right} of {one.asked} right, {one.clean} of these with a clean verdict; "
        f"{one.calls} calls, {one.tokens:,} tokens, {one.seconds:.1f} s{_rest(one.asked, most)}"
        for one in report.findings.scores
    ]


def _rest(asked: int, most: int) -> str:
    """What is to be said of tasks that were not put."""
    return f"; the other {most - asked} would not have brought it level" if asked < most else ""


def _wrong(runs: Sequence[TaskRun]) -> list[str]:
    """What was said instead of the expected values."""
    wrong = [one for one in runs if not one.right]
    lines = (f"  {one.form:7}  {one.task}: {one.expected} was expected: {_said(one)}" for one in wrong)
    return ["", "Wrong answers", *lines] if wrong else []


def _said(run: TaskRun) -> str:
    return one_line(run.answer, _LONGEST) or "(no answer)"

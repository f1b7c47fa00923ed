"""In which form a model works better: the same tasks in each form, through the runs that users make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import get_args

from aeon.doctor.examination import Examination, plain
from aeon.doctor.form_tasks import FormTask, is_right, tasks_digest
from aeon.errors import ModelError
from aeon.llm.examinable import Examinable
from aeon.llm.profiles import Profile
from aeon.schema import Conclusion, Frozen, Usage, WorkForm
from aeon.schema.form_scores import FormScore, preferred

__all__ = ["WORK_FORMS", "FormFindings", "Runner", "TaskRun", "examine_forms", "with_forms"]

WORK_FORMS: tuple[WorkForm, ...] = get_args(WorkForm)
"""Every form is measured: without native tool calls, a turn of the form ``tools`` is one JSON action."""

Runner = Callable[[WorkForm, FormTask], Awaitable[Conclusion]]
"""Does a task in a form, within the budget of one task."""

_HELLO = plain("Hello.", 1)


class TaskRun(Frozen):
    """What came of a task in one form; ``clean``: it is right, and the verdict of the run says so."""

    task: str
    language: str
    form: WorkForm
    right: bool
    clean: bool
    answer: str
    expected: str
    stop_reason: str
    spent: Usage
    seconds: float


class FormFindings(Frozen):
    """A score for each form, the runs that it is made of, and the form that follows."""

    form: WorkForm
    scores: tuple[FormScore, ...]
    runs: tuple[TaskRun, ...]


async def examine_forms(
    endpoint: Examinable,
    run: Runner,
    tasks: Sequence[FormTask],
    native: bool,
    stage: Callable[[str], None] = lambda _: None,
) -> FormFindings:
    """Each task in each form, one after the other. Nothing is saved.

    The form that wins a draw goes first; the other is put no more tasks once it cannot come to a draw. After a run that
    failed in part, one request of a token tells whether the endpoint is still there: if it is, the task counts as it
    came out.

    Raises:
        ModelError: the endpoint cannot be asked any more; the text says at what.
    """
    exam, runs = Examination(endpoint), list[TaskRun]()
    stage("whether it answers")
    await exam.ask(_HELLO)  # a wrong key gets its own error, and a local model is loaded before the first task
    for form in sorted(WORK_FORMS, key=lambda one: (one == "tools") != native):
        for number, task in enumerate(tasks, 1):
            if _is_beaten(form, runs, len(tasks)):
                break
            stage(f"{form}, task {number} of {len(tasks)}: {task.name}")
            runs.append(_task_run(form, task, await _ended(exam, run, form, task)))
    scores = tuple(_score([one for one in runs if one.form == form], native) for form in WORK_FORMS)
    return FormFindings(form=preferred(scores) or "program", scores=scores, runs=tuple(runs))


async def _ended(exam: Examination, run: Runner, form: WorkForm, task: FormTask) -> Conclusion:
    """How the run of the task ended, if the endpoint is still there then."""
    try:
        ended = await run(form, task)
        if ended.degraded or ended.stop_reason == "failed":
            await exam.ask(_HELLO)
    except ModelError as error:
        where = f"the measurement broke off at the task {task.name!r} in the form {form}"
        raise type(error)(f"{where}, and nothing of it was saved: {error}") from error
    return ended


def with_forms(profile: Profile, scores: Sequence[FormScore]) -> Profile:
    """The profile with these scores and the form that follows from them, which runs take from then on."""
    capabilities = profile.capabilities.changed(form=preferred(scores))
    return profile.changed(forms=tuple(scores), capabilities=capabilities)


def _is_beaten(form: WorkForm, runs: Sequence[TaskRun], tasks: int) -> bool:
    """Whether a form has too many wrong answers to come level with one that all tasks were put to."""
    right = Counter(one.form for one in runs if one.right)
    wrong = sum(one.form == form and not one.right for one in runs)
    best = max((right[other] for other in WORK_FORMS if other != form), default=0)
    return tasks - wrong < best


def _task_run(form: WorkForm, task: FormTask, ended: Conclusion) -> TaskRun:
    right = is_right(task, ended)
    return TaskRun(
        task=task.name, language=task.language, form=form, right=right,
        clean=right and (ended.sufficient or bool(task.stop_reason)), answer=ended.answer, expected=task.expected,
        stop_reason=ended.stop_reason, spent=ended.usage + ended.lost, seconds=ended.seconds,
    )  # fmt: skip


def _score(runs: Sequence[TaskRun], native: bool) -> FormScore:
    spent = sum((one.spent for one in runs), Usage())
    return FormScore(
        form=runs[0].form, tasks=tasks_digest(), asked=len(runs), right=sum(one.right for one in runs),
        clean=sum(one.clean for one in runs), native=native, calls=spent.calls, tokens=spent.tokens,
        seconds=round(sum(one.seconds for one in runs), 1),
    )  # fmt: skip

"""How good an endpoint is as a judge: every judgment on labelled cases, in the form in which a run asks for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from aeon.doctor.cases import Case
from aeon.doctor.fitting import auroc, platt
from aeon.errors import CompletionError, ModelError, UsageError
from aeon.llm.adapter import LLMAdapter
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Form, Frozen, Usage
from aeon.schema.calibration import Calibration
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Frame, Judge
from aeon.supervisor.judge_specs import Calibrations, judgment
from aeon.supervisor.judge_support import SUPPORT, SUPPORT_WORDING, SupportJudge, odds_of_support
from aeon.supervisor.judge_verdict import RESULTS, RESULTS_WORDING, Answered, VerdictJudge, odds_of
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor

__all__ = ["JudgeFindings", "examine_judge", "grouped", "most_calls"]

_CALLS = 8
"""The calls that one case may take, with those that find out what the endpoint can do."""
_NOTHING = Calibrations()
_REPLIES = 3
"""The calls that a structured verdict may take, with those that mend it."""
_WORDINGS = {RESULTS: RESULTS_WORDING, SUPPORT: SUPPORT_WORDING}
"""The structured verdicts with the digests of their wordings; the other judgments are questions of yes or no."""
_ROOM = 9_000
"""Bytes of what is cited that a prompt may show: more than a case has."""


class JudgeFindings(Frozen):
    """A calibration for each judgment, how many of its cases got no usable answer, and what all of it cost."""

    calibrations: tuple[Calibration, ...]
    unanswered: dict[str, int] = Field(default_factory=dict)
    spent: Usage = Usage()


class _Scored(NamedTuple):
    """The log-odds that a judge gives a case, ``None`` without a usable answer; how it was asked, and its cost."""

    odds: float | None
    form: Form
    usage: Usage


def grouped(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """The cases of each judgment.

    Raises:
        UsageError: those of one are all true or all false, so that nothing can be told from them.
    """
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.judgment, []).append(case)
    for name, some in groups.items():
        if len({case.label for case in some}) < 2:
            raise UsageError(f"the cases of {name} are all {str(some[0].label).lower()}; add some that are not")
    return groups


async def most_calls(model: LLMAdapter, groups: Mapping[str, Sequence[Case]]) -> int:
    """The most model calls that the cases can take, retries of failed requests aside. Raises `ModelError`."""
    judge = Judge(Supervisor(model), samples=0, measured=_NOTHING)
    each = {name: _REPLIES if name in _WORDINGS else await judge.most_calls(judgment(name)) for name in groups}
    return sum(each[name] * len(some) for name, some in groups.items())


async def examine_judge(
    model: LLMAdapter, groups: Mapping[str, Sequence[Case]], stage: Callable[[str], None] = lambda _: None
) -> JudgeFindings:
    """Every judgment's calibration; cases without a usable answer count as answered neither way. Nothing is saved.

    Raises:
        ModelError: the endpoint cannot be asked, or failed meanwhile.
    """
    supervisor = Supervisor(model)
    gate = asyncio.Semaphore((await supervisor.capabilities()).parallel or 1)
    found, unanswered, spent = [], {}, Usage()
    for name, cases in groups.items():
        stage(name)
        asked = await asyncio.gather(*(_scored(supervisor, case, gate) for case in cases))
        found.append(_calibration(model.name, name, cases, asked))
        spent += sum((one.usage for one in asked), Usage())
        unanswered[name] = sum(one.odds is None for one in asked)
    failed = {name: number for name, number in unanswered.items() if number}
    return JudgeFindings(calibrations=tuple(found), unanswered=failed, spent=spent)


def _calibration(model: str, name: str, cases: Sequence[Case], asked: Sequence[_Scored]) -> Calibration:
    pairs = [(one.odds or 0.0, case.label) for one, case in zip(asked, cases, strict=True)]
    scale, shift = platt(pairs)
    return Calibration(
        model=model, judgment=name, form=next((one.form for one in asked if one.form != "none"), "none"),
        wording=_WORDINGS.get(name) or judgment(name).wording,
        scale=round(scale, 4), shift=round(shift, 4), auroc=round(auroc(pairs), 3), cases=len(pairs),
    )  # fmt: skip


async def _scored(supervisor: Supervisor, case: Case, gate: asyncio.Semaphore) -> _Scored:
    """What the judge makes of a case."""
    async with gate:
        ledger = Ledger(Allowance(calls=_CALLS))
        with ledger:
            try:
                odds, form = await _asked(supervisor, case)
            except CompletionError:
                return _Scored(None, "none", ledger.spent)
            except ModelError as error:
                raise type(error)(
                    f"the examination broke off at {case.judgment}, nothing was saved: {error}"
                ) from error
        return _Scored(odds, form, ledger.spent)


async def _asked(supervisor: Supervisor, case: Case) -> tuple[float, Form]:
    if case.plan is not None:
        answered = Answered.of(case.task, case.plan.steps, case.plan.answer)
        review = await VerdictJudge(supervisor, Briefing(), _NOTHING).review(answered)
        return odds_of(review), "verdict"
    if case.claimed is not None:
        support = await SupportJudge(supervisor, Briefing(), _ROOM, _NOTHING).review(case.task, [case.claimed])
        return odds_of_support(support) if support is not None else 0.0, "verdict"
    spec = judgment(case.judgment)
    frame: Frame = Briefing().frame(case.task) if spec.briefed else _alone
    judged = await Judge(supervisor, samples=0, measured=_NOTHING).ask(spec, case.material, frame=frame)
    return judged.raw, judged.form


def _alone(text: str) -> Prompt:
    return Prompt(system="", user=text)

"""A saved run as one line an effect: its number, which is what ``aeon fork --at`` takes, and what came of it."""

from __future__ import annotations

from aeon.kernel.effects import AskUser, Effect
from aeon.multipass.effects import ExecuteStep
from aeon.observability.lines import plain, reply_line, short
from aeon.runtime.journal import Journal
from aeon.runtime.replay import waiting, walk
from aeon.schema import (
    Answer, ConvergenceAssessment, Outcome, Plan, Refinement, Reply, SemanticValidationReport, StepResult, TaskProfile,
)  # fmt: skip

__all__ = ["to_effects"]

_WIDTH = 39


def to_effects(journal: Journal) -> str:
    """One line an effect; those that were issued at once are joined by a bracket, and a fork cannot part them.

    Raises:
        Divergence: the journal is of another program or version.
    """
    lines: list[str] = []

    def answer(
        first: int, effects: tuple[Effect, ...], known: tuple[Outcome | None, ...]
    ) -> tuple[Outcome | None, ...]:
        asked = zip(effects, known, strict=True)
        outcomes = [o or (waiting(effect) if isinstance(effect, AskUser) else None) for effect, o in asked]
        for n, (effect, outcome) in enumerate(zip(effects, outcomes, strict=True)):
            lines.append(_row(first + n, _bracket(n, len(effects)), effect, outcome))
        return tuple(outcomes)

    walk(journal, answer)
    return "\n".join([_HEAD, *lines])


_HEAD = f"{'N':>3}   {'effect':<21} {'what came of it':<{_WIDTH}} {'calls':>5} {'s':>6}"


def _bracket(n: int, many: int) -> str:
    if many == 1:
        return " "
    return "┌" if n == 0 else "└" if n == many - 1 else "│"


def _row(number: int, bracket: str, effect: Effect, outcome: Outcome | None) -> str:
    what = f"{effect.phase.replace('_', ' ')}{f' {effect.step.id}' if isinstance(effect, ExecuteStep) else ''}"
    head = f"{number:>3} {bracket} {short(what, 21):<21} "
    if outcome is None:
        return f"{head}(not done when it was saved)"
    said = short(_said(outcome), _WIDTH)
    return f"{head}{said:<{_WIDTH}} {outcome.usage.calls:>5} {outcome.ended - outcome.started:>6.1f}"


def _said(outcome: Outcome) -> str:
    """What came of an effect, in a few words."""
    if outcome.failure is not None:
        return f"{outcome.failure.kind}: {outcome.failure.message}"
    match outcome.value:
        case TaskProfile() as profile:
            return f"depth {profile.reasoning_depth} of 5, ambiguity {profile.ambiguity:.1f}"
        case Plan() as plan:
            return f"{_count(len(plan.steps), 'step')}: {'; '.join(step.description for step in plan.steps)}"
        case StepResult() as result:
            return f"= {short(result.output, _WIDTH)}"
        case Reply() as reply:
            return plain([reply_line(reply)])
        case Answer() as answer:
            return short(answer.text if answer.value is None else answer.value, _WIDTH)
    return _judged(outcome)


def _judged(outcome: Outcome) -> str:
    """What a judgment said of the plan or of its results."""
    match outcome.value:
        case SemanticValidationReport() as report:
            found = "; ".join(issue.description for issue in report.issues)
            return f"{_count(len(report.issues), 'issue')}: {found}" if report.issues else "no issues"
        case Refinement() as refinement:
            return _refined(refinement)
        case ConvergenceAssessment() as judged:
            scores = f"{judged.completeness:.2f} {judged.coherence:.2f} {judged.consistency:.2f}"
            return f"{'converged' if judged.converged else 'not converged'} {scores}"
    return ""


def _refined(refinement: Refinement) -> str:
    if refinement.question is not None:
        return f"asks: {refinement.question.text}"
    deltas = ", ".join(f"{action.type} {action.target or 'plan'}" for action in refinement.actions)
    return deltas or "nothing is changed"


def _count(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"

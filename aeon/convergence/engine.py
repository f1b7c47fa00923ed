"""Whether the results answer the task: one crisp question per criterion, with the evidence in view.

What structure settles is not asked: a single result cannot contradict itself, and a tool's result follows from its
inputs. A step that has not run to a good end keeps a run from converging whatever the scores say.
"""

from __future__ import annotations

from aeon.kernel.effects import AssessConvergence
from aeon.schema import ConvergenceAssessment, Form, Plan, Step, fragment
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import fence, load, render
from aeon.supervisor.supervisor import Supervisor

__all__ = ["ConvergenceEngine"]

_LONGEST = 6_000


class ConvergenceEngine:
    """Scores completeness, coherence and consistency, and every criterion of the task."""

    def __init__(self, supervisor: Supervisor, briefing: Briefing) -> None:
        self._supervisor = supervisor
        self._briefing = briefing

    async def assess(self, effect: AssessConvergence) -> ConvergenceAssessment:
        """The assessment; ``converged`` only if every score reaches its threshold and nothing is left undone."""
        unfinished = open_steps(effect.plan)
        codes = ["steps_unfinished"] if unfinished or not effect.plan.results() else []
        problems = [f"{s.id} is {s.status}: {s.problem or s.description}" for s in unfinished]
        problems += [f"{issue.location}: {issue.description}" for issue in effect.report.issues]
        scores: dict[str, float] = {}
        form: Form = "none"
        for name in ("completeness", "coherence", "consistency"):
            scores[name] = 1.0
            if self._needed(name, effect.plan):
                scores[name], form = await self._ask(effect, name, problems)
            if scores[name] < getattr(effect.thresholds, name):
                codes.append(f"{name}_low")
        for number, criterion in enumerate(effect.task.criteria, 1):
            met, form = await self._ask(effect, "criterion", problems, criterion)
            if met < effect.thresholds.completeness:
                codes.append(f"criterion_{number}")
                problems.append(f"not met: {criterion}")
        return ConvergenceAssessment(
            converged=not codes, reason_codes=tuple(codes), detected_issues=tuple(problems), form=form,
            explanation=", ".join(f"{k} {v:.2f}" for k, v in scores.items()), **scores,
        )  # fmt: skip

    def _needed(self, name: str, plan: Plan) -> bool:
        done = [s for s in plan.steps if s.status == "complete"]
        if name == "completeness":
            return bool(done)
        reasoned = [s for s in done if s.mode in ("reasoning", "reasoning_fallback")]
        return len(done) > 1 and bool(reasoned)

    async def _ask(
        self, effect: AssessConvergence, name: str, problems: list[str], criterion: str = ""
    ) -> tuple[float, Form]:
        done = [f"{s.id}: {s.description}\n  = {s.output}" for s in effect.plan.steps if s.status == "complete"]
        values = {"criterion": criterion} if criterion else {}
        question = render(
            load("aeon.convergence", f"{name}.md"),
            results=fence("results", "\n".join(done), _LONGEST),
            evidence=fence("problems", "\n".join(problems), 1_500) if problems else "",
            **values,
        )
        reply = await self._supervisor.probability(self._briefing.prompt(effect.task, question))
        return reply.value, reply.form


def open_steps(plan: Plan) -> list[Step]:
    """Steps without a good end that no later version of their fragment has made good."""
    good = {fragment(step.id) for step in plan.steps if step.status == "complete"}
    return [s for s in plan.steps if s.status != "complete" and fragment(s.id) not in good]

"""Whether the results answer the task: one crisp question per criterion, with the evidence in view.

How complete it is is asked of every result. What structure settles is not asked: a single result cannot contradict
itself, and a tool's result follows from its inputs. A step that has not run to a good end keeps a run from converging
whatever the scores say.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, islice
from typing import Annotated, Literal

from pydantic import Field

from aeon.convergence.evaluation import Judgments, evaluate
from aeon.convergence.experience import Experience
from aeon.convergence.reviewed import reviewed
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.grounding.results import LatestEvidence
from aeon.isolation.aside import aside
from aeon.kernel.table import DISAGREEMENT, NOT_STATED, UNCERTAIN
from aeon.multipass.effects import AssessConvergence
from aeon.multipass.plans import answer_steps, current_steps, is_by_programs, is_by_turns
from aeon.runtime.ledger import current_ledger
from aeon.schema import (
    Contradiction,
    ConvergenceAssessment,
    Evaluation,
    Form,
    Frozen,
    Plan,
    ReasoningEngine,
    Standing,
    Step,
)
from aeon.schema.claims import ENDINGS
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Judge, Judged
from aeon.supervisor.judge_specs import Calibrations, judgment
from aeon.supervisor.judge_standing import least
from aeon.supervisor.judge_verdict import UNVERIFIED, VerdictJudge
from aeon.supervisor.prompt import cut, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["ConvergenceEngine", "material"]

_LONGEST_TASK = 1_000
_LONGEST_PROBLEMS = 1_500
_MOST_PAIRS = 3
_ALL = ("completeness", "coherence", "consistency")
_NO_REASONING = ("tool", "program")
_ENTITY_TOKENS = 120
_UNNAMED = "what the answer must contain could not be named or judged: the coverage is that of plan and criteria"
_UNCONFIRMED = "unconfirmed"
"""The code of what one program gave, that nobody judged and no other way led to."""


class _Entities(Frozen):
    things: tuple[Annotated[str, Field(min_length=1, max_length=60)], ...] = Field(min_length=1, max_length=3)


class ConvergenceEngine:
    """Scores completeness, coherence and consistency, and every criterion of the task.

    A model that tells probabilities is asked a yes or no for each; another, and one that works with tools turn by turn,
    says all of it in the one reply that validation got. What was measured to be bad on the endpoint is not asked and
    decides nothing; where nothing else judged how complete the answer is, it is unverified. ``measured`` holds what was
    measured, by default on the endpoint itself, then what is shipped; ``experience`` is how often answers of the model
    were right, by how they came about. With ``judge`` "nobody" there is no model to ask; "tools" is for runs that have
    none for anything: then what their tools gave counts as it stands. ``evidence`` may be shared with others that ask
    about the same plans.
    """

    def __init__(
        self,
        supervisor: Supervisor,
        briefing: Briefing,
        engine: ReasoningEngine | None = None,
        confidence: Callable[[float], float] = lambda mean: mean,
        measured: Calibrations | None = None,
        experience: Experience | None = None,
        judge: Literal["model", "nobody", "tools"] = "model",
        evidence: LatestEvidence | None = None,
    ) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._judge = Judge(supervisor, samples=0, measured=measured)
        self._verdicts = VerdictJudge(supervisor, briefing, measured)
        self._judged = judge == "model"
        self._unaided = judge == "tools"
        self._evidence = evidence or LatestEvidence()
        self._engine = engine or ReasoningEngine()
        self._confidence = confidence
        self._experience = experience or Experience()

    async def assess(self, effect: AssessConvergence) -> ConvergenceAssessment:
        """The assessment; ``converged`` only if every score reaches its threshold and nothing is left undone."""
        if await self._reviews(effect.plan):
            return await self._assessed(effect, await reviewed(effect, self._verdicts))
        return await (self._scored(effect) if self._judged else self._unjudged(effect))

    async def _scored(self, effect: AssessConvergence) -> ConvergenceAssessment:
        """The assessment by a yes or no for each criterion."""
        problems = _problems(effect)
        bad = [name for name in self._needed(effect) if not await self._judge.decides(judgment(name))]
        weighed = _weighed(effect.plan)
        asked = [name for name in _open_criteria(effect) if name not in (*bad, *weighed)]
        answers = weighed | {name: await self._ask(effect, name, problems) for name in asked}
        criteria = await self._criteria(effect, problems, judged="criterion" not in bad)
        scores = _scores(answers)
        judgments = Judgments({name: judged.score for name, judged in answers.items()}, _verdicts(effect, criteria))
        every = [*answers.values(), *filter(None, (judged for _, judged in criteria))]
        codes = self._all_codes(effect, scores, criteria, (UNVERIFIED,) if "completeness" in bad else ())
        left_out = (f"measured to be too poor to decide: {name}" for name in bad)
        return self._told(effect, scores, codes).changed(
            form=_form(every), standing=_worth(every, bad), detected_issues=(*problems, *left_out),
            evaluation=await self._evaluate(effect, judgments, problems),
        )  # fmt: skip

    async def _unjudged(self, effect: AssessConvergence) -> ConvergenceAssessment:
        """The assessment where there is no model to ask: what the host knows, and what tools gave."""
        problems = _problems(effect)
        scores = _scores({})
        criteria = [(criterion, None) for criterion in effect.task.criteria]
        codes = self._all_codes(effect, scores, criteria, () if self._unaided else (UNVERIFIED,))
        return self._told(effect, scores, codes).changed(
            standing="assumed" if self._unaided else "none", detected_issues=tuple(problems),
            evaluation=await self._evaluate(effect, Judgments({}, _verdicts(effect, criteria)), problems),
        )  # fmt: skip

    def _all_codes(
        self,
        effect: AssessConvergence,
        scores: Mapping[str, float | None],
        criteria: Sequence[tuple[str, Judged | None]],
        otherwise: tuple[str, ...],
    ) -> tuple[str, ...]:
        """What keeps the answer from converging; where nothing else does, how often such ones were right."""
        known = self._experience.of(effect.plan).codes(effect.thresholds.probability)
        found = tuple(
            code for code in _codes(effect, scores, criteria) if self._judged or code not in (UNCERTAIN, _UNCONFIRMED)
        )
        return found or known or otherwise

    def _told(
        self, effect: AssessConvergence, scores: Mapping[str, float | None], codes: tuple[str, ...]
    ) -> ConvergenceAssessment:
        """The assessment of these scores and codes, with what was seen of such answers."""
        seen = self._experience.of(effect.plan)
        return ConvergenceAssessment(
            converged=not codes, reason_codes=codes, probability=seen.probability, runs=seen.runs,
            explanation=_explanation(scores),
            completeness=scores["completeness"], coherence=scores["coherence"], consistency=scores["consistency"],
        )  # fmt: skip

    async def _reviews(self, plan: Plan) -> bool:
        """Whether such a plan's answer is reviewed in one reply, rather than by a yes or no for each criterion."""
        return self._judged and (is_by_turns(plan) or await self._judge.form() != "probability")

    async def _assessed(self, effect: AssessConvergence, verdict: ConvergenceAssessment) -> ConvergenceAssessment:
        """The verdict with what the host knows, what was seen of such answers, and the evaluation, if there is one."""
        seen = self._experience.of(effect.plan)
        known = (*verdict.reason_codes, *_known_codes(effect)) or seen.codes(effect.thresholds.probability)
        codes = dict.fromkeys(known)
        scores = {name: score for name in _ALL if (score := getattr(verdict, name)) is not None}
        unmet = {f"criterion_{number}" for number in range(1, len(effect.task.criteria) + 1)} & codes.keys()
        criteria = tuple(
            (text, f"criterion_{number}" not in unmet) for number, text in enumerate(effect.task.criteria, 1)
        )
        return verdict.changed(
            converged=verdict.converged and not codes, reason_codes=tuple(codes),
            probability=seen.probability, runs=seen.runs,
            evaluation=await self._evaluate(effect, Judgments(scores, criteria), []),
        )  # fmt: skip

    async def _criteria(
        self, effect: AssessConvergence, problems: list[str], judged: bool
    ) -> list[tuple[str, Judged | None]]:
        """The judgment of each criterion of the task; what is not met is a problem.

        There is none of any where the model cannot be ``judged`` by, and of those for which no calls are left.
        """
        if not judged:
            return [(criterion, None) for criterion in effect.task.criteria]
        criteria: list[tuple[str, Judged | None]] = []
        most = await self._judge.most_calls(judgment("criterion"))
        for criterion in effect.task.criteria:
            if current_ledger().calls_left() < most:
                criteria.append((criterion, None))
                problems.append(f"not checked, the calls for it were used up: {criterion}")
                continue
            criteria.append((criterion, await self._ask(effect, "criterion", problems, criterion=criterion)))
            problems += [f"not met: {text}" for text, met in _verdicts(effect, criteria[-1:]) if not met]
        return criteria

    def _needed(self, effect: AssessConvergence) -> list[str]:
        """The judgments that an assessment rests on."""
        by_entities = self._engine.enabled and self._engine.state_monitor.coverage_method == "entity_ratio"
        beside = {"criterion": bool(effect.task.criteria), "entity": by_entities}
        return [*_open_criteria(effect), *(name for name, there in beside.items() if there)]

    async def _evaluate(
        self, effect: AssessConvergence, judgments: Judgments, problems: list[str]
    ) -> Evaluation | None:
        """The evaluation, if the policy has one; asks only for what it needs and structure cannot tell."""
        if not self._engine.enabled:
            return None
        doubtful = judgments.scores.get("consistency", 1.0) < effect.thresholds.consistency
        detected = self._engine.evaluate.gap_detection and self._engine.evaluate.contradiction_detection
        by_entities = self._engine.state_monitor.coverage_method == "entity_ratio"
        with contextlib.suppress(CompletionError, AllowanceExhausted):  # the assessment stands without them
            if by_entities and await self._judge.decides(judgment("entity")):
                judgments = replace(judgments, entities=await self._entities(effect, problems))
        with contextlib.suppress(CompletionError, AllowanceExhausted):
            if detected and doubtful and await self._judge.decides(judgment("compatible")):
                judgments = replace(judgments, contradictions=await self._contradictions(effect))
        evidence = self._evidence.of(effect.task, effect.plan)
        evaluation = await aside(partial(evaluate, effect, self._engine, judgments, evidence, self._confidence))
        unnamed = by_entities and judgments.entities is None
        return evaluation.changed(warnings=(*evaluation.warnings, _UNNAMED)) if unnamed else evaluation

    async def _entities(self, effect: AssessConvergence, problems: list[str]) -> dict[str, bool]:
        """The things that the answer must contain, named by the model, and whether the results hold them."""
        prompt = self._briefing.prompt(effect.task, load("aeon.convergence", "entities.md"))
        named = await self._supervisor.structured(prompt, _Entities, max_tokens=_ENTITY_TOKENS, repairs=1)
        there: dict[str, bool] = {}
        for name in dict.fromkeys(named.value.things):
            judged = await self._ask(effect, "entity", problems, thing=name)
            there[name] = judged.score >= effect.thresholds.completeness
        return there

    async def _contradictions(self, effect: AssessConvergence) -> tuple[Contradiction, ...]:
        """The pairs of reasoned results that the model says cannot both be right; at most three pairs are asked about.

        The question is put so that Yes is the good answer: asked whether something contradicts, a small model says yes
        where it agrees.
        """
        reasoned = [s for s in effect.plan.steps if s.status == "complete" and s.mode not in _NO_REASONING]
        contradictions = []
        for one, other in islice(combinations(reasoned, 2), _MOST_PAIRS):
            pair = {name: f"{step.description}\n= {step.output}" for name, step in (("one", one), ("other", other))}
            judged = await self._judge.ask(judgment("compatible"), pair, frame=self._briefing.frame(effect.task))
            if judged.score < judgment("compatible").threshold:
                contradictions.append(Contradiction(claim=other.description, source_a=one.id, source_b=other.id))
        return tuple(contradictions)

    async def _ask(self, effect: AssessConvergence, name: str, problems: Sequence[str], **more: str) -> Judged:
        values = material(effect.task.text, effect.plan, problems) | more
        return await self._judge.ask(judgment(name), values, frame=self._briefing.frame(effect.task))


def material(task: str, plan: Plan, problems: Sequence[str] = ()) -> dict[str, str]:
    """The values that a judgment of the results sees: those of the complete steps, the problems, and the task."""
    done = [f"{s.id}: {s.description}\n  = {s.output}" for s in plan.steps if s.status == "complete"]
    return {
        "results": "\n".join(done),
        "problems": cut("\n".join(problems), _LONGEST_PROBLEMS),
        "task": cut(task, _LONGEST_TASK),
    }


def _open_criteria(effect: AssessConvergence) -> tuple[str, ...]:
    """The criteria that are asked for: how complete the results are, and the others where structure does not tell."""
    done = [step for step in effect.plan.steps if step.status == "complete"]
    reasoned = [step for step in done if step.mode == "reasoning"]
    if all(step.output is None for step in done):
        return ()
    if len(reasoned) > 1 or (reasoned and effect.report.issues):
        return _ALL
    return ("completeness",)


def _weighed(plan: Plan) -> dict[str, Judged]:
    """How complete the answer is, as it was judged when it was found: where the task is the only step."""
    steps = current_steps(plan)
    weight = steps[0].weight if len(steps) == 1 else None
    if weight is None or weight.score is None:
        return {}
    name = "completeness"
    return {name: Judged(name=name, score=weight.score, form=weight.form, standing=weight.standing, raw=0, answers=())}


def _is_doubted(plan: Plan) -> bool:
    """Whether what programs gave was neither vouched for by a judge nor found in several ways, or nothing was ahead."""
    return any(is_by_programs(step) and step.clarity == "PARTIALLY_CLEAR" for step in current_steps(plan))


def _scores(answers: Mapping[str, Judged]) -> dict[str, float | None]:
    """Each criterion's score: as judged, ``None`` where nobody was asked."""
    return {name: answers[name].score if name in answers else None for name in _ALL}


def _worth(judged: Sequence[Judged], bad: Sequence[str]) -> Standing:
    """What the judgments together are worth, those included that were too bad to be asked for."""
    asked: list[Standing] = [one.standing for one in judged]
    return least([*asked, "bad"] if bad else asked)


def _codes(
    effect: AssessConvergence, scores: Mapping[str, float | None], criteria: Sequence[tuple[str, Judged | None]]
) -> list[str]:
    """A code for what is unfinished, and for each score and each criterion of the task that is too low."""
    codes = ["steps_unfinished"] if _unfinished_steps(effect.plan) or not effect.plan.results() else []
    codes += _known_codes(effect)
    codes += _low(effect, scores)
    return codes + [f"criterion_{number}" for number, (_, met) in enumerate(_verdicts(effect, criteria), 1) if not met]


def _low(effect: AssessConvergence, scores: Mapping[str, float | None]) -> list[str]:
    """A code for each score that is too low; for what was weighed when programs gave it, that it is doubted."""
    weighed, least = _weighed(effect.plan), effect.thresholds
    asked = {name: score for name, score in scores.items() if score is not None and name not in weighed}
    low = [f"{name}_low" for name, score in asked.items() if score < getattr(least, name)]
    doubt = UNCERTAIN if weighed else _UNCONFIRMED
    return [*low, doubt] if _is_doubted(effect.plan) else low


def _known_codes(effect: AssessConvergence) -> list[str]:
    """A code for each thing that the host knows to be wrong with the results."""
    agreement = effect.plan.agreement
    found = {
        NOT_STATED: any(s.status == "complete" and s.output is None for s in answer_steps(effect.plan)),
        DISAGREEMENT: agreement is not None and agreement.disagrees,
    }
    return [code for code, holds in found.items() if holds] + _unfounded(effect)


def _unfounded(effect: AssessConvergence) -> list[str]:
    """The codes of what the host found: that steps which count say what is wrong, or in nothing that they could use."""
    current = {step.id for step in current_steps(effect.plan)}
    issues = [issue for issue in effect.report.issues if issue.by == "host" and issue.location in current]
    verdicts = {issue.claim.verdict if issue.claim is not None else "not_found" for issue in issues}
    return [reason for verdict, reason in ENDINGS.items() if verdict in verdicts]


def _verdicts(effect: AssessConvergence, criteria: Sequence[tuple[str, Judged | None]]) -> tuple[tuple[str, bool], ...]:
    """Each criterion of the task with whether it is met."""
    return tuple(
        (text, judged is not None and judged.score >= effect.thresholds.completeness) for text, judged in criteria
    )


def _form(answers: Sequence[Judged]) -> Form:
    """How the last question was asked."""
    return answers[-1].form if answers else "none"


def _explanation(scores: Mapping[str, float | None]) -> str:
    return ", ".join(f"{name} {'not judged' if score is None else f'{score:.2f}'}" for name, score in scores.items())


def _problems(effect: AssessConvergence) -> list[str]:
    """What structure and validation have found, for the judge to see."""
    unfinished = [f"{s.id} is {s.status}: {s.problem or s.description}" for s in _unfinished_steps(effect.plan)]
    return unfinished + [f"{issue.location}: {issue.description}" for issue in effect.report.issues]


def _unfinished_steps(plan: Plan) -> list[Step]:
    """Steps without a good end that have no later version."""
    return [step for step in current_steps(plan) if step.status != "complete"]

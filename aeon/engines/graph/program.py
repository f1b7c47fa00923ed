"""The graph engine: classify, then directly, or plan, execute, reflect on what failed, verify; and respond."""

from __future__ import annotations

from aeon.engines.graph import effects as ask
from aeon.engines.graph.builder import Edge, Graph, GraphBuilder, Visit
from aeon.engines.graph.config import REFLECTIONS, GraphConfig
from aeon.engines.graph.nodes import classify, draft, execute, is_no, plan, verify, walked
from aeon.engines.graph.record import Worked
from aeon.engines.graph.rules import TABLE, WorkSignals, graph_calls, most_plans
from aeon.engines.graph.stepping import carry_out, failure_of
from aeon.engines.graph.values import Choice, Looked, Reflected, Reflection, Work
from aeon.kernel.engine import Engine, Run
from aeon.multipass.effects import DraftPlan, ExecuteStep, Synthesize, ValidateResults
from aeon.multipass.plans import is_computed
from aeon.schema.effects import Program
from aeon.schema.outcome import Outcome
from aeon.schema.plan import StepResult

__all__ = ["GRAPH", "SHIPPED"]

GraphVisit = Visit[GraphConfig, WorkSignals, Work]
_LONGEST_LOOK = 1_500
"""Characters that are kept of what a look shows."""


def _classify(visit: GraphVisit) -> Program[None]:
    """Classify the task; its complexity says how often the run may reflect."""
    yield from classify(visit)
    config = visit.run.config
    left = min(config.reflections, REFLECTIONS[visit.state.complexity])
    visit.write(reflections_left=left, plans_left=config.plan_retries + 1)


def _direct(visit: GraphVisit) -> Program[None]:
    """Answer at once: a text as it is asked for, or what a plan finds that nobody verifies unless it computes."""
    if not visit.state.plan.steps:
        yield from draft(visit)
    yield from carry_out(visit)
    if failure := failure_of(visit.state.plan):
        visit.write(problems=(failure,))


def _plan(visit: GraphVisit) -> Program[None]:
    """Plan, and count the plan."""
    visit.write(plans_left=visit.state.plans_left - 1)
    yield from plan(visit)


def _reflect(visit: GraphVisit) -> Program[None]:
    """Look around after a failure, then say why it came to that and what a new plan should do otherwise."""
    run, state = visit.run, visit.state
    visit.write(reflections_left=state.reflections_left - 1)
    failure = "; ".join(state.problems[-1:])
    looks: list[Looked] = []
    while len(looks) < run.config.looks:
        choose = ask.ChooseLook(task=run.task, plan=state.plan, failure=failure, looks=tuple(looks))
        choice = yield from run.perform(choose, Choice())
        if choice.look is None or choice.look in [one.look for one in looks]:
            break
        looks.append((yield from _look(run, ask.TakeLook(task=run.task, look=choice.look))))
    thought = ask.Reflect(task=run.task, plan=state.plan, failure=failure, looks=tuple(looks))
    reflection = yield from run.perform(thought, Reflection())
    record = Reflected(failure=failure, looks=tuple(looks), reflection=reflection)
    visit.write(reflections=(*state.reflections, record))
    if reflection.advice:
        visit.write(problems=(*state.problems, f"{reflection.cause} {reflection.advice}".strip()))


def _look(run: Run[GraphConfig, WorkSignals], effect: ask.TakeLook) -> Program[Looked]:
    """Take a look; one that shows nothing says why, and is no failure of the run."""
    run.boundary()
    (outcome,) = yield from run.issue((effect.changed(allowance=run.allow(effect.phase)),))
    if run.abandoned(effect, outcome):
        run.boundary(midway=True)
    return Looked(look=effect.look, showed=_showed(outcome), problem=outcome.message if outcome.failure else "")


def _showed(outcome: Outcome) -> str:
    return str(outcome.value.output)[:_LONGEST_LOOK] if isinstance(outcome.value, StepResult) else ""


def _failed(state: Work) -> bool:
    return bool(failure_of(state.plan))


def _is_direct(state: Work) -> bool:
    return state.complexity in ("BYPASS", "SIMPLE")


def _may_reflect(state: Work) -> bool:
    return state.reflections_left > 0 and state.fresh


_RESPOND: Edge[Work] = Edge("respond")
_STEPS = ("plan", "done", "executed", "fresh", "problems")
SHIPPED: Graph[GraphConfig, WorkSignals, Work] = (
    GraphBuilder[GraphConfig, WorkSignals, Work](Work, "classify")
    .node(
        _classify,
        writes=("complexity", "plan", "lessons", "patterns", "reflections_left", "plans_left"),
        edges=(Edge("direct", "BYPASS, SIMPLE", _is_direct), Edge("plan", "MODERATE, COMPLEX"), _RESPOND),
    )
    .node(
        _direct,
        reads=("complexity", "lessons", "patterns"),
        writes=(*_STEPS, "plans"),
        edges=(
            Edge("plan", "a step failed", _failed),
            Edge("verify", "something was computed", lambda w: is_computed(w.plan)),
            _RESPOND,
        ),
    )
    .node(
        _plan,
        reads=("complexity", "lessons", "patterns", "problems", "executed"),
        writes=("plan", "plans", "fresh", "plans_left"),
        edges=(Edge("execute"),),
        most=most_plans,
    )
    .node(
        execute,
        reads=("reflections_left",),
        writes=_STEPS,
        edges=(Edge("reflect", "a step failed", lambda w: _failed(w) and _may_reflect(w)), Edge("verify")),
    )
    .node(
        _reflect,
        reads=("plan", "problems", "reflections", "reflections_left"),
        writes=("reflections", "reflections_left", "problems"),
        edges=(Edge("plan", "a new plan is left"), _RESPOND),
        most=lambda config: config.reflections,
    )
    .node(
        verify,
        reads=("fresh", "reflections_left", "plans_left"),
        writes=("plan", "verdict", "verdicts", "problems"),
        edges=(
            Edge("reflect", "no", lambda w: is_no(w) and _may_reflect(w)),
            Edge("plan", "no, and no reflection is left", lambda w: is_no(w) and w.plans_left > 0),
            _RESPOND,
        ),
    )
    .respond()
    .build()
)
"""The graph of the engine."""


def _program(run: Run[GraphConfig, WorkSignals]) -> Program[Worked]:
    return walked(SHIPPED, run)


GRAPH: Engine[GraphConfig, WorkSignals, Worked] = Engine(
    name="graph/5",
    config=GraphConfig,
    result=Worked,
    signals=WorkSignals,
    effects=(
        ask.Classify,
        ask.Recall,
        DraftPlan,
        ExecuteStep,
        ValidateResults,
        ask.Verify,
        ask.ChooseLook,
        ask.TakeLook,
        ask.Reflect,
        Synthesize,
        ask.NoteLesson,
    ),
    table=TABLE,
    calls=graph_calls,
    program=_program,
    final=Synthesize,
)

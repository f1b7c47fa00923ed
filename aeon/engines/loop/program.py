"""The loop engine, on the graph's nodes: classify, plan, execute, verify, respond; what fails is told the retry."""

from __future__ import annotations

from aeon.engines.graph.builder import Edge, Graph, GraphBuilder
from aeon.engines.graph.config import WorkConfig
from aeon.engines.graph.effects import Classify, NoteLesson, Recall, Verify
from aeon.engines.graph.nodes import classify, execute, is_no, plan, verify, walked
from aeon.engines.graph.record import Worked
from aeon.engines.graph.rules import TABLE, WorkSignals, loop_calls
from aeon.engines.graph.values import Work
from aeon.kernel.engine import Engine, Run
from aeon.multipass.effects import DraftPlan, ExecuteStep, Synthesize, ValidateResults
from aeon.schema.effects import Program

__all__ = ["LOOP", "SHIPPED"]

SHIPPED: Graph[WorkConfig, WorkSignals, Work] = (
    GraphBuilder[WorkConfig, WorkSignals, Work](Work, "classify")
    .node(
        classify,
        writes=("complexity", "plan", "lessons", "patterns"),
        edges=(Edge("execute", "BYPASS", lambda w: w.complexity == "BYPASS"), Edge("plan", "else"), Edge("respond")),
    )
    .node(
        plan,
        reads=("complexity", "lessons", "patterns", "problems", "executed"),
        writes=("plan", "plans", "fresh"),
        edges=(Edge("execute"),),
        most=lambda config: config.plan_retries + 1,
    )
    .node(
        execute,
        writes=("plan", "done", "executed", "fresh", "problems"),
        edges=(Edge("verify"),),
    )
    .node(
        verify,
        reads=("fresh",),
        writes=("plan", "verdict", "verdicts", "problems"),
        edges=(Edge("plan", "no", is_no), Edge("respond")),
    )
    .respond()
    .build()
)
"""The graph of the engine."""


def _program(run: Run[WorkConfig, WorkSignals]) -> Program[Worked]:
    return walked(SHIPPED, run)


LOOP: Engine[WorkConfig, WorkSignals, Worked] = Engine(
    name="loop/4",
    config=WorkConfig,
    result=Worked,
    signals=WorkSignals,
    effects=(
        Classify,
        Recall,
        DraftPlan,
        ExecuteStep,
        ValidateResults,
        Verify,
        Synthesize,
        NoteLesson,
    ),
    table=TABLE,
    calls=loop_calls,
    program=_program,
    final=Synthesize,
)

"""What the kernel expects of the world outside: one handler per phase and a driver, known by their shape alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from aeon.kernel import effects as ask
from aeon.schema import (
    Answer, Config, ConvergenceAssessment, Frozen, Plan, Refinement, Reply, Result, SemanticValidationReport,
    StepResult, Task, TaskProfile,
)  # fmt: skip

__all__ = ["Driver", "Handler", "Job", "Modules"]

E = TypeVar("E")
V = TypeVar("V")
Handler: TypeAlias = Callable[[E], Awaitable[V]]
"""A coroutine function that answers one kind of effect; what it raises becomes the effect's failure."""


class Modules(NamedTuple):
    """The handler of each phase's effect, under the phase's name; usually a method of a judgment module."""

    profile: Handler[ask.InferProfile, TaskProfile]
    plan: Handler[ask.DraftPlan, Plan]
    validate_plan: Handler[ask.ValidatePlan, SemanticValidationReport]
    refine_plan: Handler[ask.RefinePlan, Refinement]
    execute: Handler[ask.ExecuteStep, StepResult]
    validate_results: Handler[ask.ValidateResults, SemanticValidationReport]
    assess: Handler[ask.AssessConvergence, ConvergenceAssessment]
    ask: Handler[ask.AskUser, Reply]
    synthesize: Handler[ask.Synthesize, Answer]


class Job(NamedTuple):
    """Something to run: a program, made from task, configuration and the id that the driver gives it, and its world."""

    program: Callable[[Task, Config, str], ask.Program[Result]]
    task: Task
    config: Config
    modules: Modules


class Driver(Protocol):
    """Steps a program and has its effects handled; the only one that touches the world."""

    def execute(self, job: Job) -> Result:
        """Run a job to its end, whether or not an event loop is running."""

    async def aexecute(self, job: Job) -> Result:
        """Run a job to its end in the running event loop."""

    def stream(self, job: Job) -> AsyncIterator[Frozen]:
        """Run a job and give its events; the last one carries the result."""

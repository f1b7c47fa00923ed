"""Writes the golden journals that are missing: ``PYTHONPATH=.:tests python -m golden.make``. None is written again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from kernel.world import CONVERGED, ENDPOINT_DOWN, NOT_YET, Said, World, add, calls, found, looped, step, used
from runtime.handlers import Handler, job, ticking
from runtime.lives import Crash, went_on

from aeon.errors import OutcomeUnknown
from aeon.kernel.passes import MULTIPASS
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.fork import fork
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import current_ledger
from aeon.schema import (
    Answer,
    Budget,
    Claim,
    Config,
    ConvergenceAssessment,
    Dimensions,
    Evaluation,
    Failure,
    JsonObject,
    Question,
    Reading,
    Refinement,
    RefinementAction,
    Reply,
    StepResult,
    Task,
    TaskProfile,
    ToolUse,
    Turn,
    Usage,
    Value,
    Verdict,
)
from aeon.schema.effects import Effect
from aeon.schema.programs import Programs, ProgramText, Ran, Way
from aeon.schema.weight import Weight

__all__ = ["FOLDER", "MADE"]

FOLDER = Path(__file__).parent
WHICH = Question(text="Which year?", options=("2025", "2026"), default="2026")
STEPS = (step("a"), step("b"), step("c", "a", "b"))
LONG = {"profile": TaskProfile(reasoning_depth=5, ambiguity=0), "assess": NOT_YET}


def growing(effect: Effect, n: int) -> Refinement:
    """A step more each time, after a question where one may be put."""
    return Refinement(question=WHICH) if effect.may_ask and n == 0 else add(step(f"more{n}"))


def evaluated(confidence: float, **fields: object) -> ConvergenceAssessment:
    """Not converged, with this confidence."""
    judged = Dimensions(completeness=0.5, accuracy=0.5, relevance=0.5, freshness=0.5, coherence=0.5)
    evaluation = Evaluation(confidence=confidence, dimensions=judged, score=0.5, **fields)  # type: ignore[arg-type]
    return NOT_YET.changed(evaluation=evaluation)


def driven(path: Path, world: World, config: Config | None = None, stop_in: str = "", **handlers: Handler) -> None:
    """A run whose journal is kept; somebody asks it to stop in the phase ``stop_in``."""
    driver = AsyncDriver((), lambda execution_id: Journal(path), ticking(), new_id=lambda: path.stem)

    async def stopping(effect: Effect) -> Value:
        driver.interrupt()
        await asyncio.Event().wait()
        raise AssertionError

    driver.execute(job(world, config, **handlers | ({stop_in: stopping} if stop_in else {})))


def converged(path: Path) -> None:
    """Branches, a failed step, a question and a refinement on the way."""

    def execute(effect: Effect, n: int) -> Value:
        return (
            Failure(kind="tool", message="no such row") if n == 1 else StepResult(output={"ü": [n, None]}, mode="tool")
        )

    answers = [NOT_YET, CONVERGED]
    driven(path, World(
        STEPS, execute=execute, validate_plan=found("plan"), refine_plan=growing, ask=Reply(text="1066"),
        assess=lambda _, n: answers[n],
    ))  # fmt: skip


def resumed(path: Path) -> None:
    """Interrupted in its first pass, resumed, converged."""
    driven(path, World(STEPS), stop_in="validate_results")
    went_on(path, World(STEPS), ticking())


def crashed(path: Path) -> None:
    """The process ended while a model was called for a step; resumed, converged: the call counts as lost."""
    most = Usage(calls=1, prompt_tokens=800, generated_tokens=200)

    async def execute(effect: Effect) -> Value:
        await current_ledger().admit(most)
        raise Crash

    with suppress(Crash):
        driven(path, World(STEPS), execute=execute)
    went_on(path, World(STEPS), ticking())


def forked(path: Path) -> None:
    """Shares five effects with a run that had one pass; with two it converges."""
    journal = Journal()
    answers = [NOT_YET, CONVERGED]
    driver = AsyncDriver((), lambda execution_id: journal, ticking(), new_id=lambda: "parent")
    driver.execute(job(World(STEPS, assess=NOT_YET, refine_plan=growing), Config(max_passes=1)))
    again = World(STEPS, assess=lambda _, n: answers[n], refine_plan=growing)
    went_on(fork(journal, 5, MULTIPASS, Config(max_passes=2), path=path), again, ticking())


def tools(path: Path) -> None:
    """A model with tools: a call that cannot be made, one that fails; the step is done again, and its judge is one."""

    def turn(effect: Effect, n: int) -> Value:
        first, second = calls(effect, "look", "fly").calls
        asked = Turn(calls=(first, second.changed(problem="no such tool")))
        return (asked, Turn(text="it is 6", cites=("s1.1",)), calls(effect, "count"), Turn(text="it is 7"))[n]

    def refined(effect: Effect, n: int) -> Value:
        new = looped("s1_r1", description="mind what was found")
        return Refinement(actions=(RefinementAction(type="REPLACE", target="s1", steps=(new,)),))

    driven(path, World(
        profile=TaskProfile(reasoning_depth=1, ambiguity=0, expected_step_count=1, form="tools"), turn=turn,
        use_tool=lambda e, n: used(e, [{"ü": 1.5}]) if n else Failure(kind="tool", message="no such table"),
        validate_results=lambda _, n: (found() if n else found("s1")).changed(verdict=CONVERGED if n else NOT_YET),
        refine_plan=refined, assess=lambda e, _: e.report.verdict,  # type: ignore[attr-defined]
    ))  # fmt: skip


SUM = ToolUse(id="s1.1", tool="calculator", arguments={"expression": "3 + 4"}, output=7)


def programmed(path: Path, *ran: Ran, **replies: Said) -> None:
    """A model that works by programs: two ways, which give this, in a round each; a judge is sure of what runs."""
    ways: tuple[Way, ...] = ("query", "program")

    def write(effect: Effect, n: int) -> Value:
        return Programs(programs=(ProgramText(way=ways[n], text="SELECT 7", likelihood=0.5),), more=n == 0)

    driven(path, World(**{
        "profile": TaskProfile(reasoning_depth=1, ambiguity=0, form="program"), "write": write,
        "run_program": lambda _, n: ran[n], "weigh": Weight(score=0.4 if replies else 0.9, form="probability"),
    } | replies))  # fmt: skip


def schema_unmet(path: Path) -> None:
    """A task with a schema for its answer, and no object that fits."""
    world = World(STEPS, synthesize=Failure(kind="completion", message="$.total: 'much' is not of type 'number'"))
    driver = AsyncDriver((), lambda execution_id: Journal(path), ticking(), new_id=lambda: path.stem)
    total: JsonObject = {"type": "object", "properties": {"total": {"type": "number"}}}
    driver.execute(replace(job(world), task=Task(text="How much is it?", answer_schema=total)))


def budgeted(**budget: float) -> Callable[[Path], None]:
    """A run that would go on for ever but for this budget."""
    return lambda path: driven(path, World(**LONG, refine_plan=growing), Config(budget=Budget.model_validate(budget)))


async def mail(effect: Effect) -> Value:
    """A tool that changes the world and does not say whether it did."""
    async with current_ledger().tool_call("mail"):
        raise OutcomeUnknown("mail did not return")


async def counted_wrongly(effect: Effect) -> Value:
    """A step whose endpoint counts more tokens than the whole run was admitted."""
    current_ledger().charge(Usage(calls=1, prompt_tokens=20_000, generated_tokens=10, surplus=18_400))
    return StepResult(output="7", mode="reasoning")


def lost(verdict: Verdict) -> Claim:
    """A claim that keeps an answer from being good enough."""
    return Claim(
        id="c1", start=0, end=1, text="7", kind="number", reading=Reading(value="7", form="point"), verdict=verdict
    )


SPENT = Failure(kind="allowance", limit="tokens", message="a call of up to 900 tokens does not fit: 20 left")
MADE: dict[str, Callable[[Path], None]] = {
    "converged": converged,
    "resumed": resumed,
    "crashed": crashed,
    "forked": forked,
    "tools": tools,
    "own_knowledge": lambda path: driven(path, World(execute=StepResult(output="7", mode="reasoning"))),
    "unverified": lambda path: driven(path, World(assess=CONVERGED.changed(standing="bad"))),
    "not_stated": lambda path: driven(path, World(assess=NOT_YET.changed(reason_codes=("not_stated",)))),
    "uncertain": lambda path: driven(
        path, World(assess=NOT_YET.changed(reason_codes=("uncertain",), probability=0.4, runs=12))
    ),
    "disagreement": lambda path: programmed(
        path, Ran(values=(4,)), Ran(values=(5,)), assess=NOT_YET.changed(reason_codes=("disagreement",))
    ),
    "programs": lambda path: programmed(path, Ran(problem="no such column"), Ran(values=(7,), uses=(SUM,))),
    "unsupported": lambda path: driven(path, World(synthesize=Answer(text="7", claims=(lost("not_found"),)))),
    "contradicted": lambda path: driven(path, World(synthesize=Answer(text="7", claims=(lost("contradicted"),)))),
    "confident": lambda path: driven(path, World(assess=evaluated(0.9, coverage=1.0))),
    "ttl_expired": lambda path: driven(path, World(**LONG, refine_plan=growing), Config(max_passes=2)),
    "calls_exhausted": budgeted(calls=12),
    "tokens_exhausted": lambda path: driven(path, World(STEPS, execute=SPENT)),
    "seconds_exhausted": budgeted(seconds=3),
    "cost_exhausted": budgeted(cost=0.09),
    "overspent": lambda path: driven(path, World(STEPS), Config(budget=Budget(tokens=9_000)), execute=counted_wrongly),
    "interrupted": lambda path: driven(path, World(STEPS), stop_in="execute"),
    "diminishing_returns": lambda path: driven(
        path, World(**LONG | {"assess": lambda _, n: evaluated(0.6 + n / 100)}, refine_plan=growing)
    ),
    "stalled": lambda path: driven(path, World(assess=NOT_YET)),
    "waiting": lambda path: driven(
        path, World(validate_plan=found("plan"), refine_plan=growing, ask=Failure(kind="waiting", message=WHICH.text))
    ),
    "unknown_outcome": lambda path: driven(path, World(ask=Reply(text="stop")), execute=mail),
    "schema_unmet": schema_unmet,
    "failed": lambda path: driven(path, World(STEPS, validate_results=ENDPOINT_DOWN)),
}
"""How each journal is made, by its name: that of its stop reason, save for those that converged in another way."""


def main() -> None:
    """Write those that are missing."""
    for name, make in MADE.items():
        path = FOLDER / f"{name}.jsonl"
        if not path.exists():
            make(path)


if __name__ == "__main__":
    main()

"""Plans of random graphs with steps that take random times: how long a run takes, over the plan's critical path.

    python scripts/bench/critical_path.py [--plans N] [--steps N] [--seed N] [--out FILE]

No executor can end before the critical path: the longest sum of times along dependencies. "waves" is what running all
ready steps at once and waiting for the last of them would take without any overhead; "bare" is a task for each step
that awaits those it depends on, beside Aeon in the same process. Writes JSON, prints a table.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from machine import Spread, machine, said

from aeon.kernel.passes import MULTIPASS
from aeon.kernel.ports import Handlers, Job
from aeon.multipass import effects as ask
from aeon.runtime.driver import AsyncDriver
from aeon.schema import (
    Answer,
    Config,
    ConvergenceAssessment,
    Plan,
    Refinement,
    RefinementLimits,
    SemanticValidationReport,
    Step,
    StepResult,
    Task,
    TaskProfile,
)
from aeon.testing.multipass import unasked

SHAPES = {"sparse": 1.0, "middling": 2.0, "dense": 4.0}
"""About how many earlier steps a step depends on."""
LEAST, MOST = 0.02, 0.2  # seconds that a step takes


@dataclass(frozen=True)
class Graph:
    """Steps by number: what each depends on, always earlier ones, and the seconds it takes."""

    needs: tuple[tuple[int, ...], ...]
    seconds: tuple[float, ...]

    @classmethod
    def of(cls, chance: random.Random, steps: int, degree: float) -> Graph:
        """A random one."""
        needs = tuple(
            tuple(other for other in range(step) if chance.random() < degree / max(step, 1)) for step in range(steps)
        )
        return cls(needs, tuple(chance.uniform(LEAST, MOST) for _ in range(steps)))

    def critical(self) -> float:
        """The seconds of the longest way along dependencies."""
        ends: list[float] = []
        for needs, seconds in zip(self.needs, self.seconds, strict=True):
            ends.append(seconds + max((ends[other] for other in needs), default=0.0))
        return max(ends)

    def waves(self) -> float:
        """The seconds of all ready steps at once, wave after wave."""
        wave: list[int] = []
        for needs in self.needs:
            wave.append(1 + max((wave[other] for other in needs), default=0))
        longest: dict[int, float] = {}
        for number, seconds in zip(wave, self.seconds, strict=True):
            longest[number] = max(seconds, longest.get(number, 0.0))
        return sum(longest.values())

    def plan(self) -> Plan:
        """The plan with these steps."""
        return Plan(steps=tuple(
            Step(id=f"s{number}", description=f"step {number}", dependencies=tuple(f"s{other}" for other in needs))
            for number, needs in enumerate(self.needs)
        ))  # fmt: skip


class Judges:
    """Handlers that answer at once, but for the steps, which take their time."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    @property
    def handlers(self) -> Handlers:
        """These handlers, under the names of the phases."""
        return {
            "profile": self.profile,
            "plan": self.plan,
            "validate_plan": self.validated,
            "refine_plan": self.refine,
            "execute": self.execute,
            "write": unasked,
            "run_program": unasked,
            "weigh": unasked,
            "validate_results": self.validated,
            "assess": self.assess,
            "synthesize": self.synthesize,
            "turn": unasked,
            "use_tool": unasked,
        }

    async def profile(self, effect: ask.InferProfile) -> TaskProfile:
        """A profile, not inferred, so that it does not limit the plan."""
        return TaskProfile(ambiguity=0.0, inferred=False)

    async def plan(self, effect: ask.DraftPlan) -> Plan:
        """The graph's plan."""
        return self._graph.plan()

    async def validated(self, effect: ask.ValidatePlan | ask.ValidateResults) -> SemanticValidationReport:
        """No issues."""
        return SemanticValidationReport()

    async def refine(self, effect: ask.RefinePlan) -> Refinement:
        """Nothing to change."""
        return Refinement()

    async def execute(self, effect: ask.ExecuteStep) -> StepResult:
        """The step's result, after its time: how many results it was given."""
        await asyncio.sleep(self._graph.seconds[int(effect.step.id[1:])])
        return StepResult(output=len(effect.inputs))

    async def assess(self, effect: ask.AssessConvergence) -> ConvergenceAssessment:
        """It has converged."""
        return ConvergenceAssessment(
            converged=True, completeness=1.0, coherence=1.0, consistency=1.0, standing="assumed"
        )

    async def synthesize(self, effect: ask.Synthesize) -> Answer:
        """How many results were passed on in all."""
        return Answer(text=str(sum(int(str(step.output)) for step in effect.plan.steps)))


async def aeon(graph: Graph) -> float:
    """Seconds of a whole run of Aeon on the graph's plan."""
    steps = len(graph.needs)
    config = Config(limits=RefinementLimits(plan_steps=steps, total_steps=steps))
    job = Job(MULTIPASS, Task(text="the whole plan"), config, Judges(graph).handlers)
    began = time.perf_counter()
    result = await AsyncDriver().aexecute(job)
    seconds = time.perf_counter() - began
    if (result.stop_reason, result.answer) != ("own_knowledge", str(sum(map(len, graph.needs)))):
        raise AssertionError(f"{result.stop_reason}, {result.answer}: {result.detail}")
    return seconds


async def bare(graph: Graph) -> float:
    """Seconds of a task for each step that first awaits those it depends on."""
    tasks: list[asyncio.Task[None]] = []

    async def step(needs: Sequence[int], seconds: float) -> None:
        for other in needs:
            await tasks[other]
        await asyncio.sleep(seconds)

    began = time.perf_counter()
    for needs, seconds in zip(graph.needs, graph.seconds, strict=True):
        tasks.append(asyncio.create_task(step(needs, seconds)))
    await asyncio.gather(*tasks)
    return time.perf_counter() - began


async def measured(shape: str, plans: int, steps: int, seed: int) -> dict[str, Any]:
    """The figures of one shape: each way's time over the critical path."""
    chance = random.Random(f"{seed} {shape}")
    graphs = [Graph.of(chance, steps, SHAPES[shape]) for _ in range(plans)]
    over: dict[str, list[float]] = {"aeon": [], "bare": [], "waves": []}
    for graph in graphs:
        shortest = graph.critical()
        over["aeon"].append(await aeon(graph) / shortest)
        over["bare"].append(await bare(graph) / shortest)
        over["waves"].append(graph.waves() / shortest)
    spreads = {way: Spread.of(ratios)._asdict() for way, ratios in over.items()}
    critical = Spread.of([graph.critical() for graph in graphs]).median
    return {"shape": shape, "plans": plans, "steps": steps, "critical_seconds": critical, "over_critical": spreads}


def line(found: dict[str, Any]) -> str:
    """One row of the table."""
    text = f"{found['shape']:10}{found['plans']:>6}{found['steps']:>7}{found['critical_seconds']:>11.2f}"
    for way in ("aeon", "bare", "waves"):
        spread = found["over_critical"][way]
        text += f"  {spread['median']:6.3f} {spread['least']:6.3f}..{spread['most']:.3f}"
    return text


async def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plans", type=int, default=20, help="of each shape")
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="critical_path.json")
    options = parser.parse_args()
    where, rows = machine(), []
    print(said(where))
    await aeon(Graph.of(random.Random(0), 3, 1.0))  # the first run of a process is slower
    print(f"{'shape':10}{'plans':>6}{'steps':>7}{'critical s':>11}  {'Aeon':22} {'bare':22} {'waves'}  (least..most)")
    for shape in SHAPES:
        rows.append(await measured(shape, options.plans, options.steps, options.seed))
        print(line(rows[-1]), flush=True)
    Path(options.out).write_text(json.dumps({"machine": where, "seed": options.seed, "rows": rows}, indent=1))


if __name__ == "__main__":
    asyncio.run(main())

"""What a run of three passes costs on a real model: calls, prompt and generated tokens of each phase, and cache share.

    python scripts/bench/tokens.py [--model NAME|URL] [--tasks N] [--out FILE]

The cache share is the part of the prompt tokens that the endpoint says it had in its prefix cache; the embedded model's
server says it. A task of this kind ends after a pass or two by itself: here its profile is asked for as ever, but then
given the depth of three passes, and scores must be perfect to end it before. The server is fresh for the first task.
Writes JSON, prints a table.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from machine import machine, said

from aeon.assembly.build import assemble
from aeon.kernel.passes import MULTIPASS
from aeon.kernel.ports import Handlers, Job
from aeon.llm.adapter import LLMAdapter, Permit, freely
from aeon.llm.select import select
from aeon.multipass import effects as ask
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import EffectEnded, Event
from aeon.schema import (
    Capabilities,
    Config,
    ConvergenceThresholds,
    Decide,
    LLMRequest,
    LLMResponse,
    ReasoningEngine,
    Result,
    Task,
    TaskProfile,
    Usage,
)

PASSES = 3
CONFIG = Config(
    max_passes=PASSES,
    convergence=ConvergenceThresholds(completeness=1.0, coherence=1.0, consistency=1.0),
    reasoning_engine=ReasoningEngine(decide=Decide(confidence_threshold=1.0, coverage_threshold=1.0)),
)
TASKS = (
    "A bakery sells 240 rolls at 0.45 and 75 loaves at 3.20. How much does it take, and what is 19% VAT of that?",
    "A train leaves at 8:40 and arrives at 11:25 after 198 km. What was its mean speed, and is that faster than a car?",
    "Anna is older than Ben and younger than Carl. Dora is older than Carl. Who is the second oldest, and why?",
)


class Watched:
    """An adapter that notes what each call cost and how its prompt ends."""

    def __init__(self, llm: LLMAdapter) -> None:
        self._llm = llm
        self.calls: list[dict[str, Any]] = []

    @property
    def name(self) -> str:
        """The model's own name."""
        return self._llm.name

    @property
    def free(self) -> bool:
        """Whether the model's calls cost nobody anything."""
        return self._llm.free

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The model's own answer."""
        response = await self._llm.complete(request)
        spent = response.usage.model_dump(include={"prompt_tokens", "cached_tokens", "generated_tokens"})
        self.calls.append({"prompt_ends": request.messages[-1].content[-80:], **spent})
        return response

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """The model's own capabilities."""
        return await self._llm.capabilities(permit)

    async def aclose(self) -> None:
        """Let go of the model."""
        await self._llm.aclose()


def by_phase(spent: Iterable[tuple[str, Usage]]) -> dict[str, Usage]:
    """What the effects of each phase have spent together, in the order of the phases' first effects."""
    found: dict[str, Usage] = {}
    for phase, usage in spent:
        found[phase] = found.get(phase, Usage()) + usage
    return found


def share(usage: Usage) -> float:
    """The part (0-1) of the prompt tokens that came from the prefix cache."""
    return usage.cached_tokens / usage.prompt_tokens if usage.prompt_tokens else 0.0


def deep(handlers: Handlers) -> Handlers:
    """The handlers, but that a profile always allows for three passes."""

    async def profile(effect: ask.InferProfile) -> TaskProfile:
        inferred = await handlers["profile"](effect)
        return inferred.changed(reasoning_depth=PASSES)

    return {**handlers, "profile": profile}


async def one(llm: LLMAdapter, text: str) -> dict[str, Any]:
    """A run on one task: its phases, its calls, how it ended."""
    watched, spent = Watched(llm), []

    def observe(event: Event) -> None:
        if isinstance(event, EffectEnded):
            spent.append((event.effect.phase, event.outcome.usage))

    began = time.monotonic()
    handlers = deep(assemble(watched, ("calculator",), CONFIG))
    result: Result = await AsyncDriver((observe,)).aexecute(Job(MULTIPASS, Task(text=text), CONFIG, handlers))
    seconds = round(time.monotonic() - began, 1)
    phases = {phase: usage.model_dump() for phase, usage in by_phase(spent).items()}
    return {
        "task": text, "answer": result.answer, "stop": result.stop_reason, "passes": result.passes, "seconds": seconds,
        "usage": result.usage.model_dump(), "phases": phases, "calls": watched.calls,
    }  # fmt: skip


def ended(row: dict[str, Any]) -> str:
    """How a run went, in a line."""
    used = Usage(**row["usage"])
    prompt = f"{used.prompt_tokens:,} prompt tokens, {share(used):.1%} cached, {used.generated_tokens:,} generated"
    how = f"{row['passes']} passes, {row['stop']}, {row['seconds']} s"
    return f"{how}, {used.calls} calls, {prompt}: {row['task'][:30]}"


def line(name: str, usage: Usage, answers: int) -> str:
    """One row of the table, per answer."""
    figures = (usage.calls, usage.prompt_tokens, usage.cached_tokens, usage.generated_tokens)
    return f"{name:18}" + "".join(f"{figure / answers:10,.1f}" for figure in figures) + f"{share(usage):9.1%}"


def summary(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The table: each phase over all tasks, then all phases."""
    spent = [(phase, Usage(**usage)) for row in rows for phase, usage in row["phases"].items()]
    phases = by_phase(spent)
    whole = by_phase(("all", usage) for _, usage in spent)
    head = f"{'for each answer':18}{'calls':>10}{'prompt':>10}{'cached':>10}{'generated':>10}{'cached':>9}"
    return [head, *(line(name, usage, len(rows)) for name, usage in {**phases, **whole}.items())]


async def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=None)
    parser.add_argument("--tasks", type=int, default=2, help=f"how many of the {len(TASKS)}")
    parser.add_argument("--out", default="tokens.json")
    options = parser.parse_args()
    llm, where, rows = select(options.model), machine(), []
    print(f"{llm.name} on {said(where)}")
    for text in TASKS[: options.tasks]:
        rows.append(await one(llm, text))
        print(ended(rows[-1]), flush=True)
        Path(options.out).write_text(json.dumps({"machine": where, "model": llm.name, "rows": rows}, indent=1))
    await llm.aclose()
    print("\n".join(summary(rows)))


if __name__ == "__main__":
    asyncio.run(main())

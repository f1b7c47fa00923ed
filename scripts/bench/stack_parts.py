"""What a call through the whole stack spends its processor time on: a table of its parts.

    python scripts/bench/stack_parts.py [--seconds N]

The workload is that of ``overhead.py``'s whole stack. A timer of the process looks at what is under way every few
milliseconds; a look counts for the innermost function on the stack that belongs to a part.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from types import FrameType

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "peers"), str(HERE.parents[1])]

from on_stack import make  # noqa: E402 - found by the line above
from workload import Model  # noqa: E402

_EVERY = 0.001
_WARMING = 5
PARTS: dict[str, tuple[str, ...]] = {
    "a model call: request, ledger, charge": ("supervisor/calls.py:call", "Supervisor._call"),
    "reading replies: JSON, schema, text": ("Supervisor.structured.<locals>.read", "Supervisor.text.<locals>.read"),
    "measuring prompts": ("Ask.most_prompt_tokens",),
    "writing prompts": (
        "Prompt.messages", "Prompts.of", "JudgmentSpec.shown", "JudgmentSpec.worked", "Briefing.prompt",
        "supervisor/prompt.py:render", "supervisor/prompt.py:fence",
    ),
    "claims of results": ("PlanEvidence.claims", "assembly/multipass.py:_grounded"),
    "evaluation of a pass": ("convergence/evaluation.py:evaluate",),
    "judgments around their calls": (
        "Judge.ask", "ConvergenceEngine.assess", "SemanticValidator.validate_plan", "_modules.<locals>.checked",
    ),
    "planner, writer, runner and profiler around their calls": ("_Searching.answer",),
    "reading programs": ("programs/reading.py:read_program",),
    "values validated at the border": ("runtime/border.py:admitted",),
    "kernel: table, budgets, effects": ("Run.perform", "Run.boundary", "Run.hear"),
    "kernel: the vote of programs": ("multipass/sampling.py:sample",),
    "kernel: phases, plan, record": ("Stepper.batch",),
    "driver: ledgers, outcomes, tasks, event loop": (
        "Handling._answered", "AsyncDriver._run", "Handle._run", "BaseEventLoop._run_once",
    ),
    "the benchmark's own": ("_Script.reply", "make.<locals>.run"),
}  # fmt: skip
"""The parts, each with its functions: as they are called, with the end of their file where the name is a common one."""
_PART = {function: part for part, functions in PARTS.items() for function in functions}


def part_of(frame: FrameType | None) -> str:
    """The part of the innermost function on the stack that belongs to one."""
    while frame is not None:
        code = frame.f_code
        file = "/".join(Path(code.co_filename).parts[-2:])
        part = _PART.get(code.co_qualname) or _PART.get(f"{file}:{code.co_qualname}")
        if part is not None:
            return part
        frame = frame.f_back
    return "other"


def measured(seconds: float) -> tuple[Counter[str], float]:
    """How often each part was seen in so many processor seconds, and the microseconds that a call took."""
    model = Model()
    run, seen = make(model), Counter[str]()

    async def runs(until: float) -> None:
        while time.process_time() < until:
            await run()

    asyncio.run(runs(time.process_time() + seconds / _WARMING))
    model.calls, began = 0, time.process_time()
    signal.signal(signal.SIGPROF, lambda _, frame: seen.update([part_of(frame)]))
    signal.setitimer(signal.ITIMER_PROF, _EVERY, _EVERY)
    asyncio.run(runs(began + seconds))
    signal.setitimer(signal.ITIMER_PROF, 0)
    return seen, (time.process_time() - began) * 1e6 / model.calls


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0)
    seen, call = measured(parser.parse_args().seconds)
    print("| part | µs a call | share |\n|---|---:|---:|")
    for part, times in seen.most_common():
        share = times / seen.total()
        print(f"| {part} | {call * share:.0f} | {share:.0%} |")
    print(f"| all | {call:.0f} | |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

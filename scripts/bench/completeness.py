"""How well the convergence engine tells complete results from incomplete ones. Writes JSON, prints a table.

    python scripts/bench/completeness.py [--model NAME|URL] [--out FILE]

``completeness.jsonl`` holds labelled cases: a task, the results of its steps, and whether they hold what it asks for.
The cases were written by hand: all steps, all but the last, and steps beside the point. The shipped calibration was
fitted to them, so the accuracy is that of the fit; AUROC does not depend on it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path

from aeon.convergence.engine import ConvergenceEngine
from aeon.kernel.effects import AssessConvergence
from aeon.llm.select import select
from aeon.runtime.ledger import Ledger, charging
from aeon.schema import Allowance, ConvergenceThresholds, Plan, SemanticValidationReport, Step, Task
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.calculator import calculator
from aeon.tools.registry import ToolRegistry

HERE = Path(__file__).parent


def effect(case: dict[str, object]) -> AssessConvergence:
    """The question that a run would ask at this point."""
    results = case["results"]
    assert isinstance(results, list)
    steps = [
        Step(id=f"s{n}", description=goal, status="complete", output=output, mode="tool")
        for n, (goal, output) in enumerate(results, 1)
    ]
    return AssessConvergence(
        task=Task(text=str(case["task"])), plan=Plan(steps=tuple(steps)), report=SemanticValidationReport(),
        thresholds=ConvergenceThresholds(),
    )  # fmt: skip


def auroc(right: list[float], wrong: list[float]) -> float:
    """The probability that a complete case scores above an incomplete one (ties count half)."""
    return sum((a > b) + 0.5 * (a == b) for a in right for b in wrong) / (len(right) * len(wrong))


async def main() -> None:
    """Score every case once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", default="completeness.json")
    options = parser.parse_args()
    llm = select(options.model)
    engine = ConvergenceEngine(Supervisor(llm), Briefing(ToolRegistry([calculator()]).describe()))
    ledger, began = Ledger(Allowance(calls=1_000_000)), time.monotonic()
    rows = []
    with charging(ledger):
        for line in (HERE / "completeness.jsonl").read_text().splitlines():
            case = json.loads(line)
            said = await engine.assess(effect(case))
            rows.append({"id": case["id"], "complete": case["complete"], "score": said.completeness})
    right = [row["score"] for row in rows if row["complete"]]
    wrong = [row["score"] for row in rows if not row["complete"]]
    cut = ConvergenceThresholds().completeness
    agree = sum(s >= cut for s in right) + sum(s < cut for s in wrong)
    print(f"{llm.name}: {len(rows)} cases, {len(right)} complete")
    print(f"AUROC {auroc(right, wrong):.2f}, accuracy at {cut} {agree / len(rows):.2f}, "
          f"false 'complete' {sum(s >= cut for s in wrong)}, missed {sum(s < cut for s in right)}")  # fmt: skip
    print(f"{ledger.spent.calls / len(rows):.1f} calls, {ledger.spent.tokens / len(rows):.0f} tokens, "
          f"{(time.monotonic() - began) / len(rows):.1f} s per case")  # fmt: skip
    Path(options.out).write_text(json.dumps(rows, indent=1))
    await llm.aclose()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

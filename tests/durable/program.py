"""A program whose run is in a database: begun again, it takes the run up.

    python program.py URL COUNTS RUN TASK ROUNDS SECONDS [ANSWER]

Its posts are those of the benchmarks' errands. Prints the result's stop reason and answer.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "bench"))
import errands

import aeon


def main() -> None:
    """Execute the run."""
    url, counts, run, task, rounds, seconds, *answers = sys.argv[1:]
    tool = errands.Counts(counts, float(seconds)).tool
    config = errands.ErrandSettings(rounds=int(rounds))
    seen: list[str] = []
    made = aeon.build(
        errands.MODEL, [tool], config, [lambda event: seen.append(type(event).__name__)], engine=errands.PLUGIN,
        ask=(lambda question: answers[0]) if answers else None, durable=url, run=run,
    )  # fmt: skip
    result = made.execute(task)
    sys.stdout.write(f"{result.stop_reason} {len(result.said)} {seen.count('EffectEnded')} {result.answer}\n")


if __name__ == "__main__":
    main()

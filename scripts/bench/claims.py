"""How well words, values and a judge tell whether a text supports a claim, also where it supports it in part.

    python scripts/bench/claims.py FILE [--model NAME|URL] [--out FILE] [--resume] [--limit N]

A line of the file has ``id``, ``claim``, ``evidence`` and ``wice_label``: ``supported``, ``partially_supported`` or
``not_supported`` (as in WiCE, Kamoi et al., 2023). Of each claim it takes

- ``words``: the share of its words that the evidence has;
- ``values``: the share of its numbers, dates and names that stand in the evidence, as the host matches them;
- ``judge``: the log-odds that the evidence supports the claim, asked about the whole;
- ``parts``: the same, of the least likely of the short claims into which the model cuts it;
- ``words of parts``: the share of words that the evidence has, of the part that has fewest;
- ``all``: these together, by a logistic regression that is fitted to the other half.

AUROC with 95 % bootstrap intervals over all cases; for ``all``, and the accuracy, the halves (every other claim) are
fitted to each other. A judged claim costs one call to cut it, and one for it and each part.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from everyday_baselines import Calls
from judging import Pairs, accuracy, auroc, best_accuracy, interval, scaled

from aeon.grounding.matching import claims
from aeon.language.words import stems
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Source, Task
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.supervisor.supervisor import Supervisor

__all__ = ["CONTRASTS", "FEATURES", "features", "fitted", "main", "pairs_of", "parts_of"]

Row = dict[str, Any]
FEATURES = ("words", "values", "judge", "parts", "words of parts")
CONTRASTS: Mapping[str, tuple[str, ...]] = {
    "supported, not supported": ("supported", "not_supported"),
    "supported, partial": ("supported", "partially_supported"),
    "partial, not supported": ("partially_supported", "not_supported"),
    "supported, the rest": ("supported", "partially_supported", "not_supported"),
}
"""What is told from what: the first label from the others."""
CUT = """Cut the claim into short claims of one fact each, one a line, each a full sentence that can be read alone. \
Add nothing and leave nothing out."""
EXAMPLES = (
    (
        "Claim: The mill, built in 1712 by Jan Fokker, burned down twice and is a museum now.",
        "The mill was built in 1712.\nThe mill was built by Jan Fokker.\nThe mill burned down twice.\n"
        "The mill is a museum now.",
    ),
    ("Claim: She won the race in Lund.", "She won the race in Lund."),
)
_MOST_PARTS = 6
_TOKENS = 160
_RIDGE = 1.0
_STEPS = 50


def parts_of(reply: str, claim: str) -> tuple[str, ...]:
    """The short claims of a reply; the claim itself where there are none."""
    lines = tuple(line.strip(" -*\t") for line in reply.splitlines())
    return tuple(line for line in lines if stems(line))[:_MOST_PARTS] or (claim,)


def covered(claim: str, evidence: str) -> float:
    """The share of the claim's words that the evidence has (0-1)."""
    words = stems(claim)
    return len(words & stems(evidence)) / len(words) if words else 1.0


def standing(claim: str, evidence: str) -> float:
    """The share of the claim's values that stand in the evidence (0-1); 1 where it has none."""
    found = claims(claim, Task(text="?"), spans=(Source(source="evidence", text=evidence, start=0, end=len(evidence)),))
    return sum(one.verdict == "supported" for one in found) / len(found) if found else 1.0


async def features(case: Row, llm: LLMAdapter) -> Row:
    """What is known of a claim, and what it cost."""
    began, claim, evidence = time.monotonic(), case["claim"], case["evidence"]
    spec, judge, ledger = judgment("evidence_supports"), Judge(Supervisor(llm), samples=0), Ledger(Allowance(calls=50))
    calls = Calls(llm)
    with ledger:
        parts = parts_of(await calls.ask(CUT, f"Claim: {claim}", _TOKENS, EXAMPLES), claim)
        asked = [claim, *(part for part in parts if part != claim)]
        odds = [(await judge.ask(spec, {"evidence": evidence, "claim": one})).raw for one in asked]
    known = (covered(claim, evidence), standing(claim, evidence), odds[0], min(odds[1:], default=odds[0]))
    least = min(covered(part, evidence) for part in parts)
    row = dict(zip(FEATURES, (*known, least), strict=True))
    return row | {"id": case["id"], "label": case["wice_label"], "cut": parts, "seconds": time.monotonic() - began}


def fitted(rows: Sequence[Row], truth: Sequence[bool], names: Sequence[str]) -> Callable[[Row], float]:
    """The log-odds of a logistic regression on standardised features, with a weak prior; by Newton's method."""
    raw = np.array([[row[name] for name in names] for row in rows])
    mean, spread = raw.mean(0), np.where(raw.std(0) > 1e-9, raw.std(0), 1.0)
    given = np.column_stack([np.ones(len(raw)), (raw - mean) / spread])
    weights, prior = np.zeros(given.shape[1]), np.diag([_RIDGE / 100, *[_RIDGE] * len(names)])
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-given @ weights))
        slope = given.T @ (likely - np.array(truth, float)) + prior @ weights
        weights -= np.linalg.solve(given.T @ (given * (likely * (1 - likely))[:, None]) + prior, slope)
    return lambda row: float(weights @ [1.0, *((np.array([row[name] for name in names]) - mean) / spread)])


def pairs_of(rows: Sequence[Row], names: Sequence[str], labels: Sequence[str]) -> Pairs:
    """Scores and truth of the claims of these labels, each half under a fit to the other."""
    mine = [row for row in rows if row["label"] in labels]
    halves, pairs = (mine[::2], mine[1::2]), list[tuple[float, bool]]()
    for own, other in (halves, halves[::-1]):
        score = fitted(other, [row["label"] == labels[0] for row in other], names)
        pairs += [(score(row), row["label"] == labels[0]) for row in own]
    return pairs


def report(rows: Sequence[Row]) -> None:
    """Print the tables."""
    own = CONTRASTS.values()
    print(f"| AUROC | {' | '.join(CONTRASTS)} |\n|{'---|' * (len(CONTRASTS) + 1)}")
    for name in FEATURES:
        _line(name, [_alone(rows, name, labels) for labels in own])
    for name, names in (("words, values", FEATURES[:2]), ("without a judge", ("words", "values", FEATURES[-1])),
                        ("all", FEATURES)):  # fmt: skip
        _line(name, [pairs_of(rows, names, labels) for labels in own])
    shares = [scaled(pairs_of(rows, FEATURES, labels), 1.0, 0.0) for labels in own]
    cells = [f"{accuracy(one):.2f} ({interval(one, accuracy)}), best {best_accuracy(one):.2f}" for one in shares]
    print(f"| accuracy of all at even odds | {' | '.join(cells)} |")
    print(f"\n{len(rows)} claims, {statistics.mean(len(row['cut']) for row in rows):.1f} parts each, "
          f"{statistics.median(row['seconds'] for row in rows):.1f} s in the middle")  # fmt: skip


def _alone(rows: Sequence[Row], name: str, labels: Sequence[str]) -> Pairs:
    return [(row[name], row["label"] == labels[0]) for row in rows if row["label"] in labels]


def _line(name: str, contrasts: Sequence[Pairs]) -> None:
    print(f"| {name} | {' | '.join(f'{auroc(pairs):.2f} ({interval(pairs, auroc)})' for pairs in contrasts)} |")


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=Path("claims.out.jsonl"))
    parser.add_argument("--resume", action="store_true", help="go on with the output file")
    parser.add_argument("--limit", type=int, default=None)
    given = parser.parse_args()
    if not given.file.is_file():
        parser.error(f"{given.file}: no such file; it has a claim a line, with its evidence and wice_label")
    if given.out.exists() and not given.resume:
        parser.error(f"{given.out} exists: go on with it (--resume) or name another (--out)")
    return given


async def main() -> None:
    """Measure what the output file does not have yet, and print the figures of all."""
    given = options()
    cases = [json.loads(line) for line in given.file.read_text(encoding="utf-8").splitlines()][: given.limit]
    lines = given.out.read_text(encoding="utf-8").splitlines() if given.out.exists() else []
    rows = {row["id"]: row for row in map(json.loads, lines)}
    llm = select(given.model)
    try:
        for number, case in enumerate(cases, 1):
            if case["id"] not in rows:
                rows[case["id"]] = await features(case, llm)
                with given.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(rows[case["id"]]) + "\n")
            print(f"{number:4} of {len(cases)}", end="\r", file=sys.stderr)
    finally:
        await llm.aclose()
    report([rows[case["id"]] for case in cases])


if __name__ == "__main__":
    asyncio.run(main())

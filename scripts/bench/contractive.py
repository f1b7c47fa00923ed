"""The contractive engine on tasks with exact answers: does its uncertainty tell wrong ones, and what is a tree worth?

    python scripts/bench/contractive.py --out rows.jsonl --tasks 40 --seconds 280    # goes on where the file ends
    python scripts/bench/contractive.py --out rows.jsonl --report
    python scripts/bench/contractive.py --out looks.jsonl --look --tasks 20          # only whether it tells wrong votes
    python scripts/bench/contractive.py --trees 10000                                 # simulated trees, without a model

Each task is answered once (chain of thought), by a vote over k samples, by a tree, and by a vote over as many samples
as take the tokens of the tree. All share the prompt of the engine's samples, their seeds and the sums done again by the
host, so that they differ in nothing but what is made of the samples.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

from contractive_trees import trees
from everyday_items import Draft, Item, Name, drawn, halved
from everyday_scoring import score
from everyday_words import words
from figures import table, wilson
from judging import auroc

from aeon.assembly.build import build
from aeon.bench.patterns import ordering
from aeon.bench.remembering import Remembering, Replies
from aeon.bench.voting import Voter
from aeon.engines.contractive.classifier import Classifier
from aeon.engines.contractive.config import ContractiveConfig
from aeon.engines.contractive.effects import Classify
from aeon.engines.contractive.entropy import most_common, uncertainty
from aeon.engines.contractive.record import Contractive
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Task, Usage
from aeon.supervisor.supervisor import Supervisor

Row = dict[str, Any]
FAMILIES = ("word", "order")
METHODS = ("tree", "vote, same tokens", "vote", "chain of thought")
MOST = 12
"""Samples of a vote, at most."""
SIGNALS = ("entropy over classes", "word overlap", "length of the answer", "length of the steps")


_LOOK = 8
"""Samples of a look that is measured alone."""


def puzzle(chance: Random) -> Draft:
    """Who comes where, of five people of whom pairs are compared."""
    one = ordering(chance)
    return Draft((one.text,), (Name(one.expected),), rivals=tuple(name for name in one.options if name != one.expected))


def tasks(seed: int, count: int) -> list[tuple[str, int, Item]]:
    """The first tasks of each family in turn; the same for the same seed."""
    made = {
        "word": halved("word", words(Random(f"{seed} word"), count), Random(seed)),
        "order": halved("order", drawn([partial(puzzle, Random(f"{seed} order"))], count), Random(seed)),
    }
    return [(family, index, made[family][index]) for index in range(count) for family in FAMILIES]


async def measured(remembering: LLMAdapter, family: str, index: int, item: Item, config: ContractiveConfig) -> Row:
    """All that is measured of one task, on a model that is `Remembering`."""
    began = time.monotonic()
    engine = build(remembering, tools=(), config=config, engine="contractive")
    result: Contractive = await engine.aexecute(item.question)
    seconds = time.monotonic() - began
    voter, k, task = Voter(remembering, config.limits), config.limits.samples, Task(text=item.question)
    same = await voter.vote_at(task, result.usage.tokens, k, MOST)
    votes = {"vote, same tokens": same}
    votes |= {"vote": await voter.vote(task, k), "chain of thought": await voter.vote(task, 1)}
    methods = {"tree": (result.short or "?", result.usage)}
    methods |= {name: (vote.answer, vote.usage) for name, vote in votes.items()}
    return {
        "family": family, "index": index, "question": item.question, "stop": result.stop_reason,
        "nodes": len(result.tree), "splits": sum(one.splits for one in result.tree),
        "levels": [result.tree[0].before, result.uncertainty], "seconds": round(seconds, 1), "samples": same.samples,
        "methods": {name: told(item, *one) for name, one in methods.items()},
        "signals": {str(size): await signals(voter, item, size) for size in sorted({k, 8})},
    }  # fmt: skip


async def _looked(remembering: LLMAdapter, family: str, index: int, item: Item, config: ContractiveConfig) -> Row:
    """What the samples of one look tell of one task, without a tree."""
    voter = Voter(remembering, config.limits)
    return {"family": family, "index": index, "signals": {str(_LOOK): await signals(voter, item, _LOOK)}}


def told(item: Item, answer: str, usage: Usage) -> Row:
    """A method's answer, whether it is right, and what it cost."""
    right = bool(score(item, answer).right)
    return {"answer": answer, "right": right, "prompt": usage.prompt_tokens, "generated": usage.generated_tokens}


async def signals(voter: Voter, item: Item, size: int) -> Row:
    """What may tell that the vote of so many samples is wrong: more of each should mean more likely wrong."""
    task = Task(text=item.question)
    answers, unusable, usage = await voter.samples(task, size)
    places = await voter.places(task, answers)
    winner = most_common(places)
    answer = "" if winner is None else answers[places.index(winner)]
    level = uncertainty(places, unusable)
    pairs = [overlap(a, b) for a, b in combinations(answers, 2)]
    values = (
        1.0 if level is None else level,
        1 - statistics.fmean(pairs) if pairs else 1.0,
        len(answer),
        usage.generated_tokens / size,
    )
    return {"wrong": not score(item, answer).right, **dict(zip(SIGNALS, values, strict=True))}


def overlap(one: str, other: str) -> float:
    """The share of words that both answers have (Jaccard)."""
    first, second = set(one.casefold().split()), set(other.casefold().split())
    return len(first & second) / len(first | second) if first | second else 1.0


async def run(options: argparse.Namespace) -> None:
    """Measure tasks until the time is over, and write a line for each."""
    began, out = time.monotonic(), Path(options.out)
    done = {(row["family"], row["index"]) for row in rows(out)}
    llm = Remembering(select(options.model), Replies(out.with_suffix(".replies")))
    config = ContractiveConfig.model_validate(json.loads(options.settings))
    try:
        for family, index, item in tasks(options.seed, options.tasks):
            if (family, index) in done:
                continue
            if time.monotonic() - began > options.seconds:
                break
            if options.samples:
                answers, _, _ = await Voter(llm, config.limits).samples(Task(text=item.question), _LOOK)
                print(family, index, answers, flush=True)
                continue
            look = await _looked(llm, family, index, item, config) if options.look else None
            row = look or await measured(llm, family, index, item, config)
            with out.open("a") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            if options.look:
                print(family, index, row["signals"][str(_LOOK)], flush=True)
                continue
            verdicts = ", ".join(f"{name} {one['right']}" for name, one in row["methods"].items())
            print(f"{family} {index}: {verdicts}; {row['nodes']} nodes, {row['seconds']} s", flush=True)
    finally:
        await llm.aclose()


PAIRS: tuple[tuple[str, str, str, bool], ...] = (
    ("When does the valve open?", "when it gets hot", "at high temperature", True),
    ("How often is the filter changed?", "two times a year", "every six months", True),
    ("Why did the shop close?", "it had too few customers", "not enough people bought there", True),
    ("What does the alarm do?", "it rings until someone answers", "it keeps ringing till a person responds", True),
    ("Who may enter?", "only members", "nobody but members", True),
    ("What happens to the price?", "it goes up", "it rises", True),
    ("Where are the keys?", "under the mat at the door", "below the doormat", True),
    ("What is the cat doing?", "it is asleep", "it sleeps", True),
    ("When does the valve open?", "when it gets hot", "when it does not get hot", False),
    ("How often is the filter changed?", "every year at most", "every year at least", False),
    ("Why did the shop close?", "it had too few customers", "it had too many customers", False),
    ("What does the alarm do?", "it rings until someone answers", "it rings once", False),
    ("Who may enter?", "only members", "everyone but members", False),
    ("What happens to the price?", "it goes up", "it goes down", False),
    ("Where are the keys?", "under the mat at the door", "on the table", False),
    ("What is the cat doing?", "it is asleep", "it eats", False),
)
"""Two answers to a question, and whether they mean the same."""


async def told_apart(llm: LLMAdapter) -> tuple[int, int]:
    """How many pairs that mean the same are put into one class, and how many that do not are kept apart."""
    classifier = Classifier(Supervisor(llm))
    right = Counter[bool]()
    for question, one, other, alike in PAIRS:
        with Ledger(Allowance(calls=10)):
            effect = Classify(task=Task(text=question), place="1", answers=(one, other))
            right[alike] += (len(set((await classifier.classify(effect)).places)) == 1) == alike
    return right[True], right[False]


async def entailment(options: argparse.Namespace) -> None:
    """Print how many pairs the model tells right."""
    llm = select(options.model)
    try:
        same, different = await told_apart(llm)
    finally:
        await llm.aclose()
    half = len(PAIRS) // 2
    for name, right in (("the same", same), ("different", different)):
        low, high = wilson(right, half)
        print(f"{name}: {right} of {half} pairs right [{low:.0%}, {high:.0%}]")


def rows(path: Path) -> list[Row]:
    """What was measured so far."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def report(measured_rows: Sequence[Row]) -> None:
    """Print accuracy at its tokens, where trees were grown, and the area under the curve of each signal.

    Brackets are 95 % intervals.
    """
    for size in sorted({size for row in measured_rows for size in row["signals"]}):
        _areas(size, [row["signals"][size] for row in measured_rows])
    if grown := [row for row in measured_rows if "methods" in row]:
        _methods(grown)


def _methods(measured_rows: Sequence[Row]) -> None:
    """Print how often each method was right, and how the trees ended."""
    flat = [
        {"family": row["family"], "index": row["index"], "method": name, "seconds": row["seconds"], **one}
        for row in measured_rows
        for name, one in row["methods"].items()
    ]
    groups = [(family, frozenset([family])) for family in FAMILIES] + [("both", frozenset(FAMILIES))]
    table(flat, groups, METHODS)
    _stops(measured_rows)


def _stops(measured_rows: Sequence[Row]) -> None:
    """Print how the trees ended, and what each method was worth where there was a split and where there was none."""
    stops = Counter(row["stop"] for row in measured_rows)
    print(f"stop reasons: {dict(stops)}; nodes a run: {statistics.fmean(row['nodes'] for row in measured_rows):.1f}")
    _right("split", [row for row in measured_rows if row["splits"]])
    _right("not split", [row for row in measured_rows if not row["splits"]])
    good = [row for row in measured_rows if row["stop"] in ("agreed", "fixed_point")]
    right_ones = sum(row["methods"]["tree"]["right"] for row in good)
    low, high = wilson(right_ones, len(good))
    print(f"good enough by the engine's rules: {len(good)}, right {right_ones} [{low:.0%}, {high:.0%}]")


def _right(name: str, chosen: Sequence[Row]) -> None:
    """Print how many of some tasks each method has right."""
    right = {method: sum(row["methods"][method]["right"] for row in chosen) for method in METHODS}
    print(f"{name}: {len(chosen)} tasks, right {right}")


def _areas(size: str, measured_signals: Sequence[Row]) -> None:
    """Print how well each signal tells votes of so many samples that are wrong."""
    for signal in SIGNALS:
        pairs = [(one[signal], one["wrong"]) for one in measured_signals]
        low, high = interval(pairs)
        wrong = sum(label for _, label in pairs)
        area = f"AUROC {auroc(pairs):.2f} [{low:.2f}, {high:.2f}]"
        print(f"k = {size}: {signal:22} {area}, {wrong} of {len(pairs)} wrong")


def interval(pairs: Sequence[tuple[float, bool]], of: Callable[..., float] = auroc) -> tuple[float, float]:
    """The 95 % interval of the area by the percentile bootstrap over the tasks."""
    chance = random.Random(0)
    areas = []
    for _ in range(2_000):
        drawn_pairs = chance.choices(pairs, k=len(pairs))
        if len({label for _, label in drawn_pairs}) == 2:
            areas.append(of(drawn_pairs))
    areas.sort()
    return (areas[int(0.025 * len(areas))], areas[int(0.975 * len(areas)) - 1]) if areas else (0.0, 1.0)


def main(arguments: Sequence[str]) -> int:
    """Measure, or print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", metavar="FILE", help="where the rows are")
    parser.add_argument("--tasks", metavar="N", type=int, default=20, help="tasks of each family (default: 20)")
    parser.add_argument("--seconds", metavar="N", type=float, default=240, help="begin no task after that")
    parser.add_argument("--seed", metavar="N", type=int, default=7)
    parser.add_argument("--settings", metavar="JSON", default="{}", help="settings of the engine, such as a preset")
    parser.add_argument("--samples", action="store_true", help="only draw samples, for a later run over the same file")
    parser.add_argument("--look", action="store_true", help="only the samples of one look, and what they tell")
    parser.add_argument("--model", metavar="NAME|URL")
    parser.add_argument("--entailment", action="store_true", help="have the model tell pairs of answers apart")
    parser.add_argument("--report", action="store_true", help="only print what was measured")
    parser.add_argument("--trees", metavar="N", type=int, help="hold so many simulated trees to their budgets")
    options = parser.parse_args(arguments)
    if options.trees:
        return trees(options.trees)
    if options.entailment:
        asyncio.run(entailment(options))
        return 0
    if not options.out:
        parser.error("name a file for the rows: --out rows.jsonl")
    if not options.report:
        asyncio.run(run(options))
    report(rows(Path(options.out)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""One node of a tree and all below it: look, split what is uncertain, look again, until nothing changes.

A child is a run of its own within that of its parent, with a budget that is set aside before the split. So the whole
never spends more than the root may, whatever a splitter answers.
"""

from __future__ import annotations

from aeon.engines.contractive import effects as ask
from aeon.engines.contractive.config import BranchConfig
from aeon.engines.contractive.growth import BranchRun, Growth
from aeon.engines.contractive.record import Branch
from aeon.engines.contractive.reviews import ranked, reviewed
from aeon.engines.contractive.rules import BRANCH_TABLE, BranchSignals, branch_calls
from aeon.engines.contractive.values import Candidate, Classes, Part, Parts, Reviewed, Samples
from aeon.kernel.compose import side_by_side
from aeon.kernel.engine import Engine, Halt
from aeon.schema.conclusion import Decision
from aeon.schema.effects import Program
from aeon.schema.outcome import Answer

__all__ = ["BRANCH"]

_REVIEWED = 2
"""Answers of a node that a peer is asked about: the best one, and the next where that is rejected."""


def _branch(run: BranchRun) -> Program[Branch]:
    """The node with all below it. Every way out leads through the reviews."""
    growth = Growth(run, loops=run.config.loops)
    try:
        while True:
            if growth.fresh:
                yield from _look(growth)
            run.boundary()
            yield from _split(growth)
    except Halt as halt:
        decision = halt.decision
    candidates = yield from _reviewed(growth, decision)
    node = growth.node(decision.reason, candidates)
    answer = Answer(text=node.answer or "no answer")
    return Branch(**dict(run.conclude(decision, answer)), nodes=(node, *growth.below))


def _look(growth: Growth) -> Program[None]:
    """Draw samples, and see which of them mean the same: the one estimator, before a split and after it."""
    run, limits = growth.run, growth.limits
    spent, began = run.usage, run.elapsed
    sample = ask.Sample(
        task=run.task,
        place=run.config.place,
        most=limits.samples,
        tokens=limits.sample_tokens,
        temperature=limits.temperature,
        steps=limits.steps,
        solved=growth.solved,
    )
    samples, classes = (yield from run.perform(sample, Samples())), Classes()
    try:
        if samples.answers:
            known = tuple(growth.classes)
            same = ask.Classify(task=run.task, place=run.config.place, answers=samples.answers, known=known)
            classes = yield from run.perform(same, classes)
    finally:  # also where the budget ends the node between the two: what was drawn is on record
        growth.take(samples, classes, run.usage - spent, run.elapsed - began)


def _split(growth: Growth) -> Program[None]:
    """Work on sub-questions, as many as can be paid for; where none is of use, the next attempt has another prompt."""
    run, most = growth.run, growth.affordable()
    split = ask.Decompose(
        task=run.task, place=run.config.place, most=most, attempt=growth.splits, asked=tuple(growth.asked)
    )
    parts = yield from run.perform(split, Parts())
    growth.splits += 1
    growth.loops -= 1
    kept = growth.sift(parts, most)
    branches: list[tuple[Part, Branch]] = []
    if kept:
        budget = growth.share(len(kept))
        for first in range(0, len(kept), growth.limits.parallel):
            some = kept[first : first + growth.limits.parallel]
            configs = (growth.child(place, budget, len(kept)) for place, _ in some)
            tasks = (growth.task_of(part.question) for _, part in some)
            runs = (BRANCH.within(run, config, task) for config, task in zip(configs, tasks, strict=True))
            results = yield from side_by_side(*runs)
            branches += zip((part for _, part in some), results, strict=True)
    growth.hang(tuple(branches))
    if not growth.fresh:  # else the next look comes first, and is made however few splits are left
        growth.weigh()


def _reviewed(growth: Growth, decision: Decision) -> Program[tuple[Candidate, ...]]:
    """The candidates as the peer ranks them; as they are where there is no peer."""
    run, candidates = growth.run, list(growth.candidates())
    for number, candidate in enumerate(candidates[: _REVIEWED if run.config.reviewed else 0]):
        effect = ask.Review(task=run.task, place=run.config.place, answer=candidate.answer, solved=growth.solved)
        review = yield from run.final(effect, Reviewed(), decision)
        candidates[number] = reviewed(candidate, review)
        if candidates[number].verdict != "reject":
            break
    return ranked(candidates)


BRANCH: Engine[BranchConfig, BranchSignals, Branch] = Engine(
    name="contractive-branch/2",
    config=BranchConfig,
    result=Branch,
    signals=BranchSignals,
    effects=(ask.Sample, ask.Classify, ask.Decompose, ask.Review),
    table=BRANCH_TABLE,
    calls=branch_calls,
    program=_branch,
    final=ask.Review,
)

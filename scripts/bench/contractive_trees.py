"""Simulated trees: whatever samples, splitters and peers answer, and whatever they cost, the budgets must hold."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from aeon.engines.contractive.config import ContractiveConfig
from aeon.engines.contractive.effects import Classify, Collapse, Decompose, Review, Sample
from aeon.engines.contractive.presets import PRESETS
from aeon.engines.contractive.program import CONTRACTIVE
from aeon.engines.contractive.record import Contractive
from aeon.engines.contractive.values import Classes, Collapsed, Part, Parts, Reviewed, Samples
from aeon.schema import Outcome, Roles, Task, Usage, Value
from aeon.schema.effects import Batch, Effect

__all__ = ["Tree", "grown", "problems", "trees"]


_GREEDY, _USUAL = 0.02, 1_200
"""Share of the effects that take all they are allowed, and the tokens that others take at most."""


@dataclass
class Tree:
    """A tree that grows on random answers. ``twenty``: every splitter answers with twenty children.

    Each effect takes as much of its allowance as chance has it, often all of it; what branches took is by their scope.
    """

    seed: int
    twenty: bool = False
    spent: Counter[str] = field(default_factory=Counter)
    most: int = 0
    config: ContractiveConfig = field(init=False)

    def __post_init__(self) -> None:
        self.chance = Random(self.seed)
        preset = self.chance.choice(list(PRESETS))
        config = ContractiveConfig(preset=preset, roles=Roles(peer=self.chance.choice(("", "other"))))
        budget = config.budget.changed(tokens=config.limits.tokens)
        self.config = config.changed(budget=budget)

    def outcome(self, effect: Effect) -> Outcome:
        """What comes of an effect, at a cost within its allowance."""
        allowed = effect.allowance.tokens or 0
        tokens = allowed if self.chance.random() < _GREEDY else min(allowed, int(self.chance.random() * _USUAL))
        calls = min(effect.allowance.calls, 1)
        self.spent[effect.scope] += tokens
        usage = Usage(calls=calls, prompt_tokens=tokens)
        return Outcome(value=self._value(effect) if calls else None, usage=usage, started=0.0, ended=1.0)

    def _value(self, effect: Effect) -> Value:
        chance = self.chance
        match effect:
            case Sample(most=most):
                return self._samples(most)
            case Classify(answers=answers, known=known):
                return Classes(places=tuple(chance.randint(0, len(known) + n) for n in range(len(answers))))
            case Decompose(most=most):
                return self._parts(20 if self.twenty else chance.randint(0, most + 2))
            case Review():
                return Reviewed(score=chance.random())
            case Collapse(best=best):
                return Collapsed(text=best.answer if best else "none")
        raise AssertionError(effect)

    def _samples(self, most: int) -> Samples:
        chance = self.chance
        answers = tuple(f"answer {chance.randint(0, 9)}" for _ in range(chance.choice((most, most, most - 1))))
        return Samples(answers=answers, unusable=most - len(answers))

    def _parts(self, many: int) -> Parts:
        chance = self.chance
        shares = [chance.choice((None, chance.random(), 0.9, 0.9)) for _ in range(many)]
        return Parts(parts=tuple(Part(question=f"What is {chance.randrange(10**9)}?", relevance=r) for r in shares))


def grown(tree: Tree) -> Contractive:
    """The result of a run that grows this tree."""
    run = CONTRACTIVE.start(Task(text="What is it?"), tree.config, f"{tree.seed}")
    program = CONTRACTIVE.program(run)
    outcomes: tuple[Outcome, ...] | None = None
    while True:
        try:
            request = next(program) if outcomes is None else program.send(outcomes)
        except StopIteration as end:
            result: Contractive = end.value
            return result
        if not isinstance(request, Batch):
            outcomes = ()
            continue
        tree.most = max(tree.most, len(request.effects))
        outcomes = tuple(map(tree.outcome, request.effects))


def problems(tree: Tree, result: Contractive) -> list[str]:
    """What does not hold of a tree that has grown: its budgets and its caps."""
    return [*_overspent(tree, result), *_overgrown(tree, result)]


def _overspent(tree: Tree, result: Contractive) -> Iterator[str]:
    limits, total = tree.config.limits, sum(tree.spent.values())
    if total > limits.tokens or result.usage.tokens != total:
        yield f"{total} tokens spent, {result.usage.tokens} counted, {limits.tokens} allowed"
    for scope in tree.spent:
        taken = _below(tree, scope)
        if scope.count("/") > 1 and taken > limits.branch_tokens:  # the outermost is the root's
            yield f"branch {scope} took {taken} tokens, {limits.branch_tokens} allowed"


def _below(tree: Tree, scope: str) -> int:
    """The tokens that a branch took, with all branches below it."""
    return sum(tokens for one, tokens in tree.spent.items() if f"{one}/".startswith(f"{scope}/"))


def _overgrown(tree: Tree, result: Contractive) -> Iterator[str]:
    limits = tree.config.limits
    splits = sum(node.splits for node in result.tree)
    if splits > limits.loops:
        yield f"{splits} splits, {limits.loops} allowed"
    if any(node.place.count(".") > limits.depth for node in result.tree):
        yield "the tree is too deep"
    if any(len(node.children) > limits.children * node.splits or node.splits > 3 for node in result.tree):
        yield "a node has too many children"
    if tree.most > limits.parallel or result.usage.calls > result.bound.calls:
        yield f"{tree.most} effects at once, {result.usage.calls} calls"


def trees(count: int) -> int:
    """Grow so many trees, every other one with a splitter that always answers with twenty children; 0 if all hold."""
    began, wrong, nodes, stops = time.monotonic(), 0, 0, Counter[str]()
    largest = 0
    for seed in range(count):
        tree = Tree(seed, twenty=seed % 2 == 1)
        result = grown(tree)
        nodes += len(result.tree)
        stops[result.stop_reason] += 1
        largest = max(largest, result.usage.tokens)
        for problem in problems(tree, result):
            wrong += 1
            print(f"seed {seed}: {problem}")
    seconds = time.monotonic() - began
    print(f"{count} trees, {nodes} nodes, {wrong} problems; at most {largest} tokens; {dict(stops)}; {seconds:.0f} s")
    return 1 if wrong else 0

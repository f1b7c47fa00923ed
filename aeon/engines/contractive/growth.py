"""What a node knows while its tree grows: rounds of samples, classes of answers, and what may be spent below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from aeon.engines.contractive.config import BranchConfig
from aeon.engines.contractive.entropy import most_common, uncertainty
from aeon.engines.contractive.presets import Limits
from aeon.engines.contractive.record import Branch, Node, Pruned, PruneReason, Round
from aeon.engines.contractive.reviews import pre_reviewed, ranked
from aeon.engines.contractive.rules import BranchSignals
from aeon.engines.contractive.values import Candidate, Classes, Part, Parts, Samples, Solved
from aeon.kernel.engine import Run
from aeon.schema.task import Task
from aeon.schema.usage import Budget, Usage

__all__ = ["BranchRun", "Growth", "normalised"]

BranchRun = Run[BranchConfig, BranchSignals]

_PROMPT = 2_000
"""Bytes of the fixed text of a prompt: a call is admitted by its bytes, since no token is shorter than one."""
_LEAST_CHILDREN = 2


def normalised(question: str) -> str:
    """A sub-question on one line, without the mark that it had in a list."""
    line = " ".join(question.split())
    head, _, rest = line.partition(" ")
    return rest.strip() if rest and head.rstrip(".):").isdigit() and head[-1:] in ".):" else line.lstrip("-*• ")


@dataclass(slots=True)
class Growth:
    """A node while it grows. ``classes`` are answers that stand for theirs; ``solved`` are the answers to its parts."""

    run: BranchRun
    classes: list[str] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    pruned: list[Pruned] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    children: list[str] = field(default_factory=list)
    below: list[Node] = field(default_factory=list)
    solved: tuple[Solved, ...] = ()
    fresh: bool = True
    splits: int = 0
    loops: int = 0
    dearest: Usage = field(default_factory=Usage)
    longest: float = 0.0

    @property
    def limits(self) -> Limits:
        """The numbers of the tree."""
        return self.run.config.limits

    def take(self, samples: Samples, classes: Classes, spent: Usage, seconds: float) -> None:
        """Keep what a look gave, and show the decision table what it says."""
        places = tuple(self._placed(samples, classes))
        found = Round(
            answers=samples.answers,
            places=places,
            unusable=samples.unusable,
            uncertainty=uncertainty(places, samples.unusable),
            solved=len(self.solved),
            asked=classes.asked,
            tokens=spent.tokens,
        )
        self.rounds.append(found)
        self.fresh = False
        self.dearest = max(self.dearest, spent, key=lambda usage: usage.tokens)
        self.longest = max(self.longest, seconds)
        self._show(found, len(samples.answers) + samples.unusable == self.limits.samples)

    def _placed(self, samples: Samples, classes: Classes) -> Iterator[int]:
        """The place of the class of each answer; one that nobody placed is in that of its very words, else alone."""
        for number, answer in enumerate(samples.answers):
            place = classes.places[number] if number < len(classes.places) else -1
            if not 0 <= place <= len(self.classes):
                place = self.classes.index(answer) if answer in self.classes else len(self.classes)
            if place == len(self.classes):
                self.classes.append(answer)
            yield place

    def _show(self, found: Round, whole: bool) -> None:
        """Set the signals: the same estimator before and after, and none where samples are missing."""
        signals, limits = self.run.signals, self.limits
        level = found.uncertainty if whole else None
        signals.unanswered = not self.classes
        if level is not None:
            signals.agreed = level <= limits.collapse
            signals.leaning = len(self.rounds) == 1 and level < limits.decompose
            self._compare(found, level)
        self.weigh(known=level is not None)

    def _compare(self, found: Round, level: float) -> None:
        """Set the signals of what the split changed, if there was one."""
        before = self.rounds[-2] if len(self.rounds) > 1 else None
        if before is None or before.uncertainty is None:
            return
        same = most_common(before.places) == most_common(found.places)
        self.run.signals.fixed = same and level < self.limits.decompose
        self.run.signals.still = same or before.uncertainty - level < self.limits.gain

    def weigh(self, known: bool = True) -> None:
        """Show the decision table what is left for another split."""
        signals, config = self.run.signals, self.run.config
        signals.deepest = config.depth == 0
        signals.spent = self.loops <= 0
        signals.tried = self.splits > self.limits.rebranches
        least = min(_LEAST_CHILDREN, self.limits.children)
        signals.short = not known or self.affordable() < least

    def affordable(self) -> int:
        """How many children what is left pays for, after another look at this node has been kept back."""
        left, caps = self.run.left(), self.run.config.caps
        most = [self.limits.children, (left.calls - caps.decompose) // self.limits.samples - 1]
        if left.tokens is not None:
            most.append(left.tokens // self._look - 2)
        return max(0, min(most))

    @property
    def _look(self) -> int:
        """The tokens that one look takes: as many as the dearest one so far, and room for the last call of it."""
        said = len(f"{self.run.task.text}{self.run.task.background}".encode())
        return self.dearest.tokens + said + self.limits.sample_tokens + _PROMPT

    def share(self, children: int) -> Budget:
        """What each of so many children may spend, once another look at this node has been kept back."""
        left, caps, limits = self.run.left(), self.run.config.caps, self.limits
        again = 2 * self.dearest.cost
        rounds = -(-children // limits.parallel)
        tokens = limits.branch_tokens
        if left.tokens is not None:
            tokens = min(tokens, max(0, left.tokens - self._look) // children)
        return Budget().changed(
            calls=max(0, left.calls - limits.samples - caps.review) // children,
            tokens=tokens,
            seconds=None if left.seconds is None else max(0.0, left.seconds - 2 * self.longest) / rounds,
            cost=None if left.cost is None else max(0.0, left.cost - again) / children,
        )

    def sift(self, parts: Parts, most: int) -> list[tuple[str, Part]]:
        """The sub-questions to work on, each with its place; the others are pruned."""
        kept: list[tuple[str, Part]] = []
        for part in parts.parts:
            question = normalised(part.question)
            place = f"{self.run.config.place}.{len(self.children) + len(kept) + 1}"
            if reason := self._pruned(part, question, len(kept) >= most):
                self.prune(place, question, reason, part.relevance)
            else:
                kept.append((place, part.changed(question=question)))
                self.asked.append(question)
        return kept

    def _pruned(self, part: Part, question: str, full: bool) -> PruneReason | None:
        there = {one.casefold() for one in (*self.asked, " ".join(self.run.task.text.split()))}
        if not question or question.casefold() in there:
            return "repeated"
        if part.relevance is not None and part.relevance < self.limits.relevance:
            return "irrelevant"
        return "over the cap" if full else None

    def prune(self, place: str, question: str, reason: PruneReason, relevance: float | None = None) -> None:
        """Note a sub-question that leads no further."""
        self.pruned.append(Pruned(place=place, question=question, reason=reason, relevance=relevance))

    def child(self, place: str, budget: Budget, children: int) -> BranchConfig:
        """The configuration of a child: one level less, and its part of the splits and of the branches at once."""
        config, limits = self.run.config, self.limits
        at_once = max(1, limits.parallel // min(children, limits.parallel))
        return config.changed(
            limits=limits.changed(parallel=at_once),
            place=place,
            depth=config.depth - 1,
            loops=max(0, self.loops) // children,
            budget=budget,
        )

    def task_of(self, question: str) -> Task:
        """The task of a child: its question, with the questions above it as context."""
        task = self.run.task
        return Task(text=question, context=f"{task.context}\n{task.text}".strip(), earlier=task.earlier)

    def hang(self, branches: tuple[tuple[Part, Branch], ...]) -> None:
        """Take in the children of a split: what they answer is shown to the next look, unless it is of no use."""
        solved: list[Solved] = []
        for part, branch in branches:
            node = branch.node
            self.children.append(node.place)
            self.run.degraded += branch.degraded
            self.below += branch.nodes
            self.loops -= sum(one.splits for one in branch.nodes)
            if not node.answer:
                self.prune(node.place, part.question, "unanswered", part.relevance)
            elif node.rejected:
                self.prune(node.place, part.question, "rejected", part.relevance)
            else:
                others = tuple(one.answer for one in node.others if one.verdict != "reject")
                solved.append(Solved(question=part.question, answer=node.answer, others=others))
        if solved:
            self.solved, self.fresh = tuple(solved), True

    def candidates(self) -> tuple[Candidate, ...]:
        """The classes of answers with what the host can say of each, best first."""
        votes = Counter(place for one in self.rounds for place in one.places)
        latest = Counter(self.rounds[-1].places) if self.rounds else Counter()
        drawn = sum(len(one.places) + one.unusable for one in self.rounds)
        last = len(self.rounds[-1].places) + self.rounds[-1].unusable if self.rounds else 0
        return ranked(
            pre_reviewed(
                Candidate(
                    answer=answer,
                    share=round(votes[place] / drawn, 6),
                    latest=round(latest[place] / last, 6) if last else 0.0,
                )
            )
            for place, answer in enumerate(self.classes)
        )

    def node(self, stop: str, candidates: tuple[Candidate, ...]) -> Node:
        """The node as it ended."""
        rejected = bool(candidates) and candidates[0].verdict == "reject"
        return Node(
            place=self.run.config.place,
            question=self.run.task.text,
            stop=stop,
            answer=candidates[0].answer if candidates else "",
            rejected=rejected,
            candidates=candidates,
            rounds=tuple(self.rounds),
            children=tuple(self.children),
            pruned=tuple(self.pruned),
            splits=self.splits,
            tokens=self.run.usage.tokens,
        )

"""The world around the processes of a run: what has happened in it stays when a process dies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from random import Random
from typing import NamedTuple

from aeon.runtime.ledger import current_ledger
from aeon.schema import NOTHING, Question, Usage
from aeon.simulation.disk import PROCESS, Crash, Disk
from aeon.simulation.faults import Scenario
from aeon.simulation.promises import (
    AUTO_INVARIANTS,
    CHAIN_INVARIANTS,
    CONTRACTIVE_INVARIANTS,
    ENSEMBLE_INVARIANTS,
    GRAPH_INVARIANTS,
    INVARIANTS,
    MULTIPASS_INVARIANTS,
    REPORT_INVARIANTS,
    RESEARCH_INVARIANTS,
    TEAM_INVARIANTS,
    TUTOR_INVARIANTS,
)
from aeon.simulation.scene import PRICE

__all__ = ["ROUNDING", "Problem", "World"]

ROUNDING = 1e-9
"""US dollars that a sum of costs may be off, since each of them is a binary fraction."""


_OVERSPENT = "what is counted beyond the bound ends the run"
_CLEANUP = 1.0
"""Seconds that a tool has to clean up when its time is over."""


class Problem(NamedTuple):
    """What should have held and did not."""

    invariant: str
    detail: str


_OWN = (
    MULTIPASS_INVARIANTS,
    RESEARCH_INVARIANTS,
    REPORT_INVARIANTS,
    GRAPH_INVARIANTS,
    TUTOR_INVARIANTS,
    CONTRACTIVE_INVARIANTS,
    ENSEMBLE_INVARIANTS,
    AUTO_INVARIANTS,
    CHAIN_INVARIANTS,
    TEAM_INVARIANTS,
)
_KNOWN = frozenset(INVARIANTS).union(*_OWN)


class World:
    """Counts what happens and keeps what did not hold.

    ``happened`` counts the side effects by their idempotency key, ``repeats`` by step how often a person asked for one
    to be done again. ``asked`` counts what was asked of the model, and ``made`` adds up what that really took, by the
    number of the effect, whether or not the run heard of it; the calls of tools are in it, too. ``beyond`` is what an
    endpoint said beyond that, and the run heard; of the tokens of the run's bound, ``most_tokens``, it has ``heard`` of
    so many. ``texts`` is what the model answered, and ``leanings`` how sure it was, question by question, that a
    judgment of this name holds. ``told`` is the latest line whose event observers saw, and ``texts_told`` how many
    pieces of texts.

    ``clock`` gives the seconds since the first process began, and ``clock_alone`` says that these are the run's own:
    there was no other process, and the clock did not jump. After ``deadline`` nothing may begin, if there is one.
    ``over``: the run has ended, so that nothing may be asked of the world; ``stopping``: this process of it was asked
    to stop. ``strike_call`` is the call of a tool with side effects (from 0) that the process dies in; ``down_at`` what
    is asked of the model (from 0) when the endpoint goes down; ``attended``: somebody is there to answer; ``waited``:
    the run was suspended; ``queued``: a tool began when that of another effect had ended, which it may have waited for;
    ``short``: an effect had fewer calls than its cap, or than it had before some were lost, or took the last that the
    bound has. ``timed``: an effect had a limit on its seconds; ``metered``: one had a limit on its tokens, be it that
    of a nested run.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.fired: Counter[str] = Counter()
        self.problems: list[Problem] = []
        self.disk = Disk(lambda how: self.fired.update([f"crash_{how}"]))
        self.happened: Counter[str] = Counter()
        self.repeats: Counter[str] = Counter()
        self._repeated: set[str] = set()
        self.over = False
        self.stopping = False
        self.told = -1
        self.texts_told = 0
        self.waited = False
        self.asked = 0
        self.made: defaultdict[int, Usage] = defaultdict(Usage)
        self.beyond: defaultdict[int, Usage] = defaultdict(Usage)
        self.heard = 0
        self._hidden: Counter[int] = Counter()
        self.most_tokens: int | None = None
        self.texts: defaultdict[int, list[str]] = defaultdict(list)
        self.leanings: defaultdict[int, list[tuple[str, float]]] = defaultdict(list)
        self.clock: Callable[[], float] = lambda: 0.0
        self.deadline: float | None = None
        self.clock_alone = False
        self._alone = ""
        self._freed = (-1.0, -1)
        self.queued = False
        self.deeds = 0
        self.short = False
        self.timed = False
        self.metered = False
        self.effects = 0
        self.lives = 0
        self.strike_call: int | None = None
        self.down_at: int | None = None
        self.attended = True

    def has(self, kind: str) -> bool:
        """Whether this fault can occur."""
        return kind in self.scenario.faults

    def fails(self, kind: str, chance: Random, share: float = 0.25) -> bool:
        """Whether this fault occurs now; it is drawn in any case, so that what follows is the same."""
        drawn = chance.random() < share
        if drawn and self.has(kind):
            self.fired[kind] += 1
            return True
        return False

    def wrong(self, invariant: str, detail: str) -> None:
        """Keep a violation of one of the `INVARIANTS`, or of those of an engine."""
        assert invariant in _KNOWN, invariant
        self.problems.append(Problem(invariant, detail))

    def ran_out(self, budget: str | None) -> None:
        """Count a budget that ran out, if it is one that was to."""
        if self.has(f"budget_{budget}"):
            self.fired[f"budget_{budget}"] += 1

    @property
    def lost(self) -> bool:
        """Whether this process stood still, so that another one continues its run."""
        return PROCESS.get() != self.disk.owner

    def touched(self, what: str) -> None:
        """Something is asked of the world. Raises `Crash` where nobody is there any more to ask."""
        if self.disk.dead:
            raise Crash
        if self.lost:  # what it had begun, or had on record
            return
        if self.over:
            self.wrong("no effect after the end", f"{what} was called when the run had ended")
        if self.deadline is not None and self.clock() > self.deadline:
            self.wrong("nothing begins after its time", f"{what} was called {self.clock()} s after the start")

    def begin(self) -> None:
        """A process begins: what another one had under way is not there any more."""
        self.lives += 1
        self.over = False
        self.stopping = False
        self.deadline = None
        self.clock_alone = self.lives == 1
        self._alone = ""

    def tell_time(self, clock: Callable[[], float], seconds: float | None, jumps: bool) -> None:
        """The process has this clock, which ``jumps`` or does not, and a budget of so many seconds."""
        self.clock = clock
        self.clock_alone = self.clock_alone and not jumps
        self.deadline = seconds if self.clock_alone else None

    @contextmanager
    def using(self, tool: str, together: bool, timeout: float) -> Iterator[None]:
        """A tool is at work, for ``timeout`` seconds at most; unless it may run ``together`` with others, it alone.

        Raises as `touched`.
        """
        self.touched(f"the tool {tool}")
        self.spend(Usage(tool_calls=1))
        began = self.clock()
        try:
            with nullcontext() if together or self.lost else self._by_itself(tool):
                yield
        finally:
            if not self.disk.dead and self.clock() - began > timeout + _CLEANUP:
                self.wrong("a tool has its time", f"{tool} was at work for {self.clock() - began} s of {timeout} s")

    @contextmanager
    def _by_itself(self, tool: str) -> Iterator[None]:
        if self._alone:
            self.wrong("tools take turns", f"{tool} was called while {self._alone} was at work")
        number = current_ledger().number
        self.queued |= self._freed[0] == self.clock() and self._freed[1] != number
        self._alone = tool
        try:
            yield
        finally:
            self._alone, self._freed = "", (self.clock(), number)

    def ask(self) -> int:
        """Something is asked of the model: what was asked before it. Raises as `touched`."""
        self.touched("the model")
        number, self.asked = self.asked, self.asked + 1
        if current_ledger().closed:
            self.wrong("an interrupt is honoured within one effect", "a model was asked in an effect that was to end")
        known = self.heard + self._hidden[current_ledger().number]  # each call will take as much again
        if self.most_tokens is not None and self.lives == 1 and known > self.most_tokens:
            self.wrong(_OVERSPENT, f"a model was asked after {self.heard} tokens of {self.most_tokens}")
        if self.asked > self.disk.called:
            self.wrong("nothing is done before it is on record", f"{self.asked} calls, {self.disk.called} on record")
        return number

    def act(self) -> int:
        """A tool is about to change the world: how many did before it."""
        number, self.deeds = self.deeds, self.deeds + 1
        if self.lost and (PROCESS.get(), current_ledger().number) not in self.disk.announced:
            self.wrong("who lost a run does no more", "a tool that changes the world was called")
        if self.deeds > self.disk.begun:
            self.wrong("nothing is done before it is on record", f"{self.deeds} deeds, {self.disk.begun} on record")
        return number

    def spend(self, usage: Usage) -> None:
        """Count what calls really take, for the effect that makes them."""
        self.made[current_ledger().number] += usage.changed(cost=PRICE.of(usage))

    def hear(self, counted: Usage, said: Usage, most_prompt: int) -> None:
        """Note what the run is told that a call took, which may be more than was ``counted``, or than it can take."""
        self.heard += said.tokens
        number = current_ledger().number
        self._hidden[number] = max(self._hidden[number], said.prompt_tokens - most_prompt)
        if said.tokens > counted.tokens:
            more = Usage(
                prompt_tokens=max(0, said.prompt_tokens - counted.prompt_tokens),
                generated_tokens=max(0, said.generated_tokens - counted.generated_tokens),
            )
            self.beyond[current_ledger().number] += more.changed(cost=PRICE.of(more))

    def total(self) -> Usage:
        """What all calls took, in all processes."""
        return sum(self.made.values(), NOTHING)

    async def answer(self, question: Question) -> str | None:
        """What the person says, if one is there."""
        if not self.attended:
            return None
        self.fired["question_answered"] += self.has("question_answered")
        return self.said(question)

    def said(self, question: Question) -> str:
        """The answer to a question: always the same one."""
        chance = self.scenario.chance(f"answer:{question.text}")
        own = question.options[-1] if question.closed else question.default or "the first one"
        said = chance.choice([*question.options, own])
        if said == "repeat" and question.text not in self._repeated:  # a lost answer is given once more
            self._repeated.add(question.text)
            self.repeats[question.text.split()[1]] += 1
        return said
